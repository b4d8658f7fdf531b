import * as format from '../base/format.js';
import { fill, texts } from '../base/texts.js';
import { act, isAdmin, isSignedIn, toast } from '../state/actions.js';
import { invalidate } from '../state/data.js';
import { revertBatch } from '../state/import-actions.js';
import { queryHref, setQuery } from '../state/router.js';
import { answer } from '../state/store.js';
import {
  mayPurge,
  placeOf,
  sentenceOf,
  sentenceParts,
  undoPart,
  valuesOf,
  whoOf,
} from '../parts/activity-log.js';
import { pairsLink, pairsUrls } from '../parts/similar.js';
import { askFirst, choice, grouped, ofPerson, queryChip } from '../parts/mine.js';
import { button, empty, icon } from '../parts/parts.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import type { Change, ChangePage, State } from '../base/types.js';

const common = texts.common;
const words = texts.activity;

// A page of a long log may have nothing that a filter lets through.
const MOST_EMPTY_PAGES = 4;

const isTrash = ({ route }: State) => route.query.action === 'delete';

export const title = (state: State) => (isTrash(state) ? words.trash : common.tabs.activity);

export const needs = (state: State) => (isSignedIn(state) ? [...pageUrls(state), ...pairsUrls(state)] : []);

const refresh = () => invalidate((url) => url.startsWith('/changes'));

// Nothing brings the log up to date while it is not looked at.
export const enter = refresh;

/** The address of the page that is shown, behind those before it that are empty. */
function pageUrls({ route: { query } }: State) {
  const asked = new URLSearchParams({ order: 'newest', limit: '100' });
  for (const name of ['kind', 'actor', 'action', 'batch_id']) if (query[name]) asked.set(name, query[name]);
  if (!query.batch_id) asked.set('batches', 'collapsed');
  const urls: string[] = [];
  for (let since = query.since; ;) {
    urls.push(`/changes?${asked}${since ? `&since=${since}` : ''}`);
    const page = answer<ChangePage>(urls.at(-1));
    if (!page?.next || page.data.length > 0 || urls.length === MOST_EMPTY_PAGES) return urls;
    since = page.next;
  }
}

export function view(state: State) {
  const { query } = state.route;
  const none =
    query.kind || query.actor ? words.noMatch : query.action === 'delete' ? words.emptyTrash : words.empty;
  const choose = (kind: string) => setQuery({ kind, since: undefined });
  const link = (text: string, since?: string) =>
    html`<a class="button" href=${queryHref({ since })}>${text}</a>`;
  const [url = ''] = pageUrls(state).slice(-1);
  const screen = { url, title: title(state), about: words.about, actions: pairsLink(state, 'button') };
  return ofPerson(
    state,
    screen,
    (page: ChangePage) => html`
      <div class="chips filters">
        ${queryChip(state, 'actor', 'me', words.mine)} ${queryChip(state, 'action', 'delete', words.trash)}
        ${choice(words.kind, Object.entries(words.kinds), query.kind ?? '', { kind: 'sort', choose })}
      </div>
      <div role="status">${news(state, page)}</div>
      ${page.data.length === 0 && !page.next ? empty(none) : days(state, page)}
      <p class="acts more">
        ${query.since ? link(words.newest) : nothing} ${page.next ? link(words.older, page.next) : nothing}
      </p>
    `,
  );
}

/** What came in meanwhile waits to be asked for, so that nothing moves under the reader. */
function news({ ui, route: { query }, session }: State, { data: [newest] }: ChangePage) {
  const isShown = ({ id, kind, action, actor }: Change) =>
    id > (newest?.id ?? 0) &&
    (!query.kind || query.kind === kind) &&
    (!query.action || query.action === action) &&
    (!query.actor || actor?.id === session.user?.id);
  const count = (ui.news ?? []).filter(isShown).length;
  if (count === 0 || query.since) return nothing;
  return button(html`${icon('up', 16)}${fill(words.news, { count })}`, refresh, 'button news');
}

function days(state: State, page: ChangePage) {
  const draw = (change: Change) => {
    const batch = page.batches?.find(({ id }) => id === change.batch_id);
    return html`<li class="visit change" data-change=${change.id}>
      <span class="tiny soft time">${format.time(change.at)}</span>
      ${batch ? batchPart(state, change, batch) : ownPart(state, change)}
    </li>`;
  };
  return grouped(
    Map.groupBy(page.data, ({ at }) => format.day(at)),
    draw,
  );
}

/** An import, or the undoing of one. */
function batchPart(state: State, change: Change, batch: NonNullable<ChangePage['batches']>[number]) {
  const { id, file, changes, places, reverts, reverted_by: by } = batch;
  const text = fill(sentenceOf(state, change, reverts === null ? words.imported : words.importUndone), {
    who: whoOf(state, change),
    file: file ?? words.aFile,
    places: fill(places > 0 ? words.places : words.entries, { count: places || changes }),
  });
  const label = fill(words.undoOf, { sentence: text });
  const isMine = change.actor?.id === state.session.user?.id;
  const undo =
    isMine || isAdmin(state) ? button(common.undo, () => revertBatch(id), 'link', { label }) : nothing;
  return html`<p class="in">
      ${text}
      <a class="small soft" href=${`/activity?batch_id=${id}`} data-focus=${`batch-${id}`}>${words.each}</a>
    </p>
    <div class="undo small soft">${by === null ? undo : words.undone}</div>`;
}

function ownPart(state: State, change: Change) {
  const [before, after] = sentenceParts(state, change);
  const { id, name } = change;
  const place = placeOf(change);
  const thing = place
    ? html`<a class="thing" href=${place} data-focus=${`change-${id}`} dir="auto">${name}</a>`
    : html`<b class="thing" dir="auto">${name}</b>`;
  return html`<div class="in">
      <p>${before}${thing}${after}</p>
      ${valuesOf(change).map((text) => html`<p class="small soft">${text}</p>`)}
    </div>
    <div class="undo small soft">${deeds(state, change, `${before}${name}${after}`)}</div>`;
}

/** What can be done about a change, or why nothing can. */
function deeds(state: State, change: Change, sentence: string) {
  const { action, reverted_by: by, kept_until: until, fields, purged } = change;
  if (purged && by === null) {
    const who = purged.by?.id === state.session.user?.id ? words.byYou : purged.by?.username;
    return fill(who ? words.purgedBy : words.purgedOn, { who: who ?? '', day: format.day(purged.at) });
  }
  if (action === 'update' && fields.length === 0) return nothing;
  if (action !== 'delete' || by !== null) return undoPart(state, change, sentence);
  const count = Math.ceil((new Date(until ?? 0).getTime() - Date.now()) / 86_400_000);
  if (count <= 0) return words.gone;
  return html`<span>${fill(words.daysLeft, { count })}</span> ${undoPart(state, change, sentence)}
    ${isTrash(state) && mayPurge(state, change) ? purgePart(change) : nothing}`;
}

/** @param change a deletion */
function purgePart({ id, name, before, kind }: Change) {
  const purge = async () => {
    const said = fill(words.purged, { name });
    const outcome = await act({ method: 'POST', path: `/changes/${id}/purge`, said, noUndo: true });
    if (!outcome.ok && outcome.fault.status === 403) toast({ text: words.ofOthers, kind: 'fault' });
  };
  const { ratings = [], ratings_total: all = ratings.length } = before ?? {};
  const { photos = [], photos_total: pictures = photos.length } = before ?? {};
  const along = {
    ratings: fill(words.ratings, { count: all }),
    photos: fill(words.photos, { count: pictures }),
  };
  const text = kind === 'restaurant' && before ? fill(words.alongWith, along) : common.forGood;
  const title = fill(words.askPurge, { name });
  const ask = () => askFirst(title, text, common.delete, purge);
  return button(common.delete, ask, 'link', { label: fill(words.purgeOf, { name }) });
}
