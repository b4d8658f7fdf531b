import { chmodSync } from 'node:fs';
import Database from 'better-sqlite3';
import { reasonOf } from '../kit/system-error.ts';
import { runInThread } from '../kit/threads.ts';
import {
  type Connection,
  StorageError,
  databasePath,
  openForReading,
  refuseHalfRestored,
} from './database.ts';
import { Queries } from './statements.ts';
import { syncPath } from './folder.ts';

// With smaller steps the copy would restart after every write of the server, and might never finish.
const ALL_PAGES = 0x7fffffff;

/**
 * Copies the database of a data folder to the new file `target`, with every write acknowledged before the call.
 * The copy is self-contained, so it can be read from a read-only folder.
 */
export async function takeSnapshot(folder: string, target: string): Promise<void> {
  refuseHalfRestored(folder);
  const source = openForReading(databasePath(folder));
  try {
    await source.backup(target, { progress: () => ALL_PAGES });
  } finally {
    source.close();
  }
  const copy = new Database(target);
  try {
    const mode: unknown = copy.pragma('journal_mode = DELETE', { simple: true });
    if (mode !== 'delete') throw new StorageError(`${target} cannot be made one self-contained file`);
  } finally {
    copy.close();
  }
  chmodSync(target, 0o600);
  syncPath(target);
}

/** Lists damaged pages, indexes and references; empty if the database is intact. */
export function findDamage(connection: Connection): readonly string[] {
  try {
    const answers = connection.prepare<[], string>('PRAGMA integrity_check').pluck().all();
    const dangling = connection
      .prepare<[], { table: string; rowid: number | null; parent: string }>('PRAGMA foreign_key_check')
      .all();
    const sql = new Queries(connection).file('check');
    // SQLite does not enforce these references, since they outlive a restaurant while its deletion can be undone.
    const hasTrash = sql.prepare('findTrashTables').get() !== undefined;
    const lost = hasTrash ? sql.prepare<string>('findLost').pluck().all() : [];
    return [
      ...answers.filter((answer) => answer !== 'ok'),
      ...dangling.map(({ table, rowid, parent }) => `${table} ${rowid ?? ''} refers to no row of ${parent}`),
      ...lost.map((id) => `${id} refers to no row of restaurants`),
    ];
  } catch (error) {
    return [reasonOf(error)];
  }
}

/** Reads the whole database of a data folder in a thread. Resolves to the fault found, or undefined. */
export async function verifyInThread(dataFolder: string): Promise<string | undefined> {
  const fault = await runInThread(import.meta.url, 'verify', dataFolder, 'verifies a database');
  return typeof fault === 'string' ? fault : undefined;
}

/**
 * Runs in the thread. Returns errors instead of throwing them, since they would lose their class on the way.
 */
export function verify(dataFolder: string): string | undefined {
  try {
    const connection = openForReading(databasePath(dataFolder));
    try {
      const [damage] = findDamage(connection);
      return damage === undefined ? undefined : `the database is damaged: ${damage}`;
    } finally {
      connection.close();
    }
  } catch (error) {
    return reasonOf(error);
  }
}
