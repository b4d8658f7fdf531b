import { Answers } from '../storage/answers.ts';
import { Moves } from '../catalogue/restaurants/moves.ts';
import type { Removals } from '../people/own/erasure.ts';
import { ChangeLog, type Writer } from '../storage/change-log.ts';
import type { Storage } from '../storage/storage.ts';
import { type Entities, openEntities } from './entities.ts';
import { Purges } from './purge.ts';
import { Reverter } from './revert.ts';
import { ChangeStore } from './store.ts';

/** The change log, with its readers, the undo of changes, and the removal of deleted data. */
export class History {
  readonly log: ChangeLog;
  readonly store: ChangeStore;
  readonly entities: Entities;
  readonly reverter: Reverter;
  readonly purges: Purges;
  readonly moves: Moves;

  /** See ChangeLog for `changed` and `checkAdded`. */
  constructor(
    { queries, transactions }: Pick<Storage, 'queries' | 'transactions'>,
    trashDays: number,
    changed?: () => void,
    checkAdded?: (bytes: number) => void,
  ) {
    const sql = queries.file('changes');
    this.log = new ChangeLog(queries.file('change-log'), transactions, trashDays, changed, checkAdded);
    this.store = new ChangeStore(sql);
    this.entities = openEntities(queries);
    this.reverter = new Reverter(this.store, this.entities, this.log);
    this.purges = new Purges(sql, this.store, new Answers(queries.file('idempotency')));
    this.moves = new Moves(queries.file('moves'));
  }

  /** Removals for the erasure of accounts. `removed` is called once an erasure is complete. */
  removals(via: Writer['via'], removed: () => void): Removals {
    const { log, store, entities, purges } = this;
    const forgetDeletion = (changeId: number): void => {
      const deletion = store.get(changeId);
      if (deletion) purges.purge(deletion, null);
    };
    return {
      remove: (kind, id) => {
        entities[kind].remove(id, log.begin({ userId: null, token: null, via, requestId: null }));
        forgetDeletion(store.deletionOf(kind, id) ?? 0);
      },
      forgetDeletion,
      purges,
      removed,
    };
  }
}
