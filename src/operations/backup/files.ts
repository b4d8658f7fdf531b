import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { StorageError } from '../../storage/database.ts';
import { codeOf } from '../../kit/system-error.ts';
import { syncPath } from '../../storage/folder.ts';

const CHUNK_BYTES = 256 * 1024;
const BREATH_BYTES = 16 * 1024 * 1024;
// The cost of opening and of linking a file, in bytes that could be read meanwhile.
const OPEN_COST = 128 * 1024;
const LINK_COST = 64 * 1024;
// A pipe must not hold the command up, and a link must not lead it outside.
const READ_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
// Another file system, one without such links, files of another user, too many links to one file.
const CANNOT_LINK = ['EXDEV', 'EPERM', 'EACCES', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];
const GONE = ['ENOENT', 'ENOTDIR', 'ELOOP'];

/** Lets signals come through during long work; rejects with the reason once the work was called off. */
export type Pace = (bytes: number) => Promise<void>;

/** Starts to count work. */
export function createPace(signal: AbortSignal): Pace {
  let done = 0;
  return async (bytes) => {
    done += bytes;
    if (done < BREATH_BYTES) return;
    done = 0;
    await breathe();
    signal.throwIfAborted();
  };
}

/** A file that is open for reading. */
export interface OpenFile {
  /** Bytes. */
  readonly size: number;
  /** The bytes from `start` to before `end`, by default to the end as it was when the file was opened. */
  readonly read: (start?: number, end?: number) => AsyncGenerator<Buffer>;
  readonly close: () => void;
}

/**
 * Opens a file, to be closed by the caller. Rejects with a StorageError when it is a link or anything else but a
 * regular file, and with the system's error when it cannot be opened.
 */
export async function openFile(path: string, pace: Pace): Promise<OpenFile> {
  await pace(OPEN_COST);
  const descriptor = openSync(path, READ_ONLY);
  const close = (): void => {
    closeSync(descriptor);
  };
  const status = fstatSync(descriptor);
  if (!status.isFile()) {
    close();
    throw new StorageError(`${path} is not a regular file`);
  }
  const { size } = status;
  async function* read(start = 0, end = size): AsyncGenerator<Buffer> {
    for (let position = start; position < end;) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - position));
      const count = readSync(descriptor, chunk, 0, chunk.length, position);
      if (count === 0) throw new StorageError(`${path} is cut short`);
      position += count;
      await pace(count);
      yield chunk.subarray(0, count);
    }
  }
  return { size, read, close };
}

/** The bytes of a whole file, which is open while they are read. Rejects like `openFile`. */
export async function* readFile(path: string, pace: Pace): AsyncGenerator<Buffer> {
  const file = await openFile(path, pace);
  try {
    yield* file.read();
  } finally {
    file.close();
  }
}

/**
 * Makes a new file, for its owner alone, of what `fill` writes. It is not synced: of many files that are synced
 * afterwards, the first takes most of the others with it.
 */
export async function createFile<Result>(
  path: string,
  fill: (write: (chunk: Buffer) => void) => Promise<Result>,
): Promise<Result> {
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    return await fill((chunk) => {
      for (let written = 0; written < chunk.length;) written += writeSync(descriptor, chunk, written);
    });
  } finally {
    closeSync(descriptor);
  }
}

/** Writes a new file, for its owner alone; it is on the disk when the promise resolves. */
export async function writeFile(
  path: string,
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<void> {
  await createFile(path, async (write) => {
    for await (const chunk of chunks) write(chunk);
  });
  syncPath(path);
}

/**
 * Links a file that never changes to `target`, the folder of which is made, or copies it where that cannot be done.
 * Resolves to false when there is no regular file of that name.
 */
export async function linkOrCopy(source: string, target: string, pace: Pace): Promise<boolean> {
  await pace(LINK_COST);
  // A link is not followed, neither when it is linked nor when it is copied.
  if (lstatSync(source, { throwIfNoEntry: false })?.isFile() !== true) return false;
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  try {
    linkSync(source, target);
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (GONE.includes(code)) return false;
    if (!CANNOT_LINK.includes(code)) throw error;
    await writeFile(target, readFile(source, pace));
  }
  if (lstatSync(target).isFile()) return true;
  rmSync(target);
  throw new StorageError(`${source} became a link while it was copied`);
}
