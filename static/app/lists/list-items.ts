import { whereIn } from '../base/address.js';
import { fill, texts } from '../base/texts.js';
import { act } from '../state/actions.js';
import { answer, setUi } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { repeat } from '../vendor/lit-html/directives/repeat.js';
import { valuesOf } from '../parts/form.js';
import { focusOn } from '../parts/mine.js';
import { empty, icon } from '../parts/parts.js';
import { row } from '../parts/row.js';
import { openRate } from '../parts/rate.js';
import type { List, ListItem, ListWithItems, State } from '../base/types.js';

const common = texts.common;
const words = texts.lists;

// Several steps in a row are one write, and one Undo.
const SETTLED = 700;

export const nameOf = ({ kind, name }: List) => (kind === 'own' ? name : words.kinds[kind]);

/** The address of the list that is shown, with its places. */
export const listUrl = ({ route }: State) => `/lists/${route.params.id ?? ''}?include=items`;

/** The address of one of its places. */
const itemPath = (url: string, id: number) => `${url.replace(/\?.*/, '')}/items/${id}`;

/** The places of a list: with notes, tools to move them and to take them off, and what paper needs. */
export function itemRows(state: State, items: readonly ListItem[]) {
  if (items.length === 0)
    return empty(words.empty, html`<a class="button primary" href="/">${words.explore}</a>`);
  const where = whereIn(items.map(({ restaurant }) => restaurant));
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
            where: where(item.restaurant),
            extra: itemPart(state, items, item, at),
          }),
      )}
    </ol>
    ${state.ui.ordering ? html`<p class="small soft hint desk">${words.order}</p>` : nothing}`;
}

function itemPart(state: State, items: readonly ListItem[], item: ListItem, at: number) {
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
  const tools = html`<div class="acts tools">
    ${tool('edit', fill(words.note, { name }), () => openNote(id))}
    ${tool('up', fill(words.up, { name }), () => moveBy(state, item, -1, items.length), at === 0)}
    ${tool('down', fill(words.down, { name }), () => moveBy(state, item, 1, items.length), at === items.length - 1)}
    ${tool('close', fill(words.remove, { name }), () => remove(state, items, at))}
  </div>`;
  return html`
    ${[address, hours].map((text) => (text ? html`<p class="small paper">${text}</p>` : nothing))}
    <div class="item">
      ${state.ui.noting === id ? noteForm(state, item) : html`${item.note ? html`<p class="small note">${item.note}</p>` : nothing} ${state.ui.ordering ? tools : nothing}`}
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
    const { note: typed = '' } = valuesOf(event);
    const text = typed === '' ? null : typed;
    close();
    void put(listUrl(state), id, { note: text }, fill(words.noted, { name }), (items) =>
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

function remove(state: State, items: readonly ListItem[], at: number) {
  const place = items[at]?.restaurant;
  if (!place) return;
  const { id, name } = place;
  const url = listUrl(state);
  const next = items[at + 1] ?? items[at - 1];
  if (next) focusOn(`close-${next.restaurant.id}`);
  const list = answer<List>(url);
  void act({
    method: 'DELETE',
    path: itemPath(url, id),
    said: fill(words.removed, { name, list: list ? nameOf(list) : '' }),
    change: (edit) =>
      edit.answers(
        url,
        withItems((all) => all.filter(({ restaurant }) => restaurant.id !== id)),
      ),
  });
}

const withItems =
  (alter: (items: readonly ListItem[]) => readonly ListItem[]) =>
  (list: ListWithItems): ListWithItems => ({ ...list, items: alter(list.items) });

/** @param url of the list */
const put = (
  url: string,
  id: number,
  body: { note?: string | null; position?: number },
  said: string,
  alter: (items: readonly ListItem[]) => readonly ListItem[],
) =>
  act({
    method: 'PUT',
    path: itemPath(url, id),
    body,
    said,
    label: said,
    change: (edit) => edit.answers(url, withItems(alter)),
  });

let timer: ReturnType<typeof setTimeout> | undefined;

/** Moves a place by a step at once; where it comes to rest is saved a moment later. */
function moveBy(state: State, { restaurant: { id, name }, position }: ListItem, step: number, count: number) {
  const { moving } = state.ui;
  if (moving && moving.id !== id) saveMove(state);
  const to = Math.max(1, Math.min(count, (moving?.id === id ? moving.to : position) + step));
  const focus = document.activeElement?.getAttribute('data-focus');
  setUi({ moving: { url: listUrl(state), id, name, to } });
  if (focus) focusOn(focus);
  clearTimeout(timer);
  timer = setTimeout(() => saveMove(state), SETTLED);
}

/** @param to the position from 1 */
function moved(items: readonly ListItem[], id: number, to: number): readonly ListItem[] {
  const item = items.find(({ restaurant }) => restaurant.id === id);
  if (!item) return items;
  const others = items.filter((one) => one !== item);
  return others.toSpliced(to - 1, 0, item).map((one, at) => ({ ...one, position: at + 1 }));
}

/** The places in the order that is shown, with the one that is being moved. */
export function ordered(state: State, items: readonly ListItem[]) {
  const { moving } = state.ui;
  return moving?.url === listUrl(state) ? moved(items, moving.id, moving.to) : items;
}

/** Saves at once where a place was moved to, if it was. */
export function saveMove(state: State) {
  clearTimeout(timer);
  const { moving } = state.ui;
  if (!moving) return;
  const { url, id, name, to } = moving;
  setUi({ moving: undefined });
  const before = answer<ListWithItems>(url)?.items;
  if (before?.find(({ restaurant }) => restaurant.id === id)?.position === to) return;
  void put(url, id, { position: to }, fill(words.moved, { name, position: to }), (items) =>
    moved(items, id, to),
  );
}
