import { fill, texts } from '../base/texts.js';
import { load } from '../state/data.js';
import { hasMap, swap } from './pane.js';
import {
  MOST_ROWS,
  centerOfArea,
  mapNeeds,
  metresFrom,
  nearestUrl,
  orderOf,
  pageUrls,
  placeKey,
  selection,
  showMore,
  shownRows,
} from './query.js';
import * as format from '../base/format.js';
import { boxAroundCircle, metresBetween, printBox } from '../base/geo.js';
import { samplesNeeds } from '../state/import-actions.js';
import { been, toggleWant } from '../state/place-actions.js';
import { navigate, setQuery } from '../state/router.js';
import { answer, readStored, setUi, writeStored } from '../state/store.js';
import { whereIn } from '../base/address.js';
import { chips, filtersOn, mapFault, openFilters, sortField } from './head.js';
import { firstStart } from './first-start.js';
import { accountLink } from '../parts/account-parts.js';
import { age, empty, icon, missing, swapButton } from '../parts/parts.js';
import { row, showRow } from '../parts/row.js';
import { openRate } from '../parts/rate.js';
import { search } from '../parts/search.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { repeat } from '../vendor/lit-html/directives/repeat.js';
import type { Page, Restaurant, State } from '../base/types.js';

const common = texts.common;
const words = texts.explore;

/** Around the place next to an area where there is none, in metres. */
const AROUND = 1000;

export const title = () => common.tabs.explore;

const isUnfiltered = (state: State) => filtersOn(state) === 0 && !state.route.query.q;

export const needs = (state: State) => [
  ...pageUrls(state),
  ...mapNeeds(state),
  ...[nearestUrl(state) ?? []].flat(),
  ...(isUnfiltered(state) ? samplesNeeds(state, shownRows(state)?.total) : []),
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
  const first = pageUrls(state)[0] ?? '';
  const now = shownRows(state);
  const isFailed = state.data[first]?.state === 'failed';
  // What was shown last stands until there is something else to show, so that panning does not blink.
  if (now) state.ui.listed = { ...now, head: headline(state, now.total) };
  else if (isFailed) state.ui.listed = undefined;
  const { listed } = state.ui;
  return html`<div class=${state.route.query.view === 'map' ? 'explore mapped' : 'explore'}>
    <div class="phonetop2 phone">
      ${search(state)}
      <button
        type="button"
        class="button only"
        aria-label=${filtersOn(state) === 0 ? words.filters : fill(words.filtersOn, { count: filtersOn(state) })}
        @click=${openFilters}
      >
        ${icon('filter', 20)}
      </button>
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

let map: (typeof import('./map-pane.js') & typeof import('./stage.js')) | undefined;
let loading: Promise<void> | undefined;

/** The map, or what leads to it. Its modules come when it is shown first, and behind the list, which must not wait for them. */
function mapOrButton(state: State, total: number | undefined, isListed: boolean) {
  if (!hasMap(state)) return swapButton('map', words.map, () => swap(state));
  if (!loading && !isListed) return html`<section class="stage"></section>`;
  loading ??= Promise.all([import('./map-pane.js'), import('./stage.js')]).then(
    (modules) => {
      map = Object.assign({}, ...modules);
      setUi({});
    },
    () => setUi({ mapFailed: true }),
  );
  const notice = total === 0 ? nothingFound(state) : nothing;
  if (map) return map.mapPane(state, { total, notice });
  return html`<section class="stage">${mapFault(state)}</section>`;
}

function headline({ route }: State, total: number) {
  const { q, bbox, lat } = route.query;
  if (q) return fill(words.hits, { count: total, q });
  return bbox || lat ? fill(words.here, { count: total }) : fill(words.all, { count: total });
}

function rows(state: State, { rows, total, hasMore }: NonNullable<State['ui']['listed']>) {
  if (rows.length === 0) return nothingFound(state);
  const { open_at: openAt } = state.route.query;
  // Places that may be closed stand behind those that are open.
  const [sure, unsure] = split(rows, (place) => !openAt || place.opening?.state === 'open');
  const [rated, unrated] = split(sure, (place) => place.avg_rating.count > 0);
  const isDivided = orderOf(state) === 'rating' && rated.length > 0 && unrated.length > 0;
  return html`
    ${rowList(state, isDivided ? rated : sure, rows)}
    ${
      isDivided
        ? html`<h2 class="divider">${words.notRatedYet}</h2>
            ${rowList(state, unrated, rows)}`
        : nothing
    }
    ${
      unsure.length > 0
        ? html`<details class="unsure">
            <summary>${fill(words.unknownHours, { count: unsure.length })}</summary>
            ${rowList(state, unsure, rows)}
          </details>`
        : nothing
    }
    ${
      hasMore
        ? html`<p class="acts more">
            <button type="button" class="button" @click=${() => showMore(state)}>
              ${fill(words.showMore, { next: Math.min(100, total - rows.length) })}
            </button>
          </p>`
        : nothing
    }
    ${!hasMore && rows.length >= MOST_ROWS && total > rows.length ? html`<p class="acts more soft">${fill(words.narrow, { total })}</p>` : nothing}
    <p class="acts more small soft"><a href=${`/api${pageUrls(state)[0]}`}>${words.json}</a></p>
  `;
}

/** Those that are meant, and the others. */
const split = (rows: readonly Restaurant[], isMeant: (place: Restaurant) => boolean) =>
  [rows.filter(isMeant), rows.filter((place) => !isMeant(place))] as const;

function rowList(state: State, rows: readonly Restaurant[], all: readonly Restaurant[]) {
  const selected = state.route.query.sel;
  const unsent = new Set(state.outbox.map(({ place }) => place));
  const whereOf = whereIn(all);
  return html`<ul class="rows">
    ${repeat(rows, placeKey, (place) =>
      row(place, {
        ...(!place.is_suggestion && { onRate: () => openRate(place) }),
        isSelected: selected === String(placeKey(place)),
        onHover: (isOver) => map?.liftPin(place)(isOver),
        isUnsent: unsent.has(`restaurant ${place.id}`),
        metres: metresFrom(state, place),
        where: whereOf(place),
      }),
    )}
  </ul>`;
}

function nothingFound(state: State) {
  const { q } = state.route.query;
  const url = nearestUrl(state);
  const [nearest] = answer<Page<Restaurant>>(url)?.data ?? [];
  if (isUnfiltered(state) && (!url || (answer(url) && !nearest))) return firstStart(state);
  const clear = html`<a class="button" href="/">${words.clear}</a>`;
  const add = q
    ? html`<a class="button" href=${`/add?text=${encodeURIComponent(q)}`}
        >${fill(words.addThis, { text: q })}</a
      >`
    : nothing;
  const from = centerOfArea(state);
  if (!nearest || !from) return empty(words.none, html`${clear}${add}`);
  const at = { lat: Number(nearest.latitude), lng: Number(nearest.longitude) };
  const bbox = printBox(boxAroundCircle(at, AROUND));
  const show = () => setQuery({ bbox, radius: undefined, sel: String(placeKey(nearest)) });
  return empty(
    fill(words.nearest, { name: nearest.name, distance: format.distance(metresBetween(from, at)) }),
    html`<button type="button" class="button primary" @click=${show}>${words.showNearest}</button
      >${clear}${add}`,
  );
}

const current = (state: State) => {
  const rows = shownRows(state)?.rows ?? [];
  return { rows, at: rows.findIndex((row) => String(placeKey(row)) === state.route.query.sel) };
};

const walk = (step: number) => (state: State) => {
  const { rows, at } = current(state);
  const place = rows[Math.max(0, Math.min(rows.length - 1, at + step))];
  if (!place) return;
  setQuery({ sel: String(placeKey(place)) }, { replace: true });
  showRow(placeKey(place));
};

const onSelected = (run: (place: Restaurant) => void) => (state: State) => {
  const { place } = selection(state) ?? {};
  if (place && !place.is_suggestion) run(place);
};

const enterSelected = (state: State) => {
  const { place } = selection(state) ?? {};
  if (place) navigate(place.is_suggestion ? `/suggestions?sel=${place.id}` : `/restaurants/${place.id}`);
};

export const keys = {
  j: walk(1),
  k: walk(-1),
  Enter: enterSelected,
  r: onSelected(openRate),
  w: onSelected(toggleWant),
  b: onSelected(been),
  m: swap,
  Escape: () => setQuery({ sel: undefined }, { replace: true }),
};
