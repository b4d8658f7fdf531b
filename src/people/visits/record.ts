import { isObject, pick } from '../../kit/objects.ts';
import type { Entity } from '../../storage/change-log.ts';
import {
  type Stored,
  isBoolean,
  isNumber,
  isNumberOrNull,
  isText,
  isTextOrNull,
  requireColumns,
} from '../../storage/stored.ts';

const DISH = {
  name: isText,
  /** From 1 to 5. */
  stars: isNumberOrNull,
  /** Minor units of the visit's currency. */
  price_minor: isNumberOrNull,
  note: isTextOrNull,
  /** Whether to order it again. */
  again: (value: unknown): value is boolean | null => value === null || isBoolean(value),
};

/** Something eaten at a visit. */
export type Dish = Stored<typeof DISH>;

/** The fields of a visit that its owner sets. */
export const VISIT_FIELDS = {
  /** YYYY-MM-DD */
  visited_on: isText,
  note: isTextOrNull,
  companions: (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText),
  /** Minor units of the currency. */
  total_minor: isNumberOrNull,
  /** ISO 4217 */
  currency: isTextOrNull,
  dishes: (value: unknown): value is readonly Dish[] => Array.isArray(value) && value.every(isDish),
};

export type VisitFields = Stored<typeof VISIT_FIELDS>;

/** The columns of these fields; lists are JSON texts there. */
export const VISIT_COLUMNS: readonly string[] = Object.keys(VISIT_FIELDS);

/** The columns of a visit in the change log. */
export const STORED_VISIT = {
  id: isNumber,
  /** Its owner; null for the placeholder of mode none. */
  author_id: isNumberOrNull,
  /** Null once the restaurant is deleted and that deletion can no longer be undone. */
  restaurant_id: isNumberOrNull,
  /** The restaurant may be gone when the visit is restored. */
  restaurant_name: isText,
  ...VISIT_FIELDS,
  created_at: isText,
  updated_at: isText,
};

/** A visit under the names of the API, where `restaurant_id` is null once the restaurant is deleted. */
export interface VisitRecord extends Stored<typeof STORED_VISIT> {
  /** The `restaurant_id` of the change log. */
  readonly stored_restaurant_id: number | null;
}

/** A row of the database, with its lists as JSON texts. */
export interface VisitRow extends Omit<VisitRecord, 'companions' | 'dishes'> {
  readonly companions: string;
  readonly dishes: string;
}

export function visitOf(row: VisitRow): VisitRecord {
  const lists: Record<string, unknown> = {
    companions: JSON.parse(row.companions),
    dishes: JSON.parse(row.dishes),
  };
  requireColumns(lists, { companions: VISIT_FIELDS.companions, dishes: VISIT_FIELDS.dishes });
  return { ...row, ...lists };
}

/** The names of a visit's fields in an answer. */
export const VISIT_ANSWER = [
  'id',
  'restaurant_id',
  'restaurant',
  ...VISIT_COLUMNS,
  'created_at',
  'updated_at',
];

/** The Visit of swagger.yaml. */
export function visitJson(visit: VisitRecord): object {
  const { restaurant_id: id, restaurant_name: name } = visit;
  return pick({ ...visit, restaurant: { id, name } }, VISIT_ANSWER);
}

/** The visit as the change log has it. */
export function storedVisit(visit: VisitRecord): Entity {
  return pick({ ...visit, restaurant_id: visit.stored_restaurant_id }, Object.keys(STORED_VISIT));
}

function isDish(value: unknown): value is Dish {
  if (!isObject(value)) return false;
  const dish: Entity = { ...value };
  return Object.entries(DISH).every(([name, isValid]) => isValid(dish[name]));
}
