import type { Removals } from '../people/own/erasure.ts';
import { ChangeLog, type Writer } from '../storage/change-log.ts';
import type { Storage } from '../storage/storage.ts';
import { type Entities, openEntities } from './entities.ts';
import { Purges } from './purge.ts';
import { Reverter } from './revert.ts';
import { ChangeStore } from './store.ts';

/** The change log, with what reads it, undoes changes and forgets what was deleted. */
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
  const log = new ChangeLog(sql, transactions, trashDays, changed);
  const store = new ChangeStore(queries.file('changes'));
  const entities = openEntities(queries);
  const purges = new Purges(queries.file('changes'), (id) => store.get(id));
  return {
    log,
    store,
    entities,
    reverter: new Reverter(store, entities, (writer) => log.begin(writer)),
    purges,
  };
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
