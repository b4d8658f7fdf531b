import type { QueryFile } from '../storage/statements.ts';
import { type PhotoFiles, openPhotoFiles, readPhotoFiles } from './files.ts';
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

/** Opens photos.sql and the folder of the files, without the remains of uploads that a crash cut short. */
export async function openPhotos(options: PhotosOptions): Promise<Photos> {
  const photos = assemble(await openPhotoFiles(options.dataFolder), options);
  await photos.sweeper.recover();
  return photos;
}

/** The same for a replica: the folder is read as it is, and left to the process that fills it. */
export function readPhotos(options: PhotosOptions): Photos {
  const [done, nothing] = [Promise.resolve(), (): void => undefined];
  const idle = { recover: () => done, opened: done, start: nothing, wake: nothing, stop: nothing };
  return { ...assemble(readPhotoFiles(options.dataFolder), options), sweeper: idle };
}

function assemble(files: PhotoFiles, { sql, transactions, report }: PhotosOptions): Photos {
  const store = createPhotoStore(sql);
  const ledger = createPhotoLedger(sql);
  return { files, store, sweeper: createPhotoSweeper({ transactions, report, files, ledger }) };
}
