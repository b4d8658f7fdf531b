import { createLookupStore } from '../lookups/store.ts';
import { createLookupReader } from '../restaurants/lookups.ts';
import { createRatingStore } from '../ratings/store.ts';
import { createRestaurantStore } from '../restaurants/store.ts';
import type { Storage } from '../storage/storage.ts';
import type { CatalogueStores, Format } from '../transfer/export.ts';
import { UsageError } from './command.ts';

/** Opens the stores of an open data folder. */
export function createCatalogueStores({ queries }: Pick<Storage, 'queries'>): CatalogueStores {
  const attach = queries.file('attach');
  return {
    restaurants: createRestaurantStore(queries.file('restaurants')),
    ratings: createRatingStore(queries.file('ratings')),
    categories: createLookupStore(queries.file('lookups', 'categories'), attach, 'category'),
    foodTypes: createLookupStore(queries.file('lookups', 'food_types'), attach, 'food_type'),
    readLookups: createLookupReader(queries.file('resident')),
  };
}

const ENDINGS: ReadonlyMap<string, Format> = new Map([
  ['csv', 'csv'],
  ['tsv', 'csv'],
  ['ndjson', 'ndjson'],
  ['jsonl', 'ndjson'],
  ['geojson', 'geojson'],
  ['json', 'geojson'],
]);

/** The format that was named, or else that of the file's ending. Throws a UsageError when there is neither. */
export function formatOf(file: string, named: string | undefined): Format {
  const format = ENDINGS.get(named ?? file.slice(file.lastIndexOf('.') + 1).toLowerCase());
  if (format) return format;
  throw new UsageError(
    named === undefined
      ? `cannot tell the format of ${file} by its ending; name it with --format csv, ndjson or geojson`
      : `unknown format "${named}": it must be csv, ndjson or geojson`,
  );
}
