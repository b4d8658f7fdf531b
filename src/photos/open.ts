import type { QueryFile } from '../storage/statements.ts';
import { type PhotoFiles, openPhotoFiles } from './files.ts';
import { type PhotoStore, createPhotoLedger, createPhotoStore } from './store.ts';
import { type PhotoSweeper, type PhotoSweeperOptions, createPhotoSweeper } from './sweep.ts';

export interface PhotosOptions extends Pick<PhotoSweeperOptions, 'transactions' | 'report'> {
  readonly dataFolder: string;
  readonly sql: QueryFile;
}

/** Everything about photos but their routes. */
export interface Photos {
  readonly files: PhotoFiles;
  readonly store: PhotoStore;
  readonly sweeper: PhotoSweeper;
}

/** Opens photos.sql and the folder of the files, without what a crash left there of uploads. */
export async function openPhotos({ dataFolder, sql, ...options }: PhotosOptions): Promise<Photos> {
  const files = await openPhotoFiles(dataFolder);
  const store = createPhotoStore(sql);
  const sweeper = createPhotoSweeper({ ...options, files, ledger: createPhotoLedger(sql) });
  await sweeper.recover();
  return { files, store, sweeper };
}
