import { GOOGLE } from '../catalogue/restaurants/field-table.ts';
import { FILE_NAMES, fieldsOf } from '../catalogue/restaurants/fields.ts';
import { type Lookups, categoryOf, foodTypesOf, lookupReader } from '../index/lookups.ts';
import type { RatingRecord } from '../catalogue/ratings/record.ts';
import type { RatingStore } from '../catalogue/ratings/store.ts';
import type { RestaurantRecord } from '../catalogue/restaurants/store.ts';
import { CatalogueStores } from '../catalogue/stores.ts';
import { UserStore } from '../people/accounts/users.ts';
import { ListStore } from '../people/lists/store.ts';
import { privateLines } from '../people/own/lines.ts';
import { VisitStore } from '../people/visits/store.ts';
import type { Storage } from '../storage/storage.ts';
import { FORMS, type Format } from './formats.ts';
import { ndjsonLine } from './json-places.ts';
import type { ExportRecord } from './source.ts';

const SLICE = 200;
// A comment can have 20 KB.
const RATINGS_AT_ONCE = 10;

/** A restaurant of a file, with its note on the list that the file shows. */
interface Place {
  readonly id: number;
  readonly note?: string | null;
}

/** Options of a file. */
interface FileOptions {
  readonly isWhole?: boolean;
  /** True for CSV with a byte order mark, by which spreadsheets recognise UTF-8. */
  readonly hasMark?: boolean;
  readonly listName?: string;
}

/**
 * Restaurants as the text of a file, in pieces of at most 100 KB: one with many ratings takes several. No statement is open
 * between two pieces. With `isWhole` NDJSON also has the categories and food types that no restaurant has.
 * `listName` is that of a list which the file shows.
 */
export function* fileText(
  format: Format,
  places: Iterable<Place>,
  { restaurants, ratings, categories, foodTypes }: CatalogueStores,
  lookups: () => Lookups,
  { isWhole = false, hasMark = false, listName }: FileOptions = {},
): Generator<string> {
  if (isWhole && format === 'ndjson') {
    for (const { name } of categories.list()) yield ndjsonLine({ type: 'category', name });
    for (const { name } of foodTypes.list()) yield ndjsonLine({ type: 'food_type', name });
  }
  const { line, start, between = '', end = '', hasRatings = false } = FORMS[format];
  yield (hasMark && format === 'csv' ? '\ufeff' : '') + (start?.(listName) ?? '');
  let before = '';
  for (const { id, note } of places) {
    const record = restaurants.get(id);
    if (!record) continue;
    const text = before + line(exported(record, lookups(), note ?? undefined));
    before = between;
    // The ratings are the last member.
    const at = hasRatings ? text.lastIndexOf(']') : text.length;
    yield text.slice(0, at);
    if (!hasRatings) continue;
    yield* ratingTexts(ratings, id);
    yield text.slice(at);
  }
  yield end;
}

/** The ratings of a restaurant as elements of an array, the oldest first. */
function* ratingTexts(store: RatingStore, restaurantId: number): Generator<string> {
  let last: RatingRecord | undefined;
  for (let isCut = true; isCut;) {
    const part = store.oldest(restaurantId, last, RATINGS_AT_ONCE);
    for (const rating of part) {
      const { food_rating, service_rating, ambiance_rating, comment, created_at } = rating;
      const text = JSON.stringify({ food_rating, service_rating, ambiance_rating, comment, created_at });
      yield last ? `,${text}` : text;
      last = rating;
    }
    isCut = part.length === RATINGS_AT_ONCE;
  }
}

/** The whole catalogue as the text of a file, by id. Calls `written` with the number of restaurants. */
export function* exportText(
  format: Format,
  queries: Storage['queries'],
  withPeople: boolean,
  written: (restaurants: number) => void,
): Generator<string> {
  const stores = new CatalogueStores(queries);
  const lookups = lookupReader(queries.file('index'))();
  let count = 0;
  function* byId(): Generator<Place> {
    for (let last: number | undefined = 0; last !== undefined;) {
      const ids: readonly number[] = stores.restaurants.idsAfter(last, SLICE);
      yield* ids.map((id) => ({ id }));
      count += ids.length;
      last = ids.at(-1);
    }
  }
  yield* fileText(format, byId(), stores, () => lookups, { isWhole: true });
  if (withPeople) yield* peopleLines(queries);
  written(count);
}

/** The record of a restaurant without its ratings. */
function exported(record: RestaurantRecord, lookups: Lookups, note: string | undefined): ExportRecord {
  return {
    id: record.id,
    ...fieldsOf({ ...record }, FILE_NAMES),
    external_ids: { [GOOGLE]: record.google_place_id, ...record.external_ids },
    category: categoryOf(record.category_id, lookups)?.row.name ?? null,
    food_types: foodTypesOf(record.food_type_ids, lookups).map(({ row }) => row.name),
    ...(note !== undefined && { note }),
    status: record.status,
    created_at: record.created_at,
    updated_at: record.updated_at,
    ratings: [],
  };
}

/**
 * The lists with their items, and the visits, of all users, each with the email of its owner: null for the placeholder of
 * mode none. They name restaurants by their ids in the same export.
 */
function* peopleLines(queries: Storage['queries']): Generator<string> {
  const users = new UserStore(queries);
  const lists = new ListStore(queries.file('lists'));
  const visits = new VisitStore(queries.file('visits'));
  for (const { id, email } of [{ id: null, email: null }, ...users.list()])
    yield* privateLines(lists, visits, id, email);
}
