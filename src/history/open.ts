import { LookupStore } from '../catalogue/lookups/store.ts';
import { createPhotoStore } from '../catalogue/photos/store.ts';
import { RatingStore } from '../catalogue/ratings/store.ts';
import { RestaurantStore } from '../catalogue/restaurants/store.ts';
import { createSuggestionStore } from '../catalogue/suggestions/store.ts';
import { ListStore } from '../people/lists/store.ts';
import type { Removals } from '../people/own/erasure.ts';
import { VisitStore } from '../people/visits/store.ts';
import { type ChangeLog, type Writer, createChangeLog } from '../storage/change-log.ts';
import type { Storage } from '../storage/storage.ts';
import { type Entities, createEntities } from './entities.ts';
import { Purges } from './purge.ts';
import { Reverter } from './revert.ts';
import { ChangeStore } from './store.ts';

/** The change log, its reader and its reverter. */
export interface History {
  readonly log: ChangeLog;
  readonly store: ChangeStore;
  readonly reverter: Reverter;
  readonly entities: Entities;
  readonly purges: Purges;
}

/** Opens the change log with stores for it. `changed` is called after each commit with a change. */
export function openHistory(
  { queries, transactions }: Pick<Storage, 'queries' | 'transactions'>,
  trashDays: number,
  changed?: () => void,
): History {
  const sql = queries.file('change-log');
  const log = createChangeLog({ sql, transactions, trashDays, ...(changed && { changed }) });
  const store = new ChangeStore(queries.file('changes'));
  const restaurants = new RestaurantStore(queries.file('restaurants'));
  const attach = queries.file('attach');
  const entities = createEntities({
    restaurants,
    ratings: new RatingStore(queries.file('ratings')),
    photos: createPhotoStore(queries.file('photos')),
    suggestions: createSuggestionStore(queries.file('suggestions'), restaurants),
    categories: new LookupStore(queries.file('lookups', 'categories'), attach, 'category'),
    foodTypes: new LookupStore(queries.file('lookups', 'food_types'), attach, 'food_type'),
    lists: new ListStore(queries.file('lists')),
    visits: new VisitStore(queries.file('visits')),
  });
  const purges = new Purges(queries.file('changes'), (id) => store.get(id));
  return { log, store, entities, reverter: new Reverter(store, entities, log.begin), purges };
}

/** Removals for the erasure of accounts. `removed` is called once an erasure is complete. */
export function openRemovals(
  { log, store, entities, purges }: History,
  via: Writer['via'],
  removed: () => void,
): Removals {
  const forgetDeletion = (changeId: number): void => {
    const deletion = store.get(changeId);
    if (deletion) purges.purge(deletion, { at: new Date().toISOString(), userId: null });
  };
  return {
    remove: (kind, id) => {
      entities[kind].remove(id, log.begin({ userId: null, token: null, via, requestId: null }));
      forgetDeletion(store.deletionOf(kind, id) ?? 0);
    },
    forgetDeletion,
    forgetPart: (kind, id) => {
      purges.forget(kind, id);
    },
    isPending: () => purges.isPending(),
    goOn: () => {
      purges.goOn();
    },
    removed,
  };
}
