import { constants } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { codeOf } from './system-error.ts';

const PART_BYTES = 64 * 1024;
const MOST_BYTES = 256 * 1024;
const MOST_PIECES = 1_000;

/**
 * The bytes of an open file from `start` up to but excluding `end`, in parts of 64 KB. Throws if the file ends
 * earlier, or the reason of `signal`. The caller closes the handle.
 */
export async function* readPart(
  handle: FileHandle,
  start: number,
  end: number,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  for (let position = start; position < end;) {
    signal?.throwIfAborted();
    const part = Buffer.allocUnsafe(Math.min(PART_BYTES, end - position));
    const { bytesRead } = await handle.read(part, 0, part.length, position);
    if (bytesRead === 0) throw new Error('a file became shorter while it was read');
    position += bytesRead;
    yield part.subarray(0, bytesRead);
  }
}

/**
 * Joins small pieces of a file into larger ones, because a write takes as long as copying thousands of bytes. Holds
 * few pieces at a time, since a tiny one takes more memory than its bytes.
 */
export async function* together(pieces: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces) {
    held.push(piece);
    size += piece.length;
    if (size < MOST_BYTES && held.length < MOST_PIECES) continue;
    yield Buffer.concat(held);
    held = [];
    size = 0;
  }
  yield Buffer.concat(held);
}

/** Flushes a folder: new names in it survive a power cut only afterwards. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes a file if it exists. */
export async function removeFile(path: string): Promise<void> {
  await ifExists(unlink(path));
}

/** The result of work on a file; undefined if the file does not exist. */
export async function ifExists<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
