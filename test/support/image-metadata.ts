import { jpegSegment, pngChunk, sample, webpChunk } from './images.ts';

/** Personal text, as it is planted below. */
export const CANARIES: readonly string[] = ['canary', '2025:03:14', 'http://ns.adobe.com', 'Photoshop'];
const SERIAL = 'canary-serial-4711';
const OWNER = 'canary owner Ada Lovelace';

interface Entry {
  readonly tag: number;
  readonly type: number;
  readonly count: number;
  readonly data: Buffer;
}

/** A TIFF block as a phone writes it: maker, orientation, serial number, place and a small copy of the picture. */
export function exifBlock(orientation: number, order: 'II' | 'MM' = 'II'): Buffer {
  const isLittle = order === 'II';
  const thumbnail = Buffer.concat([sample('baseline'), Buffer.from('canary thumbnail')]);
  const number = (value: number, size: 2 | 4): Buffer => {
    const bytes = Buffer.alloc(size);
    if (isLittle) bytes.writeUIntLE(value, 0, size);
    else bytes.writeUIntBE(value, 0, size);
    return bytes;
  };
  const text = (tag: number, value: string): Entry => {
    return { tag, type: 2, count: value.length + 1, data: Buffer.from(`${value}\0`) };
  };
  const short = (tag: number, value: number): Entry => ({ tag, type: 3, count: 1, data: number(value, 2) });
  const long = (tag: number, value: number): Entry => ({ tag, type: 4, count: 1, data: number(value, 4) });
  const degrees = (tag: number, value: number): Entry => {
    const parts = [value, 1, 37, 1, 4711, 100].map((part) => number(part, 4));
    return { tag, type: 5, count: 3, data: Buffer.concat(parts) };
  };

  const layOut = (exif: number, gps: number, second: number, copy: number): Buffer[] => {
    const main = [
      text(0x10f, 'canary maker'),
      short(0x112, orientation),
      long(0x8769, exif),
      long(0x8825, gps),
    ];
    const camera = [text(0xa430, OWNER), text(0xa431, SERIAL)];
    const latitude = [text(1, 'N'), degrees(2, 48)];
    const place = [...latitude, text(3, 'E'), degrees(4, 11), text(0x1d, '2025:03:14')];
    const small = [short(0x103, 6), long(0x201, copy), long(0x202, thumbnail.length)];
    return [
      directory(main, 8, number, second),
      directory(camera, exif, number, 0),
      directory(place, gps, number, 0),
      directory(small, second, number, 0),
    ];
  };
  // Lengths do not depend on the places, so the first layout yields the places for the second.
  const places: number[] = [8];
  for (const part of layOut(0, 0, 0, 0)) places.push((places.at(-1) ?? 0) + part.length);
  const [, exif = 0, gps = 0, second = 0, copy = 0] = places;
  const head = [Buffer.from(order), number(42, 2), number(8, 4)];
  return Buffer.concat([...head, ...layOut(exif, gps, second, copy), thumbnail]);
}

function directory(
  entries: readonly Entry[],
  start: number,
  number: (value: number, size: 2 | 4) => Buffer,
  next: number,
): Buffer {
  const rows: Buffer[] = [number(entries.length, 2)];
  const values: Buffer[] = [];
  let place = start + 2 + entries.length * 12 + 4;
  for (const { tag, type, count, data } of entries) {
    rows.push(number(tag, 2), number(type, 2), number(count, 4));
    if (data.length <= 4) rows.push(Buffer.concat([data], 4));
    else {
      rows.push(number(place, 4));
      values.push(data, Buffer.alloc(data.length % 2));
      place += data.length + (data.length % 2);
    }
  }
  return Buffer.concat([...rows, number(next, 4), ...values]);
}

/** The EXIF segment of a JPEG file. */
export function jpegExif(orientation: number, order?: 'II' | 'MM'): Buffer {
  return jpegSegment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), exifBlock(orientation, order)]));
}

const XMP = '<x:xmpmeta xmlns:x="adobe:ns:meta/"><dc:creator>canary author</dc:creator></x:xmpmeta>';

/** Segments that have no place in a clean JPEG file, each with its title. */
export const JPEG_PRIVATE: readonly (readonly [string, Buffer])[] = [
  ['EXIF', jpegExif(1)],
  ['XMP', jpegSegment(0xe1, `http://ns.adobe.com/xap/1.0/\0${XMP}`)],
  ['extended XMP', jpegSegment(0xe1, `http://ns.adobe.com/xmp/extension/\0${'0'.repeat(40)}${XMP}`)],
  ['an index of more pictures (MPF)', jpegSegment(0xe2, 'MPF\0MM\0*\0\0\0\x08canary')],
  ['IPTC in Photoshop blocks', jpegSegment(0xed, 'Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0\x0bcanary city')],
  ['a second JFIF segment with a small copy', jpegSegment(0xe0, 'JFXX\0\x10canary copy')],
  ['a comment', jpegSegment(0xfe, 'canary comment')],
  ['a segment of a phone maker', jpegSegment(0xe4, 'QCA canary')],
  ['a segment of no known kind', jpegSegment(0xf3, 'canary of tomorrow')],
  ['arithmetic conditioning, which nothing refers to', jpegSegment(0xcc, '\0\x10')],
];

/** The colour profile of a JPEG file, in two parts. */
export const JPEG_PROFILE: readonly Buffer[] = [
  jpegSegment(0xe2, 'ICC_PROFILE\0\x01\x02first half of a profile'),
  jpegSegment(0xe2, 'ICC_PROFILE\0\x02\x02second half'),
];

/** Chunks that have no place in a clean PNG file, each with its title. */
export const PNG_PRIVATE: readonly (readonly [string, Buffer])[] = [
  ['EXIF', pngChunk('eXIf', exifBlock(1))],
  ['text', pngChunk('tEXt', 'Author\0canary author')],
  ['compressed text', pngChunk('zTXt', 'Raw profile type exif\0\0canary')],
  ['international text with XMP', pngChunk('iTXt', `XML:com.adobe.xmp\0\0\0\0\0${XMP}`)],
  ['the time of the last change', pngChunk('tIME', '\x07\xe9\x03\x0e\x01\x02\x03')],
  ['a suggested palette', pngChunk('sPLT', 'canary palette\0\x08')],
  ['a certificate of origin', pngChunk('caBX', 'canary')],
  ['an unknown chunk', pngChunk('pRVt', 'canary of tomorrow')],
];

/** Chunks that have no place in a clean WebP file, each with its title. */
export const WEBP_PRIVATE: readonly (readonly [string, Buffer])[] = [
  ['EXIF', webpChunk('EXIF', exifBlock(1))],
  ['XMP', webpChunk('XMP ', XMP)],
  ['an unknown chunk', webpChunk('ABCD', 'canary of tomorrow')],
];

/** A JPEG file like a phone's of a little more than `size` bytes, with everything that a phone writes into it. */
export function phonePhoto(size: number, orientation: number): Buffer {
  const plain = sample('baseline');
  // Ordinary coded data: a stuffed byte in every 256.
  const coded = Buffer.alloc(
    size,
    Buffer.from([0xff, 0, ...Array.from({ length: 254 }, (_, index) => index)]),
  );
  const secrets = [jpegExif(orientation), ...JPEG_PRIVATE.slice(1).map(([, segment]) => segment)];
  const start = Buffer.concat([plain.subarray(0, 2), ...secrets, ...JPEG_PROFILE, plain.subarray(2, -2)]);
  const motion = Buffer.from('\0\0\0\x18ftypmp42 canary video', 'latin1');
  return Buffer.concat([start, coded, plain.subarray(-2), plain, motion]);
}
