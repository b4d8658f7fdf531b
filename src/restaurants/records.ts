import type { QueryFile } from '../storage/statements.ts';
import type { ListedRecord, LookupRow, RestaurantRecord, RestaurantRow } from './record.ts';

/** Those of the ids that exist, as whole records, in the order given. */
export type RecordReader<Record = RestaurantRecord> = (ids: readonly number[]) => Record[];

type Row<Record> = Omit<Record, 'food_types'> & { readonly id: number };

/** Reads any number of records with two statements: the restaurants with their categories, and all their food types. */
export function createRecordReader(sql: QueryFile): RecordReader {
  const getRecords = sql.prepare<RestaurantRow>('getRecords');
  const readFoodTypes = createFoodTypeReader(sql, 'getFoodTypes');
  return (ids) => withFoodTypes(getRecords.all({ ids: JSON.stringify(ids) }), readFoodTypes(ids));
}

/** The same, with pending suggestions among them. */
export function createListedReader(sql: QueryFile, getRestaurants: RecordReader): RecordReader<ListedRecord> {
  const getPending = sql.prepare<Row<ListedRecord>>('getPending');
  const readFoodTypes = createFoodTypeReader(sql, 'getPendingFoodTypes');
  return (ids) => {
    const restaurants = getRestaurants(ids);
    if (restaurants.length === ids.length) return restaurants;
    const found = new Map<number, ListedRecord>(restaurants.map((record) => [record.id, record]));
    const others = ids.filter((id) => !found.has(id));
    const pending = getPending.all({ ids: JSON.stringify(others) });
    for (const record of withFoodTypes(pending, readFoodTypes(others))) found.set(record.id, record);
    return ids.flatMap((id) => found.get(id) ?? []);
  };
}

/** Food types by the id of what has them, ordered by name. */
export type FoodTypeReader = (ids: readonly number[]) => ReadonlyMap<number, readonly LookupRow[]>;

/** Reads the food types of any number of owners with one statement, whose first column is `owner_id`. */
export function createFoodTypeReader(sql: QueryFile, name: string): FoodTypeReader {
  const getFoodTypes = sql.prepare<LookupRow & { readonly owner_id: number }>(name);
  return (ids) => {
    const foodTypes = new Map<number, LookupRow[]>(ids.map((id) => [id, []]));
    for (const { owner_id, ...foodType } of getFoodTypes.all({ ids: JSON.stringify(ids) }))
      foodTypes.get(owner_id)?.push(foodType);
    return foodTypes;
  };
}

function withFoodTypes<Record extends { readonly id: number }>(
  rows: readonly Record[],
  foodTypes: ReadonlyMap<number, readonly LookupRow[]>,
): (Record & { readonly food_types: readonly LookupRow[] })[] {
  return rows.map((row) => ({ ...row, food_types: foodTypes.get(row.id) ?? [] }));
}
