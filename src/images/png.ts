import { crc32 } from 'node:zlib';
import {
  DAMAGED,
  type ImageContent,
  type ImageFault,
  mostBlocks,
  TOO_MANY_BLOCKS,
  TRUNCATED,
} from './content.ts';
import { findOrientation, makeOrientationBlock, UPRIGHT } from './exif.ts';

/** The first bytes of a PNG file (PNG third edition section 5.2). */
export const PNG_SIGNATURE: Buffer = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

// Length, type and checksum.
const FRAME_SIZE = 12;
const MAX_LENGTH = 2 ** 31 - 1;
const HEADER_SIZE = 13;
const HEADER_END = PNG_SIGNATURE.length + FRAME_SIZE + HEADER_SIZE;

// The chunks needed for decoding, and from how many to how many bytes they have.
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

// All others stand once (PNG third edition table 7).
const REPEATED: ReadonlySet<string> = new Set(['IDAT', 'fcTL', 'fdAT']);

const PALETTE = 3;
// Colour types with the bit depths that they may have (PNG third edition table 9).
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
  readonly start: number;
  readonly end: number;
  readonly data: Buffer;
}

/**
 * The contents of a PNG file, animated ones included, cut down to what decoding needs, the colour profile and the
 * orientation. Everything behind IEND is left away. The file begins with the signature.
 */
export function cleanPng(bytes: Buffer): ImageContent | ImageFault {
  const collector = createCollector(bytes);
  let position = PNG_SIGNATURE.length;
  const most = mostBlocks(bytes);
  for (let block = 0; block < most; block += 1) {
    if (position + FRAME_SIZE > bytes.length) return TRUNCATED;
    const length = bytes.readUInt32BE(position);
    if (length > MAX_LENGTH) return DAMAGED;
    const end = position + FRAME_SIZE + length;
    if (end > bytes.length) return TRUNCATED;
    const type = bytes.toString('latin1', position + 4, position + 8);
    const data = bytes.subarray(position + 8, end - 4);
    const fault = collector.take({ type, start: position, end, data });
    if (fault) return fault;
    if (type === 'IEND') return collector.end();
    position = end;
  }
  return TOO_MANY_BLOCKS;
}

/** Collects the chunks that stay; `end` is for when all were accepted. */
function createCollector(bytes: Buffer) {
  const pieces: Buffer[] = [];
  const seen = new Set<string>();
  let header: Buffer | undefined;
  let orientation: number | undefined;
  let previous = '';

  /** Whether decoders accept a chunk of this type at this place. */
  function isInOrder(type: string): boolean {
    if (type === 'PLTE')
      return !seen.has('PLTE') && !seen.has('IDAT') && !WITHOUT_PALETTE.includes(header?.[9]);
    if (type === 'IDAT') {
      const hasPalette = header?.[9] !== PALETTE || seen.has('PLTE');
      return hasPalette && (previous === 'IDAT' || !seen.has('IDAT'));
    }
    return type !== 'IEND' || seen.has('IDAT');
  }

  function takeHeader({ type, start, end, data }: Chunk): ImageFault | undefined {
    if (type !== 'IHDR' || !isHeader(data) || !isIntact(bytes, start, end)) return DAMAGED;
    header = data;
    return undefined;
  }

  function takeDecoded({ type, start, end, data }: Chunk): ImageFault | undefined {
    const [min, max] = DECODED.get(type) ?? [];
    if (min === undefined || max === undefined) return isAncillary(type) ? undefined : DAMAGED;
    const isSized = data.length >= min && data.length <= max;
    const isAgain = seen.has(type) && !REPEATED.has(type);
    if (!isSized || isAgain || !isInOrder(type) || !isIntact(bytes, start, end)) return DAMAGED;
    pieces.push(bytes.subarray(start, end));
    return undefined;
  }

  return {
    take: (chunk: Chunk): ImageFault | undefined => {
      if (!header) return takeHeader(chunk);
      const { type, start, end, data } = chunk;
      // Decoders leave a block away that is not intact, as they do with all that no picture needs.
      if (type === 'eXIf' && orientation === undefined && isIntact(bytes, start, end))
        orientation = findOrientation(data);
      const fault = takeDecoded(chunk);
      seen.add(type);
      previous = type;
      return fault;
    },
    end: (): ImageContent | ImageFault => {
      if (!header) return DAMAGED;
      const turned = orientation ?? UPRIGHT;
      const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
      const head = [bytes.subarray(0, HEADER_END), ...exifChunks(turned)];
      return { width, height, orientation: turned, pieces: [...head, ...pieces] };
    },
  };
}

/** Width and height, bit depth, colour type, compression, filter, interlacing. */
function isHeader(data: Buffer): boolean {
  const [depth = 0, colour = 0, compression = 1, filter = 1, interlacing = 2] = data.subarray(8);
  const isLegal = DEPTHS.get(colour)?.includes(depth) === true;
  return data.length === HEADER_SIZE && isLegal && compression === 0 && filter === 0 && interlacing <= 1;
}

/** Whether a decoder may do without the chunk, which the case of its first letter says. */
function isAncillary(type: string): boolean {
  return /^[a-z][A-Za-z]{3}$/.test(type);
}

function isIntact(bytes: Buffer, start: number, end: number): boolean {
  return crc32(bytes.subarray(start + 4, end - 4)) === bytes.readUInt32BE(end - 4);
}

function exifChunks(orientation: number): Buffer[] {
  if (orientation === UPRIGHT) return [];
  const block = makeOrientationBlock(orientation);
  const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from('eXIf', 'latin1'), block, Buffer.alloc(4)]);
  chunk.writeUInt32BE(block.length);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return [chunk];
}
