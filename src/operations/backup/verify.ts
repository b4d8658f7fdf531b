import { photoPlace } from '../../catalogue/photos/files.ts';
import { type Connection, StorageError, openForReading } from '../../storage/database.ts';
import { migrationState } from '../../storage/migrations.ts';
import { findDamage } from '../../storage/snapshot.ts';
import { Queries } from '../../storage/statements.ts';
import type { Contents } from './contents.ts';
import { isPhotoPlace } from './manifest.ts';

/**
 * Checks the database of a backup against the rest. Throws a StorageError if it is damaged, from another program or a newer
 * version, or if its photos are not those of the backup. Returns the names of its pending migrations.
 */
export function verifyDatabase(path: string, { sums, manifest }: Contents): readonly string[] {
  const connection = openForReading(path);
  try {
    const [damage] = findDamage(connection);
    if (damage !== undefined) throw new StorageError(`the database of the backup is damaged: ${damage}`);
    const { version, pending } = migrationState(connection);
    if (version === 0) throw new StorageError('the database of the backup contains no catalogue');
    const missing = new Set(manifest.missing);
    let found = 0;
    for (const filename of photoFilesIn(connection)) {
      if (sums.has(photoPlace(filename))) found += 1;
      else if (!missing.has(filename))
        throw new StorageError(`the photo ${filename} is missing from the backup`);
    }
    const photos = [...sums.keys()].filter(isPhotoPlace);
    if (found !== manifest.photos || found !== photos.length)
      throw new StorageError('the backup contains photos that are not in its database');
    return pending;
  } finally {
    connection.close();
  }
}

/**
 * The names of all photo files in a database, sorted, including thumbnails and deleted photos that can be restored. Works
 * for databases of older versions, also from before photos.
 */
export function photoFilesIn(connection: Connection): Iterable<string> {
  const sql = new Queries(connection).file('backup');
  if (sql.prepare('findPhotoTable').get() === undefined) return [];
  let list = sql.prepare<string>('listPhotoFiles');
  if (sql.prepare('findThumbnails').get() !== undefined) list = sql.prepare('listAllFiles');
  else if (sql.prepare('findKeptTrash').get() !== undefined) list = sql.prepare('listPhotoAndTrashFiles');
  return list.pluck().iterate();
}
