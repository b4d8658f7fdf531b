import { Cache } from '../../kit/cache.ts';
import { ALL, type Pieces, type Slice, inSlices } from '../../kit/slices.ts';
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
  readonly pieces: Pieces;
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

/** The JSON of a restaurant around the members that depend on the request. */
interface Parts<Text> {
  readonly id: number;
  readonly isSuggestion: boolean;
  readonly latitude: ColumnValue | undefined;
  readonly longitude: ColumnValue | undefined;
  /** Until `distance`, which follows. */
  readonly start: Text;
  /** From there to the added members, which follow. */
  readonly end: Text;
}

// Rows per statement, and per read of added members.
const READ_AT_ONCE = 50;
// About 5,000 restaurants.
const CACHE_BYTES = 8 * 1024 * 1024;
// A longer list would push out what is asked for more often.
const MOST_CACHED = 100;
/** Estimated size of a cached restaurant without its texts. */
const PARTS_BYTES = 400;
const CLOSE = Buffer.from('}');

const PREFIXES = FILE_NAMES.map((name) => `,${JSON.stringify(name)}:`);
const LATITUDE = FILE_NAMES.indexOf('latitude');
const LONGITUDE = FILE_NAMES.indexOf('longitude');
const GOOGLE_PLACE_ID = FILE_NAMES.indexOf('google_place_id');
/** The index of the first field in a row. */
const FIRST_FIELD = 12;

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
  readonly #one: Prepared<Row>;
  readonly #restaurants: Prepared<Row>;
  readonly #pending: Prepared<Row>;
  readonly #names: Prepared<readonly [id: number, name: string | null]>;
  readonly #lookups: () => Lookups;
  readonly #cache = new Cache<number, Parts<Buffer>>({ maxBytes: CACHE_BYTES });

  /** `sql` is restaurants.sql. */
  constructor(sql: QueryFile, lookups: () => Lookups) {
    this.#one = sql.prepareFor<Row>(FILE_NAMES, 'selectForText', 'fromOne').raw();
    this.#restaurants = sql.prepareFor<Row>(FILE_NAMES, 'selectForText', 'fromIds').raw();
    this.#pending = sql.prepareFor<Row>(PENDING_COLUMNS, 'readPending').raw();
    this.#names = sql.prepare<readonly [id: number, name: string | null]>('readNames').raw();
    this.#lookups = lookups;
  }

  /** Call it for each restaurant that may have changed, or that refers to something that may have, before reading it. */
  forget(id: number): void {
    this.#cache.delete(id);
  }

  /** Like `forget`, for all. */
  forgetAll(): void {
    this.#cache.clear();
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
    return inSlices(ALL, read, ({ pieces }) => pieces);
  }

  *#textsOf(
    ids: readonly number[],
    extras: readonly Extra[],
    kilometresTo: Kilometres | undefined,
  ): Generator<RestaurantText> {
    for (let start = 0; start < ids.length; start += READ_AT_ONCE) {
      const part = ids.slice(start, start + READ_AT_ONCE);
      const extraOf = extraReader(extras, part);
      const parts = ids.length > MOST_CACHED ? this.#read(part) : this.#cachedOrRead(part);
      for (const one of parts) {
        const pieces = [one.start];
        if (kilometresTo) pieces.push(Buffer.from(distanceOf(one, kilometresTo)));
        const isAlone = extras.length === 0;
        pieces.push(one.end, isAlone ? CLOSE : Buffer.from(`${extraOf(one.id, one.isSuggestion)}}`));
        yield { id: one.id, pieces };
      }
    }
  }

  #read(ids: readonly number[]): readonly Parts<Buffer>[] {
    const lookups = this.#lookups();
    return this.#rowsOf(ids).map((row) => {
      const parts = partsOf(row, lookups);
      return { ...parts, start: Buffer.from(parts.start), end: Buffer.from(parts.end) };
    });
  }

  #cachedOrRead(ids: readonly number[]): readonly Parts<Buffer>[] {
    const found = new Map<number, Parts<Buffer>>();
    const missing: number[] = [];
    for (const id of ids) {
      const known = this.#cache.get(id);
      if (known) found.set(id, known);
      else missing.push(id);
    }
    if (missing.length > 0)
      for (const parts of this.#read(missing)) {
        found.set(parts.id, parts);
        this.#cache.set(parts.id, parts, parts.start.length + parts.end.length + PARTS_BYTES);
      }
    return ids.map((id) => found.get(id)).filter((parts) => parts !== undefined);
  }

  /** One restaurant; undefined if it does not exist. */
  one(id: number, extras: readonly Extra[] = []): string | undefined {
    const row = this.#one.get({ id });
    return row && joined(partsOf(row, this.#lookups()), extraReader(extras, [id]));
  }

  /** One restaurant or pending suggestion; undefined if it does not exist. */
  place(id: number): string | undefined {
    const [row] = this.#rowsOf([id]);
    return row && joined(partsOf(row, this.#lookups()), NO_EXTRAS);
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

  /** The rows in the order of `ids`. */
  #rowsOf(ids: readonly number[]): readonly Row[] {
    const restaurants = this.#restaurants.all({ ids: JSON.stringify(ids) });
    if (restaurants.length === ids.length) return restaurants;
    const byId = new Map(restaurants.map((row) => [row[0], row]));
    const others = ids.filter((id) => !byId.has(id));
    for (const row of this.#pending.all({ ids: JSON.stringify(others) })) byId.set(row[0], row);
    return ids.map((id) => byId.get(id)).filter((row) => row !== undefined);
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

/** The JSON of a restaurant; `distance` is present only with a centre. */
function joined(parts: Parts<string>, extraOf: ExtraReader, kilometresTo?: Kilometres): string {
  const { id, isSuggestion, start, end } = parts;
  const distance = kilometresTo ? distanceOf(parts, kilometresTo) : '';
  return `${start}${distance}${end}${extraOf(id, isSuggestion)}}`;
}

/** The member `distance`; null without coordinates. */
function distanceOf({ latitude, longitude }: Parts<unknown>, kilometresTo: Kilometres): string {
  const isPlaced = typeof latitude === 'number' && typeof longitude === 'number';
  return `,"distance":${isPlaced ? kilometresTo(latitude, longitude) : 'null'}`;
}

/** Concatenating takes half the time of building an object. */
function partsOf(row: Row, lookups: Lookups): Parts<string> {
  const [
    id,
    categoryId,
    foodTypeIds,
    suggestionId,
    ratings,
    food,
    service,
    ambiance,
    overall,
    status,
    createdAt,
    updatedAt,
  ] = row;
  const fieldAt = (index: number): ColumnValue => row[FIRST_FIELD + index] ?? null;
  const category = categoryOf(categoryId, lookups);
  const isSuggestion = status === 'pending';
  const [latitude, longitude] = [fieldAt(LATITUDE), fieldAt(LONGITUDE)];
  const context = { latitude, longitude, googlePlaceId: fieldAt(GOOGLE_PLACE_ID), isSuggestion };
  let own = '';
  for (let index = 0; index < FILE_ANSWERS.length; index += 1)
    own += `${PREFIXES[index] ?? ''}${FILE_ANSWERS[index]?.(fieldAt(index), context) ?? 'null'}`;
  const foodTypes = foodTypesOf(numbersIn(foodTypeIds), lookups)
    .map(({ json }) => json)
    .join();
  const start =
    `{"id":${id}${own},"category_id":${category?.row.id ?? 'null'},"category":${category?.json ?? 'null'},` +
    `"food_types":[${foodTypes}],` +
    `"avg_rating":${averages(ratings, food, service, ambiance, overall)}`;
  const end =
    `,"is_suggestion":${isSuggestion},"suggestion_id":${suggestionId},"status":"${status}",` +
    `"created_at":"${createdAt}","updated_at":"${updatedAt}"`;
  return { id, isSuggestion, latitude, longitude, start, end };
}

/** Unrounded averages; all zero without ratings. */
function averages(count: number, food: number, service: number, ambiance: number, overall: number): string {
  const divisor = count || 1;
  return (
    `{"food":${food / divisor},"service":${service / divisor},"ambiance":${ambiance / divisor},` +
    `"overall":${overall},"count":${count}}`
  );
}

const SAMPLE = joined(
  partsOf([0, null, '[]', null, 0, 0, 0, 0, 0, 'active', '', '', ...FILE_NAMES.map(() => null)], {
    categories: new Map(),
    foodTypes: new Map(),
  }),
  NO_EXTRAS,
  () => 0,
);

/** The names of the fields of a response, read from a sample. */
export const RESTAURANT_ANSWER: readonly string[] = [...(propertiesOf(parseJson(SAMPLE))?.keys() ?? [])];
