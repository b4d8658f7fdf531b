import { StorageError } from '../../storage/database.ts';
import type { OpenFile } from './files.ts';

const BLOCK = 512;
const MAX_OCTAL = 0o77777777777;
const SUM_AT = 148;

/** A file in an archive. */
export interface TarEntry {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** The place of its content in the archive, in bytes. */
  readonly start: number;
}

/**
 * The header of a regular file of mode 0600 (POSIX ustar; the GNU form of sizes from 8 GiB on). Names are ASCII of at
 * most 100 characters.
 */
export function tarHeader(name: string, size: number, modifiedAt: Date): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 100, 'latin1');
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

/** The padding behind a file of this size, up to the next header. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

/** The end of an archive. */
export const TAR_END: Buffer = Buffer.alloc(2 * BLOCK);

/**
 * The files of an archive in their order. Throws a StorageError at everything that `tarHeader` cannot have made: links,
 * folders, extensions, wrong checksums, an archive that is cut short or goes on behind its end.
 */
export async function* readTar(archive: OpenFile): AsyncGenerator<TarEntry, void, undefined> {
  let position = 0;
  for (;;) {
    const header = await collect(archive, position, position + BLOCK);
    if (isZero(header)) break;
    const entry = { ...parseHeader(header), start: position + BLOCK };
    const end = entry.start + entry.size;
    position = end + tarPadding(entry.size).length;
    if (position > archive.size) throw cutShort();
    yield entry;
    if (!isZero(await collect(archive, end, position))) throw damaged();
  }
  if (position + TAR_END.length !== archive.size) throw new StorageError('the archive has no proper end');
  if (!isZero(await collect(archive, position, archive.size))) throw damaged();
}

function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}

async function collect(archive: OpenFile, start: number, end: number): Promise<Buffer> {
  if (end > archive.size) throw cutShort();
  const chunks: Buffer[] = [];
  for await (const chunk of archive.read(start, end)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function parseHeader(header: Buffer): { name: string; size: number } {
  const text = (start: number, end: number): string => header.toString('latin1', start, end);
  const [, sum] = /^([0-7]{6})\0 $/.exec(text(SUM_AT, SUM_AT + 8)) ?? [];
  if (sum === undefined || parseInt(sum, 8) !== checksum(header)) throw damaged();
  const [, name] = /^([!-~]{1,100})\0*$/.exec(text(0, 100)) ?? [];
  const isPlain =
    text(156, 157) === '0' &&
    text(257, 265) === 'ustar\x0000' &&
    isZero(header.subarray(157, 257)) &&
    isZero(header.subarray(345));
  if (name === undefined || !isPlain)
    throw new StorageError('the archive holds something else than plain files');
  return { name, size: parseSize(header.subarray(124, 136)) };
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

/** The sum of all bytes, those of the sum itself counted as blanks. */
function checksum(header: Buffer): number {
  let sum = 8 * 0x20;
  for (const [index, byte] of header.entries()) if (index < SUM_AT || index >= SUM_AT + 8) sum += byte;
  return sum;
}

function cutShort(): StorageError {
  return new StorageError('the archive is cut short');
}

function damaged(): StorageError {
  return new StorageError('the archive is damaged');
}
