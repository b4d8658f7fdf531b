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
import { KML_END, KML_START, kmlPlacemark } from './kml.ts';
import { ndjsonLine } from './ndjson.ts';
import type { ExportRecord } from './source.ts';

const SLICE = 200;
const ALL = Number.MAX_SAFE_INTEGER;

/** How a format is written: around and between restaurants. */
interface Form {
  readonly type: string;
  readonly line: (record: ExportRecord) => string;
  readonly start?: string;
  readonly between?: string;
  readonly end?: string;
  readonly hasRatings?: boolean;
}

const FORMS: Readonly<Record<Format, Form>> = {
  csv: { type: 'text/csv; charset=utf-8', line: csvLine, start: csvHeader() },
  ndjson: { type: 'application/x-ndjson; charset=utf-8', line: ndjsonLine, hasRatings: true },
  geojson: {
    type: 'application/geo+json',
    line: geoJsonFeature,
    start: GEOJSON_START,
    between: ',\n',
    end: GEOJSON_END,
    hasRatings: true,
  },
  kml: {
    type: 'application/vnd.google-earth.kml+xml',
    line: kmlPlacemark,
    start: KML_START,
    end: KML_END,
  },
};

/** Writes restaurants one by one as the text of a file. */
export interface RestaurantWriter {
  /** The media type of the file. */
  readonly type: string;
  /** The next restaurant, with what precedes it; undefined if there is no such restaurant. */
  readonly next: (id: number) => string | undefined;
  /** The end of the file. */
  readonly end: () => string;
}

/** Returns a writer of one file. NDJSON and GeoJSON carry the ratings. */
export function createRestaurantWriter(
  format: Format,
  { restaurants, ratings }: CatalogueStores,
  lookups: () => Lookups,
): RestaurantWriter {
  const { type, line, start = '', between = '', end = '', hasRatings = false } = FORMS[format];
  let isEmpty = true;
  return {
    type,
    next: (id) => {
      const record = restaurants.get(id);
      if (!record) return undefined;
      const before = isEmpty ? start : between;
      isEmpty = false;
      return (
        before + line(exported(record, lookups(), hasRatings ? ratings.list(id, undefined, ALL, 0) : []))
      );
    },
    end: () => (isEmpty ? start : '') + end,
  };
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
  const writer = createRestaurantWriter(format, stores, () => lookups);
  if (format === 'ndjson') {
    for (const { name } of stores.categories.list()) yield ndjsonLine({ type: 'category', name });
    for (const { name } of stores.foodTypes.list()) yield ndjsonLine({ type: 'food_type', name });
  }
  let count = 0;
  for (let last: number | undefined = 0; last !== undefined;) {
    const ids: readonly number[] = stores.restaurants.idsAfter(last, SLICE);
    for (const id of ids) yield writer.next(id) ?? '';
    count += ids.length;
    last = ids.at(-1);
  }
  yield writer.end();
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
  const users = new UserStore(queries.file('accounts'));
  const lists = new ListStore(queries.file('lists'));
  const visits = new VisitStore(queries.file('visits'));
  for (const { id, email } of [{ id: null, email: null }, ...users.list()])
    yield* privateLines(lists, visits, id, email);
}
