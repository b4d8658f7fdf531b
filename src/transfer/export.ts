import { GOOGLE } from '../catalogue/restaurants/field-table.ts';
import { FILE_NAMES, fieldsOf } from '../catalogue/restaurants/fields.ts';
import { type Lookups, categoryOf, foodTypesOf, lookupReader } from '../index/lookups.ts';
import type { RestaurantRecord } from '../catalogue/restaurants/store.ts';
import { CatalogueStores } from '../catalogue/stores.ts';
import { UserStore } from '../people/accounts/users.ts';
import { ListStore } from '../people/lists/store.ts';
import { privateLines } from '../people/own/lines.ts';
import { VisitStore } from '../people/visits/store.ts';
import type { Storage } from '../storage/storage.ts';
import { FORMS, type Format } from './formats.ts';
import { ndjsonLine } from './ndjson.ts';
import type { ExportRecord } from './source.ts';

const SLICE = 200;
const ALL = Number.MAX_SAFE_INTEGER;

/** Restaurants as the text of a file, piece by piece. */
export function* fileText(
  format: Format,
  ids: Iterable<number>,
  { restaurants, ratings }: CatalogueStores,
  lookups: () => Lookups,
): Generator<string> {
  const { line, start = '', between = '', end = '', hasRatings = false } = FORMS[format];
  yield start;
  let before = '';
  for (const id of ids) {
    const record = restaurants.get(id);
    if (!record) continue;
    yield before + line(exported(record, lookups(), hasRatings ? ratings.list(id, undefined, ALL, 0) : []));
    before = between;
  }
  yield end;
}

/**
 * The whole catalogue as the text of a file, oldest restaurants first. NDJSON also has the categories and food types that no
 * restaurant has, and the lists and visits of people if `withPeople` is true. Calls `written` with the number of restaurants.
 */
export function* exportText(
  format: Format,
  queries: Storage['queries'],
  withPeople: boolean,
  written: (restaurants: number) => void,
): Generator<string> {
  const stores = new CatalogueStores(queries);
  const lookups = lookupReader(queries.file('index'))();
  if (format === 'ndjson') {
    for (const { name } of stores.categories.list()) yield ndjsonLine({ type: 'category', name });
    for (const { name } of stores.foodTypes.list()) yield ndjsonLine({ type: 'food_type', name });
  }
  let count = 0;
  function* oldestFirst(): Generator<number> {
    for (let last: number | undefined = 0; last !== undefined;) {
      const ids: readonly number[] = stores.restaurants.idsAfter(last, SLICE);
      yield* ids;
      count += ids.length;
      last = ids.at(-1);
    }
  }
  yield* fileText(format, oldestFirst(), stores, () => lookups);
  if (withPeople) yield* peopleLines(queries);
  written(count);
}

function exported(
  record: RestaurantRecord,
  lookups: Lookups,
  ratings: Iterable<ExportRecord['ratings'][number]>,
): ExportRecord {
  return {
    id: record.id,
    ...fieldsOf({ ...record }, FILE_NAMES),
    external_ids: { [GOOGLE]: record.google_place_id, ...record.external_ids },
    category: categoryOf(record.category_id, lookups)?.row.name ?? null,
    food_types: foodTypesOf(record.food_type_ids, lookups).map(({ row }) => row.name),
    status: record.status,
    created_at: record.created_at,
    updated_at: record.updated_at,
    ratings: [...ratings]
      .reverse()
      .map(({ food_rating, service_rating, ambiance_rating, comment, created_at }) => ({
        food_rating,
        service_rating,
        ambiance_rating,
        comment,
        created_at,
      })),
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
