import type { QueryFile } from '../../storage/statements.ts';
import { type PhotoFiles, createPhotoFiles, makePhotoFolder } from './files.ts';
import { type PhotoStore, createPhotoLedger, createPhotoStore } from './store.ts';
import { type PhotoSweeper, type PhotoSweeperOptions, createPhotoSweeper, removeRemains } from './sweep.ts';

export interface PhotosOptions extends Pick<PhotoSweeperOptions, 'transactions' | 'report'> {
  readonly dataFolder: string;
  readonly sql: QueryFile;
  /** Whether the folder is read as it is. */
  readonly isReplica: boolean;
}

/** Everything about photos but their routes. */
export interface Photos {
  readonly files: PhotoFiles;
  readonly store: PhotoStore;
  readonly sweeper: PhotoSweeper;
}

/** Opens photos.sql and the folder of the files, without the remains of uploads that a crash cut short. */
export async function openPhotos({ dataFolder, sql, isReplica, ...options }: PhotosOptions): Promise<Photos> {
  const files = createPhotoFiles(dataFolder);
  const ledger = createPhotoLedger(sql);
  if (!isReplica) {
    await makePhotoFolder(dataFolder);
    await removeRemains(files, ledger);
  }
  return { files, store: createPhotoStore(sql), sweeper: createPhotoSweeper({ ...options, files, ledger }) };
}
