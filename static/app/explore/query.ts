import { centerOf, metresBetween, parseBox } from '../base/geo.js';
import { locate } from '../state/actions.js';
import { placeUrl } from '../state/place-actions.js';
import { marksOf } from '../state/places.js';
import { setQuery } from '../state/router.js';
import { answer, setUi } from '../state/store.js';
import type { Page, Restaurant, State } from '../base/types.js';
import type { MapPins, MapPoint } from '../map/types.js';

/** Whether list and map stand side by side. */
export const wide = matchMedia('(min-width: 761px)');
wide.addEventListener('change', () => setUi({}));

/** Whether there is a map on the screen: next to the list on a desktop, in its place on a phone. */
export const hasMap = ({ route }: State) => wide.matches || route.query.view === 'map';

/** Shows the map instead of the list, or the other way round. */
export const swap = ({ route }: State) => setQuery({ view: route.query.view === 'map' ? undefined : 'map' });

/** Readers do not think of words and areas as filters. */
export const WHERE = ['q', 'bbox', 'lat', 'lng', 'radius'];
/** The parameters of the address that are the API's filters. */
export const FILTERS = [
  ...WHERE,
  'category_id',
  'food_type_ids',
  'open_at',
  'price_level',
  'diet',
  'min_rating',
  'list',
  'visited',
];
/** Rows that are asked for at once. */
export const PAGE = 100;
/** More rows than this do not help to find a place. */
export const MOST_ROWS = 500;

/** Whether words alone are searched for: everywhere, the best first. */
export const isSearch = ({ route: { query } }: State) =>
  FILTERS.filter((name) => query[name] !== undefined).join() === 'q';

/** The parameters of the API's lists for the current address. */
const filterQuery = ({ route: { query } }: State, without: readonly string[] = []) =>
  new URLSearchParams(
    FILTERS.filter((name) => query[name] && !without.includes(name)).map((name) => [name, query[name] ?? '']),
  );

/** The order of the rows; undefined for hits of a search, the best first. */
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
export function shownRows(state: State) {
  const bodies = pageUrls(state).map((url) => answer<Page<Restaurant>>(url));
  if (bodies[0] === undefined) return undefined;
  const pages = bodies.filter((page) => page !== undefined);
  const rows = new Map(pages.flatMap(({ data }) => data).map((row) => [placeKey(row), row]));
  const [open, unsure] = splitOpen(state, [...rows.values()]);
  return {
    rows: [...open, ...unsure],
    total: bodies[0].total,
    hasMore: pages.length === bodies.length && pages.at(-1)?.has_more === true && rows.size < MOST_ROWS,
  };
}

/** Those that are meant, and the others. */
export const split = (rows: readonly Restaurant[], isMeant: (place: Restaurant) => boolean) =>
  [rows.filter(isMeant), rows.filter((place) => !isMeant(place))] as const;

/** Where open places are asked for: those, and behind them the ones whose hours are unknown. */
export const splitOpen = ({ route }: State, rows: readonly Restaurant[]) =>
  split(rows, ({ opening }) => !route.query.open_at || opening?.state === 'open');

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
  return `/restaurants/map?${[area, filterQuery(state, ['bbox']).toString()].filter(Boolean).join('&')}`;
}

/**
 * What the map shows, with the keys of places in place of their ids: the answer for the area in view, or where there is
 * none the rows; undefined while it is not known.
 */
export function pinsOf(state: State): MapPins | undefined {
  const page = answer<{ map?: MapPins }>(pageUrls(state)[0]);
  const url = mapUrl(state);
  const rows = url === undefined ? shownRows(state)?.rows : undefined;
  const pins = page?.map ?? (rows ? { points: rows.flatMap(rowPin), groups: [] } : answer<MapPins>(url));
  return (
    pins && {
      ...pins,
      points: pins.points.map(([id, lat, lng, overall, flags, name]): MapPoint => {
        const isPending = (flags & 1) === 1;
        // What the reader did is known here alone.
        const { want = false, favourite = false, visits = 0 } = (isPending ? undefined : marksOf(id)) ?? {};
        const own = Number(want) * 8 + Number(favourite) * 16 + Number(visits > 0) * 32;
        return [isPending ? -id : id, lat, lng, overall, flags | own, name];
      }),
    }
  );
}

const STATUS_FLAG: Readonly<Record<string, number>> = { temporarily_closed: 2, closed: 4 };

/** The pin of a place that is known as a row. */
function rowPin({ id, latitude: lat, longitude: lng, name, status, ...row }: Restaurant): MapPoint[] {
  const flags = Number(row.is_suggestion) + (STATUS_FLAG[status] ?? 0);
  return lat === null || lng === null ? [] : [[id, lat, lng, null, flags, name]];
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
  const query = filterQuery(state, ['bbox', 'radius']);
  for (const [name, value] of Object.entries(from)) query.set(name, String(value));
  return `/restaurants/paginated?limit=1&${query}&sort=distance`;
}

/** The place of the address: its row, or the address to read it from where no row shows it. */
export function selection(state: State) {
  const key = Number(state.route.query.sel ?? NaN);
  if (!Number.isInteger(key)) return undefined;
  const place = shownRows(state)?.rows.find((row) => placeKey(row) === key) ?? state.places.get(key);
  return { key, place, url: place || key < 0 ? undefined : placeUrl(key) };
}

/** The addresses that the map needs. */
export const mapNeeds = (state: State) =>
  hasMap(state) ? [mapUrl(state), selection(state)?.url].flatMap((url) => url ?? []) : [];

/** Shows the places within five kilometres of the reader. */
export const showNear = () =>
  locate((me) => {
    setUi({ me });
    const here = { lat: me.lat.toFixed(4), lng: me.lng.toFixed(4), radius: '5' };
    setQuery({ ...here, bbox: undefined, sort: undefined });
  });

/** Leads to an outing that chooses among what is shown. */
export const togetherHref = (state: State) => `/outings/new?${filterQuery(state, ['open_at'])}`;

/** Shows places everywhere again, not only those nearby. */
export const endNear = () => setQuery({ lat: undefined, lng: undefined, radius: undefined, sort: undefined });
