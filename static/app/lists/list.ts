import { fill, texts } from '../base/texts.js';
import { act, isSignedIn } from '../state/actions.js';
import { navigate } from '../state/router.js';
import { answer, setUi } from '../state/store.js';
import { openListForm } from './list-form.js';
import { itemRows, listUrl, nameOf, ordered, saveMove } from './list-items.js';
import { listMap } from './list-map.js';
import { deleteOrAsk } from '../parts/ask.js';
import { ofPerson } from '../parts/mine.js';
import { icon } from '../parts/parts.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import type { List, ListWithItems, State } from '../base/types.js';

const common = texts.common;
const words = texts.lists;

export const needs = (state: State) => (isSignedIn(state) ? [listUrl(state)] : []);

export function title(state: State) {
  const list = answer<List>(listUrl(state));
  return list ? nameOf(list) : common.tabs.lists;
}

export function view(state: State) {
  const list = answer<List>(listUrl(state));
  const screen = { url: listUrl(state), title: title(state), about: words.about };
  return ofPerson(
    state,
    { ...screen, ...(list && { actions: actions(state, list) }) },
    ({ description, items: saved }: ListWithItems) => {
      const items = ordered(state, saved);
      return html`${description ? html`<p class="soft about">${description}</p>` : nothing}
        <div class="split">
          <div>${itemRows(state, items)}</div>
          ${
            items.length > 0
              ? listMap(
                  state,
                  items.map(({ restaurant }) => restaurant),
                )
              : nothing
          }
        </div>`;
    },
  );
}

function actions(state: State, list: List) {
  const { ordering = false } = state.ui;
  const button = (text: string, run: () => void) =>
    html`<button type="button" class="button" @click=${run}>${text}</button>`;
  const ask = fill(words.deleteAll, { name: list.name });
  return html`
    <a class="button phone" href=${`/?list=${list.id}&view=map`}>${icon('map', 16)}${words.map}</a>
    <button
      type="button"
      class=${ordering ? 'button primary' : 'button'}
      aria-pressed=${ordering}
      @click=${() => setUi({ ordering: !ordering, noting: undefined })}
    >
      ${ordering ? words.done : words.editOrder}
    </button>
    ${
      ordering
        ? html`${button(words.print, () => print())}
          ${list.kind === 'own' ? html`${button(words.rename, () => openListForm(list))} ${button(words.delete, () => deleteOrAsk(state, ask, () => deleteList(list)))}` : nothing}`
        : nothing
    }
  `;
}

function deleteList({ id, name }: List) {
  // Before it is gone: this screen would ask for what it no longer holds.
  navigate('/lists');
  void act({
    method: 'DELETE',
    path: `/lists/${id}`,
    said: fill(words.deleted, { name }),
    change: (edit) =>
      edit.answers('/lists', (lists: unknown) =>
        Array.isArray(lists) ? lists.filter((list: List) => list.id !== id) : lists,
      ),
  });
}

export function leave(state: State) {
  saveMove(state);
  setUi({ noting: undefined, ordering: undefined });
}
