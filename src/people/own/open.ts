import { setTimeout as pause } from 'node:timers/promises';
import type { History } from '../../history/open.ts';
import { createAnswers } from '../../storage/answers.ts';
import type { Writer } from '../../storage/change-log.ts';
import type { Storage } from '../../storage/storage.ts';
import { type ErasureOptions, type Erasures, createErasures } from './erasure.ts';

/** The change log and what it takes to remove entities for good. */
export interface Removals extends Pick<History, 'log' | 'store' | 'entities' | 'purges'> {
  /** Called once things were removed for good. */
  readonly removed: () => void;
}

// While a reader of an older state, such as a backup, keeps the write-ahead log from being emptied.
const TRIES = 20;
const RETRY_MS = 500;

/** Erasures, the last part of which is the write-ahead log. */
export interface OpenErasures extends Erasures {
  /** Resolves when nothing erased is left in it, or this was reported. */
  readonly emptied: () => Promise<void>;
}

/** Opens the erasures of a data folder. */
export function openErasures(
  { queries, transactions, emptyLog }: Storage,
  { log, store, entities, purges, removed }: Removals,
  accounts: Pick<ErasureOptions, 'administration' | 'apiTokens'>,
  report: ErasureOptions['report'],
  via: Writer['via'] = 'api',
): OpenErasures {
  let isStopped = false;
  let emptied = Promise.resolve();

  async function empty(): Promise<void> {
    for (let tries = 0; tries < TRIES && !isStopped; tries += 1) {
      if (emptyLog()) return;
      await pause(RETRY_MS);
    }
    if (!isStopped) report('erased text is still in the write-ahead log', {});
  }

  const erasures = createErasures({
    ...{ ...accounts, transactions, purges, report, via },
    answers: createAnswers(queries.file('idempotency')),
    sql: queries.file('people'),
    begin: log.begin,
    changes: store,
    remove: (kind, id, write) => entities[kind].remove(id, write),
    erased: () => {
      removed();
      emptied = empty();
    },
  });
  return {
    ...erasures,
    emptied: () => emptied,
    stop: () => {
      isStopped = true;
      erasures.stop();
    },
  };
}
