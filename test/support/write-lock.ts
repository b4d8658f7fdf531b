import Database from 'better-sqlite3';
import { databasePath } from '../../src/storage/database.ts';
import { bearing } from './accounts.ts';
import { type Cleanup, atEnd } from './cleanup.ts';
import type { Service } from './service.ts';

/** Keeps others from writing to a catalogue, as another process does in the middle of its write; returns the end of that. */
export function holdWriteLock(t: Cleanup, folder: string): () => void {
  const other = new Database(databasePath(folder));
  atEnd(t, () => {
    other.close();
  });
  other.exec('BEGIN IMMEDIATE');
  return () => {
    other.exec('ROLLBACK');
  };
}

/**
 * Lets a write that was sent before come to the queue of writes: reads that were sent behind it have overtaken it otherwise,
 * twenty of them one after the other.
 */
export async function letPass({ api }: Pick<Service, 'api'>, accessToken: string): Promise<void> {
  for (let round = 0; round < 20; round += 1) await api.get('/auth/me', bearing(accessToken));
}
