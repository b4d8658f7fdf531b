import type { Parsed } from '../kit/input/fields.ts';
import { readHours } from '../catalogue/hours/reading.ts';
import { parseNewLookup } from '../catalogue/lookups/input.ts';
import { type Properties, isObject, propertiesOf } from '../kit/objects.ts';
import { parseRatingOf } from '../catalogue/ratings/input.ts';
import type { NewRating } from '../catalogue/ratings/record.ts';
import { MAX_FOOD_TYPES } from '../catalogue/restaurants/field-table.ts';
import { type NewRestaurant, type RestaurantChange, changeOf } from '../catalogue/restaurants/fields.ts';
import { parseNewRestaurant, parseRestaurantChange } from '../catalogue/restaurants/input.ts';
import { parseInstant } from '../kit/time.ts';
import { API_FIELDS, elementsOf } from './source.ts';
import { storedMoment } from './values.ts';

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

// Narrower than `parseInstant`, which also reads what a query string makes of a plus sign.
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
// What only together means something.
const POSITION = ['latitude', 'longitude'];

/** Called with each value that cannot be used. */
export type LeftOut = (field: string, reason: string, value: unknown) => void;

/**
 * The row of a restaurant by the rules of the API. Only the name is required: any other value that these do not allow is left
 * out.
 */
export function parseRow(fields: Properties, leftOut: LeftOut): Parsed<Row> {
  const whole = knownIn(fields);
  const first = parseNewRestaurant(whole);
  const body = first.ok ? whole : usableIn(whole, leftOut);
  const parsedBody = first.ok ? first : parseNewRestaurant(body);
  if (!parsedBody.ok) return parsedBody;
  const input = parsedBody.value;
  const hours = input.opening_hours;
  if (hours !== null && !readHours(hours)) leftOut('opening_hours', 'unknown_hours', hours);
  const lookup = (value: unknown, field: string): string | undefined => {
    const named = parseNewLookup({ name: value });
    if (!named.ok) leftOut(field, 'not_a_name', value);
    return named.ok ? named.value.name : undefined;
  };
  const named = fields.get('category') ?? undefined;
  const category = named === undefined ? undefined : lookup(named, 'category');
  const foodTypes = elementsOf(fields.get('food_types')).flatMap(
    (value) => lookup(value, 'food_types') ?? [],
  );
  if (foodTypes.length > MAX_FOOD_TYPES)
    leftOut('food_types', 'too_many', foodTypes.slice(MAX_FOOD_TYPES).join(', '));
  return {
    ok: true,
    value: {
      input,
      present: presentFields(body, input),
      category,
      foodTypes: foodTypes.slice(0, MAX_FOOD_TYPES),
      createdAt: momentIn(fields, 'created_at', leftOut),
      updatedAt: momentIn(fields, 'updated_at', leftOut),
      ratings: ratingsIn(fields.get('ratings'), leftOut),
    },
  };
}

/** A body without the values that the API refuses, other than the name. */
function usableIn(
  body: Readonly<Record<string, unknown>>,
  leftOut: LeftOut,
): Readonly<Record<string, unknown>> {
  const isUsable = (part: Readonly<Record<string, unknown>>): boolean => parseRestaurantChange(part).ok;
  const usable = new Map<string, unknown>();
  for (const [name, value] of Object.entries(body)) {
    const keys = propertiesOf(value);
    if (name === 'name' || isUsable({ [name]: value })) usable.set(name, value);
    else if (!keys) leftOut(name, 'not_valid', value);
    else {
      const parts = [...keys].filter(([key, one]) => isUsable({ [name]: { [key]: one } }));
      if (parts.length > 0) usable.set(name, Object.fromEntries(parts));
      const refused = [...keys].filter(([key]) => !parts.some(([other]) => other === key));
      for (const [key, one] of refused) leftOut(`${name}.${key}`, 'not_valid', one);
    }
  }
  if (POSITION.some((name) => !usable.has(name))) for (const name of POSITION) usable.delete(name);
  const ids = propertiesOf(usable.get('external_ids'));
  const google = ids?.get('google');
  // The id at Google stands in two places, which must not differ.
  if (google !== undefined && google !== usable.get('google_place_id')) usable.set('google_place_id', google);
  return Object.fromEntries(usable);
}

/** The body for the API. Empty values are left out: they must not clear values that were entered since. */
function knownIn(fields: Properties): Readonly<Record<string, unknown>> {
  const known: Record<string, unknown> = {};
  for (const name of API_FIELDS) {
    const value = fields.get(name) ?? null;
    if (value !== null) known[name] = isObject(value) ? withoutNulls(value) : value;
  }
  return known;
}

function withoutNulls(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null));
}

/** The values that the file has, as parsed; of a field with keys, only the keys that it has. */
function presentFields(body: Readonly<Record<string, unknown>>, input: NewRestaurant): RestaurantChange {
  const { status, ...present } = knownIn(new Map(Object.entries(input)));
  return changeOf('status' in body ? { ...present, status } : present);
}

/** The ratings of one restaurant by the rules of the API. */
function ratingsIn(value: unknown, leftOut: LeftOut): readonly ImportedRating[] {
  return elementsOf(value).flatMap((element) => {
    const fields = propertiesOf(element) ?? new Map<string, unknown>();
    const createdAt = momentIn(fields, 'created_at', leftOut);
    const result = parseRatingOf(Object.fromEntries(fields));
    if (!result.ok) leftOut('ratings', 'not_valid', element);
    return result.ok ? [{ ...result.value, createdAt }] : [];
  });
}

/** A moment as it is stored; undefined where it is absent or null. Any other value is left out. */
function momentIn(fields: Properties, name: string, leftOut: LeftOut): string | undefined {
  const value = fields.get(name);
  if (value === undefined || value === null) return undefined;
  const isMoment = typeof value === 'string' && MOMENT.test(value);
  const moment = isMoment ? storedMoment(parseInstant(value) ?? NaN) : undefined;
  if (moment === undefined) leftOut(name, 'not_a_moment', value);
  return moment;
}
