import type { OwnerCheck } from './accounts/authenticate.ts';
import type { Route } from './http/router.ts';
import { lookupRoutes } from './lookups/routes.ts';
import { createLookupStore } from './lookups/store.ts';
import { ratingRoutes } from './ratings/routes.ts';
import { createRatingStore } from './ratings/store.ts';
import { createCursorSealer } from './restaurants/cursor.ts';
import { createFinder } from './restaurants/find.ts';
import { createLists, createPendingLists } from './restaurants/list.ts';
import { restaurantRoutes } from './restaurants/routes.ts';
import { createRestaurantStore } from './restaurants/store.ts';
import { searchRoutes } from './search/routes.ts';
import { createSearchStore } from './search/store.ts';
import { matchExpression } from './search/terms.ts';
import { createConverter } from './suggestions/convert.ts';
import { suggestionRoutes } from './suggestions/routes.ts';
import { createSuggestionStore } from './suggestions/store.ts';
import type { Storage } from './storage/storage.ts';

/** The rooms of the catalogue itself: restaurants, ratings, suggestions, categories, food types and search. */
export function createCatalogueRoutes(
  { queries, transactions, keys }: Storage,
  requireOwner: OwnerCheck,
): readonly Route[] {
  const restaurantSql = queries.file('restaurants');
  const restaurants = createRestaurantStore(restaurantSql);
  const ratings = createRatingStore(queries.file('ratings'));
  const suggestions = createSuggestionStore(queries.file('suggestions'), restaurants);
  const search = createSearchStore(queries.file('search'));
  return [
    ...restaurantRoutes({
      store: restaurants,
      finder: createFinder(createLists(restaurantSql), createPendingLists(restaurantSql)),
      cursors: createCursorSealer(keys('page cursors')),
      transactions,
      matchExpression,
    }),
    ...ratingRoutes({ store: ratings, transactions, requireOwner }),
    ...suggestionRoutes({
      store: suggestions,
      convert: createConverter({ suggestions, restaurants, ratings }),
      transactions,
      findReferenceFaults: restaurants.findReferenceFaults,
    }),
    ...lookupRoutes({
      store: createLookupStore(queries.file('lookups', 'categories')),
      transactions,
      segment: 'categories',
      noun: 'Category',
      operation: 'Category',
      operations: 'Categories',
    }),
    ...lookupRoutes({
      store: createLookupStore(queries.file('lookups', 'food_types')),
      transactions,
      segment: 'food-types',
      noun: 'Food type',
      operation: 'FoodType',
      operations: 'FoodTypes',
    }),
    ...searchRoutes({ store: search, getListed: restaurants.getListed }),
  ];
}
