import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { listPhotoFiles } from '../operations/backup/verify.ts';
import { photoPlace } from '../catalogue/photos/files.ts';
import { makeOriginal } from '../storage/copy.ts';
import { type Connection, StorageError, databasePath, isCopy, openCopy } from '../storage/database.ts';
import { loadQueries } from '../storage/statements.ts';
import { withOwnFolder } from '../storage/storage.ts';

/**
 * Makes the data of a replica that of a primary. Rejects with a StorageError while a server runs on it, when it is none of
 * a replica, and, unless `force` is set, when files of photos have not arrived.
 */
export function promote(dataFolder: string, force: boolean): Promise<void> {
  return withOwnFolder(dataFolder, () => {
    const connection = openCopy(dataFolder);
    try {
      if (!isCopy(connection))
        throw new StorageError(
          `${databasePath(dataFolder)} is no copy of a primary; there is nothing to promote`,
        );
      if (!force) requirePhotos(connection, dataFolder);
      makeOriginal(connection);
    } finally {
      connection.close();
    }
  });
}

function requirePhotos(connection: Connection, dataFolder: string): void {
  const names = [...listPhotoFiles(loadQueries(connection).file('backup'))];
  const missing = names.filter((name) => !existsSync(join(dataFolder, photoPlace(name))));
  if (missing.length > 0)
    throw new StorageError(
      `${missing.length} of ${names.length} files of photos have not arrived, such as ${missing[0] ?? ''}; with --force they are given up`,
    );
}
