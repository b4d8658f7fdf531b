import { whereIn } from '../base/address.js';
import * as format from '../base/format.js';
import { boxAroundCircle, metresBetween, printBox } from '../base/geo.js';
import { fill, texts } from '../base/texts.js';
import { load } from '../state/data.js';
import { samplesNeeds } from '../state/import-actions.js';
import { been, toggleWant } from '../state/place-actions.js';
import { navigate, setQuery } from '../state/router.js';
import { answer, readStored, setUi, writeStored } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { repeat } from '../vendor/lit-html/directives/repeat.js';
import { chips, filtersOn, firstStart, mapFault, openFilters, sortField } from './head.js';
import * as query from './query.js';
import { accountLink } from '../parts/mine.js';
import { age, button, empty, iconButton, missing, swapButton } from '../parts/parts.js';
import { openRate, placeHref, row, showRow } from '../parts/place-parts.js';
import { search } from '../parts/search.js';
import type { Page, Restaurant, State } from '../base/types.js';

const common = texts.common;
const words = texts.explore;

/** Around the place next to an area where there is none, in metres. */
const AROUND = 1000;

export const title = () => common.tabs.explore;

const isUnfiltered = (state: State) => filtersOn(state) === 0 && !state.route.query.q;

export const needs = (state: State) => [
  ...query.pageUrls(state),
  ...query.mapNeeds(state),
  ...[query.nearestUrl(state) ?? []].flat(),
  ...(isUnfiltered(state) ? samplesNeeds(state, query.shownRows(state)?.total) : []),
  '/categories',
  '/food-types',
];

/** Where the area is stored that was looked at last. */
const AREA = 'area';

/** An address that says nothing begins where the reader was last, or where most places are. */
export function enter({ route, start }: State) {
  const bbox = readStored(AREA) ?? start.bbox;
  const isPlain = Object.keys(route.query).every((name) => name === 'view');
  if (bbox && isPlain) setQuery({ bbox }, { replace: true });
}

export function leave(state: State) {
  // Only what was moved to: everywhere is no area.
  if (state.ui.zooms) writeStored(AREA, state.route.query.bbox ?? Object.keys(state.ui.zooms).at(-1));
  state.ui.listed = undefined;
}

export function view(state: State) {
  const first = query.pageUrls(state)[0] ?? '';
  const now = query.shownRows(state);
  const isFailed = state.data[first]?.state === 'failed';
  // What was shown last stands until there is something else to show, so that panning does not blink.
  if (now) state.ui.listed = { ...now, head: headline(state, now.total) };
  else if (isFailed) state.ui.listed = undefined;
  const { listed } = state.ui;
  const count = filtersOn(state);
  return html`<div class=${state.route.query.view === 'map' ? 'explore mapped' : 'explore'}>
    <div class="phonetop2 phone">
      ${search(state)}
      ${iconButton('filter', count === 0 ? words.filters : fill(words.filtersOn, { count }), openFilters)}
      ${state.session.user ? nothing : accountLink(state)}
    </div>
    <section class="side" data-scroll aria-busy=${!now && !isFailed}>
      <div class="chips filters">${chips(state)}</div>
      <div class="headline rule">
        <h1>${listed?.head ?? common.tabs.explore}</h1>
        ${sortField(state)}
      </div>
      ${age(state.data[first])}
      ${listed ? rows(state, listed) : missing(state.data[first], () => load(first))}
    </section>
    ${mapOrButton(state, listed?.total, now !== undefined || isFailed)}
  </div>`;
}

let map: typeof import('./map.js') | undefined;
let loading: Promise<void> | undefined;

/** The map, or what leads to it. Its modules come when it is shown first, and behind the list, which must not wait for them. */
function mapOrButton(state: State, total: number | undefined, isListed: boolean) {
  if (!query.hasMap(state)) return swapButton('map', words.map, () => query.swap(state));
  if (!loading && !isListed) return html`<section class="stage"></section>`;
  loading ??= import('./map.js').then(
    (module) => {
      map = module;
      setUi({});
    },
    () => setUi({ mapFailed: true }),
  );
  return map && state.config
    ? map.mapPane(state, state.config, total, total === 0 ? nothingFound(state) : nothing)
    : html`<section class="stage">${mapFault(state)}</section>`;
}

function headline({ route: { query } }: State, count: number) {
  const { q, bbox, lat } = query;
  return q ? fill(words.hits, { count, q }) : fill(bbox || lat ? words.here : words.all, { count });
}

function rows(state: State, { rows, total, hasMore }: NonNullable<State['ui']['listed']>) {
  if (rows.length === 0) return nothingFound(state);
  const [sure, unsure] = query.splitOpen(state, rows);
  const [rated, unrated] = query.split(sure, (place) => place.avg_rating.count > 0);
  const isDivided = query.orderOf(state) === 'rating' && rated.length > 0 && unrated.length > 0;
  const next = Math.min(query.PAGE, total - rows.length);
  const isCut = !hasMore && rows.length >= query.MOST_ROWS && total > rows.length;
  return html`
    ${rowList(state, isDivided ? rated : sure, rows)}
    ${isDivided ? html`<h2 class="divider">${words.notRatedYet}</h2>` : nothing}
    ${isDivided ? rowList(state, unrated, rows) : nothing}
    ${
      unsure.length > 0
        ? html`<details class="unsure" ?open=${sure.length === 0}>
            <summary>${fill(words.unknownHours, { count: unsure.length })}</summary>
            ${rowList(state, unsure, rows)}
          </details>`
        : nothing
    }
    ${hasMore ? html`<p class="acts more">${button(fill(words.showMore, { next }), () => query.showMore(state))}</p>` : nothing}
    ${isCut ? html`<p class="acts more soft">${fill(words.narrow, { total })}</p>` : nothing}
    <p class="acts more small soft"><a href=${`/api${query.pageUrls(state)[0]}`}>${words.json}</a></p>
  `;
}

function rowList(state: State, rows: readonly Restaurant[], all: readonly Restaurant[]) {
  const whereOf = whereIn(all);
  const lift = ({ target }: Event) => {
    const over = target instanceof Element && target.closest<HTMLElement>('.row');
    map?.liftPin(over ? Number(over.dataset.row) : undefined);
  };
  return html`<ul class="rows" @pointerover=${lift} @pointerleave=${lift}>
    ${repeat(rows, query.placeKey, (place) => row(place, whereOf(place), query.metresFrom(state, place)))}
  </ul>`;
}

function nothingFound(state: State) {
  const { q } = state.route.query;
  const url = query.nearestUrl(state);
  const [nearest] = answer<Page<Restaurant>>(url)?.data ?? [];
  if (isUnfiltered(state) && (!url || (answer(url) && !nearest))) return firstStart(state);
  const clear = html`<a class="button" href="/">${words.clear}</a>`;
  const add = q
    ? html`<a class="button" href=${`/add?text=${encodeURIComponent(q)}`}
        >${fill(words.addThis, { text: q })}</a
      >`
    : nothing;
  const from = query.centerOfArea(state);
  if (!nearest || !from) return empty(words.none, html`${clear}${add}`);
  const at = { lat: Number(nearest.latitude), lng: Number(nearest.longitude) };
  const bbox = printBox(boxAroundCircle(at, AROUND));
  const show = () => setQuery({ bbox, radius: undefined, sel: String(query.placeKey(nearest)) });
  return empty(
    fill(words.nearest, { name: nearest.name, distance: format.distance(metresBetween(from, at)) }),
    html`${button(words.showNearest, show, 'button primary')}${clear}${add}`,
  );
}

const walk = (step: number) => (state: State) => {
  const rows = query.shownRows(state)?.rows ?? [];
  const at = rows.findIndex((row) => String(query.placeKey(row)) === state.route.query.sel);
  const place = rows[Math.max(0, Math.min(rows.length - 1, at + step))];
  if (!place) return;
  setQuery({ sel: String(query.placeKey(place)) }, { replace: true });
  showRow(query.placeKey(place));
};

const onSelected = (run: (place: Restaurant) => void) => (state: State) => {
  const { place } = query.selection(state) ?? {};
  if (place) run(place);
};

/** What is suggested can be neither rated nor visited. */
const onPlace = (run: (place: Restaurant) => void) =>
  onSelected((place) => place.is_suggestion || run(place));

export const keys = {
  j: walk(1),
  k: walk(-1),
  Enter: onSelected((place) => navigate(placeHref(place))),
  r: onPlace(openRate),
  w: onPlace(toggleWant),
  b: onPlace(been),
  m: query.swap,
  Escape: () => setQuery({ sel: undefined }, { replace: true }),
};
