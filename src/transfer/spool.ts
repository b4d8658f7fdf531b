import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StorageError } from '../storage/database.ts';
import { reasonOf } from '../kit/system-error.ts';

/** A file on its way to be imported, with a folder of its own. */
export interface Spooled {
  readonly folder: string;
  readonly path: string;
  readonly handle: FileHandle;
  /** Removes the folder and all in it; may be called again. */
  readonly end: () => Promise<void>;
}

/** Where files wait until they are imported. Everything rejects with the system's error when the disk does not do its part. */
export interface Spool {
  readonly begin: () => Promise<Spooled>;
}

const FOLDER = 'imports';

/**
 * Opens the spool in a data folder, which is to be done by a server that holds its lock: what is in it was left by a
 * crash, and is removed; a replica leaves it. Rejects with a StorageError when that cannot be done.
 */
export async function openSpool(dataFolder: string, isReplica: boolean): Promise<Spool> {
  const root = join(dataFolder, FOLDER);
  try {
    if (!isReplica) await rm(root, { recursive: true, force: true });
  } catch (error) {
    throw new StorageError(`cannot empty the folder of imports ${root}: ${reasonOf(error)}`);
  }
  return {
    begin: async () => {
      const folder = join(root, randomBytes(16).toString('hex'));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, 'file');
      const handle = await open(path, 'wx', 0o600);
      return {
        ...{ folder, path, handle },
        end: async () => {
          await handle.close();
          await rm(folder, { recursive: true, force: true });
        },
      };
    },
  };
}
