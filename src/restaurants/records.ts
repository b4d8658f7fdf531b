import type { QueryFile } from '../storage/statements.ts';
import type { LookupRow, RestaurantRecord, RestaurantRow } from './record.ts';

/** Those of the ids that exist, as whole records, in the order given. */
export type RecordReader = (ids: readonly number[]) => RestaurantRecord[];

/** Reads any number of records with two statements: the restaurants with their categories, and all their food types. */
export function createRecordReader(sql: QueryFile): RecordReader {
  const getRecords = sql.prepare<RestaurantRow>('getRecords');
  const getFoodTypes = sql.prepare<LookupRow & { readonly restaurant_id: number }>('getFoodTypes');
  return (ids) => {
    const bound = { ids: JSON.stringify(ids) };
    const foodTypes = new Map<number, LookupRow[]>(ids.map((id) => [id, []]));
    for (const { restaurant_id, ...foodType } of getFoodTypes.all(bound))
      foodTypes.get(restaurant_id)?.push(foodType);
    return getRecords.all(bound).map((row) => ({ ...row, food_types: foodTypes.get(row.id) ?? [] }));
  };
}
