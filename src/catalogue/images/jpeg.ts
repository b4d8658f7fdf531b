import {
  type ImageContent,
  TOO_MANY_BLOCKS,
  TRUNCATED,
  check,
  createBlockCount,
  startsWith,
} from './content.ts';
import { EXIF_PREFIX, findOrientation, makeOrientationBlock, UPRIGHT } from './exif.ts';

const START = Buffer.from([0xff, 0xd8]);
const END = Buffer.from([0xff, 0xd9]);
const START_OF_IMAGE = 0xd8;
const END_OF_IMAGE = 0xd9;
const SCAN = 0xda;
const QUANTISATION = 0xdb;
const LINES = 0xdc;
const RESTART_INTERVAL = 0xdd;
const HUFFMAN = 0xc4;
const ARITHMETIC = 0xcc;
const APP0 = 0xe0;
const APP1 = 0xe1;
const APP2 = 0xe2;
const APP14 = 0xee;
// Baseline, extended and progressive: browsers show no others, and only 8 bits of precision.
const FRAMES: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2]);
const PRECISION = 8;
const UNUSUAL = 'photo is a JPEG of a kind that browsers do not show';

const JFIF = Buffer.from('JFIF\0', 'latin1');
const JFIF_SIZE = 14;
const ADOBE = Buffer.from('Adobe', 'latin1');
const ADOBE_SIZE = 12;
// Profile segments are numbered in one byte (ICC.1:2022 annex B.4).
const MAX_PROFILE_SEGMENTS = 255;
const PROFILE = Buffer.from('ICC_PROFILE\0', 'latin1');

// The segments needed for decoding, with a check of their exact length, so that nothing can hide after a table.
const DECODED: ReadonlyMap<number, (body: Buffer) => boolean> = new Map([
  ...[...FRAMES].map((marker) => [marker, isFrame] as const),
  [SCAN, isScan],
  [QUANTISATION, (body) => fills(body, (at) => (body.readUInt8(at) < 0x10 ? 65 : 129))],
  [HUFFMAN, (body) => fills(body, (at) => huffmanSize(body.subarray(at)))],
  [RESTART_INTERVAL, (body) => body.length === 2],
  [LINES, (body) => body.length === 2],
]);

interface Segment {
  readonly marker: number;
  readonly body: Buffer;
  /** With marker and length; for a scan, also its entropy-coded data. */
  readonly whole: Buffer;
}

/**
 * Reduces a JPEG file (ITU T.81 annex B) to the segments needed for decoding, the colour profile and the orientation, and
 * drops everything after the end of the image. The file must begin with a start of image. Throws an ImageError.
 */
export function cleanJpeg(bytes: Buffer): ImageContent {
  const pieces: Buffer[] = [];
  let jfif: Buffer | undefined;
  let exif: number | undefined;
  let frame: Buffer | undefined;
  let profiles = 0;
  let scanned = false;
  for (const found of readSegments(bytes)) {
    const { marker, body, whole } = found;
    // Decoders ignore application segments after the first scan.
    if (!scanned) {
      jfif ??= jfifIn(found);
      exif ??= orientationIn(found);
      if (isProfile(found)) profiles += 1;
      check(profiles <= MAX_PROFILE_SEGMENTS, TOO_MANY_BLOCKS);
      pieces.push(...coloursIn(found));
    }
    check(!isUnusualFrame(marker), UNUSUAL);
    const isWhole = DECODED.get(marker);
    if (!isWhole) continue;
    check(isWhole(body));
    if (FRAMES.has(marker)) {
      check(frame === undefined);
      check(body[0] === PRECISION, UNUSUAL);
      frame = body;
    }
    scanned ||= marker === SCAN;
    check(!scanned || frame !== undefined);
    pieces.push(whole);
  }
  check(frame !== undefined && scanned);
  const orientation = exif ?? UPRIGHT;
  const head = [START, ...(jfif ? [jfif] : []), ...exifSegments(orientation)];
  const [height, width] = [frame.readUInt16BE(1), frame.readUInt16BE(3)];
  return { width, height, orientation, pieces: [...head, ...pieces, END] };
}

/** Yields the segments of a file up to the end of its image. */
function* readSegments(bytes: Buffer): Generator<Segment> {
  let position = START.length;
  const countBlock = createBlockCount(bytes);
  for (;;) {
    countBlock();
    const start = findMarker(bytes, position);
    const marker = bytes[start + 1];
    check(marker !== undefined, TRUNCATED);
    if (marker === END_OF_IMAGE) return;
    position = start + 2;
    if (standsAlone(marker)) continue;
    check(position + 2 <= bytes.length, TRUNCATED);
    const bodyEnd = position + bytes.readUInt16BE(position);
    check(marker !== START_OF_IMAGE && bodyEnd >= position + 2);
    check(bodyEnd <= bytes.length, TRUNCATED);
    const body = bytes.subarray(position + 2, bodyEnd);
    position = marker === SCAN ? findEndOfScan(bytes, bodyEnd) : bodyEnd;
    yield { marker, body, whole: bytes.subarray(start, position) };
  }
}

/** The position of the next 0xff that is not followed by another; decoders skip all bytes before it. */
function findMarker(bytes: Buffer, from: number): number {
  const found = bytes.indexOf(0xff, from);
  let start = found === -1 ? bytes.length : found;
  while (bytes[start + 1] === 0xff) start += 1;
  return start;
}

/** The position of the first marker other than a restart, or the end of the bytes. */
function findEndOfScan(bytes: Buffer, from: number): number {
  // Byte by byte: `indexOf` is slow if every other byte is 0xff.
  for (let index = from; index < bytes.length - 1; index += 1) {
    if (bytes[index] !== 0xff) continue;
    const next = bytes[index + 1] ?? 0;
    if (next !== 0 && next !== 0xff && !isRestart(next)) return index;
  }
  return bytes.length;
}

function isRestart(marker: number): boolean {
  return marker >= 0xd0 && marker <= 0xd7;
}

/** True for markers without a length: restarts, TEM, and stuffed bytes outside a scan. */
function standsAlone(marker: number): boolean {
  return marker <= 1 || isRestart(marker);
}

function jfifIn({ marker, body }: Segment): Buffer | undefined {
  const isJfif = marker === APP0 && startsWith(body, JFIF) && body.length >= JFIF_SIZE;
  return isJfif ? segment(APP0, body.subarray(0, JFIF_SIZE - 2), Buffer.alloc(2)) : undefined;
}

function orientationIn({ marker, body }: Segment): number | undefined {
  const isExif = marker === APP1 && startsWith(body, EXIF_PREFIX.subarray(0, -1));
  return isExif ? findOrientation(body) : undefined;
}

function isProfile({ marker, body }: Segment): boolean {
  return marker === APP2 && startsWith(body, PROFILE);
}

/** The segment to keep if it is a part of the colour profile or the Adobe colour transform. */
function coloursIn(found: Segment): readonly Buffer[] {
  const { marker, body, whole } = found;
  if (isProfile(found)) return [whole];
  const isAdobe = marker === APP14 && startsWith(body, ADOBE) && body.length >= ADOBE_SIZE;
  return isAdobe ? [segment(APP14, body.subarray(0, ADOBE_SIZE))] : [];
}

function exifSegments(orientation: number): Buffer[] {
  return orientation === UPRIGHT ? [] : [segment(APP1, EXIF_PREFIX, makeOrientationBlock(orientation))];
}

function segment(marker: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
}

function isUnusualFrame(marker: number): boolean {
  const isFrameMarker = marker >= 0xc0 && marker <= 0xcf && marker !== HUFFMAN && marker !== ARITHMETIC;
  return isFrameMarker && !FRAMES.has(marker);
}

/** Precision, height, width, and three bytes for each of one to four components. */
function isFrame(body: Buffer): boolean {
  const components = body[5] ?? 0;
  return body.length === 6 + 3 * components && components >= 1 && components <= 4;
}

/** The number of components, two bytes for each, and three about the coefficients. */
function isScan(body: Buffer): boolean {
  const components = body[0] ?? 0;
  return body.length === 4 + 2 * components && components >= 1 && components <= 4;
}

/** One byte, sixteen counts, and as many symbols as the counts add up to. */
function huffmanSize(table: Buffer): number {
  return table.subarray(1, 17).reduce((size, count) => size + count, 17);
}

/** True if consecutive tables of these sizes end exactly where the body does. */
function fills(body: Buffer, sizeAt: (at: number) => number): boolean {
  let at = 0;
  while (at < body.length) at += sizeAt(at);
  return at === body.length;
}
