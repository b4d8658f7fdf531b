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
import { csvHeader, csvLine } from './csv.ts';
import type { Format } from './formats.ts';
import { GEOJSON_END, GEOJSON_START, geoJsonFeature } from './geojson.ts';
import { ndjsonLine } from './ndjson.ts';
import type { ExportRecord } from './source.ts';

const SLICE = 200;
const ALL = Number.MAX_SAFE_INTEGER;

/**
 * The whole catalogue as the text of a file, oldest restaurants first. NDJSON and GeoJSON carry the ratings; NDJSON also
 * the categories and food types that no restaurant has, and the lists and visits of people if `withPeople` is true.
 */
export function* exportText(
  format: Format,
  queries: Storage['queries'],
  withPeople: boolean,
): Generator<string> {
  const stores = new CatalogueStores(queries);
  const lookups = lookupReader(queries.file('index'))();
  switch (format) {
    case 'csv':
      yield csvHeader();
      for (const record of records(stores, lookups, false)) yield csvLine(record);
      return;
    case 'ndjson':
      for (const { name } of stores.categories.list()) yield ndjsonLine({ type: 'category', name });
      for (const { name } of stores.foodTypes.list()) yield ndjsonLine({ type: 'food_type', name });
      for (const record of records(stores, lookups, true)) yield ndjsonLine(record);
      if (withPeople) yield* peopleLines(queries);
      return;
    case 'geojson': {
      let before = GEOJSON_START;
      for (const record of records(stores, lookups, true)) {
        yield before + geoJsonFeature(record);
        before = ',\n';
      }
      yield (before === GEOJSON_START ? GEOJSON_START : '') + GEOJSON_END;
    }
  }
}

function* records(
  { restaurants, ratings }: CatalogueStores,
  lookups: Lookups,
  withRatings: boolean,
): Generator<ExportRecord> {
  for (let last: number | undefined = 0; last !== undefined;) {
    const ids: readonly number[] = restaurants.idsAfter(last, SLICE);
    for (const record of ids.flatMap((id) => restaurants.get(id) ?? []))
      yield exported(record, lookups, withRatings ? ratings.list(record.id, undefined, ALL, 0) : []);
    last = ids.at(-1);
  }
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
  const users = new UserStore(queries.file('accounts'));
  const lists = new ListStore(queries.file('lists'));
  const visits = new VisitStore(queries.file('visits'));
  for (const { id, email } of [{ id: null, email: null }, ...users.list()])
    yield* privateLines(lists, visits, id, email);
}
