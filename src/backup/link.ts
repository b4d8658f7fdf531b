import { linkSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StorageError } from '../storage/database.ts';
import { codeOf } from '../storage/failures.ts';
import { syncPath } from '../storage/sync.ts';
import { type Pace, withFile, writeNew } from './bytes.ts';

// Another file system, one without such links, files of somebody else, too many links to one file.
const CANNOT_LINK = ['EXDEV', 'EPERM', 'EACCES', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];
const GONE = ['ENOENT', 'ENOTDIR', 'ELOOP'];
const COST = 64 * 1024;

/** Takes files from one folder into another. */
export interface Linker {
  /** Under the same name; false when there is no regular file of that name. */
  readonly take: (name: string) => Promise<boolean>;
  /** Brings the folders that were made to the disk. */
  readonly sync: () => void;
}

/** Files are linked where that can be done, since those of photos never change, and copied where not. */
export function createLinker(from: string, to: string, pace: Pace): Linker {
  const folders = new Set<string>();

  function makeFolder(folder: string): void {
    if (folders.has(folder)) return;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const made of [folder, dirname(folder)]) folders.add(made);
  }

  async function copy(source: string, target: string): Promise<void> {
    await withFile(source, pace, (file) => writeNew(target, file.read()));
  }

  return {
    take: async (name) => {
      const [source, target] = [join(from, name), join(to, name)];
      await pace(COST);
      // A link is not followed, neither when it is linked nor when it is copied.
      if (lstatSync(source, { throwIfNoEntry: false })?.isFile() !== true) return false;
      makeFolder(dirname(target));
      try {
        linkSync(source, target);
      } catch (error) {
        const code = codeOf(error) ?? '';
        if (GONE.includes(code)) return false;
        if (!CANNOT_LINK.includes(code)) throw error;
        await copy(source, target);
      }
      if (lstatSync(target).isFile()) return true;
      rmSync(target);
      throw new StorageError(`${source} became a link while it was taken`);
    },
    sync: () => {
      for (const folder of folders) syncPath(folder);
    },
  };
}
