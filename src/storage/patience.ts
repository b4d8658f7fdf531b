import { setTimeout as pause } from 'node:timers/promises';
import { StorageError } from './database.ts';
import { storageFailure } from './failures.ts';
import type { Storage } from './storage.ts';

const LIMIT_MS = 60_000;
const TRY_EVERY_MS = 25;

export interface PatienceOptions {
  /** Called again and again while a write waits, with the milliseconds that it has waited so far. */
  readonly waiting: (waitedMs: number) => void;
  /** Milliseconds after which a write gives up; default one minute. */
  readonly limitMs?: number;
}

/** A write that gave up since other processes were writing all the time; nothing of it is stored. */
export class StorageBusyError extends StorageError {}

/**
 * The same storage for a command, while a server may run: a write that finds the database busy is tried again for a minute
 * instead of being refused, and the process is awake meanwhile. Then it rejects with a StorageBusyError.
 */
export function withPatience(storage: Storage, { waiting, limitMs = LIMIT_MS }: PatienceOptions): Storage {
  const { connection, transactions } = storage;
  // The driver's own wait is a sleep of the whole process, in which no progress is shown and no signal arrives.
  connection.pragma('busy_timeout = 100');

  async function write<Result>(work: () => Result): Promise<Result> {
    const started = performance.now();
    for (;;) {
      const attempt = { hasRun: false };
      try {
        return await transactions.write(() => {
          attempt.hasRun = true;
          return work();
        });
      } catch (error) {
        // Work that has run may have changed what its caller remembers: it must not be run again.
        if (attempt.hasRun || storageFailure(error) !== 'busy') throw error;
      }
      const waited = performance.now() - started;
      if (waited >= limitMs)
        throw new StorageBusyError('the database is busy: other processes kept writing to it for a minute');
      waiting(waited);
      await pause(TRY_EVERY_MS);
    }
  }

  return { ...storage, transactions: { ...transactions, write } };
}
