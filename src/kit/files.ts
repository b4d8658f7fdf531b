import { constants } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { codeOf } from './system-error.ts';

const PART_BYTES = 64 * 1024;
const MOST_BYTES = 256 * 1024;
const MOST_PIECES = 1_000;

/**
 * The bytes of an open file from `start` to before `end`, in parts of 64 KB. Throws when the file ends before. The caller
 * closes the handle.
 */
export async function* readPart(handle: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let position = start; position < end;) {
    const part = Buffer.allocUnsafe(Math.min(PART_BYTES, end - position));
    const { bytesRead } = await handle.read(part, 0, part.length, position);
    if (bytesRead === 0) throw new Error('a file became shorter while it was read');
    position += bytesRead;
    yield part.subarray(0, bytesRead);
  }
}

/**
 * Joins pieces of a file to larger ones. A write takes as long as copying thousands of bytes, so a file in tens of thousands
 * of pieces must not cost as many writes. Few pieces are held at once, since a tiny one takes more memory than its bytes.
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

/** Flushes a folder: a name in it outlives a power cut only once the folder itself is on the disk. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes a file, if it exists. */
export async function removeFile(path: string): Promise<void> {
  await ifExists(unlink(path));
}

/** The result of work on a file; undefined when the file does not exist. */
export async function ifExists<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
