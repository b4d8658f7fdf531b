import type { BigIntStats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { codeOf } from '../../kit/system-error.ts';

/** A file of map tiles in one archive (PMTiles), which an operator may replace at any time. */
export interface MapFile {
  /** Its size in bytes and a tag of its content; undefined when it is not there. */
  readonly status: () => Promise<{ readonly size: number; readonly tag: string } | undefined>;
  /** The bytes from `start` to before `end`. Rejects with a MapReplacedError when the tag is no longer the file's. */
  readonly read: (tag: string, start: number, end: number) => AsyncGenerator<Buffer>;
}

/** The file is another one by now. Not a byte of it was read. */
export class MapReplacedError extends Error {
  override readonly name = 'MapReplacedError';
  override readonly message = 'the file of map tiles was replaced';
}

const CHUNK_BYTES = 64 * 1024;

/** The file at an absolute path. */
export function createMapFile(path: string): MapFile {
  return {
    status: async () => {
      try {
        const status = await stat(path, { bigint: true });
        return status.isFile() ? { size: Number(status.size), tag: tagOf(status) } : undefined;
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return undefined;
        throw error;
      }
    },
    read: (tag, start, end) => readPart(path, tag, start, end),
  };
}

/** Another file has another tag, and so has one that was written into. The content of gigabytes cannot be hashed. */
function tagOf({ ino, size, mtimeNs }: BigIntStats): string {
  return `"${[ino, size, mtimeNs].map((part) => part.toString(36)).join('-')}"`;
}

async function* readPart(path: string, tag: string, start: number, end: number): AsyncGenerator<Buffer> {
  const handle = await open(path);
  try {
    if (tagOf(await handle.stat({ bigint: true })) !== tag) throw new MapReplacedError();
    for (let position = start; position < end;) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - position));
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
      if (bytesRead === 0) throw new Error('the file of map tiles became shorter while it was read');
      position += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}
