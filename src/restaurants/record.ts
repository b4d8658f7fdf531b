import { FILE_NAMES, type NewRestaurant, type RestaurantStatus, picked, storedFieldsOf } from './fields.ts';

/** A category or food type as it is stored and answered. */
export interface LookupRow {
  readonly id: number;
  readonly name: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A restaurant as the database gives it, with its category's columns; food types come beside it. */
export interface RestaurantRow extends Omit<NewRestaurant, 'food_type_ids'> {
  readonly id: number;
  readonly category_name: string | null;
  readonly category_created_at: string | null;
  readonly category_updated_at: string | null;
  /** The suggestion that it was made from. */
  readonly suggestion_id: number | null;
  readonly rating_count: number;
  readonly food_sum: number;
  readonly service_sum: number;
  readonly ambiance_sum: number;
  readonly overall: number;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface RestaurantRecord extends RestaurantRow {
  /** Ordered by name. */
  readonly food_types: readonly LookupRow[];
}

/** A restaurant as the change log holds it: what is stored, under the names of the API. */
export interface StoredRestaurant extends NewRestaurant {
  readonly id: number;
  readonly suggestion_id: number | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** What is stored of a record. */
export function storedRestaurant(record: RestaurantRecord): StoredRestaurant {
  const { id, suggestion_id, created_at, updated_at } = record;
  const food_type_ids = record.food_types.map((foodType) => foodType.id).sort((left, right) => left - right);
  return { id, ...storedFieldsOf({ ...record, food_type_ids }), suggestion_id, created_at, updated_at };
}

/** What lists of restaurants hold: restaurants, and pending suggestions in their shape. */
export type ListedRecord = Omit<RestaurantRecord, 'status'> & {
  readonly status: RestaurantStatus | 'pending';
};

/** The Restaurant of SPEC.md; `distance` (kilometres, null without coordinates) is there only when one is given. */
export function restaurantJson(record: ListedRecord, distance?: number | null): object {
  return {
    id: record.id,
    ...picked(record, FILE_NAMES),
    category_id: record.category_id,
    category:
      record.category_id === null
        ? null
        : {
            id: record.category_id,
            name: record.category_name,
            created_at: record.category_created_at,
            updated_at: record.category_updated_at,
          },
    food_types: record.food_types,
    avg_rating: averages(record),
    ...(distance !== undefined && { distance }),
    is_suggestion: record.status === 'pending',
    suggestion_id: record.suggestion_id,
    status: record.status,
    created_at: record.created_at,
    updated_at: record.updated_at,
  };
}

/** Unrounded averages; all zero without ratings (CONTRACT section 2). */
function averages({
  rating_count: count,
  food_sum,
  service_sum,
  ambiance_sum,
  overall,
}: ListedRecord): object {
  if (count === 0) return { food: 0, service: 0, ambiance: 0, overall: 0, count: 0 };
  return {
    food: food_sum / count,
    service: service_sum / count,
    ambiance: ambiance_sum / count,
    overall,
    count,
  };
}
