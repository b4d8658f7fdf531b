import type { Subject, Write } from '../storage/change-log.ts';
import type { QueryFile } from '../storage/statements.ts';
import type { NewRating } from './input.ts';

/** A rating as it is stored and answered. */
export interface RatingRecord {
  readonly id: number;
  readonly restaurant_id: number;
  readonly food_rating: number;
  readonly service_rating: number;
  readonly ambiance_rating: number;
  readonly comment: string | null;
  readonly created_at: string;
}

/** A rating as it is stored, with its author. */
export interface StoredRating extends RatingRecord {
  readonly author_id: number | null;
}

/** Ratings in the database. Writes must be run inside a transaction; averages change with them. */
export interface RatingStore {
  readonly restaurantExists: (restaurantId: number) => boolean;
  /** Undefined when there is no such restaurant. An import has its own `createdAt`. */
  readonly create: (input: NewRating, write: Write, createdAt?: string) => RatingRecord | undefined;
  /** The author, null when none is known; undefined when there is no such rating. */
  readonly ownerOf: (id: number) => number | null | undefined;
  readonly get: (id: number) => RatingRecord | undefined;
  /** False when there is no such rating. */
  readonly remove: (id: number, write: Write) => boolean;
  /** Restores a deleted one to its restaurant, which must exist. */
  readonly restore: (rating: StoredRating, write: Write) => void;
  /** Newest first. */
  readonly list: (restaurantId: number, limit: number, offset: number) => RatingRecord[];
  /** Newest first, those behind `after`. */
  readonly listAfter: (after: RatingRecord, limit: number) => RatingRecord[];
}

/** Opens the store on ratings.sql. */
export function createRatingStore(sql: QueryFile): RatingStore {
  const restaurantName = sql.prepare<string>('getRestaurantName').pluck();
  const insert = sql.prepare<StoredRating>('insertRating');
  const get = sql.prepare<RatingRecord>('getRating');
  const remove = sql.prepare('deleteRating');
  const stored = sql.prepare<StoredRating>('getStoredRating');
  const insertStored = sql.prepare('insertStoredRating');
  const list = sql.prepare<RatingRecord>('listRatings');
  const listAfter = sql.prepare<RatingRecord>('listRatingsAfter');
  const nameOf = (restaurantId: number): string | undefined => restaurantName.get({ restaurantId });
  const subjectOf = (rating: StoredRating, name = nameOf(rating.restaurant_id) ?? ''): Subject => ({
    kind: 'rating',
    id: rating.id,
    name,
    restaurantId: rating.restaurant_id,
    ownerId: rating.author_id,
  });
  return {
    restaurantExists: (restaurantId) => nameOf(restaurantId) !== undefined,
    create: (input, write, createdAt = write.now) => {
      const name = nameOf(input.restaurantId);
      if (name === undefined) return undefined;
      const rating = insert.get({ ...input, createdAt, userId: write.userId });
      if (!rating) throw new Error('an insert returned no row');
      write.created(subjectOf(rating, name), rating);
      const { author_id: _notAnswered, ...record } = rating;
      return record;
    },
    ownerOf: (id) => stored.get({ id })?.author_id,
    get: (id) => get.get({ id }),
    remove: (id, write) => {
      const rating = stored.get({ id });
      if (!rating) return false;
      remove.run({ id });
      write.deleted(subjectOf(rating), rating);
      return true;
    },
    restore: (rating, write) => {
      insertStored.run({ ...rating });
      write.restored(subjectOf(rating), { ...rating });
    },
    list: (restaurantId, limit, offset) => list.all({ restaurantId, limit, offset }),
    listAfter: (after, limit) =>
      listAfter.all({ restaurantId: after.restaurant_id, createdAt: after.created_at, id: after.id, limit }),
  };
}
