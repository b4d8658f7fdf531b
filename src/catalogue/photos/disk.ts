import { constants } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { codeOf } from '../../kit/system-error.ts';

const MOST_BYTES = 256 * 1024;
const MOST_PIECES = 1_000;
/** Flags to read a file. Links are not followed, so that nothing outside is ever served. */
export const READ_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW;

/**
 * Puts pieces of a file together. A write takes as long as copying thousands of bytes, so that a file in tens of thousands
 * of pieces must not cost as many writes; few are held, since a tiny piece takes more memory than its bytes.
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

/** A name in a folder outlives a power cut only once the folder itself is on the disk. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes a file, if it is there. */
export async function remove(path: string): Promise<void> {
  await ifThere(unlink(path));
}

/** The result of work on a file; undefined when there is no such file. */
export async function ifThere<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
