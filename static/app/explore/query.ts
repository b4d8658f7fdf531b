import { centerOf, metresBetween, parseBox } from '../base/geo.js';
import type { Page, Restaurant, State } from '../base/types.js';
import type { MapAnswer } from '../map/types.js';
import { knownPlace, placeUrl } from '../state/place-actions.js';
import { answer, setUi } from '../state/store.js';
import { hasMap } from './pane.js';

/** The parameters of the address that are the API's filters. */
export const FILTERS = [
  'q',
  'bbox',
  'lat',
  'lng',
  'radius',
  'category_id',
  'food_type_ids',
  'open_at',
  'price_level',
  'diet',
  'min_rating',
  'list',
  'visited',
];
const PAGE = 100;
/** More rows than this help nobody to find a place. */
export const MOST_ROWS = 500;

/** Whether words alone are searched for: everywhere, the best first. */
export const isSearch = ({ route }: State) => {
  const { query } = route;
  return query.q !== undefined && !FILTERS.some((name) => name !== 'q' && query[name] !== undefined);
};

/** The parameters of the API's lists for the current address. */
export function filterQuery({ route }: State) {
  const query = new URLSearchParams();
  for (const name of FILTERS) {
    const value = route.query[name];
    if (value) query.set(name, value);
  }
  return query;
}

/**
 * The order of the rows; undefined for hits of a search, the best first.
 */
export const orderOf = ({ route, start }: State) => {
  const { sort, lat, q } = route.query;
  return sort ?? (lat ? 'distance' : q ? undefined : (start.sort ?? 'rating'));
};

/** How far the map was zoomed in where the reader moved it to the area of the address; undefined for other areas. */
const zoomOfArea = ({ route, ui }: State): number | undefined => ui.zooms?.[route.query.bbox ?? ''];

/** The addresses of the pages that are shown: the first, with what the map shows there, and more where they were asked for. */
export function pageUrls(state: State) {
  const query = filterQuery(state);
  const order = orderOf(state);
  if (order) query.set('sort', order);
  const zoom = hasMap(state) ? zoomOfArea(state) : undefined;
  const filters = query.toString().replaceAll('%2C', ',');
  const plain = `/restaurants/paginated?${[`limit=${PAGE}`, filters, 'include=opening,cover'].filter(Boolean).join('&')}`;
  const urls = [zoom === undefined ? plain : `${plain},map&zoom=${zoom}`];
  const pages = Math.min(MOST_ROWS / PAGE, state.ui.pages?.[plain] ?? 1);
  while (urls.length < pages) {
    const cursor = answer<Page<Restaurant>>(urls.at(-1))?.next_cursor;
    if (!cursor) break;
    urls.push(`${plain}&cursor=${cursor}`);
  }
  return urls;
}

/** Shows a hundred rows more. */
export function showMore(state: State) {
  const urls = pageUrls(state);
  const plain = (urls[0] ?? '').replace(/,map&zoom=\d+$/, '');
  setUi({ pages: { ...state.ui.pages, [plain]: urls.length + 1 } });
}

/** What the list shows: the rows without repeats, and how many there are in all; undefined while nothing is known. */
export function shownRows(state: State): { rows: Restaurant[]; total: number; hasMore: boolean } | undefined {
  const bodies = pageUrls(state).map((url) => answer<Page<Restaurant>>(url));
  if (bodies[0] === undefined) return undefined;
  const pages = bodies.filter((page) => page !== undefined);
  const rows = new Map(pages.flatMap(({ data }) => data).map((row) => [placeKey(row), row]));
  return {
    rows: state.route.query.open_at ? openFirst([...rows.values()]) : [...rows.values()],
    total: bodies[0].total,
    hasMore: pages.length === bodies.length && pages.at(-1)?.has_more === true && rows.size < MOST_ROWS,
  };
}

/** Places that are open in front of those whose hours are unknown. */
const openFirst = (rows: readonly Restaurant[]) => [
  ...rows.filter(({ opening }) => opening?.state === 'open'),
  ...rows.filter(({ opening }) => opening?.state !== 'open'),
];

/** Metres from where the reader is or looked around; undefined where the address says no such point. */
export function metresFrom({ route }: State, { latitude, longitude }: Restaurant) {
  const { lat, lng } = route.query;
  if (!lat || !lng || latitude === null || longitude === null) return undefined;
  return metresBetween({ lat: Number(lat), lng: Number(lng) }, { lat: latitude, lng: longitude });
}

/** Tells a place from all others on the map and in the address; pending suggestions have ids of their own. */
export const placeKey = ({ id, is_suggestion: isPending }: Pick<Restaurant, 'id' | 'is_suggestion'>) =>
  isPending ? -id : id;

/** Where there are places at all. A zoom as high as that leaves it to the API how large groups must be. */
const EVERYWHERE = 'bbox=-180,-90,180,90&zoom=12';

/** The address of what the map shows; undefined where that is the rows themselves, or while it has no area. */
export function mapUrl(state: State) {
  const { bbox, radius } = state.route.query;
  const area = state.ui.area ?? (bbox || radius ? undefined : EVERYWHERE);
  if (isSearch(state) || !area || zoomOfArea(state) !== undefined) return undefined;
  const query = filterQuery(state);
  query.delete('bbox');
  const text = [area, query.toString()].filter(Boolean);
  return `/restaurants/map?${text.join('&')}`;
}

/** What the map shows: the answer for the area in view, or where there is none the rows; undefined while it is not known. */
export function pinSource(state: State): MapAnswer | readonly Restaurant[] | undefined {
  const page = answer<{ map?: MapAnswer }>(pageUrls(state)[0]);
  const url = mapUrl(state);
  return page?.map ?? (url === undefined ? shownRows(state)?.rows : answer<MapAnswer>(url));
}

/** The middle of the area that the address names; undefined where it names none. */
export function centerOfArea({ route }: State) {
  const { bbox, lat, lng, radius } = route.query;
  const box = parseBox(bbox);
  if (box) return centerOf(box);
  return radius ? { lat: Number(lat), lng: Number(lng) } : undefined;
}

/** The address of the place next to an area in which nothing matches; undefined where something does. */
export function nearestUrl(state: State) {
  const from = centerOfArea(state);
  if (!from || shownRows(state)?.total !== 0) return undefined;
  const query = filterQuery(state);
  for (const name of ['bbox', 'radius']) query.delete(name);
  for (const [name, value] of Object.entries(from)) query.set(name, String(value));
  return `/restaurants/paginated?limit=1&${query}&sort=distance`;
}

/** The place of the address: its row, or the address to read it from where no row shows it. */
export function selection(
  state: State,
): { key: number; place?: Restaurant | undefined; url?: string } | undefined {
  const key = Number(state.route.query.sel ?? NaN);
  if (!Number.isInteger(key)) return undefined;
  const place = shownRows(state)?.rows.find((row) => placeKey(row) === key) ?? knownPlace(state, key);
  return place || key < 0 ? { key, place } : { key, url: placeUrl(key) };
}

/** The addresses that the map needs. */
export const mapNeeds = (state: State) =>
  hasMap(state) ? [mapUrl(state), selection(state)?.url].flatMap((url) => url ?? []) : [];
