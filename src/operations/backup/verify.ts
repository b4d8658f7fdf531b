import { photoPlace } from '../../catalogue/photos/files.ts';
import { StorageError } from '../../storage/database.ts';
import { openForReading } from '../../storage/reading.ts';
import { migrationState } from '../../storage/migrations.ts';
import { findDamage } from '../../storage/snapshot.ts';
import { type Prepared, type QueryFile, loadQueries } from '../../storage/statements.ts';
import type { Contents } from './contents.ts';
import { photoAt } from './manifest.ts';

/**
 * Opens the database of a backup and checks it against the rest. Throws a StorageError when it is damaged, from another
 * program or a newer version, or when its photos are not those of the backup. Returns the migrations that it lacks.
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
    const photos = [...sums.keys()].filter((name) => photoAt(name) !== undefined);
    if (found !== manifest.photos || found !== photos.length)
      throw new StorageError('the backup holds photos that its database does not know');
    return pending;
  } finally {
    connection.close();
  }
}

/**
 * The names of all photos' files in a database, in their order, with thumbnails and those of deleted photos that can be
 * restored; none in a database that is older than photos are.
 */
export function* listPhotoFiles(sql: QueryFile): Generator<string, void, undefined> {
  if (sql.prepare('findPhotoTable').get() === undefined) return;
  const list = listOf(sql);
  for (let after: string | undefined = ''; after !== undefined;) {
    const names: string[] = list.all({ after }).map(({ filename }) => filename);
    yield* names;
    after = names.at(-1);
  }
}

function listOf(sql: QueryFile): Prepared<{ filename: string }> {
  if (sql.prepare('findThumbnails').get() !== undefined) return sql.prepare('listAllFiles');
  if (sql.prepare('findKeptTrash').get() !== undefined) return sql.prepare('listPhotoAndTrashFiles');
  return sql.prepare('listPhotoFiles');
}
