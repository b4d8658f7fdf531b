import { ALL, type Slice, inSlices } from '../../kit/slices.ts';
import { numbersIn, parseJson, propertiesOf } from '../../kit/objects.ts';
import type { ColumnValue } from '../../index/request.ts';
import { type Point, kilometresFrom } from '../../index/geo.ts';
import { type Lookups, categoryOf, foodTypesOf } from '../../index/lookups.ts';
import type { Prepared, QueryFile } from '../../storage/statements.ts';
import type { RestaurantStatus } from './field-table.ts';
import { FILE_ANSWERS, FILE_NAMES, columnsOf, pendingColumns } from './fields.ts';
import type { RestaurantRecord } from './record.ts';

/** A restaurant or pending suggestion as JSON. */
export interface RestaurantText {
  readonly id: number;
  readonly text: string;
}

/** A member that is added to restaurants on request. */
export interface Extra {
  readonly name: string;
  /** Its JSON by restaurant id; missing ones, and suggestions, get null. */
  readonly read: (ids: readonly number[]) => ReadonlyMap<number, string>;
}

/** The columns of a row, as an array because objects take half as long again. The food types are a JSON array. */
type Row = readonly [
  id: number,
  categoryId: number | null,
  foodTypeIds: string,
  suggestionId: number | null,
  ratings: number,
  food: number,
  service: number,
  ambiance: number,
  overall: number,
  status: RestaurantStatus | 'pending',
  createdAt: string,
  updatedAt: string,
  ...fields: ColumnValue[],
];

// Rows per statement, and per read of added members.
const READ_AT_ONCE = 50;

const PREFIXES = FILE_NAMES.map((name) => `,${JSON.stringify(name)}:`);
const LATITUDE = FILE_NAMES.indexOf('latitude');
const LONGITUDE = FILE_NAMES.indexOf('longitude');
const GOOGLE_PLACE_ID = FILE_NAMES.indexOf('google_place_id');

/** Writes restaurants as JSON. */
export class RestaurantTexts {
  readonly #restaurants: Prepared<Row>;
  readonly #pending: Prepared<Row>;
  readonly #lookups: () => Lookups;

  /** `sql` is restaurants.sql. */
  constructor(sql: QueryFile, lookups: () => Lookups) {
    this.#restaurants = sql.prepareFor<Row>(FILE_NAMES, 'readRestaurants').raw();
    this.#pending = sql.prepareFor<Row>(pendingColumns(FILE_NAMES), 'readPending').raw();
    this.#lookups = lookups;
  }

  /**
   * Restaurants and pending suggestions in the order of `ids`, without those that do not exist; with a centre, also their
   * distances in kilometres.
   */
  inSlices(
    ids: readonly number[],
    extras: readonly Extra[] = [],
    centre?: Point,
  ): Generator<Slice<RestaurantText>> {
    const kilometresTo = centre && kilometresFrom(centre);
    let known: { readonly start: number; readonly extraOf: ExtraReader } | undefined;
    const read = function* (
      this: RestaurantTexts,
      last: RestaurantText | undefined,
    ): Generator<RestaurantText> {
      const lookups = this.#lookups();
      for (let at = last ? ids.indexOf(last.id) + 1 : 0; at < ids.length;) {
        const start = at - (at % READ_AT_ONCE);
        const end = start + READ_AT_ONCE;
        // A slice may end within this range, and the next one goes on in it.
        if (known?.start !== start) known = { start, extraOf: extraReader(extras, ids.slice(start, end)) };
        for (const row of this.#rowsOf(ids.slice(at, end)))
          yield { id: row[0], text: textOf(row, lookups, known.extraOf, kilometresTo) };
        at = end;
      }
    }.bind(this);
    return inSlices(ALL, read, ({ text }) => text);
  }

  /** One restaurant; undefined if it does not exist. */
  one(id: number, extras: readonly Extra[] = []): string | undefined {
    const row = this.#restaurants.get({ ids: `[${id}]` });
    return row && textOf(row, this.#lookups(), extraReader(extras, [id]));
  }

  ofRecord(record: RestaurantRecord): string {
    return textOf(rowOf(record), this.#lookups());
  }

  /** Row by row, because fifty rows may take megabytes. */
  *#rowsOf(ids: readonly number[]): Generator<Row> {
    let read = 0;
    for (const row of this.#restaurants.iterate({ ids: JSON.stringify(ids) })) {
      const at = ids.indexOf(row[0], read);
      yield* this.#pendingAmong(ids.slice(read, at));
      yield row;
      read = at + 1;
    }
    yield* this.#pendingAmong(ids.slice(read));
  }

  #pendingAmong(ids: readonly number[]): Iterable<Row> {
    return ids.length === 0 ? [] : this.#pending.iterate({ ids: JSON.stringify(ids) });
  }
}

type ExtraReader = (id: number, isSuggestion: boolean) => string;

const NO_EXTRAS: ExtraReader = () => '';

/** Reads the added members of some ids, for use after the last regular member. */
function extraReader(extras: readonly Extra[], ids: readonly number[]): ExtraReader {
  if (extras.length === 0) return NO_EXTRAS;
  const found = extras.map(({ name, read }) => ({ start: `,${JSON.stringify(name)}:`, texts: read(ids) }));
  return (id, isSuggestion) =>
    found.map(({ start, texts }) => start + ((isSuggestion ? undefined : texts.get(id)) ?? 'null')).join('');
}

function rowOf(record: RestaurantRecord): Row {
  const columns = columnsOf(record);
  return [
    record.id,
    record.category_id,
    JSON.stringify(record.food_type_ids),
    record.suggestion_id,
    record.rating_count,
    record.food_sum,
    record.service_sum,
    record.ambiance_sum,
    record.overall,
    record.status,
    record.created_at,
    record.updated_at,
    ...FILE_NAMES.map((name) => columns[name] ?? null),
  ];
}

/**
 * The JSON of a restaurant, concatenated, which takes half the time of building an object. `distance` (null without
 * coordinates) is present only with a centre.
 */
function textOf(
  row: Row,
  lookups: Lookups,
  extraOf = NO_EXTRAS,
  kilometresTo?: (latitude: number, longitude: number) => number,
): string {
  const [id, categoryId, foodTypeIds, suggestionId, ratings, food, service, ambiance, ...others] = row;
  const [overall, status, createdAt, updatedAt, ...fields] = others;
  const category = categoryOf(categoryId, lookups);
  const isSuggestion = status === 'pending';
  const [latitude, longitude, googlePlaceId] = [fields[LATITUDE], fields[LONGITUDE], fields[GOOGLE_PLACE_ID]];
  const context = { latitude, longitude, googlePlaceId, isSuggestion };
  const own = FILE_ANSWERS.map(
    (answer, index) => `${PREFIXES[index] ?? ''}${answer(fields[index] ?? null, context)}`,
  ).join('');
  const isPlaced = typeof latitude === 'number' && typeof longitude === 'number';
  const distance = kilometresTo && `,"distance":${isPlaced ? kilometresTo(latitude, longitude) : 'null'}`;
  return (
    `{"id":${id}${own},"category_id":${category?.row.id ?? 'null'},"category":${category?.json ?? 'null'},` +
    `"food_types":[${foodTypesOf(numbersIn(foodTypeIds), lookups)
      .map(({ json }) => json)
      .join()}],` +
    `"avg_rating":${averages(ratings, food, service, ambiance, overall)}${distance ?? ''},` +
    `"is_suggestion":${isSuggestion},"suggestion_id":${suggestionId},"status":"${status}",` +
    `"created_at":"${createdAt}","updated_at":"${updatedAt}"${extraOf(id, isSuggestion)}}`
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
  NO_EXTRAS,
  () => 0,
);

/** The names of the fields of a response, read from a sample. */
export const RESTAURANT_ANSWER: readonly string[] = [...(propertiesOf(parseJson(SAMPLE))?.keys() ?? [])];
