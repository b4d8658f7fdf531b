import type { Write } from '../storage/change-log.ts';
import { type Parsed, parsed } from '../input/fields.ts';
import { type Properties, propertiesOf } from '../objects.ts';
import { type NewRating, parseNewRating } from '../ratings/input.ts';
import type { RatingStore } from '../ratings/store.ts';
import { elementsOf } from './source.ts';

/** A rating of an import file; without a time it counts as made now. */
export type ImportedRating = Omit<NewRating, 'restaurantId'> & { readonly createdAt: string | undefined };

const EARLIEST = Date.parse('1970-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');
const ALL = Number.MAX_SAFE_INTEGER;
// The restaurant of a rating is found or made later.
const UNKNOWN_ID = 1;

/** Checks the ratings of one restaurant by the rules of the API. */
export function parseRatings(value: unknown): Parsed<readonly ImportedRating[]> {
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
export function timestampField(fields: Properties, name: string, faults: string[]): string | undefined {
  const value = fields.get(name);
  if (value === undefined || value === null) return undefined;
  const time = typeof value === 'string' ? Date.parse(value) : NaN;
  if (Number.isNaN(time)) faults.push(`${name} must be a timestamp`);
  else if (time < EARLIEST || time > LATEST) faults.push(`${name} must be between 1970-01-01 and 9999-12-31`);
  else return new Date(time).toISOString();
  return undefined;
}

/**
 * Adds those ratings that a restaurant does not have yet and returns their number. One that is there already, as often
 * as the file has it, is left alone: ratings have no identity but their content.
 */
export function addRatings(
  store: RatingStore,
  restaurantId: number,
  ratings: readonly ImportedRating[],
  write: Write,
): number {
  const present = ratings.length === 0 ? [] : store.list(restaurantId, ALL, 0);
  const left = new Map<string, number>();
  for (const { food_rating, service_rating, ambiance_rating, comment, created_at } of present)
    for (const time of [created_at, null]) {
      const key = JSON.stringify([food_rating, service_rating, ambiance_rating, comment, time]);
      left.set(key, (left.get(key) ?? 0) + 1);
    }
  let added = 0;
  for (const rating of ratings) {
    const { foodRating, serviceRating, ambianceRating, comment, createdAt } = rating;
    const key = JSON.stringify([foodRating, serviceRating, ambianceRating, comment, createdAt ?? null]);
    const others = left.get(key) ?? 0;
    left.set(key, others - 1);
    if (others > 0) continue;
    store.create({ ...rating, restaurantId }, write, createdAt);
    added += 1;
  }
  return added;
}
