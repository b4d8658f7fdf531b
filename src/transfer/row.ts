import { type Parsed, parsed } from '../kit/input/fields.ts';
import { parseNewLookup } from '../catalogue/lookups/input.ts';
import { type Properties, isObject, propertiesOf } from '../kit/objects.ts';
import { parseNewRating } from '../catalogue/ratings/input.ts';
import type { NewRating } from '../catalogue/ratings/record.ts';
import { type NewRestaurant, type RestaurantChange, changeOf } from '../catalogue/restaurants/fields.ts';
import { parseNewRestaurant } from '../catalogue/restaurants/input.ts';
import { API_FIELDS, elementsOf } from './source.ts';

/** A rating of an import file; without a time it counts as made now. */
export type ImportedRating = Omit<NewRating, 'restaurant_id'> & { readonly createdAt: string | undefined };

/** A checked restaurant of an import file, its lookups still by name. */
export interface Row {
  readonly input: NewRestaurant;
  /** The fields for which the file has a value; all others of `input` are defaults. */
  readonly present: RestaurantChange;
  readonly category: string | undefined;
  readonly foodTypes: readonly string[];
  readonly createdAt: string | undefined;
  readonly updatedAt: string | undefined;
  readonly ratings: readonly ImportedRating[];
}

const MAX_FOOD_TYPES = 50;
const EARLIEST = Date.parse('1970-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');
// The restaurant of a rating is found or made later.
const UNKNOWN_ID = 1;

/** Checks the fields of one restaurant by the rules of the API, and all its lookups and ratings with it. */
export function parseRow(fields: Properties): Parsed<Row> {
  const faults: string[] = [];
  const collect = <Value>(result: Parsed<Value>, prefix = ''): Value | undefined => {
    if (result.ok) return result.value;
    faults.push(...result.faults.map((fault) => prefix + fault));
    return undefined;
  };
  const lookup = (value: unknown, prefix: string): string | undefined =>
    collect(parseNewLookup({ name: value }), prefix)?.name;

  const body = knownIn(fields);
  const input = collect(parseNewRestaurant(body));
  const categoryName = fields.get('category') ?? undefined;
  const category = categoryName === undefined ? undefined : lookup(categoryName, 'category: ');
  for (const name of ['food_types', 'ratings'])
    if (!Array.isArray(fields.get(name) ?? [])) faults.push(`${name} must be an array`);
  const foodTypes = elementsOf(fields.get('food_types')).map((value) => lookup(value, 'food type: '));
  if (foodTypes.length > MAX_FOOD_TYPES) faults.push(`food_types must have at most ${MAX_FOOD_TYPES} names`);
  const createdAt = timestampField(fields, 'created_at', faults);
  const updatedAt = timestampField(fields, 'updated_at', faults);
  const ratings = collect(parseRatings(fields.get('ratings')));
  if (!input || !ratings || faults.length > 0) return { ok: false, faults };
  const named = foodTypes.filter((name) => name !== undefined);
  const present = presentFields(body, input);
  return { ok: true, value: { input, present, category, foodTypes: named, createdAt, updatedAt, ratings } };
}

/** The body for the API. Empty values are left out: they must not clear values that were entered since. */
function knownIn(fields: Properties): Readonly<Record<string, unknown>> {
  const own = [...fields].filter(([name]) => API_FIELDS.includes(name));
  return withoutNulls(
    own.map(([name, value]) => [name, isObject(value) ? withoutNulls(Object.entries(value)) : value]),
  );
}

function withoutNulls(entries: readonly (readonly [string, unknown])[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(entries.filter(([, value]) => value !== null));
}

/** The values that the file has, as parsed; of a field with keys, only the keys that it has. */
function presentFields(body: Readonly<Record<string, unknown>>, input: NewRestaurant): RestaurantChange {
  const present = Object.entries(input).filter(
    ([name, value]) => API_FIELDS.includes(name) && value !== null && (name !== 'status' || name in body),
  );
  return changeOf(knownIn(new Map(present)));
}

/** Checks the ratings of one restaurant by the rules of the API. */
function parseRatings(value: unknown): Parsed<readonly ImportedRating[]> {
  const faults: string[] = [];
  const ratings: ImportedRating[] = [];
  for (const [index, element] of elementsOf(value).entries()) {
    const fields = propertiesOf(element) ?? new Map<string, unknown>();
    const ownFaults: string[] = [];
    const createdAt = timestampField(fields, 'created_at', ownFaults);
    const result = parseNewRating({ ...Object.fromEntries(fields), restaurant_id: UNKNOWN_ID });
    if (result.ok) ratings.push({ ...result.value, createdAt });
    else ownFaults.push(...result.faults);
    faults.push(...ownFaults.map((fault) => `rating ${index + 1}: ${fault}`));
  }
  return parsed({ faults }, ratings);
}

/**
 * A timestamp of an import file as it is stored (ISO 8601, UTC, milliseconds); undefined where it is absent or null. Anything
 * else, and a moment outside 1970 to 9999, is added to `faults`: beyond those years the text no longer sorts by time.
 */
function timestampField(fields: Properties, name: string, faults: string[]): string | undefined {
  const value = fields.get(name);
  if (value === undefined || value === null) return undefined;
  const time = typeof value === 'string' ? Date.parse(value) : NaN;
  if (Number.isNaN(time)) faults.push(`${name} must be a timestamp`);
  else if (time < EARLIEST || time > LATEST) faults.push(`${name} must be between 1970-01-01 and 9999-12-31`);
  else return new Date(time).toISOString();
  return undefined;
}
