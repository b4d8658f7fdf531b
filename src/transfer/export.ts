import { GOOGLE } from '../catalogue/restaurants/facts.ts';
import { fileFieldsOf } from '../catalogue/restaurants/fields.ts';
import type { LookupStore } from '../catalogue/lookups/store.ts';
import type { RatingStore } from '../catalogue/ratings/store.ts';
import { type Lookups, categoryOf, foodTypesOf } from '../catalogue/restaurants/lookups.ts';
import type { RestaurantRecord } from '../catalogue/restaurants/record.ts';
import type { RestaurantStore } from '../catalogue/restaurants/store.ts';
import { csvHeader, csvLine } from './csv.ts';
import type { Format } from './formats.ts';
import { GEOJSON_END, GEOJSON_START, geoJsonFeature } from './geojson.ts';
import { ndjsonLine, ndjsonLookupLine } from './ndjson.ts';
import { type PeopleStores, peopleLines } from './people.ts';
import type { ExportRecord } from './source.ts';

/** The stores for an import or an export. */
export interface CatalogueStores {
  readonly restaurants: RestaurantStore;
  readonly ratings: RatingStore;
  readonly categories: LookupStore;
  readonly foodTypes: LookupStore;
  readonly readLookups: () => Lookups;
}

const SLICE = 200;
const ALL = Number.MAX_SAFE_INTEGER;

/**
 * The whole catalogue as the text of a file, oldest restaurants first. NDJSON and GeoJSON carry the ratings; NDJSON also
 * the categories and food types that no restaurant has, and the lists and visits of people where their stores are present.
 */
export function* exportText(
  format: Format,
  stores: CatalogueStores,
  people?: PeopleStores,
): Generator<string> {
  switch (format) {
    case 'csv':
      yield csvHeader();
      for (const record of records(stores)) yield csvLine(record);
      return;
    case 'ndjson':
      for (const { name } of stores.categories.list()) yield ndjsonLookupLine('category', name);
      for (const { name } of stores.foodTypes.list()) yield ndjsonLookupLine('food_type', name);
      for (const record of records(stores)) yield ndjsonLine(record);
      if (people) yield* peopleLines(people);
      return;
    case 'geojson': {
      let before = GEOJSON_START;
      for (const record of records(stores)) {
        yield before + geoJsonFeature(record);
        before = ',\n';
      }
      yield (before === GEOJSON_START ? GEOJSON_START : '') + GEOJSON_END;
    }
  }
}

function* records(stores: CatalogueStores): Generator<ExportRecord> {
  const lookups = stores.readLookups();
  for (let last: number | undefined = 0; last !== undefined;) {
    const ids: readonly number[] = stores.restaurants.idsAfter(last, SLICE);
    for (const record of ids.flatMap((id) => stores.restaurants.get(id) ?? []))
      yield exported(record, lookups, stores.ratings);
    last = ids.at(-1);
  }
}

function exported(record: RestaurantRecord, lookups: Lookups, ratings: RatingStore): ExportRecord {
  const own = record.rating_count === 0 ? [] : [...ratings.list(record.id, undefined, ALL, 0)].reverse();
  return {
    id: record.id,
    ...fileFieldsOf(record),
    external_ids: { [GOOGLE]: record.google_place_id, ...record.external_ids },
    category: categoryOf(record.category_id, lookups)?.row.name ?? null,
    food_types: foodTypesOf(record.food_type_ids, lookups).map(({ row }) => row.name),
    status: record.status,
    created_at: record.created_at,
    updated_at: record.updated_at,
    ratings: own.map(({ food_rating, service_rating, ambiance_rating, comment, created_at }) => ({
      food_rating,
      service_rating,
      ambiance_rating,
      comment,
      created_at,
    })),
  };
}
