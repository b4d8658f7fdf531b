import type { FileHandle } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { readPart } from '../../kit/files.ts';
import { StorageError } from '../../storage/database.ts';

const BLOCK = 512;
const MAX_OCTAL = 0o77777777777;
const SUM_AT = 148;

/**
 * The header of a regular file of mode 0600 (POSIX ustar, with GNU sizes from 8 GiB on). The path is ASCII of at most 100
 * characters.
 */
export function tarHeader(path: string, size: number, modifiedAt: Date): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(path, 0, 100, 'latin1');
  header.write('0000600\0', 100, 'latin1');
  header.write('0000000\0', 108, 'latin1');
  header.write('0000000\0', 116, 'latin1');
  if (size <= MAX_OCTAL) header.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  else {
    header.writeUInt8(0x80, 124);
    header.writeBigUInt64BE(BigInt(size), 128);
  }
  const seconds = Math.floor(modifiedAt.getTime() / 1000);
  header.write(`${seconds.toString(8).padStart(11, '0')}\0`, 136, 'latin1');
  header.write('0', 156, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  header.write(`${checksum(header).toString(8).padStart(6, '0')}\0 `, SUM_AT, 'latin1');
  return header;
}

/** The padding after a file of this size. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

/** The end of an archive. */
export const TAR_END: Buffer = Buffer.alloc(2 * BLOCK);

/**
 * The files of an archive of `total` bytes in order. `start` is the position of the file's bytes in the archive. Throws a
 * StorageError for everything that `tarHeader` cannot have written: links, folders, extensions, wrong checksums, or an
 * archive that is truncated or too long.
 */
export async function* readTar(
  archive: FileHandle,
  total: number,
): AsyncGenerator<{ readonly path: string; readonly size: number; readonly start: number }> {
  const read = (start: number, end: number): Promise<Buffer> => {
    if (end > total) throw new StorageError('the archive is cut short');
    return buffer(readPart(archive, start, end));
  };
  let position = 0;
  for (;;) {
    const header = await read(position, position + BLOCK);
    if (isZero(header)) break;
    const { path, size } = parseHeader(header);
    const start = position + BLOCK;
    const end = start + size;
    position = end + tarPadding(size).length;
    if (!isZero(await read(end, position))) throw damaged();
    yield { path, size, start };
  }
  if (position + TAR_END.length !== total) throw new StorageError('the archive does not end properly');
  if (!isZero(await read(position, total))) throw damaged();
}

function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}

function parseHeader(header: Buffer): { path: string; size: number } {
  const text = (start: number, end: number): string => header.toString('latin1', start, end);
  const [, sum] = /^([0-7]{6})\0 $/.exec(text(SUM_AT, SUM_AT + 8)) ?? [];
  if (sum === undefined || parseInt(sum, 8) !== checksum(header)) throw damaged();
  const [, path] = /^([!-~]{1,100})\0*$/.exec(text(0, 100)) ?? [];
  const isPlain =
    text(156, 157) === '0' &&
    text(257, 265) === 'ustar\x0000' &&
    isZero(header.subarray(157, 257)) &&
    isZero(header.subarray(345));
  if (path === undefined || !isPlain)
    throw new StorageError('the archive contains something other than plain files');
  return { path, size: parseSize(header.subarray(124, 136)) };
}

function parseSize(field: Buffer): number {
  if (field[0] === 0x80 && field.readUIntBE(1, 3) === 0) {
    const size = field.readBigUInt64BE(4);
    if (size <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(size);
  }
  const [, digits] = /^([0-7]{11})\0$/.exec(field.toString('latin1')) ?? [];
  if (digits === undefined) throw damaged();
  return parseInt(digits, 8);
}

/** The sum of all bytes, with blanks in place of the checksum itself. */
function checksum(header: Buffer): number {
  let sum = 8 * 0x20;
  for (const [index, byte] of header.entries()) if (index < SUM_AT || index >= SUM_AT + 8) sum += byte;
  return sum;
}

function damaged(): StorageError {
  return new StorageError('the archive is damaged');
}
