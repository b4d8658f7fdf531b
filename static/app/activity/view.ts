import { fill, texts } from '../base/texts.js';
import { act, faultText, isAdmin, isSignedIn, toast } from '../state/actions.js';
import { invalidate } from '../state/data.js';
import { revertBatch } from '../state/import-actions.js';
import { mayPurge, placeOf, sentenceParts, undoPart, valuesOf, whoOf } from '../parts/activity-log.js';
import * as format from '../base/format.js';
import { queryHref, setQuery } from '../state/router.js';
import { answer } from '../state/store.js';
import { askFirst } from '../parts/ask.js';
import { choice, ofPerson } from '../parts/mine.js';
import { button, chip, empty, icon } from '../parts/parts.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { repeat } from '../vendor/lit-html/directives/repeat.js';
import type { Change, ChangePage, State } from '../base/types.js';

const common = texts.common;
const words = texts.activity;

const FILTERS = ['kind', 'actor', 'action', 'batch_id'];
// A page of a long log may have nothing that a filter lets through.
const MOST_EMPTY_PAGES = 4;

const isOfLog = (url: string) => url.startsWith('/changes');

const isTrash = ({ route }: State) => route.query.action === 'delete';

export const title = (state: State) => (isTrash(state) ? words.trash : common.tabs.activity);

export const needs = (state: State) => (isSignedIn(state) ? pageUrls(state) : []);

/** The address of the page that is shown, behind those before it that are empty. */
function pageUrls({ route: { query } }: State) {
  const asked = new URLSearchParams({ order: 'newest', limit: '100' });
  for (const name of FILTERS) if (query[name]) asked.set(name, query[name]);
  if (!query.batch_id) asked.set('batches', 'collapsed');
  const urls: string[] = [];
  for (let since = query.since; ;) {
    urls.push(`/changes?${asked}${since ? `&since=${since}` : ''}`);
    const page = answer<ChangePage>(urls.at(-1));
    if (!page?.next || page.data.length > 0 || urls.length === MOST_EMPTY_PAGES) return urls;
    since = page.next;
  }
}

export const view = (state: State) =>
  ofPerson<ChangePage>(
    state,
    { url: pageUrls(state).at(-1) ?? '', title: title(state), about: words.about },
    (page) => html`
      <div class="chips filters">${filters(state)}</div>
      <div role="status">${news(state, page)}</div>
      ${page.data.length === 0 && !page.next ? empty(emptyText(state)) : days(state, page)}
      <p class="acts more">
        ${state.route.query.since ? pageLink(words.newest) : nothing}
        ${page.next ? pageLink(words.older, page.next) : nothing}
      </p>
    `,
  );

const pageLink = (text: string, since?: string) =>
  html`<a class="button" href=${queryHref({ since })}>${text}</a>`;

const emptyText = ({ route: { query } }: State) =>
  query.kind || query.actor ? words.noMatch : query.action === 'delete' ? words.emptyTrash : words.empty;

function filters({ route: { query } }: State) {
  const filter = (name: string, value: string) => setQuery({ [name]: value, since: undefined });
  const toggle = (text: string, name: string, value: string) => {
    const isOn = query[name] === value;
    return chip(text, isOn, () => filter(name, isOn ? '' : value), value);
  };
  const choose = (value: string) => filter('kind', value);
  return html`
    ${toggle(words.mine, 'actor', 'me')} ${toggle(words.trash, 'action', 'delete')}
    ${choice(words.kind, Object.entries(words.kinds), query.kind ?? '', { kind: 'sort', choose })}
  `;
}

/** What came in meanwhile waits to be asked for, so that nothing moves under the reader. */
function news({ ui, route: { query }, session }: State, { data: [newest] }: ChangePage) {
  const { kind, action, actor, since } = query;
  const count = (ui.news ?? []).filter(
    (change) =>
      change.id > (newest?.id ?? 0) &&
      [change.kind, undefined, ''].includes(kind) &&
      [change.action, undefined, ''].includes(action) &&
      (!actor || (actor === 'me' ? session.user?.id : Number(actor)) === change.actor?.id),
  ).length;
  if (count === 0 || since) return nothing;
  const text = html`${icon('up', 16)}${fill(words.news, { count })}`;
  return button(text, () => invalidate(isOfLog), 'button news');
}

function days(state: State, page: ChangePage) {
  const draw = (change: Change) => changeRow(state, change, page);
  return [...Map.groupBy(page.data, ({ at }) => format.day(at))].map(
    ([day, changes]) =>
      html`<h2 class="month">${day}</h2>
        <ul class="rows">
          ${repeat(changes, ({ id }) => id, draw)}
        </ul>`,
  );
}

function changeRow(state: State, change: Change, { batches }: ChangePage) {
  const batch = batches?.find(({ id }) => id === change.batch_id);
  return html`<li class="visit change" data-change=${change.id}>
    <span class="tiny soft time">${format.time(change.at)}</span>
    ${batch ? batchPart(state, change, batch) : ownPart(state, change)}
  </li>`;
}

const undoing = (deeds: unknown) => html`<div class="undo small soft">${deeds}</div>`;

/** An import, or the undoing of one. */
function batchPart(state: State, change: Change, batch: NonNullable<ChangePage['batches']>[number]) {
  const { id, file, changes, places, reverts, reverted_by: by } = batch;
  const text = fill(reverts === null ? words.imported : words.importUndone, {
    who: whoOf(state, change),
    file: file ?? words.aFile,
    places: fill(places > 0 ? words.places : words.entries, { count: places || changes }),
  });
  const label = fill(words.undoOf, { sentence: text });
  const undo = () => button(common.undo, () => void revertBatch(id), 'link', { label });
  return html`<p class="in">
      ${text}
      <a class="small soft" href=${`/activity?batch_id=${id}`} data-focus=${`batch-${id}`}>${words.each}</a>
    </p>
    ${undoing(by === null ? (isAdmin(state) ? undo() : nothing) : words.undone)}`;
}

function ownPart(state: State, change: Change) {
  const [before, after] = sentenceParts(state, change);
  const { id, name } = change;
  const place = placeOf(change);
  const thing = place
    ? html`<a class="thing" href=${place} data-focus=${`change-${id}`}>${name}</a>`
    : html`<b class="thing">${name}</b>`;
  return html`<div class="in">
      <p>${before}${thing}${after}</p>
      ${valuesOf(change).map((text) => html`<p class="small soft">${text}</p>`)}
    </div>
    ${undoing(deeds(state, change, `${before}${name}${after}`))}`;
}

/** What can be done about a change, or why nothing can. */
function deeds(state: State, change: Change, sentence: string) {
  const { action, reverted_by: by, kept_until: until, fields, purged } = change;
  if (purged && by === null) return purgedText(state, purged);
  if (action === 'update' && fields.length === 0) return nothing;
  if (action !== 'delete' || by !== null) return undoPart(state, change, sentence);
  const count = Math.ceil((new Date(until ?? 0).getTime() - Date.now()) / 86_400_000);
  if (count <= 0) return words.gone;
  return html`<span>${fill(words.daysLeft, { count })}</span> ${undoPart(state, change, sentence)}
    ${isTrash(state) && mayPurge(state, change) ? purgePart(change) : nothing}`;
}

function purgedText({ session }: State, { at, by }: NonNullable<Change['purged']>) {
  const day = format.day(at);
  if (!by) return fill(words.purgedOn, { day });
  return fill(words.purgedBy, { who: by.id === session.user?.id ? words.byYou : by.username, day });
}

/** @param change a deletion */
function purgePart({ id, name, before, kind }: Change) {
  const purge = async () => {
    const write = { method: 'POST', path: `/changes/${id}/purge`, said: fill(words.purged, { name }) };
    const outcome = await act({ ...write, noUndo: true, quiet: true });
    if (outcome.ok) return;
    const { fault } = outcome;
    const text = fault.status === 403 ? words.ofOthers : fill(common.notSaved, { reason: faultText(fault) });
    toast({ text, kind: 'fault' });
  };
  const { ratings = [], photos = [], ratings_total: all, photos_total: pictures } = before ?? {};
  const along = {
    ratings: fill(words.ratings, { count: all ?? ratings.length }),
    photos: fill(words.photos, { count: pictures ?? photos.length }),
  };
  const text = kind === 'restaurant' && before ? fill(words.alongWith, along) : common.forGood;
  const title = fill(words.askPurge, { name });
  const ask = () => askFirst({ title, text, yes: common.delete, run: purge });
  return button(common.delete, ask, 'link', { label: fill(words.purgeOf, { name }) });
}

// Nothing brings the log up to date while it is not looked at.
export const enter = () => invalidate(isOfLog);
