import { type Stored, isIds, isNumber } from '../../storage/stored.ts';
import { type NewRestaurant, storedFieldsOf } from './fields.ts';

/** A restaurant as stored. */
export interface RestaurantRecord extends NewRestaurant {
  readonly id: number;
  /** The suggestion that it was made from. */
  readonly suggestion_id: number | null;
  readonly rating_count: number;
  readonly food_sum: number;
  readonly service_sum: number;
  readonly ambiance_sum: number;
  /** The mean of the three averages. */
  readonly overall: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A restaurant in the change log, with the names of the API. */
export interface StoredRestaurant extends NewRestaurant {
  readonly id: number;
  readonly suggestion_id: number | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The part of a record that goes into the change log. */
export function storedRestaurant(record: RestaurantRecord): StoredRestaurant {
  const { id, suggestion_id, created_at, updated_at } = record;
  return { id, ...storedFieldsOf({ ...record }), suggestion_id, created_at, updated_at };
}

/**
 * The records deleted with a restaurant, for the change log. Ratings and photos stay in their tables; the log has the first
 * hundred ids, the totals, and the highest ids at the time.
 */
export const CASCADED = {
  /** Suggestions that became this restaurant. */
  suggestion_ids: isIds,
  rating_ids: isIds,
  ratings_total: isNumber,
  last_rating_id: isNumber,
  photo_ids: isIds,
  photos_total: isNumber,
  last_photo_id: isNumber,
};
export type Cascaded = Stored<typeof CASCADED>;
