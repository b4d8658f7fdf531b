import * as format from '../base/format.js';
import { faultText } from '../base/api.js';
import { fill, texts } from '../base/texts.js';
import {
  act,
  alters,
  closeDialog,
  inOrder,
  mayWrite,
  needsUser,
  openDialog,
  revert,
  setUndo,
  toast,
  without,
} from '../state/actions.js';
import { invalidate } from '../state/data.js';
import { navigate, queryHref, setQuery } from '../state/router.js';
import { answer, readDraft, setDraft, setUi, state } from '../state/store.js';
import { deleteOrAsk, focusOn, loaded, openKeys } from '../parts/mine.js';
import { age, button, empty, icon, track } from '../parts/parts.js';
import { phoneLink } from '../parts/phone-link.js';
import { placeMap } from '../parts/place-map.js';
import { placeHref } from '../parts/place-parts.js';
import { awayText, ratedText, reasonsOf, similarUrl } from '../parts/similar.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { repeat } from '../vendor/lit-html/directives/repeat.js';
import type { Named, Similar, State, Suggestion, Ui } from '../base/types.js';

const common = texts.common;
const words = texts.suggestions;

/** The lists of suggestions; converted ones have none. */
const STATUSES = ['pending', 'approved', 'tested', 'rejected'] as const;
/** The verdicts by their keys, the usual one first. */
const VERDICTS = { c: 'converted', a: 'approved', t: 'tested', r: 'rejected' } as const;
type Verdict = (typeof VERDICTS)[keyof typeof VERDICTS];
const LANDED = 400;

const setInbox = (changes: Ui['inbox']) => setUi({ inbox: { ...state.ui.inbox, ...changes } });

/** The list on the screen. */
const statusOf = ({ route }: State) => STATUSES.find((status) => status === route.query.status) ?? 'pending';

const listUrl = (status: string) => `/suggestions?status=${status}`;

/** The suggestions of the list without those that were just decided on; undefined while it is being loaded. */
const items = (state: State) =>
  answer<readonly Suggestion[]>(listUrl(statusOf(state)))?.filter(
    ({ id, status }) => state.ui.inbox?.decided?.[id] !== status,
  );

/** The suggestion that is shown and that keys act on: that of the address, else the first. */
function current(state: State) {
  const { sel } = state.route.query;
  const listed = items(state);
  if (sel === undefined) return listed?.[0];
  return listed?.find(({ id }) => String(id) === sel) ?? answer<Suggestion>(`/suggestions/${sel}`);
}

/** Notes the suggestion that the person stays at, so that what it looks like is asked for. */
const land = (id: number) =>
  setTimeout(() => {
    if (current(state)?.id === id && state.ui.inbox?.landed !== id) setInbox({ landed: id });
  }, LANDED);

/** Selects the next suggestion or the one before. */
function walk(state: State, step: 1 | -1) {
  const listed = items(state) ?? [];
  const at = listed.findIndex(({ id }) => id === current(state)?.id) + step;
  select(listed[Math.max(0, Math.min(listed.length - 1, at))]);
}

/** Goes on from suggestions that leave the list. On a phone without a selection the list is shown, and stays. */
function moveOn(group: readonly Named[]) {
  const listed = items(state) ?? [];
  const at = listed.findIndex(({ id }) => id === current(state)?.id);
  const stays = ({ id }: Named) => group.every((item) => item.id !== id);
  if (state.route.query.sel === undefined) focusRow(listed.find(stays));
  else select(listed.slice(at + 1).find(stays) ?? listed.findLast(stays));
}

function select(item: Named | undefined) {
  setQuery({ sel: item && String(item.id) }, { replace: true });
  focusRow(item);
}

/** Moves the focus along with the selection, unless it is on something else. */
function focusRow(item: Named | undefined) {
  const { activeElement, body } = document;
  if (item && (!activeElement || activeElement === body || activeElement.closest('.inbox')))
    focusOn(`row-${item.id}`);
}

/** Selects a suggestion for a verdict on several, or all from the last one to this. */
function pick(state: State, id: number | undefined, isRange = false) {
  if (id === undefined) return;
  const picked = state.ui.inbox?.picked ?? [];
  const ids = (items(state) ?? []).map((item) => item.id);
  const [from = 0, to = 0] = [ids.indexOf(picked.at(-1) ?? id), ids.indexOf(id)].sort((a, b) => a - b);
  const others = picked.filter((one) => one !== id);
  const more = isRange ? [...ids.slice(from, to + 1), id] : picked.includes(id) ? [] : [id];
  setInbox({ picked: [...new Set([...others, ...more])] });
}

const clearPicked = () => setInbox({ picked: [] });

const doneToday = () => readDraft<Record<string, number>>('moderated')?.[new Date().toDateString()] ?? 0;

const countDone = (more: number) =>
  setDraft('moderated', { [new Date().toDateString()]: Math.max(0, doneToday() + more) });

const mayGet = ({ status }: Suggestion, verdict: Verdict) =>
  status !== verdict && status !== 'converted' && !(status === 'rejected' && verdict === 'converted');

/** Passes a verdict on what is selected, or on what is shown, and moves on. */
function decide(state: State, verdict: Verdict) {
  const picked = items(state)?.filter(({ id }) => state.ui.inbox?.picked?.includes(id)) ?? [];
  const meant = picked.length > 0 ? picked : [current(state) ?? []].flat();
  const group = meant.filter((item) => mayGet(item, verdict));
  if (group.length > 0) pass(verdict, statusOf(state), group);
}

/** Hides suggestions in the list that they leave, also where an answer of before still has them there. */
const setDecided = (group: readonly Named[], from: string) =>
  setInbox({
    decided: { ...state.ui.inbox?.decided, ...Object.fromEntries(group.map(({ id }) => [id, from])) },
  });

/** Passes a verdict on suggestions of the list `from`. */
const pass = needsUser('moderate', (verdict: Verdict, from: string, group: readonly Named[]) => {
  const url = listUrl(from);
  const changes: string[] = [];
  const undo = () => inOrder(() => takeBack(from, group, changes.splice(0)));
  const sendAll = async () => {
    let refused: string | undefined;
    for (const [at, { id, name }] of group.entries()) {
      const progress = { verb: words.verbs[verdict], done: at + 1, total: group.length };
      if (group.length > 1) toast({ text: fill(words.progress, progress) });
      const outcome = await act({
        ...(verdict === 'converted'
          ? { method: 'POST', path: `/suggestions/${id}/convert`, body: {} }
          : { method: 'PATCH', path: `/suggestions/${id}/status`, body: { status: verdict } }),
        quiet: true,
        noUndo: true,
        change: alters(url, (list: readonly Named[]) => without(list, id)),
        reload: false,
      });
      if (outcome.ok) changes.push(...(outcome.change === null ? [] : [outcome.change]));
      else {
        countDone(-1);
        setDecided([{ id, name }], '');
        refused ??= fill(words.notDone, { name, reason: faultText(outcome.fault, words.faults) });
      }
    }
    // The list on the screen was changed in place.
    invalidate((one) => /^\/(?:restaurants|suggestions)/.test(one) && one !== url);
    const [one] = group;
    const said =
      one && group.length === 1
        ? fill(words.said[verdict], { name: one.name })
        : fill(words.saidOfMany[verdict], { count: group.length });
    if (refused === undefined) setUi({ toast: { text: said, undo } });
    else setUi({ toast: { text: refused, kind: 'fault', undo: changes.length > 0 ? undo : undefined } });
  };
  moveOn(group);
  clearPicked();
  setDecided(group, from);
  countDone(group.length);
  inOrder(sendAll);
  setUndo(undo);
});

async function takeBack(from: string, group: readonly Named[], changes: readonly string[]) {
  for (const change of changes)
    if (!(await revert(change, { said: '', noUndo: true, reload: false })).ok) return invalidate();
  const [first] = group;
  if (!first || changes.length === 0) return;
  setDecided(group, '');
  invalidate();
  countDone(-changes.length);
  toast({ text: fill(words.returned, { name: first.name, count: changes.length }) });
  if (state.route.pattern === '/suggestions')
    setQuery({ status: from, sel: String(first.id) }, { replace: true });
}

const removeSuggestion = needsUser('remove suggestion', ({ id, name }: Named) => {
  moveOn([{ id, name }]);
  void act({
    method: 'DELETE',
    path: `/suggestions/${id}`,
    said: fill(words.removed, { name }),
    // With WRITE_ACCESS=admins it is no longer the author's once someone has decided.
    faults: { ...words.faults, 403: words.faults[409] },
    change: alters('/suggestions?', (list: readonly Named[]) => without(list, id)),
  });
});

export function needs(state: State) {
  const { sel } = state.route.query;
  const item = current(state);
  if (item) land(item.id);
  const likely = item && item.id === state.ui.inbox?.landed ? [likelyUrl(item)] : [];
  const isElsewhere = sel !== undefined && items(state)?.every(({ id }) => String(id) !== sel);
  return [listUrl(statusOf(state)), ...(isElsewhere ? [`/suggestions/${sel}`] : []), ...likely];
}

export const title = () => common.tabs.suggestions;

export const keys: Readonly<Record<string, (state: State) => void>> = {
  j: (state) => walk(state, 1),
  k: (state) => walk(state, -1),
  x: (state) => pick(state, current(state)?.id),
  X: (state) => pick(state, current(state)?.id, true),
  e: (state) => {
    const item = current(state);
    if (item && mayWrite(state)) navigate(`/suggestions/${item.id}/edit`);
  },
  Escape: clearPicked,
  ...Object.fromEntries(
    Object.entries(VERDICTS).map(([key, verdict]) => [
      key,
      (state: State) => mayWrite(state) && decide(state, verdict),
    ]),
  ),
};

export const leave = () => setUi({ inbox: undefined });

export function view(state: State) {
  const { sel } = state.route.query;
  const listed = items(state);
  const shown = current(state);
  const picked = state.ui.inbox?.picked?.length ?? 0;
  const gone = () => (sel !== undefined && listed ? loaded(`/suggestions/${sel}`, () => nothing) : nothing);
  return html`<div
    class=${`explore moderate ${sel === undefined ? '' : 'page-of-one'} ${picked > 0 ? 'picking' : ''}`}
  >
    <section class="side inbox" data-scroll>
      ${head(state, listed?.length, picked)} ${list(state, shown)}
    </section>
    <div class="one">
      ${sel === undefined ? nothing : phoneBar(state, listed, shown)}
      ${shown ? html`${card(state, shown)} ${bar(state, shown, picked)}` : gone()}
    </div>
  </div>`;
}

function head(state: State, count: number | undefined, picked: number) {
  const status = statusOf(state);
  const done = doneToday();
  const chip = (one: typeof status) =>
    html`<a
      class="chip"
      aria-current=${one === status ? 'true' : nothing}
      href=${queryHref({ status: one, sel: undefined })}
      >${one === status ? icon('check', 14) : nothing}${words.statuses[one]}
      ${one === status && count !== undefined ? format.count(count) : nothing}</a
    >`;
  const today = html`<p class="tiny soft done">
    ${track(done / (done + (count ?? 0)))} ${fill(words.doneToday, { count: done })}
  </p>`;
  const selected = html`<p class="small picked" role="status">
    ${fill(words.selected, { count: picked })} ${button(words.clear, clearPicked, 'link')}
  </p>`;
  return html`<header class="rule">
    <div class="leader">
      <h1>${common.tabs.suggestions}</h1>
      ${done > 0 ? today : nothing}
    </div>
    <nav class="chips" aria-label=${common.tabs.suggestions}>${STATUSES.map(chip)}</nav>
    ${picked > 0 ? selected : nothing} ${age(state.data[listUrl(status)])}
  </header>`;
}

const list = (state: State, shown: Suggestion | undefined) =>
  loaded(listUrl(statusOf(state)), () => {
    const listed = items(state) ?? [];
    if (listed.length === 0)
      return empty(words.none[statusOf(state)], html`<a class="button" href="/add">${words.suggest}</a>`);
    const draw = (item: Suggestion) => row(state, item, item.id === shown?.id);
    return html`<ul class="rows">
      ${repeat(listed, ({ id }) => id, draw)}
    </ul>`;
  });

function row(state: State, item: Suggestion, isShown: boolean) {
  const { id, name, author, created_at: at, category, address } = item;
  const twin = twinOf(item);
  const tag = twin ? fill(words.looksLike, { name: twin.restaurant.name }) : address ? '' : words.noAddress;
  const line = format.dotted([category?.name, address?.split(',')[0]]);
  const box = html`<label class="check"
    ><input
      type="checkbox"
      aria-label=${fill(words.select, { name })}
      .checked=${state.ui.inbox?.picked?.includes(id) ?? false}
      @click=${({ shiftKey }: MouseEvent) => pick(state, id, shiftKey)}
  /></label>`;
  return html`<li class=${isShown ? 'row selected' : 'row'} data-row=${id}>
    ${mayWrite(state) ? box : nothing}
    <div class="in">
      <div class="leader">
        <a
          class="name"
          href=${queryHref({ sel: String(id) })}
          aria-current=${isShown ? 'true' : nothing}
          data-focus=${`row-${id}`}
          dir="auto"
          >${name}</a
        >
        <span class="tiny soft">${format.dotted([author?.username, format.ago(at)])}</span>
      </div>
      <p class="small soft cut">
        ${tag ? html`<b class="warn">${icon('warning', 14)} ${tag}</b>${line && ' · '}` : nothing}${line}
      </p>
    </div>
  </li>`;
}

function phoneBar(state: State, listed: readonly Suggestion[] | undefined, shown: Suggestion | undefined) {
  const at = listed?.findIndex(({ id }) => id === shown?.id) ?? -1;
  const status = words.status[statusOf(state)];
  return html`<div class="phone top-of-one">
    <a class="button plain only" href=${queryHref({ sel: undefined })} aria-label=${words.backToList}
      >${icon('back', 20)}</a
    >
    <b class="small"
      >${at < 0 ? nothing : fill(words.place, { at: at + 1, total: listed?.length ?? 0, status })}</b
    >
    ${shown && mayWrite(state) ? moreButton(state, shown) : html`<span></span>`}
  </div>`;
}

/** The address of the places that a suggestion looks like. */
const likelyUrl = ({ name, address, phone, website, latitude: lat, longitude: lng }: Suggestion) =>
  similarUrl({ name, address, phone, website, lat, lng });

/** All that is known of a suggestion, and the place that it looks like. */
function card(state: State, item: Suggestion) {
  const { name, author, notes, status, restaurant_id: made, latitude: lat, longitude: lng } = item;
  const { category, food_types: foods, address, phone, website } = item;
  const facts = [
    [words.fields.category, category?.name],
    [common.kinds.food, format.listed(foods.map((food) => food.name))],
    [words.fields.address, address],
    [words.fields.phone, phone && phoneLink(phone)],
    [
      words.fields.website,
      website && html`<a href=${website} target="_blank" rel="noopener noreferrer">${website}</a>`,
    ],
  ] as const;
  return html`<article class="card">
    <div class="title rule">
      <h2 dir="auto">${name}</h2>
      <p class="soft">
        ${author ? html`${words.by} <b dir="auto">${author.username}</b>` : common.status.suggestion} ·
        ${format.ago(item.created_at)}${status === statusOf(state) ? nothing : ` · ${words.status[status]}`}
      </p>
    </div>
    <div class="with-map">
      <div>
        <dl>
          ${facts.map(
            ([label, value]) =>
              value &&
              html`<dt>${label}</dt>
                <dd><bdi>${value}</bdi></dd>`,
          )}
        </dl>
        ${notes && html`<p class="said" dir="auto">${notes}</p>`}
      </div>
      ${lat !== null && lng !== null ? placeMap({ position: { lat, lng }, score: '?' }) : nothing}
    </div>
    ${made && html`<p><a href=${`/restaurants/${made}`}>${fill(words.open, { name })}</a></p>`}
    <div role="status">${twinBox(item)}</div>
  </article>`;
}

/** The place that a suggestion looks like most, as far as it is known: neither itself nor what was made of it. */
const twinOf = (item: Suggestion) =>
  answer<readonly Similar[]>(likelyUrl(item))?.find(
    ({ restaurant: { id, is_suggestion: isPending } }) => id !== (isPending ? item.id : item.restaurant_id),
  );

function twinBox(item: Suggestion) {
  const twin = twinOf(item);
  if (!twin) return nothing;
  const { restaurant: place, reasons } = twin;
  const differs = (trait: 'address' | 'phone' | 'website') =>
    item[trait] && place[trait] && item[trait] !== place[trait] && !reasons.includes(trait)
      ? [fill(words.different[trait], { value: place[trait] })]
      : [];
  const traits = [...reasonsOf(twin), ...(['address', 'phone', 'website'] as const).flatMap(differs)];
  return html`<div class="twin-box">
    ${icon('warning', 22)}
    <p>
      <b>${fill(words.looksLike, { name: place.name })}</b> ·
      ${format.dotted([awayText(twin), ratedText(place.avg_rating)])}<br />
      <span class="small soft">${format.dotted(traits)}</span>
    </p>
    <a class="button" href=${placeHref(place)}>${fill(words.open, { name: place.name })}</a>
  </div>`;
}

/** What can be done with the suggestion that is shown, or with those that are selected. */
function bar(state: State, shown: Suggestion, picked: number) {
  const { user } = state.session;
  const isOwn = user && shown.author?.id === user.id && shown.status === 'pending';
  if (!mayWrite(state)) return isOwn ? html`<div class="bar">${removeButton(state, shown)}</div>` : nothing;
  const verdicts = Object.entries(VERDICTS).filter(([, verdict]) => picked > 0 || mayGet(shown, verdict));
  if (verdicts.length === 0) return nothing;
  return html`<div class="bar">
    ${verdicts.map(([key, verdict]) =>
      button(
        html`${words.verbs[verdict]}${picked > 0 ? html` <span class="desk">${picked}</span>` : nothing}
          <kbd class="desk" aria-hidden="true">${key}</kbd>`,
        () => decide(state, verdict),
        verdict === 'converted' ? 'button primary' : 'button',
      ),
    )}
    <span class="desk small soft hints">
      ${button(html`<kbd>?</kbd> ${words.keys}`, openKeys, 'link')} ${moreButton(state, shown)}
    </span>
  </div>`;
}

function moreButton(state: State, item: Suggestion) {
  const { id, name, status } = item;
  const label = fill(words.moreOf, { name });
  const edit = html`<li>
    <a class="button plain" href=${`/suggestions/${id}/edit`} @click=${closeDialog}>${words.edit}</a>
  </li>`;
  const body = () =>
    html`<ul class="choices">
      ${status === 'converted' ? nothing : edit}
      <li>${removeButton(state, item, 'button plain danger')}</li>
    </ul>`;
  return button(icon('more', 20), () => openDialog({ label: name, body }), 'button plain only', { label });
}

function removeButton(state: State, { id, name }: Suggestion, kind?: string) {
  const remove = () => (closeDialog(), removeSuggestion({ id, name }));
  return button(words.remove, () => deleteOrAsk(state, fill(words.removeForEver, { name }), remove), kind);
}
