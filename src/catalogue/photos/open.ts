import type { QueryFile } from '../../storage/statements.ts';
import { PhotoFiles } from './files.ts';
import { PhotoLedger, PhotoStore } from './store.ts';
import { PhotoSweeper, type PhotoSweeperOptions } from './sweep.ts';

export interface PhotosOptions extends Pick<PhotoSweeperOptions, 'transactions' | 'report'> {
  readonly dataFolder: string;
  readonly sql: QueryFile;
  /** True if the folder must only be read. */
  readonly isReplica: boolean;
}

/** Photos, without their routes. */
export interface Photos {
  readonly files: PhotoFiles;
  readonly store: PhotoStore;
  readonly sweeper: PhotoSweeper;
}

/** Opens photos.sql and the folder of photos, and removes the remains of uploads interrupted by a crash. */
export async function openPhotos({ dataFolder, sql, isReplica, ...options }: PhotosOptions): Promise<Photos> {
  const files = new PhotoFiles(dataFolder);
  const sweeper = new PhotoSweeper({ ...options, files, ledger: new PhotoLedger(sql) });
  if (!isReplica) {
    await files.makeFolder();
    await sweeper.removeRemains();
  }
  return { files, store: new PhotoStore(sql), sweeper };
}
