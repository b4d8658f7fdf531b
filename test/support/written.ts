import Database from 'better-sqlite3';
import { type Connection, databasePath } from '../../src/storage/database.ts';
import { type Storage, openStorage } from '../../src/storage/storage.ts';
import { type Patience, Transactions } from '../../src/storage/transaction.ts';
import { type Cleanup, atEnd } from './cleanup.ts';
import { temporaryFolder } from './service.ts';

/** A data folder whose writes are looked at from another connection. */
export type Written = Storage & {
  /** Adds a category; to be run inside a write. */
  readonly add: (name: string) => string;
  /** The categories that others see which were added, in order. */
  readonly stored: () => unknown[];
  readonly writeAll: (works: readonly (() => unknown)[]) => Promise<PromiseSettledResult<unknown>[]>;
};

/**
 * Opens a new data folder until the test ends. Where it matters which writes share a transaction, a busy machine must not
 * cut it short: then `longestMs` is as long as may be.
 */
export function openWritten(t: Cleanup, longestMs?: number, patience?: Patience): Written {
  const folder = temporaryFolder(t);
  const storage = openStorage(folder);
  const transactions =
    longestMs === undefined
      ? storage.transactions
      : new Transactions(storage.connection, { patience, longestMs });
  atEnd(t, () => {
    if (storage.connection.open) storage.close();
  });
  const other = new Database(databasePath(folder), { readonly: true });
  atEnd(t, () => {
    other.close();
  });
  const first = newest(storage.connection);
  const insert = storage.connection.prepare(
    `INSERT INTO categories (name, name_key, search_name, created_at, updated_at)
      VALUES (:name, :name, :name, '2026', '2026')`,
  );
  const read = other.prepare('SELECT name FROM categories WHERE id > ? ORDER BY id').pluck();
  return {
    ...storage,
    transactions,
    add: (name) => {
      insert.run({ name });
      return name;
    },
    stored: () => read.all(first),
    writeAll: (works) => Promise.allSettled(works.map((work) => transactions.write(work))),
  };
}

/** The id of the category that was added last. */
export function newest(connection: Connection): number {
  return Number(connection.prepare('SELECT max(id) FROM categories').pluck().get());
}

/** What writes gave, or why they were refused, in their order. */
export const outcomes = (settled: readonly PromiseSettledResult<unknown>[]): unknown[] =>
  settled.map((one) => (one.status === 'fulfilled' ? one.value : `refused: ${String(one.reason)}`));
