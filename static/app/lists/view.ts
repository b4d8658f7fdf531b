import { fill, texts } from '../base/texts.js';
import { openMap } from '../map/open.js';
import { act, closeDialog, isSignedIn, without } from '../state/actions.js';
import { navigate } from '../state/router.js';
import { answer, setUi } from '../state/store.js';
import { deleteOrAsk } from '../parts/ask.js';
import { openForm, send, sends } from '../parts/form.js';
import { focusOn, ofPerson } from '../parts/mine.js';
import { button, empty, icon, leader } from '../parts/parts.js';
import { mapOptions } from '../parts/place-map.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { guard } from '../vendor/lit-html/directives/guard.js';
import { ref } from '../vendor/lit-html/directives/ref.js';
import { whereIn } from '../base/address.js';
import { repeat } from '../vendor/lit-html/directives/repeat.js';
import { row } from '../parts/row.js';
import { openRate } from '../parts/rate.js';
import type { CatalogueMap } from '../map/map.js';
import type { MapPoint } from '../map/types.js';
import type { AppConfig, List, ListItem, ListWithItems, Restaurant, State } from '../base/types.js';

const common = texts.common;
const words = texts.lists;

const LISTS = '/lists';
const ICONS = { want: 'mark', favourites: 'star', own: 'list' } as const;

/** The address of the list that is shown, with its places, or of all lists. */
const listUrl = ({ route: { params } }: State) => (params.id ? `${LISTS}/${params.id}?include=items` : LISTS);

export const needs = (state: State) => (isSignedIn(state) ? [listUrl(state)] : []);

const shown = (state: State) => (state.route.params.id ? answer<List>(listUrl(state)) : undefined);

export function title(state: State) {
  const list = shown(state);
  return list ? nameOf(list) : common.tabs.lists;
}

export function view(state: State) {
  const list = shown(state);
  const isOne = state.route.params.id !== undefined;
  const add = button(html`${icon('add', 16)}${words.add}`, () => openListForm());
  const actions = list ? actionsOf(state, list) : isOne ? nothing : add;
  const screen = { url: listUrl(state), title: title(state), about: words.about, actions };
  return isOne
    ? ofPerson(state, screen, (list: ListWithItems) => items(state, list))
    : ofPerson(
        state,
        screen,
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
      ${list.description && html`<p class="small soft cut">${list.description}</p>`}
    </div>
  </li>`;

function items(state: State, { description, items: saved }: ListWithItems) {
  const items = ordered(state, saved);
  const places = items.map(({ restaurant }) => restaurant);
  return html`${description && html`<p class="soft about">${description}</p>`}
    <div class="split">
      <div>${itemRows(state, items)}</div>
      ${listMap(state, places)}
    </div>`;
}

function actionsOf(state: State, list: List) {
  const { ordering = false } = state.ui;
  const toggle = () => setUi({ ordering: !ordering, noting: undefined });
  const ask = fill(words.deleteAll, { name: list.name });
  const tools = html`${button(words.print, () => print())}
  ${
    list.kind === 'own'
      ? html`${button(words.rename, () => openListForm(list))}
        ${button(words.delete, () => deleteOrAsk(state, ask, () => deleteList(list)))}`
      : nothing
  }`;
  return html`
    <a class="button phone" href=${`/?list=${list.id}&view=map`}>${icon('map', 16)}${words.map}</a>
    ${button(ordering ? words.done : words.editOrder, toggle, ordering ? 'button primary' : 'button', { pressed: ordering })}
    ${ordering ? tools : nothing}
  `;
}

function openListForm(list?: List) {
  const { id, name = '', description } = list ?? {};
  openForm(list ? common.edit : words.add, {
    name: 'list',
    fields: [
      { name: 'name', label: words.name, value: name, required: true, max: 100, autofocus: true },
      { name: 'description', label: words.description, value: description ?? '', type: 'area', max: 1000 },
    ],
    submit: list ? common.save : words.create,
    cancel: closeDialog,
    run: ({ name = '', description = null }) =>
      send<List>(
        {
          ...(list ? { method: 'PUT', path: `/lists/${id}` } : { method: 'POST', path: '/lists' }),
          body: { name, description },
          said: fill(list ? words.changed : words.created, { name }),
        },
        (made) => {
          closeDialog();
          if (!list) navigate(`/lists/${made.id}`);
        },
      ),
  });
}

function deleteList({ id, name }: List) {
  // Before it is gone: this screen would ask for what it no longer holds.
  navigate(LISTS);
  void act({
    method: 'DELETE',
    path: `/lists/${id}`,
    said: fill(words.deleted, { name }),
    // Not the list itself, whose address begins so, too.
    change: (edit) =>
      edit.answers('/lists', (lists: unknown) => (Array.isArray(lists) ? without<List>(lists, id) : lists)),
  });
}

const DESKTOP = matchMedia('(min-width: 1024px)');

let map: CatalogueMap | undefined;

/** The places of a list on a map of their own, where there is room beside it. */
function listMap({ config }: State, places: readonly Restaurant[]) {
  const points = places.flatMap(
    ({ id, name, latitude: lat, longitude: lng, avg_rating: { count, overall } }) =>
      lat === null || lng === null ? [] : [[id, lat, lng, count === 0 ? null : overall, 0, name] as const],
  );
  if (!config || points.length === 0 || !DESKTOP.matches) return nothing;
  const shown = JSON.stringify(points.toSorted(([one], [other]) => one - other));
  const draw = (element?: Element) => void show(element, config, points);
  return guard([shown], () => html`<div class="map list-map" ${ref(draw)}></div>`);
}

async function show(element: Element | undefined, config: AppConfig, points: readonly MapPoint[]) {
  map?.destroy();
  map = undefined;
  if (!(element instanceof HTMLElement)) return;
  try {
    map = await openMap(element, {
      ...mapOptions(config, texts.map.label),
      onOpen: (id) => id !== undefined && navigate(`/restaurants/${id}`),
    });
    map.setPins({ points, groups: [] });
    map.fit(
      points.map(([, lat, lng]) => ({ lat, lng })),
      { animate: false },
    );
  } catch {
    // Without a map the list is the same.
  }
}

export function leave(state: State) {
  saveMove(state);
  setUi({ noting: undefined, ordering: undefined });
}

// Several steps in a row are one write, and one Undo.
const SETTLED = 700;

const nameOf = ({ kind, name }: List) => (kind === 'own' ? name : words.kinds[kind]);

/** The places of a list: with notes, tools to move them and to take them off, and what paper needs. */
function itemRows(state: State, items: readonly ListItem[]) {
  if (items.length === 0)
    return empty(words.empty, html`<a class="button primary" href="/">${words.explore}</a>`);
  const where = whereIn(items.map(({ restaurant }) => restaurant));
  const move = (event: KeyboardEvent) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const own = event.target instanceof Element ? event.target.closest('[data-row]') : null;
    const item = items.find(({ restaurant: { id } }) => String(id) === own?.getAttribute('data-row'));
    if (!event.altKey || !step || !item) return;
    event.preventDefault();
    moveBy(state, item, step, items.length);
  };
  const draw = (item: ListItem, at: number) =>
    row(item.restaurant, {
      onRate: () => openRate(item.restaurant),
      where: where(item.restaurant),
      extra: itemPart(state, items, item, at),
    });
  return html`<ol class="rows items" @keydown=${move}>
      ${repeat(items, ({ restaurant }) => restaurant.id, draw)}
    </ol>
    ${state.ui.ordering ? html`<p class="small soft hint desk">${words.order}</p>` : nothing}`;
}

function itemPart(state: State, items: readonly ListItem[], item: ListItem, at: number) {
  const { id, name, address, opening_hours: hours } = item.restaurant;
  const { note } = item;
  const tool = (picture: 'up' | 'down' | 'edit' | 'close', label: string, run: () => void, isOff = false) =>
    button(icon(picture, 16), run, 'button plain only', { label, isOff, focus: `${picture}-${id}` });
  const tools = html`<div class="acts tools">
    ${tool('edit', fill(words.note, { name }), () => openNote(id))}
    ${tool('up', fill(words.up, { name }), () => moveBy(state, item, -1, items.length), at === 0)}
    ${tool('down', fill(words.down, { name }), () => moveBy(state, item, 1, items.length), at === items.length - 1)}
    ${tool('close', fill(words.remove, { name }), () => remove(state, items, at))}
  </div>`;
  const written = html`${note && html`<p class="small note">${note}</p>`}
  ${state.ui.ordering ? tools : nothing}`;
  return html`
    ${[address, hours].map((text) => text && html`<p class="small paper">${text}</p>`)}
    <div class="item">${state.ui.noting === id ? noteForm(state, item) : written}</div>
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
  const save = sends(({ note = null }) => {
    close();
    const noted: Alter = (all) => all.map((one) => (one.restaurant.id === id ? { ...one, note } : one));
    return write(listUrl(state), id, fill(words.noted, { name }), noted, { note });
  });
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
      ${button(common.cancel, close)}
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
  const said = fill(words.removed, { name, list: list ? nameOf(list) : '' });
  void write(url, id, said, (all) => all.filter(({ restaurant }) => restaurant.id !== id));
}

type Alter = (items: readonly ListItem[]) => readonly ListItem[];

/**
 * Writes a place of a list, or takes it off.
 * @param url of the list
 */
const write = (url: string, id: number, said: string, alter: Alter, body?: object) =>
  act({
    path: `${url.replace(/\?.*/, '')}/items/${id}`,
    ...(body ? { method: 'PUT', body, label: said } : { method: 'DELETE' }),
    said,
    change: (edit) => edit.answers(url, (list: ListWithItems) => ({ ...list, items: alter(list.items) })),
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
function ordered(state: State, items: readonly ListItem[]) {
  const { moving } = state.ui;
  return moving?.url === listUrl(state) ? moved(items, moving.id, moving.to) : items;
}

/** Saves at once where a place was moved to, if it was. */
function saveMove(state: State) {
  clearTimeout(timer);
  const { moving } = state.ui;
  if (!moving) return;
  const { url, id, name, to } = moving;
  setUi({ moving: undefined });
  const before = answer<ListWithItems>(url)?.items;
  if (before?.find(({ restaurant }) => restaurant.id === id)?.position === to) return;
  const said = fill(words.moved, { name, position: to });
  void write(url, id, said, (items) => moved(items, id, to), { position: to });
}
