import { type Fields, bodyParser, readFields, textField } from '../../kit/input/fields.ts';
import {
  type PagePart,
  type Query,
  choiceParameter,
  integerParameter,
  listPart,
  numberParameter,
  pagePart,
  queryParser,
  requireParameters,
  textParameter,
} from '../../kit/input/query.ts';
import { readHours } from '../hours/reading.ts';
import { propertiesOf } from '../../kit/objects.ts';
import { Sealer } from '../../kit/input/sealed.ts';
import { GOOGLE, MAX_GOOGLE_ID } from './field-table.ts';
import { type Box, FINEST_ZOOM, MAX_DISTANCE_KM, type Point } from '../../index/geo.ts';
import { type RowChoice, type ListPosition, SORTS, type Sort } from '../../index/request.ts';
import { FIELD_NAMES, type NewRestaurant, type RestaurantChange, parseFields, parseSent } from './fields.ts';
import { type ChosenFilter, openAtParameter, parseFilters } from './filters.ts';
import { RESTAURANT_ANSWER } from './texts.ts';
import { INCLUDES, INCLUDES_OF_ONE, type Wanted, parseIncludes } from './views.ts';

/** A query that selects places. */
export interface ChosenQuery extends Wanted, Pick<RowChoice, 'near' | 'withPending' | 'words'> {}

/** The query of a map: its zoom, and the part of the world that it shows. */
export interface MapQuery extends ChosenQuery {
  readonly map: { readonly zoom: number; readonly box: Box };
}

export interface PageQuery extends ChosenQuery, PagePart {
  readonly sort: Sort;
  /** Undefined for a page without its map. */
  readonly map: MapQuery['map'] | undefined;
}

const MAX_CURSOR = 4_000;
const WORLD: Box = { west: -180, south: -90, east: 180, north: 90 };

/** A body that creates a restaurant. */
export const parseNewRestaurant = bodyParser((fields): NewRestaurant => {
  const restaurant = parseFields(fields, FIELD_NAMES);
  return { ...restaurant, ...googleIdIn(fields, restaurant) };
}, RESTAURANT_ANSWER);

/** A body that changes a restaurant; the result has only the fields sent. */
export const parseRestaurantChange = bodyParser((fields): RestaurantChange => {
  const change = parseSent(fields);
  return { ...change, ...googleIdIn(fields, change) };
}, RESTAURANT_ANSWER);

/** The Google id, if sent within `external_ids`; a null `external_ids` clears it too. */
function googleIdIn(
  fields: Fields,
  { google_place_id: own }: RestaurantChange,
): Pick<RestaurantChange, 'google_place_id'> {
  const ids = fields.values.get('external_ids');
  const isOwnSent = fields.values.has('google_place_id');
  if (ids === null && !isOwnSent) return { google_place_id: null };
  const google = propertiesOf(ids)?.get(GOOGLE);
  if (google === undefined) return {};
  const name = `external_ids.${GOOGLE}`;
  const among = readFields({ [name]: google });
  const id = textField(among, name, MAX_GOOGLE_ID);
  fields.faults.push(...among.faults);
  if (isOwnSent && id !== own) fields.faults.push(`google_place_id and ${name} must be the same`);
  return { google_place_id: id };
}

// Coordinates are checked as a pair: a valid one is useless if the other is invalid.
const ASKED_OF_DATABASE = [['latitude', 'longitude'], ['category_id'], ['food_type_ids']];

/**
 * The valid references and coordinates of a refused body, so that faults found by the database are reported with the
 * others.
 */
export function parseReferences(body: object): RestaurantChange {
  const sent = Object.entries(body);
  const parts = ASKED_OF_DATABASE.map((names) =>
    parseRestaurantChange(Object.fromEntries(sent.filter(([name]) => names.includes(name)))),
  );
  return parts.reduce<RestaurantChange>((all, part) => (part.ok ? { ...all, ...part.value } : all), {});
}

/** The query of `GET /restaurants`. */
export const parseListQuery = queryParser((query) => ({
  ...commonQuery(query, INCLUDES),
  ...listPart(query),
}));

/** The query of `GET /restaurants/paginated`; a limit over 100 counts as 100. */
export const parsePageQuery = queryParser((query): PageQuery => {
  const { includes, ...common } = commonQuery(query, [...INCLUDES, 'map']);
  const zoom = zoomParameter(query);
  const isMapped = includes.includes('map');
  const missing = isMapped ? ['bbox', 'zoom'].filter((name) => !query.raw.has(name)) : [];
  if (missing.length > 0) query.faults.push(`include=map needs ${missing.join(' and ')}`);
  return {
    ...common,
    includes: includes.filter((word) => word !== 'map'),
    map: isMapped ? { zoom, box: boxOf(common.filters) } : undefined,
    ...pagePart(query, MAX_CURSOR),
  };
});

/** The query of `GET /restaurants/{id}`. */
export const parseOneQuery = queryParser((query): Wanted => ({
  includes: parseIncludes(query, INCLUDES_OF_ONE),
  filters: [],
  openAt: openAtParameter(query, 'open_at'),
}));

/** The query of `GET /restaurants/map`. */
export const parseMapQuery = queryParser((query): MapQuery => {
  requireParameters(query, ['bbox', 'zoom']);
  const zoom = zoomParameter(query);
  const chosen = chosenQuery(query);
  const map = { zoom, box: boxOf(chosen.filters) };
  return { ...chosen, includes: parseIncludes(query, ['mine']), map };
});

function zoomParameter(query: Query): number {
  return integerParameter(query, 'zoom', 0, FINEST_ZOOM) ?? 0;
}

function boxOf(filters: readonly ChosenFilter[]): Box {
  return filters.find((filter) => filter.box)?.box ?? WORLD;
}

function commonQuery<Word extends string>(
  query: Query,
  words: readonly Word[],
): Omit<ChosenQuery, 'includes'> & { readonly sort: Sort; readonly includes: readonly Word[] } {
  return { ...sortedQuery(query), includes: parseIncludes(query, words) };
}

/** Reads the filters of restaurants, and their order; with `withPending` false for restaurants alone. */
export function sortedQuery(
  query: Query,
  withPending?: false,
): Omit<ChosenQuery, 'includes'> & { readonly sort: Sort } {
  const chosen = chosenQuery(query, withPending);
  const sort = choiceParameter(query, 'sort', SORTS);
  if (sort === 'distance' && !chosen.near) query.faults.push('sort=distance needs lat and lng');
  return {
    ...chosen,
    sort: sort ?? (chosen.near ? 'distance' : chosen.words === undefined ? 'newest' : 'match'),
  };
}

function chosenQuery(
  query: Query,
  included = choiceParameter(query, 'include_suggestions', ['true', 'false']) !== 'false',
): Omit<ChosenQuery, 'includes'> {
  const near = nearParameters(query);
  const filters = parseFilters(query);
  return {
    words: textParameter(query, 'q', 200),
    filters,
    openAt: filters.find(({ openAt }) => openAt !== undefined)?.openAt,
    near,
    withPending: included && filters.every(({ suits }) => suits === 'all'),
  };
}

function nearParameters(query: Query): RowChoice['near'] {
  const point = pointParameters(query);
  const radius = numberParameter(query, 'radius', 0, MAX_DISTANCE_KM);
  if (radius === 0) query.faults.push('radius must be greater than 0');
  else if (radius !== undefined && !query.raw.has('lat') && !query.raw.has('lng'))
    query.faults.push('radius needs lat and lng');
  return point && { ...point, radius };
}

/** The point of `lat` and `lng`; undefined if both are absent. */
export function pointParameters(query: Query): Point | undefined {
  const before = query.faults.length;
  const latitude = numberParameter(query, 'lat', -90, 90);
  const longitude = numberParameter(query, 'lng', -180, 180);
  if (query.faults.length > before) return undefined;
  if (latitude !== undefined && longitude !== undefined) return { latitude, longitude };
  if (latitude !== undefined || longitude !== undefined)
    query.faults.push('lat and lng must be given together');
  return undefined;
}

/** Warns of opening hours that are stored although they are not understood. */
export function hoursWarnings({ opening_hours: hours }: RestaurantChange): readonly string[] {
  return typeof hours === 'string' && !readHours(hours) ? ['opening_hours is not understood'] : [];
}

/** The lists that a cursor is valid for: one sort, for distances one centre, and for matches one search. */
export interface CursorScope {
  readonly sort: Sort;
  readonly centre: Point | undefined;
  readonly words?: string | undefined;
}

/** The start of a page: a position, and the instant at which opening hours are evaluated. */
export interface PageStart extends ListPosition {
  /** Milliseconds since 1970; undefined if the list does not depend on the current time. */
  readonly now?: number | undefined;
}

/** Seals positions into opaque cursors that only this service can create. */
export class PageCursors {
  readonly #sealer: Sealer;

  /** Cursors stay valid as long as `key` does. */
  constructor(key: Buffer) {
    this.#sealer = new Sealer(key);
  }

  seal(scope: CursorScope, { key, id, now }: PageStart): string {
    return this.#sealer.seal(scopeText(scope), now === undefined ? [key, id] : [key, id, now]);
  }

  /** Undefined for a text that was not sealed here, or was sealed for another scope. */
  open(scope: CursorScope, cursor: string): PageStart | undefined {
    const opened = this.#sealer.open(scopeText(scope), cursor);
    const parts: readonly unknown[] = Array.isArray(opened) ? opened : [];
    const [key, id, now] = parts;
    if (typeof id !== 'number' || !isKey(key)) return undefined;
    return { key, id, ...(typeof now === 'number' && { now }) };
  }
}

function isKey(value: unknown): value is ListPosition['key'] {
  return (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'number' ||
    (Array.isArray(value) && value.every((part) => typeof part === 'number'))
  );
}

function scopeText({ sort, centre, words = '' }: CursorScope): string {
  const place = sort === 'distance' && centre ? `${centre.latitude},${centre.longitude}` : '';
  return `keys ${sort}(${sort === 'match' ? words : place}):`;
}
