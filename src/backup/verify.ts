import { StorageError } from '../storage/database.ts';
import { openForReading } from '../storage/reading.ts';
import { migrationState } from '../storage/migrations.ts';
import { findDamage } from '../storage/snapshot.ts';
import { loadQueries } from '../storage/statements.ts';
import type { Contents } from './contents.ts';
import { photoPlace } from '../photos/files.ts';
import { photosOf } from './manifest.ts';
import { listPhotoFiles } from './photo-files.ts';

/**
 * Opens the database of a backup and holds it against the rest. Throws a StorageError when it is damaged, from another
 * program or a newer version, or when its photos are not those of the backup. Gives the migrations that it lacks.
 */
export function verifyDatabase(path: string, { sums, manifest }: Contents): readonly string[] {
  const connection = openForReading(path);
  try {
    const [damage] = findDamage(connection);
    if (damage !== undefined) throw new StorageError(`the database of the backup is damaged: ${damage}`);
    const { version, pending } = migrationState(connection);
    if (version === 0) throw new StorageError('the database of the backup holds no catalogue');
    const missing = new Set(manifest.missing);
    let found = 0;
    for (const filename of listPhotoFiles(loadQueries(connection).file('backup'))) {
      if (sums.has(photoPlace(filename))) found += 1;
      else if (!missing.has(filename))
        throw new StorageError(`the photo ${filename} is missing from the backup`);
    }
    if (found !== manifest.photos || found !== photosOf(sums).length)
      throw new StorageError('the backup holds photos that its database does not know');
    return pending;
  } finally {
    connection.close();
  }
}
