import { crc32 } from 'node:zlib';
import { type ImageContent, TRUNCATED, check, createBlockCount } from './content.ts';
import { findOrientation, makeOrientationBlock, UPRIGHT } from './exif.ts';

/** The first bytes of a PNG file (PNG third edition section 5.2). */
export const PNG_SIGNATURE: Buffer = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

// Length, type and checksum.
const FRAME_SIZE = 12;
const MAX_LENGTH = 2 ** 31 - 1;
const HEADER_SIZE = 13;

// The chunks needed for decoding, with their minimum and maximum size in bytes.
const DECODED: ReadonlyMap<string, readonly [number, number]> = new Map([
  ['PLTE', [3, 768]],
  ['IDAT', [0, MAX_LENGTH]],
  ['IEND', [0, 0]],
  ['tRNS', [1, 256]],
  ['gAMA', [4, 4]],
  ['cHRM', [32, 32]],
  ['sRGB', [1, 1]],
  ['iCCP', [1, MAX_LENGTH]],
  ['sBIT', [1, 4]],
  ['bKGD', [1, 6]],
  ['pHYs', [9, 9]],
  ['hIST', [2, 512]],
  ['cICP', [4, 4]],
  ['mDCV', [24, 24]],
  ['cLLI', [8, 8]],
  ['acTL', [8, 8]],
  ['fcTL', [26, 26]],
  ['fdAT', [4, MAX_LENGTH]],
]);

// All others may occur only once (PNG third edition table 7).
const REPEATED: ReadonlySet<string> = new Set(['IDAT', 'fcTL', 'fdAT']);

const PALETTE = 3;
// The bit depths that each colour type allows (PNG third edition table 9).
const DEPTHS: ReadonlyMap<number, readonly number[]> = new Map([
  [0, [1, 2, 4, 8, 16]],
  [2, [8, 16]],
  [PALETTE, [1, 2, 4, 8]],
  [4, [8, 16]],
  [6, [8, 16]],
]);
const WITHOUT_PALETTE: readonly (number | undefined)[] = [0, 4];

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
  /** With length, type and checksum. */
  readonly whole: Buffer;
}

/**
 * Reduces a PNG file, animated or not, to the chunks needed for decoding, the colour profile and the orientation, and drops
 * everything after IEND. The file must begin with the signature. Throws an ImageError.
 */
export function cleanPng(bytes: Buffer): ImageContent {
  const chunks = readChunks(bytes);
  const header = chunks.next().value;
  check(header?.type === 'IHDR' && isHeader(header.data) && isIntact(header));
  const pieces: Buffer[] = [];
  const seen = new Set<string>();
  let orientation: number | undefined;
  let previous = '';
  for (const chunk of chunks) {
    const { type, data, whole } = chunk;
    // Decoders skip ancillary chunks with a wrong checksum.
    if (type === 'eXIf' && orientation === undefined && isIntact(chunk)) orientation = findOrientation(data);
    if (DECODED.has(type)) {
      const isAccepted = isSized(chunk) && isInOrder(type, seen, previous, header.data) && isIntact(chunk);
      check(isAccepted);
      pieces.push(whole);
    } else check(isAncillary(type));
    seen.add(type);
    previous = type;
  }
  const turned = orientation ?? UPRIGHT;
  const [width, height] = [header.data.readUInt32BE(0), header.data.readUInt32BE(4)];
  const head = [PNG_SIGNATURE, header.whole, ...exifChunks(turned)];
  return { width, height, orientation: turned, pieces: [...head, ...pieces] };
}

/** Yields the chunks of a file after its signature, up to IEND. */
function* readChunks(bytes: Buffer): Generator<Chunk, undefined> {
  let position = PNG_SIGNATURE.length;
  const countBlock = createBlockCount(bytes);
  for (;;) {
    countBlock();
    check(position + FRAME_SIZE <= bytes.length, TRUNCATED);
    const length = bytes.readUInt32BE(position);
    check(length <= MAX_LENGTH);
    const whole = bytes.subarray(position, position + FRAME_SIZE + length);
    check(whole.length === FRAME_SIZE + length, TRUNCATED);
    const type = whole.toString('latin1', 4, 8);
    yield { type, data: whole.subarray(8, -4), whole };
    if (type === 'IEND') return undefined;
    position += whole.length;
  }
}

function isSized({ type, data }: Chunk): boolean {
  const [min = 0, max = 0] = DECODED.get(type) ?? [];
  return data.length >= min && data.length <= max;
}

/** True if decoders accept a chunk of this type after those already seen. */
function isInOrder(type: string, seen: ReadonlySet<string>, previous: string, header: Buffer): boolean {
  if (seen.has(type) && !REPEATED.has(type)) return false;
  if (type === 'PLTE') return !seen.has('IDAT') && !WITHOUT_PALETTE.includes(header[9]);
  if (type === 'IDAT') {
    const hasPalette = header[9] !== PALETTE || seen.has('PLTE');
    return hasPalette && (previous === 'IDAT' || !seen.has('IDAT'));
  }
  return type !== 'IEND' || seen.has('IDAT');
}

/** Width and height, bit depth, colour type, compression, filter, interlacing. */
function isHeader(data: Buffer): boolean {
  const [depth = 0, colour = 0, compression = 1, filter = 1, interlacing = 2] = data.subarray(8);
  const isLegal = DEPTHS.get(colour)?.includes(depth) === true;
  return data.length === HEADER_SIZE && isLegal && compression === 0 && filter === 0 && interlacing <= 1;
}

/** True if decoders may skip the chunk: its type begins with a lower-case letter. */
function isAncillary(type: string): boolean {
  return /^[a-z][A-Za-z]{3}$/.test(type);
}

function isIntact({ whole }: Chunk): boolean {
  return crc32(whole.subarray(4, -4)) === whole.readUInt32BE(whole.length - 4);
}

function exifChunks(orientation: number): Buffer[] {
  if (orientation === UPRIGHT) return [];
  const block = makeOrientationBlock(orientation);
  const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from('eXIf', 'latin1'), block, Buffer.alloc(4)]);
  chunk.writeUInt32BE(block.length);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return [chunk];
}
