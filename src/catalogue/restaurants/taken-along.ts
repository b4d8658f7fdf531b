import type { QueryFile } from '../../storage/statements.ts';
import { numbersIn } from './records.ts';

/**
 * The belongings of a restaurant as the change log holds them. Ratings and photos stay in their tables when it is deleted;
 * the log names the first hundred, and how many there were. All had ids up to the last ones.
 */
export interface TakenAlong {
  /** Suggestions that became this restaurant. */
  readonly suggestion_ids: readonly number[];
  readonly rating_ids: readonly number[];
  readonly ratings_total: number;
  readonly last_rating_id: number;
  readonly photo_ids: readonly number[];
  readonly photos_total: number;
  readonly last_photo_id: number;
}

/** Reads and restores the belongings of a restaurant. Writes must be run inside a transaction. */
export interface TakenAlongAccess {
  readonly read: (restaurantId: number) => TakenAlong;
  readonly restore: (restaurantId: number, along: TakenAlong) => void;
  /** How many ratings and photos there are that are none of these. */
  readonly countOthers: (
    restaurantId: number,
    along: TakenAlong,
  ) => { readonly ratings: number; readonly photos: number };
}

type Row = Omit<TakenAlong, 'suggestion_ids' | 'rating_ids' | 'photo_ids'> & {
  readonly rating_ids: string;
  readonly photo_ids: string;
};

/** Opens the access on restaurants.sql. */
export function createTakenAlong(sql: QueryFile): TakenAlongAccess {
  const suggestions = sql.prepare<{ id: number }>('suggestionsOf');
  const belongings = sql.prepare<Row>('belongingsOf');
  const relink = sql.prepare('relinkSuggestions');
  const count = sql.prepare<{ ratings: number; photos: number }>('countOthers');
  return {
    read: (restaurantId) => {
      const row = belongings.get({ restaurantId });
      if (!row) throw new Error('the belongings of a restaurant are one row');
      return {
        ...row,
        suggestion_ids: suggestions.all({ restaurantId }).map(({ id }) => id),
        rating_ids: numbersIn(row.rating_ids),
        photo_ids: numbersIn(row.photo_ids),
      };
    },
    restore: (restaurantId, { suggestion_ids }) => {
      relink.run({ restaurantId, ids: JSON.stringify(suggestion_ids) });
    },
    countOthers: (restaurantId, along) => {
      const { rating_ids, ratings_total, last_rating_id, photo_ids, photos_total, last_photo_id } = along;
      const had = {
        ratingIds: JSON.stringify(rating_ids),
        // All of them are named.
        lastRatingId: ratings_total > rating_ids.length ? last_rating_id : 0,
        photoIds: JSON.stringify(photo_ids),
        lastPhotoId: photos_total > photo_ids.length ? last_photo_id : 0,
      };
      return count.get({ restaurantId, ...had }) ?? { ratings: 0, photos: 0 };
    },
  };
}
