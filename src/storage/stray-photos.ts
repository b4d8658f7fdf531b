import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StorageError, databasePath } from './database.ts';

const PREFIX = /^[0-9a-f]{2}$/;

/**
 * Throws a StorageError for a data folder that contains photos but no database. Startup deletes photo files
 * that no row refers to, so a new database would cost an operator who has yet to restore the old one all
 * photos.
 */
export function refusePhotosAlone(folder: string): void {
  if ((statSync(databasePath(folder), { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  const photos = join(folder, 'photos');
  if (namesIn(photos).some((name) => PREFIX.test(name) && namesIn(join(photos, name)).length > 0))
    throw new StorageError(
      `there are photos in ${photos}, but ${databasePath(folder)} is missing: put it back (catalogue restore), or move the photos away for a new catalogue`,
    );
}

/** Empty if the folder is missing; other faults surface when it is used. */
function namesIn(path: string): readonly string[] {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(path) : [];
}
