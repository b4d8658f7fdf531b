import type { QueryFile } from '../storage/statements.ts';

/** The belongings that are deleted with a restaurant, as the change log holds them. */
export interface TakenAlong {
  /** Suggestions that became this restaurant. */
  readonly suggestion_ids: readonly number[];
  readonly ratings: readonly Row[];
  readonly photos: readonly Row[];
}

/** A stored row, by the names of the API. */
export interface Row {
  readonly id: number;
  readonly [column: string]: string | number | null;
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

/** Opens the access on restaurants.sql. */
export function createTakenAlong(sql: QueryFile): TakenAlongAccess {
  const suggestions = sql.prepare<{ id: number }>('suggestionsOf');
  const ratings = sql.prepare<Row>('ratingsOf');
  const photos = sql.prepare<Row>('photosOf');
  const relink = sql.prepare('relinkSuggestions');
  const insertRating = sql.prepare('restoreRating');
  const insertPhoto = sql.prepare('restorePhoto');
  const leaveTrash = sql.prepare('leavePhotoTrash');
  const count = sql.prepare<{ ratings: number; photos: number }>('countOthers');
  return {
    read: (restaurantId) => ({
      suggestion_ids: suggestions.all({ restaurantId }).map(({ id }) => id),
      ratings: ratings.all({ restaurantId }),
      photos: photos.all({ restaurantId }),
    }),
    restore: (restaurantId, along) => {
      relink.run({ restaurantId, ids: JSON.stringify(along.suggestion_ids) });
      // One that was logged before ratings could change has not been changed.
      for (const rating of along.ratings)
        insertRating.run({ updated_at: rating['created_at'] ?? null, ...rating });
      for (const photo of along.photos) {
        const row = { photo: JSON.stringify(photo) };
        insertPhoto.run(row);
        leaveTrash.run(row);
      }
    },
    countOthers: (restaurantId, along) => {
      const idsOf = (rows: readonly Row[]): string => JSON.stringify(rows.map(({ id }) => id));
      const own = { ratings: idsOf(along.ratings), photos: idsOf(along.photos) };
      return count.get({ restaurantId, ...own }) ?? { ratings: 0, photos: 0 };
    },
  };
}
