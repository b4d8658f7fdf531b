import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs';
import { createInflateRaw } from 'node:zlib';
import { UnreadableFile } from './faults.ts';
import type { Chunks } from './source.ts';

/** A file within an archive. */
export interface ArchiveFile {
  /** Its name without folders: an import extracts nothing, so it does not matter where the file would go. */
  readonly name: string;
  /** In bytes, unpacked. */
  readonly size: number;
  /** Throws an UnreadableFile if the file is longer than the archive says. */
  readonly open: () => Chunks;
}

const MOST_FILES = 1_000;
const MAX_SIZE = 100 * 1024 * 1024;
const MAX_DIRECTORY = 1024 * 1024;
// No text that people write compresses to less than a 200th of its size.
const [LARGE, MOST_GROWTH] = [4 * 1024 * 1024, 200];
const [END, ENTRY, LOCAL] = [0x06054b50, 0x02014b50, 0x04034b50];
const [END_SIZE, ENTRY_SIZE, LOCAL_SIZE, MAX_COMMENT] = [22, 46, 30, 65_535];
const [STORED, DEFLATED] = [0, 8];
// Files that programs add to archives for their own use.
const OWN = /(?:^|\/)(?:\.[^./]|__MACOSX\/)|\/$/;

/** The files of a zip archive (APPNOTE.TXT, without ZIP64). Throws an UnreadableFile for one that is damaged or too large. */
export function openArchive(path: string): readonly ArchiveFile[] {
  const { directory, total } = readDirectory(path);
  const most = Math.min(MAX_SIZE, Math.max(LARGE, statSync(path).size * MOST_GROWTH));
  const files: ArchiveFile[] = [];
  let [at, count, size] = [0, 0, 0];
  for (; at + ENTRY_SIZE <= directory.length && directory.readUInt32LE(at) === ENTRY; count += 1) {
    const flags = directory.readUInt16LE(at + 8);
    const method = directory.readUInt16LE(at + 10);
    const [packed, unpacked] = [directory.readUInt32LE(at + 20), directory.readUInt32LE(at + 24)];
    const [nameSize, extraSize, commentSize] = [28, 30, 32].map((field) =>
      directory.readUInt16LE(at + field),
    );
    const start = directory.readUInt32LE(at + 42);
    const nameEnd = at + ENTRY_SIZE + (nameSize ?? 0);
    const name = directory.toString('utf8', at + ENTRY_SIZE, nameEnd);
    at = nameEnd + (extraSize ?? 0) + (commentSize ?? 0);
    size += unpacked;
    const isSwollen = unpacked > Math.max(LARGE, packed * MOST_GROWTH);
    if (count >= MOST_FILES || size > most || isSwollen) throw new UnreadableFile('too_large');
    if (OWN.test(name)) continue;
    const isReadable = (flags & 1) === 0 && (method === STORED || method === DEFLATED);
    files.push({
      name: name.slice(name.lastIndexOf('/') + 1),
      size: unpacked,
      open: () => {
        if (!isReadable) throw new UnreadableFile('encrypted');
        return unpack(path, { start, packed, unpacked, isDeflated: method === DEFLATED });
      },
    });
  }
  if (count !== total) throw new UnreadableFile('damaged');
  return files;
}

function readDirectory(path: string): { readonly directory: Buffer; readonly total: number } {
  const { size } = statSync(path);
  const file = openSync(path, 'r');
  try {
    const tail = readAt(
      file,
      Math.max(0, size - END_SIZE - MAX_COMMENT),
      Math.min(size, END_SIZE + MAX_COMMENT),
    );
    for (let at = tail.length - END_SIZE; at >= 0; at -= 1)
      if (tail.readUInt32LE(at) === END) {
        const [length, start] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)];
        const total = tail.readUInt16LE(at + 10);
        if (total > MOST_FILES || length > MAX_DIRECTORY) throw new UnreadableFile('too_large');
        return { directory: readAt(file, start, length), total };
      }
    throw new UnreadableFile('damaged');
  } finally {
    closeSync(file);
  }
}

function readAt(file: number, start: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  if (readSync(file, bytes, 0, length, start) < length) throw new UnreadableFile('damaged');
  return bytes;
}

interface Packed {
  readonly start: number;
  readonly packed: number;
  readonly unpacked: number;
  readonly isDeflated: boolean;
}

async function* unpack(path: string, { start, packed, unpacked, isDeflated }: Packed): Chunks {
  const file = openSync(path, 'r');
  let data: number;
  try {
    const head = readAt(file, start, LOCAL_SIZE);
    if (head.readUInt32LE(0) !== LOCAL) throw new UnreadableFile('damaged');
    data = start + LOCAL_SIZE + head.readUInt16LE(26) + head.readUInt16LE(28);
  } finally {
    closeSync(file);
  }
  if (packed === 0) return;
  const stream = createReadStream(path, { start: data, end: data + packed - 1 });
  const inflate = isDeflated ? createInflateRaw() : undefined;
  let size = 0;
  try {
    const chunks: Chunks = inflate
      ? stream.on('error', (error) => inflate.destroy(error)).pipe(inflate)
      : stream;
    for await (const chunk of chunks) {
      size += chunk.length;
      // Otherwise a small archive could grow without end.
      if (size > unpacked) throw new UnreadableFile('damaged');
      yield chunk;
    }
  } catch (error) {
    throw error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
      ? new UnreadableFile('damaged')
      : error;
  } finally {
    inflate?.destroy();
    stream.destroy();
  }
}
