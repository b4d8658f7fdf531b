import Database from 'better-sqlite3';
import { databasePath } from '../../src/storage/database.ts';
import { type Cleanup, atEnd } from './cleanup.ts';

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
