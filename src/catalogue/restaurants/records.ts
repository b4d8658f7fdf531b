import type { QueryFile } from '../../storage/statements.ts';
import { COLUMN_NAMES, fieldsOfColumns } from './fields.ts';
import type { RestaurantRecord } from './record.ts';

/** A record as SQLite returns it, with its food types as a JSON array, and other fields as JSON objects. */
type Row = Omit<RestaurantRecord, 'food_type_ids' | 'diets' | 'external_ids'> & {
  readonly food_type_ids: string;
  readonly diets: string | null;
  readonly external_ids: string | null;
};

/** Opens the reader of records by their ids on restaurants.sql; undefined when there is no such restaurant. */
export function createRecordReader(sql: QueryFile): (id: number) => RestaurantRecord | undefined {
  const getRestaurant = sql.prepareFor<Row>(COLUMN_NAMES, 'getRestaurant');
  return (id) => {
    const row = getRestaurant.get({ id });
    return row && { ...withFoodTypes(row), ...fieldsOfColumns(row) };
  };
}

/** Takes the JSON array of food types of a row apart. */
export function withFoodTypes<Row extends { readonly food_type_ids: string }>(
  row: Row,
): Omit<Row, 'food_type_ids'> & { readonly food_type_ids: readonly number[] } {
  return { ...row, food_type_ids: numbersIn(row.food_type_ids) };
}

/** The numbers in a JSON array. */
export function numbersIn(json: string): readonly number[] {
  const values: unknown = JSON.parse(json);
  return Array.isArray(values) ? values.filter((value) => typeof value === 'number') : [];
}
