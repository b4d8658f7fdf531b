import { databasePath } from '../storage/database.ts';
import { openForReading } from '../storage/reading.ts';
import { findDamage } from '../storage/snapshot.ts';
import { reasonOf } from '../kit/system-error.ts';
import { runInThread } from '../kit/threads.ts';

/**
 * Reads the whole database of a data folder in a thread of its own. Resolves to what is wrong with it; undefined when
 * nothing is.
 */
export async function verifyInThread(dataFolder: string): Promise<string | undefined> {
  const fault = await runInThread(import.meta.url, 'verify', dataFolder, 'verifies a database');
  return typeof fault === 'string' ? fault : undefined;
}

/** The work of that thread. Never throws: errors that cross threads lose their class. */
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
