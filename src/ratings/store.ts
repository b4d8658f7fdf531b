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

/** Ratings in the database. Writes are to be run inside a transaction; averages change with them. */
export interface RatingStore {
  readonly restaurantExists: (restaurantId: number) => boolean;
  /** Undefined when there is no such restaurant. Without `userId` the rating is nobody's. */
  readonly create: (input: NewRating, createdAt: string, userId?: number) => RatingRecord | undefined;
  /** Who rated, null when nobody is known to; undefined when there is no such rating. */
  readonly ownerOf: (id: number) => number | null | undefined;
  readonly get: (id: number) => RatingRecord | undefined;
  readonly remove: (id: number) => void;
  /** Newest first. */
  readonly list: (restaurantId: number, limit: number, offset: number) => RatingRecord[];
  /** Newest first, those behind `after`. */
  readonly listAfter: (after: RatingRecord, limit: number) => RatingRecord[];
}

/** Opens the store on ratings.sql. */
export function createRatingStore(sql: QueryFile): RatingStore {
  const restaurantExists = sql.prepare('restaurantExists');
  const insert = sql.prepare<RatingRecord>('insertRating');
  const owner = sql.prepare<{ user_id: number | null }>('getRatingOwner');
  const get = sql.prepare<RatingRecord>('getRating');
  const remove = sql.prepare('deleteRating');
  const list = sql.prepare<RatingRecord>('listRatings');
  const listAfter = sql.prepare<RatingRecord>('listRatingsAfter');
  const exists = (restaurantId: number): boolean => restaurantExists.get({ restaurantId }) !== undefined;
  return {
    restaurantExists: exists,
    create: (input, createdAt, userId) =>
      exists(input.restaurantId) ? insert.get({ ...input, createdAt, userId: userId ?? null }) : undefined,
    ownerOf: (id) => owner.get({ id })?.user_id,
    get: (id) => get.get({ id }),
    remove: (id) => {
      remove.run({ id });
    },
    list: (restaurantId, limit, offset) => list.all({ restaurantId, limit, offset }),
    listAfter: (after, limit) =>
      listAfter.all({ restaurantId: after.restaurant_id, createdAt: after.created_at, id: after.id, limit }),
  };
}
