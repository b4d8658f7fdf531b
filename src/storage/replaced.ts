import { statSync, unlinkSync } from 'node:fs';
import { databasePath } from './database.ts';

/** Identifies a database file, so that another one at the same path is noticed. */
export interface FileMark {
  /** Changes when another file is renamed into its place. */
  readonly identity: string;
  /** Also changes when the file is written to. */
  readonly state: string;
}

/** The mark of a data folder's database; undefined if the file is missing. Throws other system errors. */
export function markOf(folder: string): FileMark | undefined {
  const status = statSync(databasePath(folder), { bigint: true, throwIfNoEntry: false });
  if (!status) return undefined;
  const identity = `${status.dev}:${status.ino}`;
  return { identity, state: `${identity}:${status.size}:${status.mtimeNs}` };
}

/**
 * Remembers the write-ahead log files next to an open database, and returns a function that deletes them unless
 * they have been replaced. SQLite finds a log only by name: if another database is renamed into place, it would
 * apply the old log to it and truncate the memory that readers of the old database share. Open connections
 * continue with the files they hold.
 */
export function noteLog(folder: string): () => void {
  const paths = ['-wal', '-shm'].map((ending) => databasePath(folder) + ending);
  const noted = paths.map((path) => ({ path, inode: inodeOf(path) }));
  return () => {
    for (const { path, inode } of noted) if (inode !== undefined && inodeOf(path) === inode) unlinkSync(path);
  };
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}
