import { statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { databasePath } from '../storage/database.ts';
import type { Prepared, QueryFile } from '../storage/statements.ts';
import { type Family, labelled, single } from './exposition.ts';

export interface StorageFamiliesOptions {
  readonly dataFolder: string;
  readonly sql: QueryFile;
  /** Whether writes are refused since the storage failed. */
  readonly storageHasFailed: () => boolean;
}

interface Counts {
  readonly restaurants: number;
  readonly pending: number;
  readonly photos: number;
}

interface Trash {
  readonly photos: number;
  readonly bytes: number;
}

/** What is kept and where: sizes, free space, numbers of records. What cannot be read now is left out. */
export function createStorageFamilies(options: StorageFamiliesOptions): () => Promise<readonly Family[]> {
  const { dataFolder, sql, storageHasFailed } = options;
  const countRecords = sql.prepare<Counts>('countRecords');
  const sumTrash = sql.prepare<Trash>('sumTrash');
  const describeChanges = sql.prepare<{ changes: number }>('describeChanges');
  const database = databasePath(dataFolder);

  function ifReadable<Row>(statement: Prepared<Row>): Row | undefined {
    try {
      return statement.get();
    } catch {
      // A scrape tells most where the storage has failed.
      return undefined;
    }
  }

  return async () => {
    const [counts, trash] = [ifReadable(countRecords), ifReadable(sumTrash)];
    const log = ifReadable(describeChanges);
    const disk = await statfs(dataFolder).catch(() => undefined);
    const sizes = [
      ['main', sizeOf(database)],
      ['wal', sizeOf(`${database}-wal`)],
    ] as const;
    return [
      labelled('catalogue_database_bytes', 'gauge', 'Size of the database and its log.', 'part', sizes),
      single(
        'catalogue_storage_failed',
        'gauge',
        'Whether writes are refused until a restart, since the storage failed.',
        Number(storageHasFailed()),
      ),
      single(
        'catalogue_disk_free_bytes',
        'gauge',
        'Room for this service on the disk of the data folder.',
        disk && disk.bavail * disk.bsize,
      ),
      single(
        'catalogue_disk_size_bytes',
        'gauge',
        'Size of the disk of the data folder.',
        disk && disk.blocks * disk.bsize,
      ),
      single('catalogue_restaurants', 'gauge', 'Restaurants in the catalogue.', counts?.restaurants),
      single('catalogue_suggestions_pending', 'gauge', 'Suggestions that nobody decided.', counts?.pending),
      single('catalogue_photos', 'gauge', 'Menu photos.', counts?.photos),
      single('catalogue_changes', 'gauge', 'Changes in the change log.', log?.changes),
      single('catalogue_trash_files', 'gauge', 'Files of deleted photos.', trash?.photos),
      single('catalogue_trash_bytes', 'gauge', 'Size of the files of deleted photos.', trash?.bytes),
    ];
  };
}

/** Bytes; 0 where there is no such file. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
