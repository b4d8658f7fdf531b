import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';
import { StorageError } from '../storage/database.ts';
import { syncPath } from '../storage/sync.ts';

const CHUNK_BYTES = 256 * 1024;
const BREATH_BYTES = 16 * 1024 * 1024;
// What opening a file costs, in bytes that could be read meanwhile.
const FILE_COST = 128 * 1024;
// A pipe must not hold the command up, and a link must not lead it outside.
const READ_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

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
  readonly read: (start?: number, end?: number) => AsyncGenerator<Buffer, void, undefined>;
  readonly close: () => void;
}

/**
 * Opens a file, to be closed by the caller. Rejects with a StorageError when it is a link or anything else but a
 * regular file, and with the system's error when it cannot be opened.
 */
export async function openFile(path: string, pace: Pace): Promise<OpenFile> {
  await pace(FILE_COST);
  const descriptor = openSync(path, READ_ONLY);
  const status = fstatSync(descriptor);
  const close = (): void => {
    closeSync(descriptor);
  };
  if (!status.isFile()) {
    close();
    throw new StorageError(`${path} is not a regular file`);
  }
  const { size } = status;
  return { size, read: (start = 0, end = size) => readRange(descriptor, path, start, end, pace), close };
}

/** Opens a file for as long as `work` takes. Rejects like `openFile`. */
export async function withFile<Result>(
  path: string,
  pace: Pace,
  work: (file: OpenFile) => Promise<Result>,
): Promise<Result> {
  const file = await openFile(path, pace);
  try {
    return await work(file);
  } finally {
    file.close();
  }
}

async function* readRange(
  descriptor: number,
  path: string,
  start: number,
  end: number,
  pace: Pace,
): AsyncGenerator<Buffer, void, undefined> {
  for (let position = start; position < end;) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - position));
    const count = readSync(descriptor, chunk, 0, chunk.length, position);
    if (count === 0) throw new StorageError(`${path} is cut short`);
    position += count;
    await pace(count);
    yield chunk.subarray(0, count);
  }
}

type Chunks = AsyncIterable<Buffer> | Iterable<Buffer>;

/** Writes a new file, for its owner alone; it is on the disk when the promise resolves. */
export async function writeNew(path: string, chunks: Chunks): Promise<void> {
  await writeUnsynced(path, chunks);
  syncPath(path);
}

/** The same but for the disk: of many files that are synced afterwards, the first takes most of the others with it. */
export async function writeUnsynced(path: string, chunks: Chunks): Promise<void> {
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    for await (const chunk of chunks)
      for (let written = 0; written < chunk.length;) written += writeSync(descriptor, chunk, written);
  } finally {
    closeSync(descriptor);
  }
}
