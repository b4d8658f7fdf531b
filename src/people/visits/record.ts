import { isObject, parseJson } from '../../kit/objects.ts';
import type { Entity } from '../../storage/change-log.ts';
import { type Stored, isNumberOrNull, isText, isTextOrNull, readStored } from '../../storage/stored.ts';

const SCALARS = {
  /** YYYY-MM-DD */
  visited_on: isText,
  note: isTextOrNull,
  /** Minor units of the currency. */
  total_minor: isNumberOrNull,
  /** ISO 4217 */
  currency: isTextOrNull,
};

/** Something eaten at a visit. */
export interface Dish {
  readonly name: string;
  /** From 1 to 5. */
  readonly stars: number | null;
  /** Minor units of the visit's currency. */
  readonly price_minor: number | null;
  readonly note: string | null;
  /** Whether to order it again. */
  readonly again: boolean | null;
}

/** The fields of a visit that its owner sets. */
export interface VisitFields extends Stored<typeof SCALARS> {
  readonly companions: readonly string[];
  readonly dishes: readonly Dish[];
}

/** The columns of these fields; lists are JSON texts there. */
export const VISIT_COLUMNS: readonly string[] = [...Object.keys(SCALARS), 'companions', 'dishes'];

/** A visit as it is stored, under the names of the API. */
export interface VisitRecord extends VisitFields {
  readonly id: number;
  /** Its owner; null for the placeholder of mode none. */
  readonly author_id: number | null;
  /** Null once the restaurant is deleted. */
  readonly restaurant_id: number | null;
  /** Null once that deletion can no longer be undone. */
  readonly stored_restaurant_id: number | null;
  readonly restaurant_name: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The names of a visit's fields in an answer. */
export const VISIT_ANSWER: readonly string[] = [
  'id',
  'restaurant_id',
  'restaurant',
  ...VISIT_COLUMNS,
  'created_at',
  'updated_at',
];

/** The Visit of swagger.yaml. */
export function visitJson(visit: VisitRecord): object {
  const { id, restaurant_id, restaurant_name: name, created_at, updated_at } = visit;
  const restaurant = { id: restaurant_id, name };
  return { id, restaurant_id, restaurant, ...visitFields(visit), created_at, updated_at };
}

/** The fields of a visit that its owner sets, in the order of the API. */
export function visitFields(visit: VisitFields): VisitFields {
  const { visited_on, note, companions, total_minor, currency, dishes } = visit;
  return { visited_on, note, companions, total_minor, currency, dishes };
}

/** The visit as the change log has it: with the name of the restaurant, which may be gone when it is restored. */
export function storedVisit(visit: VisitRecord): Entity {
  const { id, author_id, stored_restaurant_id, restaurant_name, created_at, updated_at } = visit;
  const restaurant = { restaurant_id: stored_restaurant_id, restaurant_name };
  return { id, author_id, ...restaurant, ...visitFields(visit), created_at, updated_at };
}

/** A row of the database, with its lists as JSON texts. */
export interface VisitRow extends Omit<VisitRecord, 'companions' | 'dishes'> {
  readonly companions: string;
  readonly dishes: string;
}

export function visitOf({ companions, dishes, ...row }: VisitRow): VisitRecord {
  return { ...row, companions: textsIn(parseJson(companions)), dishes: dishesIn(parseJson(dishes)) };
}

/** The fields of a visit in the change log. Throws a TypeError where it holds something else. */
export function readVisitFields(stored: Entity): VisitFields {
  const { companions, dishes } = stored;
  return { ...readStored(stored, SCALARS), companions: textsIn(companions), dishes: dishesIn(dishes) };
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter(isText) : [];
}

function dishesIn(value: unknown): readonly Dish[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isObject).map((dish) => {
    const { name, stars, price_minor, note, again }: Entity = { ...dish };
    return {
      name: typeof name === 'string' ? name : '',
      stars: typeof stars === 'number' ? stars : null,
      price_minor: typeof price_minor === 'number' ? price_minor : null,
      note: typeof note === 'string' ? note : null,
      again: typeof again === 'boolean' ? again : null,
    };
  });
}
