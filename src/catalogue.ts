import type { OwnerCheck } from './accounts/authenticate.ts';
import { keepAnswers } from './http/answers.ts';
import type { Route } from './http/router.ts';
import { lookupRoutes } from './lookups/routes.ts';
import { createLookupStore } from './lookups/store.ts';
import { ratingRoutes } from './ratings/routes.ts';
import { createRatingStore } from './ratings/store.ts';
import { withKeptCandidates } from './restaurants/candidates.ts';
import { createCursorSealer } from './restaurants/cursor.ts';
import { createFinder } from './restaurants/find.ts';
import { type CountedLists, createLists, createPendingLists } from './restaurants/list.ts';
import { createPieceReader } from './restaurants/pieces.ts';
import { restaurantRoutes } from './restaurants/routes.ts';
import { withKeptTotals } from './restaurants/totals.ts';
import { createRestaurantStore } from './restaurants/store.ts';
import { searchRoutes } from './search/routes.ts';
import { createSearchStore } from './search/store.ts';
import { matchExpression } from './search/terms.ts';
import { createConverter } from './suggestions/convert.ts';
import { suggestionRoutes } from './suggestions/routes.ts';
import { createSuggestionStore } from './suggestions/store.ts';
import { type Keeper, createKeeper } from './storage/kept.ts';
import type { QueryFile } from './storage/statements.ts';
import type { Storage } from './storage/storage.ts';

// Some 30,000 restaurants, and 8,000 short answers or 600 pages.
const PIECES_BYTES = 32 * 1024 * 1024;
const ANSWERS_BYTES = 16 * 1024 * 1024;
const CANDIDATES_BYTES = 8 * 1024 * 1024;
const TOTALS_BYTES = 256 * 1024;

/** The rooms of the catalogue itself: restaurants, ratings, suggestions, categories, food types and search. */
export function createCatalogueRoutes(storage: Storage, requireOwner: OwnerCheck): readonly Route[] {
  const { queries, transactions, keys } = storage;
  const keeper = createKeeper(storage, queries.file('kept'));
  const restaurantSql = queries.file('restaurants');
  const restaurants = createRestaurantStore(restaurantSql);
  const pieces = createPieceReader({ store: restaurants, kept: keeper.byRestaurant(PIECES_BYTES) });
  const ratings = createRatingStore(queries.file('ratings'));
  const suggestions = createSuggestionStore(queries.file('suggestions'), restaurants);
  const search = createSearchStore(queries.file('search'));
  const routes = [
    ...restaurantRoutes({
      store: restaurants,
      pieces,
      finder: createFinder(keptLists(restaurantSql, keeper), createPendingLists(restaurantSql)),
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
    ...searchRoutes({ store: search, pieces }),
  ];
  return keepAnswers(routes, keeper.untilAnyWrite(ANSWERS_BYTES));
}

function keptLists(sql: QueryFile, keeper: Keeper): CountedLists {
  const lists = withKeptTotals(createLists(sql), keeper.untilAnyWrite(TOTALS_BYTES));
  return withKeptCandidates(lists, sql, keeper.byRestaurant(CANDIDATES_BYTES));
}
