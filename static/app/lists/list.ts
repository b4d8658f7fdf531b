import { fill, texts } from '../base/texts.js';
import { act, isSignedIn } from '../state/actions.js';
import { navigate } from '../state/router.js';
import { setUi } from '../state/store.js';
import { openListForm } from './list-form.js';
import { itemRows, itemsUrl, saveMove } from './list-items.js';
import { deleteOrAsk } from '../parts/ask.js';
import { ofPerson } from '../parts/mine.js';
import { icon } from '../parts/parts.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import type { List, ListItem, State } from '../base/types.js';

const common = texts.common;
const words = texts.lists;

export const needs = (state: State) => (isSignedIn(state) ? ['/lists', itemsUrl(state)] : []);

const listOf = ({ data, route }: State): List | undefined =>
  (data['/lists']?.body as List[] | undefined)?.find(({ id, kind }) =>
    [String(id), kind].includes(route.params.id ?? ''),
  );

export function title(state: State) {
  const list = listOf(state);
  return list && list.kind !== 'own' ? words.kinds[list.kind] : (list?.name ?? common.tabs.lists);
}

export function view(state: State) {
  const list = listOf(state);
  const screen = { url: itemsUrl(state), title: title(state), about: words.about };
  return ofPerson(
    state,
    { ...screen, ...(list && { actions: actions(state, list) }) },
    (items: ListItem[]) => html`
      ${list?.description ? html`<p class="soft about">${list.description}</p>` : nothing}
      ${itemRows(state, items)}
    `,
  );
}

const actions = (state: State, list: List) => html`
  <a class="button" href=${`/?list=${list.id}&view=map`}>${icon('map', 16)}${words.map}</a>
  <button type="button" class="button" @click=${() => print()}>${words.print}</button>
  ${
    list.kind === 'own'
      ? html`<button type="button" class="button" @click=${() => openListForm(list)}>${common.edit}</button>
          <button
            type="button"
            class="button"
            @click=${() => deleteOrAsk(state, fill(words.deleteAll, { name: list.name }), () => deleteList(list))}
          >
            ${words.delete}
          </button>`
      : nothing
  }
`;

function deleteList({ id, name }: List) {
  // Before it is gone: this screen would ask for what it no longer holds.
  navigate('/lists');
  void act({
    method: 'DELETE',
    path: `/lists/${id}`,
    said: fill(words.deleted, { name }),
    change: (edit) => edit.answers('/lists', (body) => body.filter((list: List) => list.id !== id)),
  });
}

export function leave(state: State) {
  saveMove(state);
  setUi({ noting: undefined });
}
