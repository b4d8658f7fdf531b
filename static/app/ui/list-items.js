import { act } from '../actions.js';
import { setUi } from '../store.js';
import { words as common } from '../texts.js';
import { words } from '../texts/lists.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { repeat } from '../vendor/lit-html/directives/repeat.js';
import { valuesOf } from './form.js';
import { focusOn } from './mine.js';
import { empty, icon } from './parts.js';
import { row } from './row.js';
import { openRate } from './rate.js';

/** @import { ListItem, State } from '../types.js' */

// Several steps in a row are one write, and one Undo.
const SETTLED = 700;

/**
 * The address of the places of the list that is shown.
 * @param {State} state
 */
export const itemsUrl = ({ route }) => `/lists/${route.params['id']}/items`;

/**
 * The places of a list in its order: with notes, tools to move them and to take them off, and what paper needs.
 * @param {State} state
 * @param {ListItem[]} saved
 */
export function itemRows(state, saved) {
  const items = ordered(state, saved);
  if (items.length === 0)
    return empty(words.empty, html`<a class="button primary" href="/">${words.explore}</a>`);
  const move = (/** @type {KeyboardEvent} */ event) => {
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

/**
 * @param {State} state
 * @param {ListItem[]} items
 * @param {number} at
 */
function itemPart(state, items, at) {
  const item = /** @type {ListItem} */ (items[at]);
  const { id, name, address, opening_hours: hours } = item.restaurant;
  const tool = (
    /** @type {'up' | 'down' | 'edit' | 'close'} */ picture,
    /** @type {string} */ label,
    /** @type {() => void} */ run,
    isOff = false,
  ) =>
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
  const isNoting = state.ui['noting'] === id;
  return html`
    ${[address, hours].map((text) => (text ? html`<p class="small paper">${text}</p>` : nothing))}
    <div class="item">
      ${isNoting ? noteForm(state, item) : html`<p class="small note">${item.note ?? ''}</p>`}
      <div class="acts tools" ?hidden=${isNoting}>
        ${tool('edit', words.note(name), () => openNote(id))}
        ${tool('up', words.up(name), () => moveBy(state, item, -1, items.length), at === 0)}
        ${tool('down', words.down(name), () => moveBy(state, item, 1, items.length), at === items.length - 1)}
        ${tool('close', words.remove(name), () => remove(state, items, at))}
      </div>
    </div>
  `;
}

/** @param {number} id */
function openNote(id) {
  setUi({ noting: id });
  focusOn('note');
}

/**
 * @param {State} state
 * @param {ListItem} item
 */
function noteForm(state, { restaurant: { id, name }, note }) {
  const close = () => {
    setUi({ noting: undefined });
    focusOn(`edit-${id}`);
  };
  const save = (/** @type {Event} */ event) => {
    const text = valuesOf(event)['note'] || null;
    close();
    void put(itemsUrl(state), id, { note: text }, words.noted(name), (items) =>
      items.map((item) => (item.restaurant.id === id ? { ...item, note: text } : item)),
    );
  };
  return html`<form class="noting" @submit=${save}>
    <textarea
      name="note"
      rows="2"
      maxlength="1000"
      aria-label=${words.note(name)}
      data-focus="note"
      .value=${note ?? ''}
    ></textarea>
    <div class="acts">
      <button class="button primary">${common.save}</button>
      <button type="button" class="button" @click=${close}>${common.cancel}</button>
    </div>
  </form>`;
}

/**
 * @param {State} state
 * @param {ListItem[]} items
 * @param {number} at
 */
function remove(state, items, at) {
  const { id, name } = /** @type {ListItem} */ (items[at]).restaurant;
  const url = itemsUrl(state);
  const next = items[at + 1] ?? items[at - 1];
  if (next) focusOn(`close-${next.restaurant.id}`);
  void act({
    method: 'DELETE',
    path: `${url}/${id}`,
    said: words.removed(name),
    touches: ['/lists', '/restaurants'],
    change: (edit) =>
      edit(url, (body) => body.filter((/** @type {ListItem} */ item) => item.restaurant.id !== id)),
  });
}

/**
 * @param {string} url of the items
 * @param {number} id
 * @param {{ note?: string | null, position?: number }} body
 * @param {string} said
 * @param {(items: ListItem[]) => ListItem[]} alter
 */
const put = (url, id, body, said, alter) =>
  act({
    method: 'PUT',
    path: `${url}/${id}`,
    body,
    said,
    label: said,
    touches: ['/lists'],
    change: (edit) => edit(url, alter),
  });

/** @typedef {{ url: string, id: number, name: string, to: number }} Move */
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/**
 * Moves a place by a step at once; where it comes to rest is saved a moment later.
 * @param {State} state
 * @param {ListItem} item
 * @param {number} step
 * @param {number} count
 */
function moveBy(state, { restaurant: { id, name }, position }, step, count) {
  const moving = /** @type {Move | undefined} */ (state.ui['moving']);
  if (moving && moving.id !== id) saveMove(state);
  const to = Math.max(1, Math.min(count, (moving?.id === id ? moving.to : position) + step));
  const focus = document.activeElement?.getAttribute('data-focus');
  setUi({ moving: { url: itemsUrl(state), id, name, to } });
  if (focus) focusOn(focus);
  clearTimeout(timer);
  timer = setTimeout(() => saveMove(state), SETTLED);
}

/**
 * @param {ListItem[]} items
 * @param {number} id
 * @param {number} to the position from 1
 */
function moved(items, id, to) {
  const item = items.find(({ restaurant }) => restaurant.id === id);
  if (!item) return items;
  const others = items.filter((one) => one !== item);
  return others.toSpliced(to - 1, 0, item).map((one, at) => ({ ...one, position: at + 1 }));
}

/**
 * @param {State} state
 * @param {ListItem[]} items
 */
function ordered(state, items) {
  const moving = /** @type {Move | undefined} */ (state.ui['moving']);
  return moving?.url === itemsUrl(state) ? moved(items, moving.id, moving.to) : items;
}

/**
 * Saves at once where a place was moved to, if it was.
 * @param {State} state
 */
export function saveMove(state) {
  clearTimeout(timer);
  const moving = /** @type {Move | undefined} */ (state.ui['moving']);
  if (!moving) return;
  const { url, id, name, to } = moving;
  setUi({ moving: undefined });
  const before = /** @type {ListItem[] | undefined} */ (state.data[url]?.body);
  if (before?.find(({ restaurant }) => restaurant.id === id)?.position === to) return;
  void put(url, id, { position: to }, words.moved(name, to), (items) => moved(items, id, to));
}

/** @param {State} state */
