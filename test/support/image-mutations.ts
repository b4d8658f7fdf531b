import { exifBlock, JPEG_PRIVATE, jpegExif, PNG_PRIVATE, WEBP_PRIVATE } from './image-metadata.ts';
import {
  intoJpeg,
  intoPng,
  intoWebp,
  pngChunk,
  sample,
  webpChunk,
  webpFile,
  webpFrame,
  webpHeader,
} from './images.ts';

const blocks = (rows: readonly (readonly [string, Buffer])[]): Buffer[] => rows.map(([, block]) => block);
const jpegBlocks = [jpegExif(6), ...blocks(JPEG_PRIVATE)];
const pngBlocks = [pngChunk('eXIf', exifBlock(6)), ...blocks(PNG_PRIVATE)];
const webpBlocks = [webpChunk('EXIF', exifBlock(6)), ...blocks(WEBP_PRIVATE)];
const [lossy, lossless] = [sample('lossy').subarray(12), sample('lossless').subarray(12)];
const animation = webpChunk('ANIM', Buffer.alloc(6));
const frames = [webpFrame(lossy, ...blocks(WEBP_PRIVATE)), webpFrame(lossless)];

/** Sound photos of every kind, plain and with everything that cameras and programs write into them. */
export const PHOTOS: readonly (readonly [string, Buffer])[] = [
  ['a plain baseline JPEG', sample('baseline')],
  ['a plain progressive JPEG', sample('progressive')],
  ['a plain PNG', sample('png')],
  ['a plain lossy WebP', sample('lossy')],
  ['a plain lossless WebP', sample('lossless')],
  ['a baseline JPEG with everything', intoJpeg(sample('baseline'), jpegBlocks, 'start')],
  ['a progressive JPEG with everything', intoJpeg(sample('progressive'), jpegBlocks)],
  ['a PNG with everything', intoPng(sample('png'), pngBlocks, pngBlocks)],
  ['a lossy WebP with everything', intoWebp(sample('lossy'), 0x0c, webpBlocks, webpBlocks)],
  ['an animated WebP with everything', webpFile(webpHeader(0x0e), animation, ...frames, ...webpBlocks)],
];
// Bytes that lengths, markers and counts are made of.
const TELLING = [0x00, 0x01, 0x02, 0x08, 0x7f, 0x80, 0xc0, 0xd8, 0xd9, 0xda, 0xe1, 0xfe, 0xff];

/** The bytes with one to four changes: a bit, a byte, a length, a part cut out, doubled or moved. */
export function mutate(photo: Buffer, random: () => number): Buffer {
  const below = (limit: number): number => Math.floor(random() * limit);
  let bytes = Buffer.from(photo);
  for (let change = below(4); change >= 0; change -= 1) {
    const at = below(bytes.length);
    const part = bytes.subarray(at, at + 1 + below(40));
    const rest = bytes.subarray(at + part.length);
    const kind = below(6);
    if (kind === 0) bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << below(8)), at);
    else if (kind === 1) bytes.writeUInt8(TELLING[below(TELLING.length)] ?? 0, at);
    else if (kind === 2) bytes.fill(below(2) * 0xff, at, Math.min(at + 4, bytes.length));
    else if (kind === 3) bytes = Buffer.concat([bytes.subarray(0, at), rest]);
    else if (kind === 4) bytes = Buffer.concat([bytes.subarray(0, at), part, part, rest]);
    else bytes = Buffer.concat([rest, bytes.subarray(0, at), part]);
    if (kind === 5 && below(4) > 0) bytes = Buffer.concat([photo.subarray(0, 12), bytes]);
  }
  return bytes;
}
