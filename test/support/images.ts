import { crc32 } from 'node:zlib';
import { type CleanImage, cleanImage } from '../../src/catalogue/images/image.ts';

/** A kind of photo there is a sample of. */
export type SampleName = 'baseline' | 'progressive' | 'png' | 'lossy' | 'lossless';

// White, with a red quarter at the top left and a blue one at the bottom right.
const ENCODED: Readonly<Record<SampleName, string>> = {
  baseline:
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAoHBwgHBgoICAgLCgoLDhgQDg0NDh0VFhEYIx8lJCIfIiEmKzcvJik0KSEiMEExNDk7' +
    'Pj4+JS5ESUM8SDc9Pjv/2wBDAQoLCw4NDhwQEBw7KCIoOzs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7' +
    'Ozs7Ozs7Ozv/wAARCAAIABADASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAAAAQF/8QAGhAAAgIDAAAAAAAAAAAAAAAAABdl' +
    'pGbi4//EABUBAQEAAAAAAAAAAAAAAAAAAAMF/8QAHxEAAQIGAwAAAAAAAAAAAAAAEQEEAAIFE0FhAxLB/9oADAMBAAIRAxEAPwDY' +
    'Tc/T3IHxjV7mAW6HT23NcuSkDK73CvXzhx1uTEHCeJH/2Q==',
  progressive:
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAoHBwgHBgoICAgLCgoLDhgQDg0NDh0VFhEYIx8lJCIfIiEmKzcvJik0KSEiMEExNDk7' +
    'Pj4+JS5ESUM8SDc9Pjv/2wBDAQoLCw4NDhwQEBw7KCIoOzs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7Ozs7' +
    'Ozs7Ozs7Ozv/wgARCAAIABADASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAT/xAAVAQEBAAAAAAAAAAAAAAAAAAACBP/a' +
    'AAwDAQACEAMQAAABsnLV/8QAFRABAQAAAAAAAAAAAAAAAAAAABX/2gAIAQEAAQUCjLz/xAAYEQEAAwEAAAAAAAAAAAAAAAADAAER' +
    'Ev/aAAgBAwEBPwFnRM6uf//EABkRAAIDAQAAAAAAAAAAAAAAAAQSAAECA//aAAgBAgEBPwEEfntmqf/EABgQAAIDAAAAAAAAAAAA' +
    'AAAAAACiMzTh/9oACAEBAAY/Ap0Kz4f/xAAWEAADAAAAAAAAAAAAAAAAAAAQ8PH/2gAIAQEAAT8hWgX/2gAMAwEAAgADAAAAEH//' +
    'xAAZEQACAwEAAAAAAAAAAAAAAAABEQAxQcH/2gAIAQMBAT8QuAng4J//xAAZEQACAwEAAAAAAAAAAAAAAAARYQABMUH/2gAIAQIB' +
    'AT8Q0gB225//xAAUEAEAAAAAAAAAAAAAAAAAAAAQ/9oACAEBAAE/EBU//9k=',
  png:
    'iVBORw0KGgoAAAANSUhEUgAAABAAAAAIAgMAAACNGJcEAAAACVBMVEXMAAD///8AAMy/5/22AAAAFUlEQVQI12NgYAgNZUAjQkNX' +
    'rUIjAJo4CqFrEBdpAAAAAElFTkSuQmCC',
  lossy:
    'UklGRkwAAABXRUJQVlA4IEAAAADQAQCdASoQAAgAAsBMJagCdAELQnkEgAD+8Mu/zTT/R6f/Q3KiJsB6P4nH6AKn8Ex//LQ//BOP' +
    'xGVP5NW9qQAA',
  lossless: 'UklGRjoAAABXRUJQVlA4TC0AAAAvD8ABABcgEEjaH3oNgUAilb/BTAtkk91fLafmP/4FgUCAMGlSqIaI/ofCQz0A',
};
/** The transparency that belongs to the lossy picture with alpha. */
export const ALPHA = Buffer.from('AQ8w/xEREELaBkz9m94VEdH/EI8e', 'base64');
/** A lossy bitstream next to that transparency. */
export const OPAQUE = Buffer.from(
  'cAEAnQEqEAAIAALATCWoAnQBdQAA/vH2/4uc48tB/8Tj9AFT+CY//lof/gnH4jKn8mre1IAA',
  'base64',
);

/** A picture of 16 by 8 pixels with nothing in it but the picture, whole and decodable. */
export function sample(name: SampleName): Buffer {
  return Buffer.from(ENCODED[name], 'base64');
}

/** Every kind of sample. */
export const SAMPLE_NAMES: readonly SampleName[] = ['baseline', 'progressive', 'png', 'lossy', 'lossless'];

/** A segment of a JPEG file. */
export function jpegSegment(marker: number, body: Buffer | string): Buffer {
  const bytes = Buffer.from(body);
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(bytes.length + 2, 2);
  return Buffer.concat([head, bytes]);
}

/** A JPEG file with more segments, right behind the start of the image or, when asked for, behind its JFIF header. */
export function intoJpeg(
  jpeg: Buffer,
  segments: readonly Buffer[],
  behind: 'start' | 'JFIF' = 'JFIF',
): Buffer {
  const at = behind === 'JFIF' ? 20 : 2;
  return Buffer.concat([jpeg.subarray(0, at), ...segments, jpeg.subarray(at)]);
}

/** A chunk of a PNG file, with its checksum. */
export function pngChunk(type: string, data: Buffer | string): Buffer {
  const bytes = Buffer.concat([
    Buffer.alloc(4),
    Buffer.from(type, 'latin1'),
    Buffer.from(data),
    Buffer.alloc(4),
  ]);
  bytes.writeUInt32BE(bytes.length - 12);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), bytes.length - 4);
  return bytes;
}

/** A PNG file of these chunks behind the signature. */
export function pngFile(...chunks: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]);
}

/** The chunks of a PNG file, each a whole one. */
export function pngChunks(png: Buffer): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12)
    chunks.push(png.subarray(at, at + png.readUInt32BE(at) + 12));
  return chunks;
}

/** A PNG file with more chunks right behind its header, and right before its end. */
export function intoPng(png: Buffer, early: readonly Buffer[], late: readonly Buffer[] = []): Buffer {
  const [header = png, ...rest] = pngChunks(png);
  return pngFile(header, ...early, ...rest.slice(0, -1), ...late, ...rest.slice(-1));
}

/** A chunk of a WebP file, with the byte that evens it out. */
export function webpChunk(type: string, data: Buffer | string): Buffer {
  const bytes = Buffer.from(data);
  const head = Buffer.from(`${type}\0\0\0\0`, 'latin1');
  head.writeUInt32LE(bytes.length, 4);
  return Buffer.concat([head, bytes, Buffer.alloc(bytes.length % 2)]);
}

/** A WebP file of these chunks. */
export function webpFile(...chunks: readonly Buffer[]): Buffer {
  return webpChunk('RIFF', Buffer.concat([Buffer.from('WEBP', 'latin1'), ...chunks]));
}

/** The header of an extended WebP file, of 16 by 8 pixels by default. */
export function webpHeader(flags: number, width = 16, height = 8): Buffer {
  const data = Buffer.from([flags, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  data.writeUIntLE(width - 1, 4, 3);
  data.writeUIntLE(height - 1, 7, 3);
  return webpChunk('VP8X', data);
}

/** A simple WebP file made an extended one, with more chunks before and behind the picture. */
export function intoWebp(
  webp: Buffer,
  flags: number,
  early: readonly Buffer[],
  late: readonly Buffer[] = [],
): Buffer {
  return webpFile(webpHeader(flags), ...early, webp.subarray(12), ...late);
}

/** A frame of an animation that fills the 16 by 8 pixels for a tenth of a second. */
export function webpFrame(...chunks: readonly Buffer[]): Buffer {
  const data = Buffer.from([0, 0, 0, 0, 0, 0, 15, 0, 0, 7, 0, 0, 100, 0, 0, 0]);
  return webpChunk('ANMF', Buffer.concat([data, ...chunks]));
}

/** The image of a photo that is taken, and its bytes in one. Throws when it is refused. */
export function cleaned(bytes: Buffer): { readonly image: CleanImage; readonly bytes: Buffer } {
  const result = cleanImage(bytes);
  if (!result.ok) throw new Error(result.fault);
  return { image: result.image, bytes: Buffer.concat(result.image.pieces) };
}

/** Why a photo is refused; undefined when it is taken. */
export function faultOf(bytes: Buffer): string | undefined {
  const result = cleanImage(bytes);
  return result.ok ? undefined : result.fault;
}
