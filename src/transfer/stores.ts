import { LookupStore } from '../catalogue/lookups/store.ts';
import { createLookupReader } from '../catalogue/restaurants/lookups.ts';
import { RatingStore } from '../catalogue/ratings/store.ts';
import { createRestaurantStore } from '../catalogue/restaurants/store.ts';
import type { Storage } from '../storage/storage.ts';
import type { CatalogueStores } from './export.ts';

/** Opens the stores of an open data folder. */
export function createCatalogueStores({ queries }: Pick<Storage, 'queries'>): CatalogueStores {
  const attach = queries.file('attach');
  return {
    restaurants: createRestaurantStore(queries.file('restaurants')),
    ratings: new RatingStore(queries.file('ratings')),
    categories: new LookupStore(queries.file('lookups', 'categories'), attach, 'category'),
    foodTypes: new LookupStore(queries.file('lookups', 'food_types'), attach, 'food_type'),
    readLookups: createLookupReader(queries.file('resident')),
  };
}
