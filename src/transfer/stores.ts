import { LookupStore } from '../catalogue/lookups/store.ts';
import { RatingStore } from '../catalogue/ratings/store.ts';
import { type Lookups, lookupReader } from '../index/lookups.ts';
import { RestaurantStore } from '../catalogue/restaurants/store.ts';
import type { Storage } from '../storage/storage.ts';

/** The stores for an import or an export. */
export interface CatalogueStores {
  readonly restaurants: RestaurantStore;
  readonly ratings: RatingStore;
  readonly categories: LookupStore;
  readonly foodTypes: LookupStore;
  readonly readLookups: () => Lookups;
}

/** Opens the stores of an open data folder. */
export function createCatalogueStores(queries: Storage['queries']): CatalogueStores {
  return {
    restaurants: new RestaurantStore(queries.file('restaurants')),
    ratings: new RatingStore(queries.file('ratings')),
    categories: new LookupStore(queries, 'category'),
    foodTypes: new LookupStore(queries, 'food_type'),
    readLookups: lookupReader(queries.file('index')),
  };
}
