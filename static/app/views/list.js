import { act, isSignedIn } from '../actions.js';
import { navigate } from '../router.js';
import { setUi } from '../store.js';
import { words } from '../texts/lists.js';
import { openListForm } from '../ui/list-form.js';
import { itemRows, itemsUrl, saveMove } from '../ui/list-items.js';
import { deleteOrAsk } from '../ui/ask.js';
import { ofPerson } from '../ui/mine.js';
import { icon } from '../ui/parts.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';

/** @import { List, ListItem, State } from '../types.js' */

/** @param {State} state */
export const needs = (state) => (isSignedIn(state) ? ['/lists', itemsUrl(state)] : []);

/** @param {State} state @returns {List | undefined} */
const listOf = ({ data, route }) =>
  /** @type {List[] | undefined} */ (data['/lists']?.body)?.find(({ id, kind }) =>
    [String(id), kind].includes(route.params['id'] ?? ''),
  );

/** @param {State} state */
export function title(state) {
  const list = listOf(state);
  return list && list.kind !== 'own' ? words.kinds[list.kind] : (list?.name ?? words.title);
}

/** @param {State} state */
export function view(state) {
  const list = listOf(state);
  const screen = { url: itemsUrl(state), title: title(state), about: words.about };
  return ofPerson(
    state,
    { ...screen, ...(list && { actions: actions(state, list) }) },
    (/** @type {ListItem[]} */ items) => html`
      ${list?.description ? html`<p class="soft about">${list.description}</p>` : nothing}
      ${itemRows(state, items)}
    `,
  );
}

/**
 * @param {State} state
 * @param {List} list
 */
const actions = (state, list) => html`
  <a class="button" href=${`/?list=${list.id}&view=map`}>${icon('map', 16)}${words.map}</a>
  <button type="button" class="button" @click=${() => print()}>${words.print}</button>
  ${
    list.kind === 'own'
      ? html`<button type="button" class="button" @click=${() => openListForm(list)}>${words.edit}</button>
          <button
            type="button"
            class="button"
            @click=${() => deleteOrAsk(state, words.deleteAll(list.name), () => deleteList(list))}
          >
            ${words.delete}
          </button>`
      : nothing
  }
`;

/** @param {List} list */
function deleteList({ id, name }) {
  // Before it is gone: this screen would ask for what it no longer holds.
  navigate('/lists');
  void act({
    method: 'DELETE',
    path: `/lists/${id}`,
    said: words.deleted(name),
    touches: ['/lists', '/restaurants'],
    change: (edit) => edit('/lists', (body) => body.filter((/** @type {List} */ list) => list.id !== id)),
  });
}

/** @param {State} state */
export function leave(state) {
  saveMove(state);
  setUi({ noting: undefined });
}
