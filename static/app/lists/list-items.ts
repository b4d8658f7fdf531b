import { fill, texts } from '../base/texts.js';
import { act } from '../state/actions.js';
import { setUi } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { repeat } from '../vendor/lit-html/directives/repeat.js';
import { valuesOf } from '../parts/form.js';
import { focusOn } from '../parts/mine.js';
import { empty, icon } from '../parts/parts.js';
import { row } from '../parts/row.js';
import { openRate } from '../parts/rate.js';
import type { ListItem, State } from '../base/types.js';

const common = texts.common;
const words = texts.lists;

// Several steps in a row are one write, and one Undo.
const SETTLED = 700;

/** The address of the places of the list that is shown. */
export const itemsUrl = ({ route }: State) => `/lists/${route.params.id}/items`;

/** The places of a list in its order: with notes, tools to move them and to take them off, and what paper needs. */
export function itemRows(state: State, saved: ListItem[]) {
  const items = ordered(state, saved);
  if (items.length === 0)
    return empty(words.empty, html`<a class="button primary" href="/">${words.explore}</a>`);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const id =
      event.target instanceof Element && event.target.closest('[data-row]')?.getAttribute('data-row');
    const item = items.find(({ restaurant }) => String(restaurant.id) === id);
    if (!event.altKey || !step || !item) return;
    event.preventDefault();
    moveBy(state, item, step, items.length);
  };
  return html`<ol class="rows items" @keydown=${move}>
      ${repeat(
        items,
        ({ restaurant }) => restaurant.id,
        (item, at) =>
          row(item.restaurant, {
            onRate: () => openRate(item.restaurant),
            extra: itemPart(state, items, at),
          }),
      )}
    </ol>
    <p class="small soft hint desk">${words.order}</p>`;
}

function itemPart(state: State, items: ListItem[], at: number) {
  const item = items[at]!;
  const { id, name, address, opening_hours: hours } = item.restaurant;
  const tool = (picture: 'up' | 'down' | 'edit' | 'close', label: string, run: () => void, isOff = false) =>
    html`<button
      type="button"
      class="button plain only"
      aria-label=${label}
      aria-disabled=${isOff ? 'true' : nothing}
      data-focus=${`${picture}-${id}`}
      @click=${isOff ? nothing : run}
    >
      ${icon(picture, 16)}
    </button>`;
  const isNoting = state.ui.noting === id;
  return html`
    ${[address, hours].map((text) => (text ? html`<p class="small paper">${text}</p>` : nothing))}
    <div class="item">
      ${isNoting ? noteForm(state, item) : html`<p class="small note">${item.note ?? ''}</p>`}
      <div class="acts tools" ?hidden=${isNoting}>
        ${tool('edit', fill(words.note, { name }), () => openNote(id))}
        ${tool('up', fill(words.up, { name }), () => moveBy(state, item, -1, items.length), at === 0)}
        ${tool('down', fill(words.down, { name }), () => moveBy(state, item, 1, items.length), at === items.length - 1)}
        ${tool('close', fill(words.remove, { name }), () => remove(state, items, at))}
      </div>
    </div>
  `;
}

function openNote(id: number) {
  setUi({ noting: id });
  focusOn('note');
}

function noteForm(state: State, { restaurant: { id, name }, note }: ListItem) {
  const close = () => {
    setUi({ noting: undefined });
    focusOn(`edit-${id}`);
  };
  const save = (event: Event) => {
    const text = valuesOf(event).note || null;
    close();
    void put(itemsUrl(state), id, { note: text }, fill(words.noted, { name }), (items) =>
      items.map((item) => (item.restaurant.id === id ? { ...item, note: text } : item)),
    );
  };
  return html`<form class="noting" @submit=${save}>
    <textarea
      name="note"
      rows="2"
      maxlength="1000"
      aria-label=${fill(words.note, { name })}
      data-focus="note"
      .value=${note ?? ''}
    ></textarea>
    <div class="acts">
      <button class="button primary">${common.save}</button>
      <button type="button" class="button" @click=${close}>${common.cancel}</button>
    </div>
  </form>`;
}

function remove(state: State, items: ListItem[], at: number) {
  const { id, name } = items[at]!.restaurant;
  const url = itemsUrl(state);
  const next = items[at + 1] ?? items[at - 1];
  if (next) focusOn(`close-${next.restaurant.id}`);
  void act({
    method: 'DELETE',
    path: `${url}/${id}`,
    said: fill(words.removed, { name }),
    change(edit) {
      edit.answers(url, (body) => body.filter((item: ListItem) => item.restaurant.id !== id));
      edit.marks(id, (marks) => ({
        ...marks,
        lists: marks.lists.filter((one) => url !== `/lists/${one}/items`),
      }));
    },
  });
}

/** @param url of the items */
const put = (
  url: string,
  id: number,
  body: { note?: string | null; position?: number },
  said: string,
  alter: (items: ListItem[]) => ListItem[],
) =>
  act({
    method: 'PUT',
    path: `${url}/${id}`,
    body,
    said,
    label: said,
    change: (edit) => edit.answers(url, alter),
  });

export interface Move {
  url: string;
  id: number;
  name: string;
  to: number;
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Moves a place by a step at once; where it comes to rest is saved a moment later. */
function moveBy(state: State, { restaurant: { id, name }, position }: ListItem, step: number, count: number) {
  const moving = state.ui.moving as Move | undefined;
  if (moving && moving.id !== id) saveMove(state);
  const to = Math.max(1, Math.min(count, (moving?.id === id ? moving.to : position) + step));
  const focus = document.activeElement?.getAttribute('data-focus');
  setUi({ moving: { url: itemsUrl(state), id, name, to } });
  if (focus) focusOn(focus);
  clearTimeout(timer);
  timer = setTimeout(() => saveMove(state), SETTLED);
}

/** @param to the position from 1 */
function moved(items: ListItem[], id: number, to: number) {
  const item = items.find(({ restaurant }) => restaurant.id === id);
  if (!item) return items;
  const others = items.filter((one) => one !== item);
  return others.toSpliced(to - 1, 0, item).map((one, at) => ({ ...one, position: at + 1 }));
}

function ordered(state: State, items: ListItem[]) {
  const moving = state.ui.moving as Move | undefined;
  return moving?.url === itemsUrl(state) ? moved(items, moving.id, moving.to) : items;
}

/** Saves at once where a place was moved to, if it was. */
export function saveMove(state: State) {
  clearTimeout(timer);
  const moving = state.ui.moving as Move | undefined;
  if (!moving) return;
  const { url, id, name, to } = moving;
  setUi({ moving: undefined });
  const before = state.data[url]?.body as ListItem[] | undefined;
  if (before?.find(({ restaurant }) => restaurant.id === id)?.position === to) return;
  void put(url, id, { position: to }, fill(words.moved, { name, position: to }), (items) =>
    moved(items, id, to),
  );
}
