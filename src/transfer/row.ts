import type { Parsed } from '../input/fields.ts';
import { parseNewLookup } from '../lookups/input.ts';
import { type NewRestaurant, parseNewRestaurant } from '../restaurants/input.ts';
import { type ImportedRating, parseRatings } from './ratings.ts';
import { PLAIN_FIELDS, type SourceFields, elementsOf } from './source.ts';
import { timestampField } from './timestamp.ts';

/** A checked restaurant of an import file, its lookups still by name. */
export interface Row {
  readonly input: NewRestaurant;
  /** The fields that the file gives a value for; all others of `input` are defaults. */
  readonly given: Partial<NewRestaurant>;
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

  const body = Object.fromEntries([...fields].filter(([name]) => API_FIELDS.has(name)));
  const input = collect(parseNewRestaurant(body));
  const categoryName = fields.get('category') ?? undefined;
  const category = categoryName === undefined ? undefined : lookup(categoryName, 'category: ');
  for (const name of ['food_types', 'ratings']) {
    const list = fields.get(name) ?? [];
    if (!Array.isArray(list)) faults.push(`${name} must be an array`);
  }
  const foodTypes = elementsOf(fields.get('food_types')).map((value) => lookup(value, 'food type: '));
  if (foodTypes.length > MAX_FOOD_TYPES) faults.push(`food_types must have at most ${MAX_FOOD_TYPES} names`);
  const createdAt = timestampField(fields.get('created_at'), 'created_at', faults);
  const updatedAt = timestampField(fields.get('updated_at'), 'updated_at', faults);
  const ratings = collect(parseRatings(fields.get('ratings')));
  if (!input || !ratings || faults.length > 0) return { ok: false, faults };
  const named = foodTypes.filter((name) => name !== undefined);
  const given = givenFields(fields, input);
  return { ok: true, value: { input, given, category, foodTypes: named, createdAt, updatedAt, ratings } };
}

const API_FIELDS: ReadonlySet<string> = new Set([...PLAIN_FIELDS, 'status']);

/** An empty value in the file does not count: it must not wipe out what somebody has filled in since. */
function givenFields(fields: SourceFields, input: NewRestaurant): Partial<NewRestaurant> {
  const entries = Object.entries(input).filter(([, value]) => value !== null);
  const { foodTypeIds: _byName, status, ...given }: Partial<NewRestaurant> = Object.fromEntries(entries);
  return { ...given, ...((fields.get('status') ?? null) !== null && status !== undefined && { status }) };
}
