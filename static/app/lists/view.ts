import { fill, texts } from '../base/texts.js';
import { isSignedIn } from '../state/actions.js';
import { openListForm } from './list-form.js';
import { nameOf } from './list-items.js';
import { ofPerson } from '../parts/mine.js';
import { icon, leader } from '../parts/parts.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import type { List, State } from '../base/types.js';

const common = texts.common;
const words = texts.lists;

const URL = '/lists';
const ICONS = { want: 'mark', favourites: 'star', own: 'list' } as const;

export const title = () => common.tabs.lists;

export const needs = (state: State) => (isSignedIn(state) ? [URL] : []);

export function view(state: State) {
  const actions = html`<button type="button" class="button" @click=${() => openListForm()}>
    ${icon('add', 16)}${words.add}
  </button>`;
  return ofPerson(
    state,
    { url: URL, title: title(), about: words.about, actions },
    (lists: List[]) =>
      html`<ul class="rows">
        ${lists.map(rowOf)}
      </ul>`,
  );
}

const rowOf = (list: List) =>
  html`<li class="row list-row">
    <span class=${list.kind === 'want' ? 'want' : 'soft'}
      >${icon(ICONS[list.kind], 20, list.kind !== 'own')}</span
    >
    <div class="in">
      ${leader(
        html`<a class="name" href=${`/lists/${list.id}`} data-focus=${`list-${list.id}`}>${nameOf(list)}</a>`,
        html`<span class="small soft">${fill(words.count, { count: list.item_count })}</span>`,
      )}
      ${list.description ? html`<p class="small soft cut">${list.description}</p>` : nothing}
    </div>
  </li>`;
