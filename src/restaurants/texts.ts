import { parseJson, propertiesOf } from '../objects.ts';
import type { QueryFile } from '../storage/statements.ts';
import { FILE_NAMES, type RestaurantStatus, pendingColumns } from './fields.ts';
import { type Point, kilometresFrom } from './geo.ts';
import { type Lookups, categoryOf, foodTypesOf } from './lookups.ts';
import type { RestaurantRecord } from './record.ts';
import { numbersIn } from './records.ts';
import type { Resident } from './resident.ts';

/** Makes the JSON texts of restaurants. */
export interface RestaurantTexts {
  /**
   * Of restaurants, and of pending suggestions among them: those of the ids that exist, in the order given, with their
   * distances in kilometres where there is a centre.
   */
  readonly listed: (ids: readonly number[], centre?: Point) => readonly string[];
  /** Of a restaurant; undefined when there is none. */
  readonly one: (id: number) => string | undefined;
  readonly ofRecord: (record: RestaurantRecord) => string;
}

/** The columns of a row: an array is read in two thirds of the time of an object. The food types are a JSON array. */
type Row = readonly [
  ...[id: number, categoryId: number | null, foodTypeIds: string, suggestionId: number | null],
  ...[ratings: number, food: number, service: number, ambiance: number, overall: number],
  ...[status: RestaurantStatus | 'pending', createdAt: string, updatedAt: string],
  ...fields: (string | number | null)[],
];

const PREFIXES = FILE_NAMES.map((name) => `,${JSON.stringify(name)}:`);
const LATITUDE = FILE_NAMES.indexOf('latitude');
const LONGITUDE = FILE_NAMES.indexOf('longitude');

/** Opens the reader of texts on restaurants.sql. */
export function createRestaurantTexts(sql: QueryFile, resident: Resident): RestaurantTexts {
  const readRestaurants = sql.prepareFor<Row>(FILE_NAMES, 'readRestaurants').raw();
  const readPending = sql.prepareFor<Row>(pendingColumns(FILE_NAMES), 'readPending').raw();

  function rowsOf(ids: readonly number[]): readonly Row[] {
    const restaurants = readRestaurants.all({ ids: JSON.stringify(ids) });
    if (restaurants.length === ids.length) return restaurants;
    const rows = new Map(restaurants.map((row) => [row[0], row]));
    const others = ids.filter((id) => !rows.has(id));
    for (const row of readPending.all({ ids: JSON.stringify(others) })) rows.set(row[0], row);
    return ids.map((id) => rows.get(id)).filter((row) => row !== undefined);
  }

  return {
    listed: (ids, centre) => {
      const lookups = resident.lookups();
      const kilometresTo = centre && kilometresFrom(centre);
      return rowsOf(ids).map((row) => textOf(row, lookups, kilometresTo));
    },
    one: (id) => {
      const row = readRestaurants.get({ ids: `[${id}]` });
      return row && textOf(row, resident.lookups());
    },
    ofRecord: (record) => textOf(rowOf(record), resident.lookups()),
  };
}

function rowOf(record: RestaurantRecord): Row {
  const values = new Map<string, string | number | null>(
    Object.entries(record).flatMap(([name, value]) => (isColumn(value) ? [[name, value]] : [])),
  );
  return [
    ...([record.id, record.category_id, JSON.stringify(record.food_type_ids), record.suggestion_id] as const),
    ...([record.rating_count, record.food_sum, record.service_sum, record.ambiance_sum] as const),
    ...([record.overall, record.status, record.created_at, record.updated_at] as const),
    ...FILE_NAMES.map((name) => values.get(name) ?? null),
  ];
}

function isColumn(value: unknown): value is string | number | null {
  return value === null || typeof value === 'string' || typeof value === 'number';
}

/**
 * The Restaurant of SPEC.md, put together from texts, which takes half the time of making an object of it. There is a
 * `distance` (null without coordinates) only where there is a centre.
 */
function textOf(
  row: Row,
  lookups: Lookups,
  kilometresTo?: (latitude: number, longitude: number) => number,
): string {
  const [id, categoryId, foodTypeIds, suggestionId, ratings, food, service, ambiance, ...others] = row;
  const [overall, status, createdAt, updatedAt, ...fields] = others;
  const category = categoryOf(categoryId, lookups);
  const own = fields.map((value, index) => `${PREFIXES[index] ?? ''}${JSON.stringify(value)}`).join('');
  const [latitude, longitude] = [fields[LATITUDE], fields[LONGITUDE]];
  const isPlaced = typeof latitude === 'number' && typeof longitude === 'number';
  const distance = kilometresTo && `,"distance":${isPlaced ? kilometresTo(latitude, longitude) : 'null'}`;
  return (
    `{"id":${id}${own},"category_id":${category?.row.id ?? 'null'},"category":${category?.json ?? 'null'},` +
    `"food_types":[${foodTypesOf(numbersIn(foodTypeIds), lookups)
      .map(({ json }) => json)
      .join()}],` +
    `"avg_rating":${averages(ratings, food, service, ambiance, overall)}${distance ?? ''},` +
    `"is_suggestion":${status === 'pending'},"suggestion_id":${suggestionId},"status":"${status}",` +
    `"created_at":"${createdAt}","updated_at":"${updatedAt}"}`
  );
}

/** Unrounded averages; all zero without ratings. */
function averages(count: number, food: number, service: number, ambiance: number, overall: number): string {
  const divisor = count || 1;
  return (
    `{"food":${food / divisor},"service":${service / divisor},"ambiance":${ambiance / divisor},` +
    `"overall":${overall},"count":${count}}`
  );
}

const SAMPLE = textOf(
  [0, null, '[]', null, 0, 0, 0, 0, 0, 'active', '', '', ...FILE_NAMES.map(() => null)],
  { categories: new Map(), foodTypes: new Map() },
  () => 0,
);

/** The names of the fields of an answer, read from one. */
export const RESTAURANT_ANSWER: readonly string[] = [...(propertiesOf(parseJson(SAMPLE))?.keys() ?? [])];
