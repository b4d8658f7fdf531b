import { statSync, unlinkSync } from 'node:fs';
import { databasePath } from './database.ts';

/** What tells the database file at the path of a data folder from another one. */
export interface FileMark {
  /** Another one when another file has been renamed into its place. */
  readonly identity: string;
  /** Another one also when the file itself was written to. */
  readonly state: string;
}

/** The mark of the database file of a data folder; undefined while there is none. Throws the system's error otherwise. */
export function markOf(folder: string): FileMark | undefined {
  const status = statSync(databasePath(folder), { bigint: true, throwIfNoEntry: false });
  if (!status) return undefined;
  const identity = `${status.dev}:${status.ino}`;
  return { identity, state: `${identity}:${status.size}:${status.mtimeNs}` };
}

/**
 * Notes the files of the write-ahead log that stand next to an open database. The function that is returned removes those
 * of them that still do. SQLite ties a log to its database by name alone: next to another database that was renamed
 * into its place, the old log would be applied to it, and the memory that readers of the old one share would be cut under
 * them. A connection that is open goes on with the files that it has.
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
