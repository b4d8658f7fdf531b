import { constants, lstatSync } from 'node:fs';
import { type FileHandle, link, mkdir, open, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readPart } from '../../kit/files.ts';
import { codeOf } from '../../kit/system-error.ts';
import { StorageError } from '../../storage/database.ts';

// A pipe must not block the command, and a link must not lead it outside.
const READ_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
// Another file system, one without hard links, files of another user, or too many links to one file.
const CANNOT_LINK = ['EXDEV', 'EPERM', 'EACCES', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Options of `writeFile` for a new file that only its owner can read. */
export const NEW_FILE = { flag: 'wx', mode: 0o600 } as const;
/** The same for a file that is synced when the promise resolves. */
export const NEW_SYNCED_FILE = { ...NEW_FILE, flush: true } as const;

/** Opens a file for reading. Rejects with a StorageError unless it is a regular file, or with the system's error. */
export async function openFile(
  path: string,
): Promise<{ readonly handle: FileHandle; readonly size: number }> {
  const handle = await open(path, READ_ONLY);
  const status = await handle.stat();
  if (status.isFile()) return { handle, size: status.size };
  await handle.close();
  throw new StorageError(`${path} is not a regular file`);
}

/** The bytes of a file. Rejects like `openFile` and `readPart`. */
export async function* readFile(path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const { handle, size } = await openFile(path);
  try {
    yield* readPart(handle, 0, size, signal);
  } finally {
    await handle.close();
  }
}

/**
 * Makes `target` a hard link to a file that never changes, or a copy where that is impossible. Creates the folder of
 * `target`. False if there is no such regular file.
 */
export async function linkOrCopy(source: string, target: string, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted();
  // Neither linking nor copying follows a symbolic link.
  if (lstatSync(source, { throwIfNoEntry: false })?.isFile() !== true) return false;
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  try {
    await link(source, target);
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (code === 'ENOENT') return false;
    if (!CANNOT_LINK.includes(code)) throw error;
    await writeFile(target, readFile(source, signal), NEW_SYNCED_FILE);
  }
  return true;
}
