import type { QueryFile } from '../storage/statements.ts';
import { COLUMN_NAMES, PLACE_NAMES } from './fields.ts';
import type { ListedRecord, RestaurantRecord } from './record.ts';

/** Reads records by their ids. */
export interface RecordReaders {
  /** Undefined when there is no such restaurant. */
  readonly get: (id: number) => RestaurantRecord | undefined;
  /** The same, of a pending suggestion too. */
  readonly getListed: (id: number) => ListedRecord | undefined;
}

/** A record as SQLite returns it, with its food types as a JSON array. */
type Row<Record> = Omit<Record, 'food_type_ids'> & { readonly food_type_ids: string };

/** Opens the readers on restaurants.sql. */
export function createRecordReaders(sql: QueryFile): RecordReaders {
  const getRestaurant = sql.prepareFor<Row<RestaurantRecord>>(COLUMN_NAMES, 'getRestaurant');
  const getPending = sql.prepareFor<Row<ListedRecord>>(PLACE_NAMES, 'getPending');
  // A suggestion has no others.
  const absent = Object.fromEntries(COLUMN_NAMES.map((name) => [name, null]));

  function get(id: number): RestaurantRecord | undefined {
    const row = getRestaurant.get({ id });
    return row && withFoodTypes(row);
  }

  return {
    get,
    getListed: (id) => {
      const record = get(id);
      if (record) return record;
      const row = getPending.get({ id });
      return row && withFoodTypes({ ...absent, ...row });
    },
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
