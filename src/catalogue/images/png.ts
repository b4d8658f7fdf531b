import { crc32 } from 'node:zlib';
import { type ImageContent, TRUNCATED, check, createBlockCount } from './content.ts';
import { findOrientation, makeOrientationBlock, UPRIGHT } from './exif.ts';

/** The first bytes of a PNG file (PNG third edition section 5.2). */
export const PNG_SIGNATURE: Buffer = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

// Length, type and checksum.
const FRAME_SIZE = 12;
const MAX_LENGTH = 2 ** 31 - 1;
const HEADER_SIZE = 13;

// The chunks needed for decoding, with their minimum and maximum size in bytes, so that nothing can hide in them.
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
  check(header?.type === 'IHDR' && header.data.length === HEADER_SIZE && isIntact(header));
  const pieces: Buffer[] = [];
  let orientation: number | undefined;
  let hasPicture = false;
  for (const chunk of chunks) {
    const { type, data, whole } = chunk;
    const isWhole = isSized(chunk) && isIntact(chunk);
    // Decoders skip ancillary chunks that are damaged.
    check(isAncillary(type) || isWhole);
    hasPicture ||= type === 'IDAT';
    if (isWhole) pieces.push(whole);
    else if (type === 'eXIf' && isIntact(chunk)) orientation ??= findOrientation(data);
  }
  check(hasPicture);
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

/** True if the chunk is needed for decoding and has a legal size. */
function isSized({ type, data }: Chunk): boolean {
  const size = DECODED.get(type);
  return size !== undefined && data.length >= size[0] && data.length <= size[1];
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
