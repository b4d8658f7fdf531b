import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StorageError, databasePath } from './database.ts';

const PREFIX = /^[0-9a-f]{2}$/;

/**
 * Throws a StorageError for a data folder that has files of photos and no database. A new database would know none of
 * them, and a start removes files that no row names: an operator who has yet to put the database back would lose them all.
 */
export function refusePhotosAlone(folder: string): void {
  if ((statSync(databasePath(folder), { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  const photos = join(folder, 'photos');
  if (namesIn(photos).some((name) => PREFIX.test(name) && namesIn(join(photos, name)).length > 0))
    throw new StorageError(
      `there are photos in ${photos}, but ${databasePath(folder)} is missing: put it back (catalogue restore), or move the photos away for a new catalogue`,
    );
}

/** Empty where there is no folder; other faults are reported when it is used. */
function namesIn(path: string): readonly string[] {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(path) : [];
}
