import { centerOf, parseBox } from '../base/geo.js';
import { placeUrl } from '../state/place-actions.js';
import type { Page, Restaurant, State } from '../base/types.js';

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

const include = ({ session }: State) => ['opening', 'cover', ...(session.user ? ['mine'] : [])].join(',');

/** The addresses of the pages that are shown: the first, and more where they were asked for. */
export function pageUrls(state: State) {
  const more = encodeURI(`include=${include(state)}`);
  if (isSearch(state)) {
    return [`/search?${new URLSearchParams({ q: state.route.query.q ?? '', limit: String(PAGE) })}&${more}`];
  }
  const query = filterQuery(state);
  const { sort } = state.route.query;
  query.set('sort', sort ?? (query.has('lat') ? 'distance' : 'rating'));
  const first = `/restaurants/paginated?limit=${PAGE}&${query}&${more}`;
  const urls = [first];
  const pages = Math.min(MOST_ROWS / PAGE, state.ui.pages?.[first] ?? 1);
  while (urls.length < pages) {
    const body = state.data[urls[urls.length - 1] ?? '']?.body as Page<Restaurant> | undefined;
    if (!body?.next_cursor) break;
    urls.push(`${first}&cursor=${body.next_cursor}`);
  }
  return urls;
}

/** What the list shows: the rows without repeats, and how many there are in all; undefined while nothing is known. */
export function shownRows(state: State): { rows: Restaurant[]; total: number; hasMore: boolean } | undefined {
  const bodies = pageUrls(state).map((url) => state.data[url]?.body);
  if (bodies[0] === undefined) return undefined;
  if (Array.isArray(bodies[0])) return { rows: bodies[0], total: bodies[0].length, hasMore: false };
  const pages = bodies.filter(Boolean) as Page<Restaurant>[];
  const rows = new Map(pages.flatMap(({ data }) => data).map((row) => [row.id, row]));
  return {
    rows: [...rows.values()],
    total: pages[0]?.total ?? 0,
    hasMore: bodies.every(Boolean) && pages.at(-1)?.has_more === true && rows.size < MOST_ROWS,
  };
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
  if (isSearch(state) || !area) return undefined;
  const query = filterQuery(state);
  query.delete('bbox');
  const text = [area, query.toString(), state.session.user ? 'include=mine' : ''].filter(Boolean);
  return `/restaurants/map?${text.join('&')}`;
}

/** The address of the place next to an area in which nothing matches; undefined where something does. */
export function nearestUrl(state: State) {
  const { bbox, lat, lng, radius } = state.route.query;
  const box = parseBox(bbox);
  const from = box ? centerOf(box) : radius && { lat, lng };
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
  const place = shownRows(state)?.rows.find((row) => placeKey(row) === key);
  if (place || key < 0) return { key, place };
  const url = placeUrl(state, key);
  return { key, url, place: state.data[url]?.body as Restaurant | undefined };
}
