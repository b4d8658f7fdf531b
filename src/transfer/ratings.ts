import type { Write } from '../storage/change-log.ts';
import type { Parsed } from '../input/fields.ts';
import { type NewRating, parseNewRating } from '../ratings/input.ts';
import type { RatingRecord, RatingStore } from '../ratings/store.ts';
import { elementsOf, fieldsOf } from './source.ts';

/** A rating of an import file; without a time it counts as made now. */
export type ImportedRating = Omit<NewRating, 'restaurantId'> & { readonly createdAt: string | undefined };

/** Adds those ratings that a restaurant does not have yet and returns their number. */
export type RatingImporter = (
  restaurantId: number,
  ratings: readonly ImportedRating[],
  write: Write,
) => number;

const EARLIEST = Date.parse('1970-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

const ALL = Number.MAX_SAFE_INTEGER;

/** Checks the ratings of one restaurant by the rules of the API. */
export function parseRatings(value: unknown): Parsed<readonly ImportedRating[]> {
  const faults: string[] = [];
  const ratings: ImportedRating[] = [];
  for (const [index, element] of elementsOf(value).entries()) {
    const prefix = `rating ${index + 1}: `;
    const fields = fieldsOf(element) ?? new Map<string, unknown>();
    const result = parseNewRating({ ...Object.fromEntries(fields), restaurant_id: 1 });
    const ownFaults: string[] = [];
    const createdAt = timestampField(fields.get('created_at'), 'created_at', ownFaults);
    if (!result.ok) ownFaults.push(...result.faults);
    faults.push(...ownFaults.map((fault) => prefix + fault));
    if (!result.ok || ownFaults.length > 0) continue;
    const { restaurantId: _notYetKnown, ...rating } = result.value;
    ratings.push({ ...rating, createdAt });
  }
  return faults.length > 0 ? { ok: false, faults } : { ok: true, value: ratings };
}

/**
 * A timestamp of an import file as it is stored (ISO 8601, UTC, milliseconds); undefined where it is absent or null. Anything
 * else, and a moment outside 1970 to 9999, is added to `faults`: beyond those years the text no longer sorts by time.
 */
export function timestampField(value: unknown, name: string, faults: string[]): string | undefined {
  if (value === undefined || value === null) return undefined;
  const time = typeof value === 'string' ? Date.parse(value) : NaN;
  if (Number.isNaN(time)) faults.push(`${name} must be a timestamp`);
  else if (time < EARLIEST || time > LATEST) faults.push(`${name} must be between 1970-01-01 and 9999-12-31`);
  else return new Date(time).toISOString();
  return undefined;
}

/**
 * An importer of ratings. A rating that is there already, as often as the file has it, is left alone: ratings have no
 * identity but their content.
 */
export function createRatingImporter(store: RatingStore): RatingImporter {
  return (restaurantId, ratings, write) => {
    if (ratings.length === 0) return 0;
    const present = store.list(restaurantId, ALL, 0);
    const withTime = tally(present.map((record) => keyOf(imported(record))));
    const withoutTime = tally(present.map((record) => keyOf({ ...imported(record), createdAt: undefined })));
    let added = 0;
    for (const rating of ratings) {
      const tallies = rating.createdAt === undefined ? withoutTime : withTime;
      const key = keyOf(rating);
      const left = tallies.get(key) ?? 0;
      tallies.set(key, left - 1);
      if (left > 0) continue;
      store.create({ ...rating, restaurantId }, write, rating.createdAt);
      added += 1;
    }
    return added;
  };
}

function imported(record: RatingRecord): ImportedRating {
  return {
    foodRating: record.food_rating,
    serviceRating: record.service_rating,
    ambianceRating: record.ambiance_rating,
    comment: record.comment,
    createdAt: record.created_at,
  };
}

function keyOf({ foodRating, serviceRating, ambianceRating, comment, createdAt }: ImportedRating): string {
  return JSON.stringify([foodRating, serviceRating, ambianceRating, comment, createdAt ?? null]);
}

function tally(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
