import { type Fields, type Parsed, parsed, readFields, textField } from '../../kit/input/fields.ts';
import {
  type Query,
  choiceParameter,
  integerParameter,
  listPart,
  numberParameter,
  pagePart,
  readQuery,
  requireParameters,
  textParameter,
} from '../../kit/input/query.ts';
import { isUnderstood } from '../hours/schedule.ts';
import { propertiesOf } from '../../kit/objects.ts';
import { GOOGLE } from './facts.ts';
import { MAX_GOOGLE_ID } from './field-table.ts';
import { type Box, FINEST_ZOOM, MAX_DISTANCE_KM } from '../../index/geo.ts';
import { type Choice, SORTS, type Sort } from '../../index/request.ts';
import {
  FIELD_NAMES,
  type NewRestaurant,
  type RestaurantChange,
  isChange,
  isNewRestaurant,
  parseEach,
  parseFields,
  required,
} from './fields.ts';
import { openAtParameter, parseFilters } from './filters.ts';
import { RESTAURANT_ANSWER } from './texts.ts';
import { type Wanted, parseIncludes } from './views.ts';

/** A query that selects places. */
export interface ChosenQuery extends Wanted, Pick<Choice, 'near' | 'withPending' | 'words'> {}

/** A query for a list. */
export interface ListQuery extends ChosenQuery {
  readonly sort: Sort;
  readonly limit: number | undefined;
  readonly offset: number;
  readonly cursor: string | undefined;
}

/** A query for a map. */
export interface MapQuery extends ChosenQuery {
  readonly zoom: number;
  readonly box: Box;
}

const MAX_CURSOR = 4_000;
const WORLD: Box = { west: -180, south: -90, east: 180, north: 90 };

/** A body that creates a restaurant. */
export function parseNewRestaurant(body: object): Parsed<NewRestaurant> {
  const fields = readFields(body, RESTAURANT_ANSWER);
  const restaurant = required(parseFields(fields, FIELD_NAMES), isNewRestaurant);
  return parsed(fields, { ...restaurant, ...googleIdIn(fields, restaurant) });
}

/** A body that changes a restaurant; the result has only the fields sent. */
export function parseRestaurantChange(body: object): Parsed<RestaurantChange> {
  const fields = readFields(body, RESTAURANT_ANSWER);
  const sent = FIELD_NAMES.filter((name) => fields.values.has(name));
  const change = required(parseEach(fields, sent), isChange);
  return parsed(fields, { ...change, ...googleIdIn(fields, change) });
}

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
export function parseListQuery(queryString: string): Parsed<ListQuery> {
  const query = readQuery(queryString);
  return parsed(query, {
    ...commonQuery(query),
    ...listPart(query),
    cursor: undefined,
  });
}

/** The query of `GET /restaurants/paginated`; a limit over 100 counts as 100. */
export function parsePageQuery(queryString: string): Parsed<ListQuery & { limit: number }> {
  const query = readQuery(queryString);
  return parsed(query, { ...commonQuery(query), offset: 0, ...pagePart(query, MAX_CURSOR) });
}

/** The query of `GET /restaurants/{id}`. */
export function parseOneQuery(queryString: string): Parsed<Wanted> {
  const query = readQuery(queryString);
  return parsed(query, {
    includes: parseIncludes(query),
    filters: [],
    openAt: openAtParameter(query, 'open_at'),
  });
}

/** The query of `GET /restaurants/map`. */
export function parseMapQuery(queryString: string): Parsed<MapQuery> {
  const query = readQuery(queryString);
  requireParameters(query, ['bbox', 'zoom']);
  const zoom = integerParameter(query, 'zoom', 0, FINEST_ZOOM) ?? 0;
  const chosen = chosenQuery(query);
  const box = chosen.filters.find((filter) => filter.box)?.box ?? WORLD;
  return parsed(query, { ...chosen, includes: parseIncludes(query, ['mine']), zoom, box });
}

function commonQuery(query: Query): Omit<ListQuery, 'limit' | 'offset' | 'cursor'> {
  const chosen = chosenQuery(query);
  const sort = choiceParameter(query, 'sort', SORTS);
  if (sort === 'distance' && !chosen.near) query.faults.push('sort=distance needs lat and lng');
  return {
    ...chosen,
    includes: parseIncludes(query),
    sort: sort ?? (chosen.near ? 'distance' : 'newest'),
  };
}

function chosenQuery(query: Query): Omit<ChosenQuery, 'includes'> {
  const included = choiceParameter(query, 'include_suggestions', ['true', 'false']) !== 'false';
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

function nearParameters(query: Query): Choice['near'] {
  const before = query.faults.length;
  const latitude = numberParameter(query, 'lat', -90, 90);
  const longitude = numberParameter(query, 'lng', -180, 180);
  const radius = numberParameter(query, 'radius', 0, MAX_DISTANCE_KM);
  if (radius === 0) query.faults.push('radius must be greater than 0');
  if (query.faults.length > before) return undefined;
  if (latitude !== undefined && longitude !== undefined) return { latitude, longitude, radius };
  if (latitude !== undefined || longitude !== undefined)
    query.faults.push('lat and lng must be given together');
  else if (radius !== undefined) query.faults.push('radius needs lat and lng');
  return undefined;
}

/** Warns of opening hours that are stored although they are not understood. */
export function hoursWarnings({ opening_hours: hours }: RestaurantChange): readonly string[] {
  return typeof hours === 'string' && !isUnderstood(hours) ? ['opening_hours is not understood'] : [];
}
