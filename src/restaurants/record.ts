import { FILE_NAMES, type NewRestaurant, type RestaurantStatus, picked, storedFieldsOf } from './fields.ts';
import { type Lookups, categoryOf, foodTypesOf } from './lookups.ts';

/** A restaurant as it is stored. */
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

/** A restaurant as the change log holds it: what is stored, under the names of the API. */
export interface StoredRestaurant extends NewRestaurant {
  readonly id: number;
  readonly suggestion_id: number | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The part of a record that the change log holds. */
export function storedRestaurant(record: RestaurantRecord): StoredRestaurant {
  const { id, suggestion_id, created_at, updated_at } = record;
  return { id, ...storedFieldsOf({ ...record }), suggestion_id, created_at, updated_at };
}

/** An element of a list of restaurants: a restaurant, or a pending suggestion in its shape. */
export type ListedRecord = Omit<RestaurantRecord, 'status'> & {
  readonly status: RestaurantStatus | 'pending';
};

/** The Restaurant of SPEC.md; `distance` (kilometres, null without coordinates) is there only when one is given. */
export function restaurantJson(record: ListedRecord, lookups: Lookups, distance?: number | null): object {
  const category = categoryOf(record.category_id, lookups);
  return {
    id: record.id,
    ...picked(record, FILE_NAMES),
    category_id: category?.id ?? null,
    category,
    food_types: foodTypesOf(record.food_type_ids, lookups),
    avg_rating: averages(record),
    ...(distance !== undefined && { distance }),
    is_suggestion: record.status === 'pending',
    suggestion_id: record.suggestion_id,
    status: record.status,
    created_at: record.created_at,
    updated_at: record.updated_at,
  };
}

/** Unrounded averages; all zero without ratings. */
function averages({ rating_count: count, overall, ...sums }: ListedRecord): object {
  if (count === 0) return { food: 0, service: 0, ambiance: 0, overall: 0, count: 0 };
  return {
    food: sums.food_sum / count,
    service: sums.service_sum / count,
    ambiance: sums.ambiance_sum / count,
    overall,
    count,
  };
}
