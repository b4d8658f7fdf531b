import { photoPlace } from '../photos/files.ts';
import { StorageError } from '../storage/database.ts';
import { openForReading } from '../storage/reading.ts';
import { migrationState } from '../storage/migrations.ts';
import { findDamage } from '../storage/snapshot.ts';
import { type QueryFile, loadQueries } from '../storage/statements.ts';
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
 * The names of all photos' files in a database, in their order, those of deleted ones that can be restored included;
 * none in a database that is older than photos are.
 */
export function* listPhotoFiles(sql: QueryFile): Generator<string, void, undefined> {
  if (sql.prepare('findPhotoTable').get() === undefined) return;
  const list =
    sql.prepare('findKeptTrash').get() === undefined
      ? sql.prepare<{ filename: string }>('listPhotoFiles')
      : sql.prepare<{ filename: string }>('listPhotoAndTrashFiles');
  for (let after: string | undefined = ''; after !== undefined;) {
    const names: string[] = list.all({ after }).map(({ filename }) => filename);
    yield* names;
    after = names.at(-1);
  }
}
