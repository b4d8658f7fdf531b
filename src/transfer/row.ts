import type { Parsed } from '../input/fields.ts';
import { parseNewLookup } from '../lookups/input.ts';
import { type NewRestaurant, type RestaurantChange, isChange, required } from '../restaurants/fields.ts';
import { parseNewRestaurant } from '../restaurants/input.ts';
import { type ImportedRating, parseRatings, timestampField } from './ratings.ts';
import { API_FIELDS, type SourceFields, elementsOf } from './source.ts';

/** A checked restaurant of an import file, its lookups still by name. */
export interface Row {
  readonly input: NewRestaurant;
  /** The fields for which the file has a value; all others of `input` are defaults. */
  readonly given: RestaurantChange;
  readonly category: string | undefined;
  readonly foodTypes: readonly string[];
  readonly createdAt: string | undefined;
  readonly updatedAt: string | undefined;
  readonly ratings: readonly ImportedRating[];
}

const MAX_FOOD_TYPES = 50;

/** Checks the fields of one restaurant by the rules of the API, and all its lookups and ratings with it. */
export function parseRow(fields: SourceFields): Parsed<Row> {
  const faults: string[] = [];
  const collect = <Value>(result: Parsed<Value>, prefix = ''): Value | undefined => {
    if (result.ok) return result.value;
    faults.push(...result.faults.map((fault) => prefix + fault));
    return undefined;
  };
  const lookup = (value: unknown, prefix: string): string | undefined =>
    collect(parseNewLookup({ name: value }), prefix)?.name;

  const body = Object.fromEntries([...fields].filter(([name]) => API_FIELDS.includes(name)));
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
  const given = givenFields(fields, input);
  return { ok: true, value: { input, given, category, foodTypes: named, createdAt, updatedAt, ratings } };
}

/** An empty value in the file does not count: it must not clear a value that was entered since. */
function givenFields(fields: SourceFields, input: NewRestaurant): RestaurantChange {
  const isGiven = (name: string): boolean => (fields.get(name) ?? null) !== null;
  const given = Object.entries(input).filter(
    ([name, value]) => API_FIELDS.includes(name) && value !== null && (name !== 'status' || isGiven(name)),
  );
  return required(Object.fromEntries(given), isChange);
}
