import {
  DAMAGED,
  type ImageContent,
  type ImageFault,
  mostBlocks,
  startsWith,
  TOO_MANY_BLOCKS,
  TRUNCATED,
} from './content.ts';
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

/** The chunks of a part of a file; undefined when one goes beyond it, or when the file has had too many. */
type ChunkReader = (part: Buffer) => readonly Chunk[] | undefined;

/**
 * The contents of a WebP file, animated ones included, cut down to what decoding needs, the colour profile and the
 * orientation. Everything behind the RIFF container is left away. The file begins with `RIFF`, a size and `WEBP`.
 */
export function cleanWebp(bytes: Buffer): ImageContent | ImageFault {
  const end = CHUNK_HEADER_SIZE + bytes.readUInt32LE(4);
  if (end > bytes.length) return TRUNCATED;
  const { readChunks, hasTooMany } = createChunkReader(mostBlocks(bytes));
  const content = cleanChunks(readChunks(bytes.subarray(RIFF_HEADER_SIZE, end)) ?? [], readChunks);
  return hasTooMany() ? TOO_MANY_BLOCKS : content;
}

function cleanChunks([first, ...rest]: readonly Chunk[], readChunks: ChunkReader): ImageContent | ImageFault {
  if (first?.type === 'VP8X') return cleanExtended(first.data, rest, readChunks);
  const picture = first && readPicture([first]);
  if (!picture) return DAMAGED;
  const { width, height, pieces } = picture;
  return { width, height, orientation: UPRIGHT, pieces: container(pieces) };
}

function cleanExtended(
  header: Buffer,
  chunks: readonly Chunk[],
  readChunks: ChunkReader,
): ImageContent | ImageFault {
  if (header.length !== EXTENDED_SIZE) return DAMAGED;
  const flags = header.readUInt8(0);
  const canvas = { width: 1 + header.readUIntLE(4, 3), height: 1 + header.readUIntLE(7, 3) };
  const isAnimated = (flags & IS_ANIMATED) !== 0;
  const pictures = isAnimated ? readAnimation(chunks, canvas, readChunks) : readStill(chunks, canvas);
  if (!pictures) return DAMAGED;
  const profile = findProfile(chunks);
  const orientation = orientationOf(chunks);
  const exif = orientation === UPRIGHT ? [] : chunk('EXIF', makeOrientationBlock(orientation));
  const clean = Buffer.concat([Buffer.alloc(4), header.subarray(4)]);
  clean[0] =
    (flags & (HAS_ALPHA | IS_ANIMATED)) |
    (profile.length > 0 ? HAS_PROFILE : 0) |
    (exif.length > 0 ? HAS_EXIF : 0);
  const pieces = container([...chunk('VP8X', clean), ...profile, ...pictures, ...exif]);
  // It stays for those that heed it; browsers show a WebP file as it is stored.
  return { ...canvas, orientation: UPRIGHT, pieces };
}

/** The profile before the first picture; decoders look at no other. */
function findProfile(chunks: readonly Chunk[]): readonly Buffer[] {
  const found = chunks.find(({ type }) => type === 'ICCP' || isPicture(type));
  return found?.type === 'ICCP' ? chunk('ICCP', found.data) : [];
}

function isPicture(type: string): boolean {
  return type === 'ANMF' || type === 'VP8 ' || type === 'VP8L';
}

function orientationOf(chunks: readonly Chunk[]): number {
  for (const { type, data } of chunks) {
    const orientation = type === 'EXIF' ? findOrientation(data) : undefined;
    if (orientation !== undefined) return orientation;
  }
  return UPRIGHT;
}

/** The one picture of a file without animation, which fills the canvas. */
function readStill(chunks: readonly Chunk[], canvas: Size): readonly Buffer[] | undefined {
  const picture = readPicture(chunks);
  const fits = picture?.width === canvas.width && picture.height === canvas.height;
  return fits ? picture.pieces : undefined;
}

/** The parameters of an animation and its frames; undefined when there are none, or one that no decoder accepts. */
function readAnimation(
  chunks: readonly Chunk[],
  canvas: Size,
  readChunks: ChunkReader,
): readonly Buffer[] | undefined {
  const first = chunks.findIndex(({ type }) => isPicture(type));
  const parameters = chunks.slice(0, Math.max(first, 0)).find(({ type }) => type === 'ANIM');
  if (parameters?.data.length !== ANIMATION_SIZE) return undefined;
  const pieces = [...chunk('ANIM', parameters.data)];
  for (const { type, data } of chunks.slice(first)) {
    if (!isPicture(type)) continue;
    const frame = type === 'ANMF' ? readFrame(data, canvas, readChunks) : undefined;
    if (!frame) return undefined;
    pieces.push(...frame);
  }
  return pieces;
}

/** Place, size, duration and flags of a frame, and its picture, which lies within the canvas. */
function readFrame(data: Buffer, canvas: Size, readChunks: ChunkReader): readonly Buffer[] | undefined {
  if (data.length < FRAME_HEADER_SIZE) return undefined;
  const picture = readPicture(readChunks(data.subarray(FRAME_HEADER_SIZE)) ?? []);
  if (!picture) return undefined;
  const { width, height, pieces } = picture;
  const isAsSaid = width === 1 + data.readUIntLE(6, 3) && height === 1 + data.readUIntLE(9, 3);
  const [right, bottom] = [2 * data.readUIntLE(0, 3) + width, 2 * data.readUIntLE(3, 3) + height];
  const isWithin = right <= canvas.width && bottom <= canvas.height;
  return isAsSaid && isWithin ? chunk('ANMF', data.subarray(0, FRAME_HEADER_SIZE), ...pieces) : undefined;
}

/** The first bitstream, and the transparency before it; undefined when decoders accept none. */
function readPicture(chunks: readonly Chunk[]): Picture | undefined {
  const index = chunks.findIndex(({ type }) => type === 'VP8 ' || type === 'VP8L');
  const stream = chunks[index];
  if (!stream) return undefined;
  const isLossy = stream.type === 'VP8 ';
  const size = isLossy ? sizeOfLossy(stream.data) : sizeOfLossless(stream.data);
  if (!size) return undefined;
  // A lossless bitstream has its transparency in itself.
  const alpha = isLossy ? chunks.slice(0, index).find(({ type }) => type === 'ALPH') : undefined;
  return {
    ...size,
    pieces: [...(alpha ? chunk('ALPH', alpha.data) : []), ...chunk(stream.type, stream.data)],
  };
}

/** The size in the header of a key frame (RFC 6386 section 9.1). */
function sizeOfLossy(data: Buffer): Size | undefined {
  if (data.length < 10 || !startsWith(data.subarray(3), LOSSY_START)) return undefined;
  const tag = data.readUIntLE(0, 3);
  const isShownKeyFrame = (tag & 0x11) === 0x10;
  const isKnown = ((tag >> 1) & 7) <= 3;
  if (!isShownKeyFrame || !isKnown || tag >> 5 >= data.length) return undefined;
  return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
}

/** The size in the header of a lossless bitstream (RFC 9649 section 3.4). */
function sizeOfLossless(data: Buffer): Size | undefined {
  if (data.length < 5 || data[0] !== LOSSLESS_START) return undefined;
  const bits = data.readUInt32LE(1);
  return bits >>> 29 === 0 ? { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) } : undefined;
}

function createChunkReader(most: number): { readChunks: ChunkReader; hasTooMany: () => boolean } {
  let count = 0;
  const readChunks: ChunkReader = (part) => {
    const chunks: Chunk[] = [];
    let position = 0;
    while (position < part.length) {
      count += 1;
      const start = position + CHUNK_HEADER_SIZE;
      if (count > most || start > part.length) return undefined;
      const end = start + part.readUInt32LE(position + 4);
      if (end > part.length) return undefined;
      chunks.push({ type: part.toString('latin1', position, position + 4), data: part.subarray(start, end) });
      // The length leaves out the byte that makes the next chunk begin at an even place.
      position = end + (end % 2);
    }
    return chunks;
  };
  return { readChunks, hasTooMany: () => count > most };
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
