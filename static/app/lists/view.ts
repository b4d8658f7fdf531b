import { whereIn } from '../base/address.js';
import { fill, texts } from '../base/texts.js';
import { act, alters, closeDialog, isSignedIn } from '../state/actions.js';
import { navigate } from '../state/router.js';
import { answer, setUi } from '../state/store.js';
import { openForm, send } from '../parts/form.js';
import { deleteOrAsk, download, focusOn, listName, listPeople, ofPerson } from '../parts/mine.js';
import { button, empty, gone, icon, leader } from '../parts/parts.js';
import { withMap } from '../parts/place-map.js';
import { row } from '../parts/place-parts.js';
import { dropList, leaveList, openShare } from './share.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { repeat } from '../vendor/lit-html/directives/repeat.js';
import type { IconName } from '../parts/parts.js';
import type { Write } from '../state/actions.js';
import type { List, ListItem, ListWithItems, State } from '../base/types.js';

const common = texts.common;
const words = texts.lists;

const ICONS = { want: 'mark', favourites: 'star', own: 'list' } as const;

/** The address of the list that is shown, with its places, or of all lists. */
const listUrl = ({ route: { params } }: State) =>
  params.id ? `/lists/${params.id}?include=items` : '/lists';

export const needs = (state: State) => (isSignedIn(state) ? [listUrl(state)] : []);

const shown = (state: State) => (state.route.params.id ? answer<List>(listUrl(state)) : undefined);

export function title(state: State) {
  const list = shown(state);
  return list ? listName(list) : common.tabs.lists;
}

export function view(state: State) {
  const url = listUrl(state);
  if (state.data[url]?.fault?.status === 404)
    return html`${gone(words.gone, undefined, html`<a class="button" href="/lists">${words.all}</a>`)}`;
  return ofPerson(
    state,
    { url, title: title(state), about: words.about, actions: actions(state) },
    (body: List[] | ListWithItems) =>
      Array.isArray(body)
        ? html`<ul class="rows">
              ${body.map(listRow)}
            </ul>
            <p class="how"><a class="button" href="/settings/import">${words.bring}</a></p>`
        : content(state, body),
  );
}

const listRow = (list: List) =>
  html`<li class="row">
    <span class=${list.kind === 'want' ? 'want' : 'soft'}
      >${icon(ICONS[list.kind], 20, list.kind !== 'own')}</span
    >
    <div class="in">
      ${leader(
        html`<a class="name" href=${`/lists/${list.id}`} data-focus=${`list-${list.id}`} dir="auto"
          >${listName(list)}</a
        >`,
        html`<span class="small soft">${fill(words.count, { count: list.item_count })}</span>`,
      )}
      ${[listPeople(list), list.description].map((text) => text && html`<p class="small soft cut" dir="auto">${text}</p>`)}
    </div>
  </li>`;

function actions(state: State) {
  const list = shown(state);
  if (!state.route.params.id)
    return html`<a class="button" href="/outings">${icon('calendar', 16)}${texts.outing.all}</a>
      ${button(html`${icon('add', 16)}${words.add}`, () => openListForm())}`;
  if (!list) return nothing;
  const { ordering = false } = state.ui;
  const toggle = button(
    ordering ? words.done : words.editOrder,
    () => setUi({ ordering: !ordering }),
    ordering ? 'button primary' : 'button',
    { pressed: ordering },
  );
  const ask = fill(words.deleteAll, { name: list.name });
  const isOwner = list.role === 'owner';
  return html`
    <a class="button phone" href=${`/?list=${list.id}&view=map`}>${icon('map', 16)}${words.map}</a>
    ${button(html`${icon('go', 16)}${isOwner ? common.share : texts.share.people}`, () => openShare(listUrl(state), list))}
    <a class="button" href=${`/outings/new?list=${list.kind === 'own' ? list.id : list.kind}`}
      >${icon('calendar', 16)}${common.together}</a
    >
    ${toggle}
    ${
      ordering
        ? html`${button(words.print, () => print())}
          ${button(words.download, () => download(`/export?format=kml&list=${list.id}`, `${listName(list)}.kml`))}`
        : nothing
    }
    ${
      ordering && list.kind === 'own'
        ? html`${button(words.rename, () => openListForm(list))}
          ${isOwner ? button(words.delete, () => deleteOrAsk(state, ask, () => deleteList(list))) : button(texts.share.leaving.yes, () => leaveList(list))}`
        : nothing
    }
  `;
}

function openListForm(list?: List) {
  const { name: before = '', description: about } = list ?? {};
  openForm(list ? common.edit : words.add, {
    name: 'list',
    fields: [
      { name: 'name', label: words.name, value: before, required: true, max: 100, autofocus: true },
      { name: 'description', label: words.description, value: about ?? '', type: 'area', max: 1000 },
    ],
    submit: list ? common.save : words.create,
    run: ({ name = '', description = null }) =>
      send<List>(
        {
          ...(list ? { method: 'PUT', path: `/lists/${list.id}` } : { method: 'POST', path: '/lists' }),
          body: { name, description },
          said: fill(list ? words.changed : words.created, { name }),
        },
        ({ id }) => (list ? closeDialog() : navigate(`/lists/${id}`)),
      ),
  });
}

const deleteList = ({ id, name }: List) =>
  dropList(id, { path: `/lists/${id}`, said: fill(words.deleted, { name }) });

/** The places of a list, with notes, tools to move them and to take them off, and what paper needs; and a map of them. */
function content(state: State, list: ListWithItems) {
  const { items: saved } = list;
  const { ordering, moving } = state.ui;
  const people = listPeople(list);
  const about = html`${people && html`<p class="small soft">${people}</p>`}
  ${list.description && html`<p class="soft lead" dir="auto">${list.description}</p>`}`;
  if (saved.length === 0)
    return html`${about} ${empty(words.empty, html`<a class="button primary" href="/">${words.explore}</a>`)}`;
  const items = moving ? moved(saved, moving.id, moving.to) : saved;
  const places = items.map(({ restaurant }) => restaurant);
  const where = whereIn(places);
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const row = event.target instanceof Element ? event.target.closest('[data-row]') : null;
    const item = items.find(({ restaurant: { id } }) => String(id) === row?.getAttribute('data-row'));
    if (!event.altKey || !step || !item) return;
    event.preventDefault();
    moveBy(state, item, step, items.length);
  };
  const draw = (item: ListItem, at: number) =>
    row(item.restaurant, where(item.restaurant), undefined, itemPart(state, list, items, item, at));
  const rows = html`<ol class="rows items" @keydown=${onKey}>
      ${repeat(items, ({ restaurant }) => restaurant.id, draw)}
    </ol>
    ${ordering ? html`<p class="small soft how desk">${words.order}</p>` : nothing}`;
  return html`${about} ${withMap(places, rows)}`;
}

function itemPart(state: State, list: List, items: readonly ListItem[], item: ListItem, at: number) {
  const { note, restaurant: place, added_by: person } = item;
  const isOwn = person?.id === state.session.user?.id;
  const addedBy = isOwn ? words.addedByYou : fill(words.addedBy, { name: person?.username ?? '' });
  const { id, name, address, opening_hours: hours } = place;
  const tool = (picture: IconName, label: string, run: () => void, isOff = false) =>
    button(icon(picture, 16), run, 'button plain only', { label, isOff, focus: `${picture}-${id}` });
  const tools = html`<div class="acts tools">
    ${tool('edit', fill(words.note, { name }), () => openNote(state, item))}
    ${tool('up', fill(words.up, { name }), () => moveBy(state, item, -1, items.length), at === 0)}
    ${tool('down', fill(words.down, { name }), () => moveBy(state, item, 1, items.length), at === items.length - 1)}
    ${tool('close', fill(words.remove, { name }), () => remove(state, item, items[at + 1] ?? items[at - 1]))}
  </div>`;
  return html`
    ${[address, hours].map((text) => text && html`<p class="small paper" dir="auto">${text}</p>`)}
    ${list.member_count > 1 && person ? html`<p class="tiny soft">${addedBy}</p>` : nothing}
    <div class="item">
      ${note && html`<p class="small note" dir="auto"><i>${note}</i></p>`}
      ${state.ui.ordering ? tools : nothing}
    </div>
  `;
}

function openNote(state: State, { restaurant: { id, name }, note }: ListItem) {
  const label = fill(words.note, { name });
  openForm(common.edit, {
    name: 'note',
    fields: [{ name: 'note', label, value: note ?? '', type: 'area', max: 1000, autofocus: true }],
    submit: common.save,
    run: ({ note = null }) =>
      send(
        itemWrite(state, id, fill(words.noted, { name }), { note }, (items) =>
          items.map((one) => (one.restaurant.id === id ? { ...one, note } : one)),
        ),
      ),
  });
}

function remove(state: State, { restaurant: { id, name } }: ListItem, next: ListItem | undefined) {
  const list = shown(state);
  if (next) focusOn(`close-${next.restaurant.id}`);
  const said = fill(words.removed, { name, list: list ? listName(list) : '' });
  void act(
    itemWrite(state, id, said, undefined, (items) => items.filter(({ restaurant }) => restaurant.id !== id)),
  );
}

/** The write of a place of the list that is shown; without a body it takes the place off. */
const itemWrite = (
  state: State,
  id: number,
  said: string,
  body: object | undefined,
  alter: (items: readonly ListItem[]) => readonly ListItem[],
): Write => ({
  path: `/lists/${state.route.params.id}/items/${id}`,
  ...(body ? { method: 'PUT', body, label: said } : { method: 'DELETE' }),
  said,
  change: alters(listUrl(state), (list: ListWithItems) => ({ ...list, items: alter(list.items) })),
});

// Several steps in a row are one write, and one Undo.
const SETTLED = 700;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Moves a place by a step at once; where it comes to rest is saved a moment later. */
function moveBy(state: State, { restaurant: { id, name }, position }: ListItem, step: number, count: number) {
  const { moving } = state.ui;
  if (moving && moving.id !== id) saveMove(state);
  const to = (moving?.id === id ? moving.to : position) + step;
  if (to < 1 || to > count) return;
  setUi({ moving: { id, name, to } });
  clearTimeout(timer);
  timer = setTimeout(saveMove, SETTLED, state);
}

/** @param to the position from 1 */
function moved(items: readonly ListItem[], id: number, to: number): readonly ListItem[] {
  const item = items.filter(({ restaurant }) => restaurant.id === id);
  const others = items.filter(({ restaurant }) => restaurant.id !== id);
  return others.toSpliced(to - 1, 0, ...item).map((one, at) => ({ ...one, position: at + 1 }));
}

/** Saves at once where a place was moved to, if it was. */
function saveMove(state: State) {
  clearTimeout(timer);
  const { moving } = state.ui;
  if (!moving) return;
  const { id, name, to: position } = moving;
  setUi({ moving: undefined });
  const said = fill(words.moved, { name, position });
  void act(itemWrite(state, id, said, { position }, (items) => moved(items, id, position)));
}

export function leave(state: State) {
  saveMove(state);
  setUi({ ordering: undefined });
}
