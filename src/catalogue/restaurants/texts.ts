import { ALL, type Slice, inSlices } from '../../kit/slices.ts';
import { numbersIn, parseJson, propertiesOf } from '../../kit/objects.ts';
import type { ColumnValue, MapPoint, PlaceMap } from '../../index/request.ts';
import { type Point, kilometresFrom } from '../../index/geo.ts';
import { type Lookups, categoryOf, foodTypesOf } from '../../index/lookups.ts';
import type { Prepared, QueryFile } from '../../storage/statements.ts';
import type { RestaurantStatus } from './field-table.ts';
import { FILE_ANSWERS, FILE_NAMES, PENDING_COLUMNS } from './fields.ts';
import type { OwnPlaces } from './filters.ts';

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

const STATUS_FLAGS: Readonly<Record<MapPoint['status'], number>> = {
  active: 0,
  pending: 1,
  temporarily_closed: 2,
  closed: 4,
};
/** Flags for the caller's lists and visits. */
const OWN_FLAGS: readonly (readonly [flag: number, read: (own: OwnPlaces) => readonly number[]])[] = [
  [8, (own) => own.on('want')],
  [16, (own) => own.on('favourites')],
  [32, (own) => own.visited()],
];

type Kilometres = ReturnType<typeof kilometresFrom>;

/** Writes restaurants as JSON. */
export class RestaurantTexts {
  readonly #restaurants: Prepared<Row>;
  readonly #pending: Prepared<Row>;
  readonly #names: Prepared<readonly [id: number, name: string | null]>;
  readonly #lookups: () => Lookups;

  /** `sql` is restaurants.sql. */
  constructor(sql: QueryFile, lookups: () => Lookups) {
    this.#restaurants = sql.prepareFor<Row>(FILE_NAMES, 'readRestaurants').raw();
    this.#pending = sql.prepareFor<Row>(PENDING_COLUMNS, 'readPending').raw();
    this.#names = sql.prepare<readonly [id: number, name: string | null]>('readNames').raw();
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
    const read = (last: RestaurantText | undefined): Iterable<RestaurantText> =>
      this.#textsOf(last ? ids.slice(ids.indexOf(last.id) + 1) : ids, extras, kilometresTo);
    return inSlices(ALL, read, ({ text }) => text);
  }

  *#textsOf(
    ids: readonly number[],
    extras: readonly Extra[],
    kilometresTo: Kilometres | undefined,
  ): Generator<RestaurantText> {
    const lookups = this.#lookups();
    for (let start = 0; start < ids.length; start += READ_AT_ONCE) {
      const part = ids.slice(start, start + READ_AT_ONCE);
      const extraOf = extraReader(extras, part);
      for (const row of this.#rowsOf(part))
        yield { id: row[0], text: textOf(row, lookups, extraOf, kilometresTo) };
    }
  }

  /** One restaurant; undefined if it does not exist. */
  one(id: number, extras: readonly Extra[] = []): string | undefined {
    const row = this.#restaurants.get({ ids: `[${id}]` });
    return row && textOf(row, this.#lookups(), extraReader(extras, [id]));
  }

  /** One restaurant. Call it within the transaction that wrote it. */
  written(id: number): string {
    const text = this.one(id);
    if (text === undefined) throw new Error(`restaurant ${id} is gone within its own transaction`);
    return text;
  }

  /** A map; with `own`, places on the caller's lists or visited get flags. */
  ofMap({ total, points, groups }: PlaceMap, own: OwnPlaces | undefined): string {
    const names = new Map(this.#names.all({ ids: JSON.stringify(points.map(({ id }) => id)) }));
    const noted = own ? OWN_FLAGS.map(([flag, read]) => [flag, new Set(read(own))] as const) : [];
    const texts = points.flatMap(({ id, latitude, longitude, overall, status }) => {
      const name = names.get(id) ?? null;
      // Another process may have deleted a place that is still in the index.
      if (name === null) return [];
      const flags = noted.reduce((sum, [flag, ids]) => sum + (ids.has(id) ? flag : 0), STATUS_FLAGS[status]);
      // `overall` is 0 without ratings.
      return [[id, latitude, longitude, overall || null, flags, name]];
    });
    return JSON.stringify({ total: total - points.length + texts.length, points: texts, groups });
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

/**
 * The JSON of a restaurant, concatenated, which takes half the time of building an object. `distance` (null without
 * coordinates) is present only with a centre.
 */
function textOf(row: Row, lookups: Lookups, extraOf = NO_EXTRAS, kilometresTo?: Kilometres): string {
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
