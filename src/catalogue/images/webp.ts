import { type ImageContent, TRUNCATED, check, createBlockCount, startsWith } from './content.ts';
import { findOrientation, makeOrientationBlock, UPRIGHT } from './exif.ts';

// Bits of the first byte of VP8X (WebP container specification, extended file format). The bit 0x04 is for XMP.
const HAS_PROFILE = 0x20;
const HAS_ALPHA = 0x10;
const HAS_EXIF = 0x08;
const IS_ANIMATED = 0x02;

const RIFF_HEADER_SIZE = 12;
const CHUNK_HEADER_SIZE = 8;
const EXTENDED_SIZE = 10;
const ANIMATION_SIZE = 6;
const FRAME_HEADER_SIZE = 16;
const LOSSY_START = Buffer.from([0x9d, 0x01, 0x2a]);
const LOSSLESS_START = 0x2f;
const PADDING = Buffer.alloc(1);

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Picture extends Size {
  readonly pieces: readonly Buffer[];
}

/**
 * Reduces a WebP file, animated or not, to the chunks needed for decoding, the colour profile and the orientation, and drops
 * everything after the RIFF container. The file must begin with `RIFF`, a size and `WEBP`. Throws an ImageError.
 */
export function cleanWebp(bytes: Buffer): ImageContent {
  const end = CHUNK_HEADER_SIZE + bytes.readUInt32LE(4);
  check(end <= bytes.length, TRUNCATED);
  const countBlock = createBlockCount(bytes);
  const [first, ...rest] = readChunks(bytes.subarray(RIFF_HEADER_SIZE, end), countBlock);
  check(first !== undefined);
  if (first.type === 'VP8X') return cleanExtended(first.data, rest, countBlock);
  const { width, height, pieces } = readPicture([first]);
  return { width, height, orientation: UPRIGHT, pieces: container(pieces) };
}

function cleanExtended(header: Buffer, chunks: readonly Chunk[], countBlock: () => void): ImageContent {
  check(header.length === EXTENDED_SIZE);
  const flags = header.readUInt8(0);
  const canvas = { width: 1 + header.readUIntLE(4, 3), height: 1 + header.readUIntLE(7, 3) };
  const isAnimated = (flags & IS_ANIMATED) !== 0;
  const pictures = isAnimated ? readAnimation(chunks, canvas, countBlock) : readStill(chunks, canvas);
  const profile = findProfile(chunks);
  const orientation = orientationOf(chunks);
  const exif = orientation === UPRIGHT ? [] : chunk('EXIF', makeOrientationBlock(orientation));
  const clean = Buffer.concat([Buffer.alloc(4), header.subarray(4)]);
  clean[0] =
    (flags & (HAS_ALPHA | IS_ANIMATED)) |
    (profile.length > 0 ? HAS_PROFILE : 0) |
    (exif.length > 0 ? HAS_EXIF : 0);
  const pieces = container([...chunk('VP8X', clean), ...profile, ...pictures, ...exif]);
  // Browsers ignore the orientation of a WebP file; the chunk stays for viewers that apply it.
  return { ...canvas, orientation: UPRIGHT, pieces };
}

/** The profile before the first picture; decoders ignore later ones. */
function findProfile(chunks: readonly Chunk[]): readonly Buffer[] {
  const found = chunks.find(({ type }) => type === 'ICCP' || isPicture(type));
  return found?.type === 'ICCP' ? chunk('ICCP', found.data) : [];
}

function isPicture(type: string): boolean {
  return type === 'ANMF' || type === 'VP8 ' || type === 'VP8L';
}

function orientationOf(chunks: readonly Chunk[]): number {
  const found = chunks.map(({ type, data }) => (type === 'EXIF' ? findOrientation(data) : undefined));
  return found.find((orientation) => orientation !== undefined) ?? UPRIGHT;
}

/** The picture of a file without animation; it must fill the canvas. */
function readStill(chunks: readonly Chunk[], canvas: Size): readonly Buffer[] {
  const { width, height, pieces } = readPicture(chunks);
  check(width === canvas.width && height === canvas.height);
  return pieces;
}

/** The parameters and frames of an animation. Throws if the parameters are missing or a frame is invalid. */
function readAnimation(chunks: readonly Chunk[], canvas: Size, countBlock: () => void): readonly Buffer[] {
  const first = chunks.findIndex(({ type }) => isPicture(type));
  const parameters = chunks.slice(0, Math.max(first, 0)).find(({ type }) => type === 'ANIM');
  check(parameters?.data.length === ANIMATION_SIZE);
  const pieces = [...chunk('ANIM', parameters.data)];
  for (const { type, data } of chunks.slice(first)) {
    if (!isPicture(type)) continue;
    check(type === 'ANMF');
    pieces.push(...readFrame(data, canvas, countBlock));
  }
  return pieces;
}

/** The header of a frame and its picture, which must lie within the canvas. */
function readFrame(data: Buffer, canvas: Size, countBlock: () => void): readonly Buffer[] {
  check(data.length >= FRAME_HEADER_SIZE);
  const { width, height, pieces } = readPicture(readChunks(data.subarray(FRAME_HEADER_SIZE), countBlock));
  check(width === 1 + data.readUIntLE(6, 3) && height === 1 + data.readUIntLE(9, 3));
  const [right, bottom] = [2 * data.readUIntLE(0, 3) + width, 2 * data.readUIntLE(3, 3) + height];
  check(right <= canvas.width && bottom <= canvas.height);
  return chunk('ANMF', data.subarray(0, FRAME_HEADER_SIZE), ...pieces);
}

/** The first bitstream, and the transparency before it. Throws if there is none, or an invalid one. */
function readPicture(chunks: readonly Chunk[]): Picture {
  const index = chunks.findIndex(({ type }) => type === 'VP8 ' || type === 'VP8L');
  const stream = chunks[index];
  check(stream !== undefined);
  const isLossy = stream.type === 'VP8 ';
  // A lossless bitstream includes its transparency.
  const alpha = isLossy ? chunks.slice(0, index).find(({ type }) => type === 'ALPH') : undefined;
  return {
    ...(isLossy ? sizeOfLossy(stream.data) : sizeOfLossless(stream.data)),
    pieces: [...(alpha ? chunk('ALPH', alpha.data) : []), ...chunk(stream.type, stream.data)],
  };
}

/** The size in the header of a key frame (RFC 6386 section 9.1). */
function sizeOfLossy(data: Buffer): Size {
  check(data.length >= 10 && startsWith(data.subarray(3), LOSSY_START));
  const tag = data.readUIntLE(0, 3);
  const isShownKeyFrame = (tag & 0x11) === 0x10;
  const isKnown = ((tag >> 1) & 7) <= 3;
  check(isShownKeyFrame && isKnown && tag >> 5 < data.length);
  return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
}

/** The size in the header of a lossless bitstream (RFC 9649 section 3.4). */
function sizeOfLossless(data: Buffer): Size {
  check(data.length >= 5 && data[0] === LOSSLESS_START);
  const bits = data.readUInt32LE(1);
  check(bits >>> 29 === 0);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}

/** The chunks of a part of a file. Throws if one extends beyond it. */
function readChunks(part: Buffer, countBlock: () => void): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let position = 0;
  while (position < part.length) {
    countBlock();
    const start = position + CHUNK_HEADER_SIZE;
    check(start <= part.length);
    const end = start + part.readUInt32LE(position + 4);
    check(end <= part.length);
    chunks.push({ type: part.toString('latin1', position, position + 4), data: part.subarray(start, end) });
    // The length excludes the byte that pads a chunk to an even size.
    position = end + (end % 2);
  }
  return chunks;
}

function container(pieces: readonly Buffer[]): readonly Buffer[] {
  return chunk('RIFF', Buffer.from('WEBP', 'latin1'), ...pieces);
}

function chunk(type: string, ...parts: readonly Buffer[]): Buffer[] {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const head = Buffer.alloc(CHUNK_HEADER_SIZE, type, 'latin1');
  head.writeUInt32LE(length, 4);
  return [head, ...parts, ...(length % 2 === 1 ? [PADDING] : [])];
}
