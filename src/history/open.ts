import { createListStore } from '../people/lists/store.ts';
import { createLookupStore } from '../catalogue/lookups/store.ts';
import { createPhotoStore } from '../catalogue/photos/store.ts';
import { RatingStore } from '../catalogue/ratings/store.ts';
import { createRestaurantStore } from '../catalogue/restaurants/store.ts';
import { type ChangeLog, createChangeLog } from '../storage/change-log.ts';
import type { Queries } from '../storage/statements.ts';
import type { Transactions } from '../storage/transaction.ts';
import { createSuggestionStore } from '../catalogue/suggestions/store.ts';
import { createVisitStore } from '../people/visits/store.ts';
import { type Entities, createEntities } from './entities.ts';
import { type Purges, createPurges } from './purge.ts';
import { type Reverter, createReverter } from './revert.ts';
import { type ChangeStore, createChangeStore } from './store.ts';

export interface HistoryOptions {
  readonly queries: Queries;
  readonly transactions: Transactions;
  readonly trashDays: number;
  /** Called after each commit with a change. */
  readonly changed?: () => void;
}

/** The change log, its reader and its reverter. */
export interface History {
  readonly log: ChangeLog;
  readonly store: ChangeStore;
  readonly reverter: Reverter;
  readonly entities: Entities;
  readonly purges: Purges;
}

/** Opens the change log with stores of its own. */
export function openHistory({ queries, transactions, trashDays, changed }: HistoryOptions): History {
  const log = createChangeLog({
    ...{ sql: queries.file('change-log'), transactions, trashDays },
    ...(changed && { changed }),
  });
  const store = createChangeStore(queries.file('changes'));
  const restaurants = createRestaurantStore(queries.file('restaurants'));
  const attach = queries.file('attach');
  const entities = createEntities({
    restaurants,
    ratings: new RatingStore(queries.file('ratings')),
    photos: createPhotoStore(queries.file('photos')),
    suggestions: createSuggestionStore(queries.file('suggestions'), restaurants),
    categories: createLookupStore(queries.file('lookups', 'categories'), attach, 'category'),
    foodTypes: createLookupStore(queries.file('lookups', 'food_types'), attach, 'food_type'),
    lists: createListStore(queries.file('lists')),
    visits: createVisitStore(queries.file('visits')),
  });
  const reverter = createReverter({ store, entities, begin: log.begin });
  return { log, store, entities, reverter, purges: createPurges(queries.file('changes'), store.get) };
}
