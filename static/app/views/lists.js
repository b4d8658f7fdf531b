import { isSignedIn } from '../actions.js';
import { words } from '../texts/lists.js';
import { openListForm } from '../ui/list-form.js';
import { ofPerson } from '../ui/mine.js';
import { icon, leader } from '../ui/parts.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';

/** @import { List, State } from '../types.js' */

const URL = '/lists';
const ICONS = /** @type {const} */ ({ want: 'mark', favourites: 'star', own: 'list' });

export const title = () => words.title;

/** @param {State} state */
export const needs = (state) => (isSignedIn(state) ? [URL] : []);

/** @param {State} state */
export function view(state) {
  const { title, about } = words;
  const actions = html`<button type="button" class="button" @click=${() => openListForm()}>
    ${icon('add', 16)}${words.add}
  </button>`;
  return ofPerson(
    state,
    { url: URL, title, about, actions },
    (/** @type {List[]} */ lists) =>
      html`<ul class="rows">
        ${lists.map(rowOf)}
      </ul>`,
  );
}

/** @param {List} list */
const rowOf = (list) =>
  html`<li class="row list-row">
    <span class=${list.kind === 'want' ? 'want' : 'soft'}
      >${icon(ICONS[list.kind], 20, list.kind !== 'own')}</span
    >
    <div class="in">
      ${leader(
        html`<a class="name" href=${`/lists/${list.id}`} data-focus=${`list-${list.id}`}>${nameOf(list)}</a>`,
        html`<span class="small soft">${words.count(list.item_count)}</span>`,
      )}
      ${list.description ? html`<p class="small soft cut">${list.description}</p>` : nothing}
    </div>
  </li>`;

/** @param {List} list */
const nameOf = ({ kind, name }) => (kind === 'own' ? name : words.kinds[kind]);
