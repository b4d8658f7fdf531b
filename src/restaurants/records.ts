import { COLUMN_NAMES, PLACE_NAMES } from './fields.ts';
import type { QueryFile } from '../storage/statements.ts';
import type { ListedRecord, LookupRow, RestaurantRecord, RestaurantRow } from './record.ts';

/** Those of the ids that exist, as whole records, in the order given. */
export type RecordReader<Record = RestaurantRecord> = (ids: readonly number[]) => Record[];

type Row<Record> = Omit<Record, 'food_types'> & { readonly id: number };

/** Food types by the id of what has them, ordered by name. */
export type FoodTypeReader = (ids: readonly number[]) => ReadonlyMap<number, readonly LookupRow[]>;

/** Everything that reads records, each with two statements for any number of them. */
export interface RecordReaders {
  readonly getMany: RecordReader;
  /** The same, with pending suggestions among them. */
  readonly getListed: RecordReader<ListedRecord>;
  /** The food types of suggestions, which stand in lists of restaurants too. */
  readonly readSuggestionFoodTypes: FoodTypeReader;
}

/** Opens the readers on restaurants.sql. */
export function createRecordReaders(sql: QueryFile): RecordReaders {
  const getMany = createRecordReader(sql);
  const readSuggestionFoodTypes = createFoodTypeReader(sql, 'getSuggestionFoodTypes');
  const getListed = createListedReader(sql, getMany, readSuggestionFoodTypes);
  return { getMany, getListed, readSuggestionFoodTypes };
}

function createRecordReader(sql: QueryFile): RecordReader {
  const getRecords = sql.prepareFor<RestaurantRow>(COLUMN_NAMES, 'getRecords');
  const readFoodTypes = createFoodTypeReader(sql, 'getFoodTypes');
  return (ids) => withFoodTypes(getRecords.all({ ids: JSON.stringify(ids) }), readFoodTypes(ids));
}

function createListedReader(
  sql: QueryFile,
  getRestaurants: RecordReader,
  readSuggestionFoodTypes: FoodTypeReader,
): RecordReader<ListedRecord> {
  const getPending = sql.prepareFor<Row<ListedRecord>>(PLACE_NAMES, 'getPending');
  // A suggestion has no others.
  const absent = Object.fromEntries(COLUMN_NAMES.map((name) => [name, null]));
  return (ids) => {
    const restaurants = getRestaurants(ids);
    if (restaurants.length === ids.length) return restaurants;
    const found = new Map<number, ListedRecord>(restaurants.map((record) => [record.id, record]));
    const others = ids.filter((id) => !found.has(id));
    const pending = getPending.all({ ids: JSON.stringify(others) }).map((row) => ({ ...absent, ...row }));
    for (const record of withFoodTypes(pending, readSuggestionFoodTypes(others)))
      found.set(record.id, record);
    return ids.flatMap((id) => found.get(id) ?? []);
  };
}

/** Reads the food types of any number of owners with one statement, whose first column is `owner_id`. */
function createFoodTypeReader(sql: QueryFile, name: string): FoodTypeReader {
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
