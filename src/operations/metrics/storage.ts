import { statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { databasePath } from '../../storage/database.ts';
import type { QueryFile } from '../../storage/statements.ts';
import { type Family, by, gauge, ifReadable } from './exposition.ts';

export interface StorageFamiliesOptions {
  readonly dataFolder: string;
  readonly sql: QueryFile;
  /** Whether writes are refused since the storage failed. */
  readonly storageHasFailed: () => boolean;
}

type Counts = Readonly<Record<'restaurants' | 'pending' | 'photos', number>>;
type Trash = Readonly<Record<'photos' | 'bytes', number>>;

/** Sizes, free space and numbers of records. What cannot be read now is left out. */
export function createStorageFamilies(options: StorageFamiliesOptions): () => Promise<readonly Family[]> {
  const { dataFolder, sql, storageHasFailed } = options;
  const countRecords = sql.prepare<Counts>('countRecords');
  const sumTrash = sql.prepare<Trash>('sumTrash');
  const describeChanges = sql.prepare<{ changes: number }>('describeChanges');
  const database = databasePath(dataFolder);

  return async () => {
    const [counts, trash] = [ifReadable(() => countRecords.get()), ifReadable(() => sumTrash.get())];
    const log = ifReadable(() => describeChanges.get());
    const disk = await statfs(dataFolder).catch(() => undefined);
    const [free, size] = [disk && disk.bavail * disk.bsize, disk && disk.blocks * disk.bsize];
    const sizes = by('part', [
      ['main', sizeOf(database)],
      ['wal', sizeOf(`${database}-wal`)],
    ]);
    return [
      gauge('catalogue_database_bytes', 'Size of the database and its log.', sizes),
      gauge(
        'catalogue_storage_failed',
        'Whether writes are refused until a restart, since the storage failed.',
        Number(storageHasFailed()),
      ),
      gauge('catalogue_disk_free_bytes', 'Space for this service on the disk of the data folder.', free),
      gauge('catalogue_disk_size_bytes', 'Size of the disk of the data folder.', size),
      gauge('catalogue_restaurants', 'Restaurants in the catalogue.', counts?.restaurants),
      gauge('catalogue_suggestions_pending', 'Suggestions that no one has decided.', counts?.pending),
      gauge('catalogue_photos', 'Menu photos.', counts?.photos),
      gauge('catalogue_changes', 'Changes in the change log.', log?.changes),
      gauge('catalogue_trash_files', 'Files of deleted photos.', trash?.photos),
      gauge('catalogue_trash_bytes', 'Size of the files of deleted photos.', trash?.bytes),
    ];
  };
}

/** Bytes; 0 where there is no such file. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
