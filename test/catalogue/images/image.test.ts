import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cleanImage, looksLikeImage, MAX_SIDE } from '../../../src/catalogue/images/image.ts';
import { blocksOf } from '../../support/image-blocks.ts';
import {
  cleaned,
  faultOf,
  jpegSegment,
  intoJpeg,
  intoPng,
  intoWebp,
  pngChunk,
  sample,
  SAMPLE_NAMES,
  webpChunk,
  webpFile,
  webpFrame,
  webpHeader,
} from '../../support/images.ts';

const NO_PHOTO = 'photo must be a JPEG, PNG or WebP image';

const FOREIGN: readonly (readonly [string, Buffer])[] = [
  ['nothing', Buffer.alloc(0)],
  ['a GIF', Buffer.from('R0lGODlhAQABAAAAACw=', 'base64')],
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')],
  ['an SVG with an XML head', Buffer.from('<?xml version="1.0"?><svg/>')],
  ['an HTML page', Buffer.from('<!doctype html><script>alert(1)</script>')],
  ['a script', Buffer.from('alert(1)//')],
  ['a BMP', Buffer.from('BM\x46\0\0\0\0\0\0\0\x36\0', 'latin1')],
  ['a TIFF', Buffer.from('II*\0\x08\0\0\0\0\0\0\0', 'latin1')],
  ['an ICO', Buffer.from('\0\0\x01\0\x01\0\x10\x10\0\0\x01\0', 'latin1')],
  ['an AVIF', Buffer.from('\0\0\0\x20ftypavif\0\0\0\0', 'latin1')],
  ['a HEIC', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0', 'latin1')],
  ['a JPEG 2000', Buffer.from('\0\0\0\x0cjP  \r\n\x87\n', 'latin1')],
  ['a JPEG XL', Buffer.from('ff0a', 'hex')],
  ['a ZIP', Buffer.from('PK\x03\x04\x14\0\0\0\0\0\0\0', 'latin1')],
  ['a PDF', Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3', 'latin1')],
  ['a sound in RIFF', Buffer.from('RIFF\x24\0\0\0WAVEfmt ', 'latin1')],
  ['a film in RIFF', Buffer.from('RIFF\x24\0\0\0AVI LIST', 'latin1')],
  ['a WebP that is big-endian', Buffer.from('RIFX\x24\0\0\0WEBPVP8 ', 'latin1')],
  ['a PNG that went through text mode', Buffer.from('\x89PNG\n\x1a\n\0\0\0\rIHDR', 'latin1')],
  ['a photo behind a byte order mark', Buffer.concat([Buffer.from('\ufeff'), sample('png')])],
  ['a photo behind a line break', Buffer.concat([Buffer.from('\n'), sample('baseline')])],
  ['twelve zeros', Buffer.alloc(12)],
];

const times = (count: number, ...blocks: readonly Buffer[]): Buffer[] =>
  Array.from({ length: count }, () => blocks).flat();
const png = sample('png');
const profile = jpegSegment(0xe2, 'ICC_PROFILE\0\u0001\u0001x');
const tables = jpegSegment(0xdd, Buffer.alloc(2));
const lossless = webpChunk('VP8L', sample('lossless').subarray(20));
const animation = [webpHeader(0x02), webpChunk('ANIM', Buffer.alloc(6))];
const note = webpChunk('XMP ', '');

/** Photos with so many parts of a kind, how many are fine, and how many are too many. */
const MANY: readonly (readonly [string, (count: number) => Buffer, number, number])[] = [
  ['chunks of a PNG', (count) => intoPng(png, times(count, pngChunk('tEXt', ''))), 2_000, 2_100],
  ['segments of a profile', (count) => intoJpeg(sample('baseline'), times(count, profile)), 255, 256],
  ['tables of a JPEG', (count) => intoJpeg(sample('baseline'), times(count, tables)), 2_000, 2_100],
  ['chunks of a WebP', (count) => intoWebp(sample('lossy'), 0, [], times(count, note)), 2_000, 2_100],
  [
    'chunks of a frame',
    (count) => webpFile(...animation, webpFrame(lossless, ...times(count, note))),
    2_000,
    2_100,
  ],
];

const TAILS: readonly (readonly [string, Buffer])[] = [
  ['an HTML page', Buffer.from('<html><script>alert("canary")</script>')],
  ['a ZIP archive', Buffer.from('PK\x03\x04canary.txtPK\x01\x02PK\x05\x06', 'latin1')],
  ['a script', Buffer.from('*/;alert("canary")//')],
  ['a PHP script', Buffer.from('<?php system($_GET["canary"]); ?>')],
  ['a PDF', Buffer.from('%PDF-1.7 canary %%EOF')],
  ['an MP4 film, as in motion photos', Buffer.from('\0\0\0\x18ftypmp42canary', 'latin1')],
  ['a second JPEG, as phones add one', sample('baseline')],
  ['a second PNG', sample('png')],
  ['a second WebP', sample('lossy')],
  ['zeros', Buffer.alloc(64)],
];

describe('a photo', () => {
  test('is recognised by its first 12 bytes', () => {
    for (const name of SAMPLE_NAMES) assert.equal(looksLikeImage(sample(name).subarray(0, 12)), true);
  });

  for (const [title, bytes] of FOREIGN)
    test(`is refused when it is ${title}`, () => {
      assert.equal(looksLikeImage(bytes.subarray(0, 12)), false);
      assert.equal(faultOf(bytes), NO_PHOTO);
    });

  for (const name of SAMPLE_NAMES)
    for (const [title, tail] of TAILS)
      test(`loses ${title} behind its end (${name})`, () => {
        assert.deepEqual(cleaned(Buffer.concat([sample(name), tail])).bytes, sample(name));
      });

  test('loses a page that is hidden in its first segment', () => {
    const page = jpegSegment(0xe0, '<html><!-- canary --><script>alert(1)</script><!--');
    assert.deepEqual(cleaned(intoJpeg(sample('baseline'), [page], 'start')).bytes, sample('baseline'));
  });

  test('may be as long and as wide as the largest side, and no more', () => {
    const place = sample('baseline').indexOf(Buffer.from([0xff, 0xc0])) + 5;
    for (const offset of [0, 2]) {
      const large = sample('baseline');
      large.writeUInt16BE(MAX_SIDE, place + offset);
      assert.equal(cleaned(large).image[offset === 0 ? 'height' : 'width'], MAX_SIDE);
      large.writeUInt16BE(MAX_SIDE + 1, place + offset);
      assert.equal(faultOf(large), 'photo must be at most 12,000 pixels a side');
    }
  });

  for (const [what, make, enough, tooMany] of MANY)
    test(`is refused with too many ${what}`, () => {
      assert.equal(faultOf(make(enough)), undefined);
      assert.equal(faultOf(make(tooMany)), 'photo has too many parts');
    });

  test('is the same in a part of a larger memory', () => {
    for (const name of SAMPLE_NAMES) {
      const around = Buffer.concat([Buffer.alloc(7, 0xff), sample(name), Buffer.alloc(7, 0xff)]);
      const result = cleanImage(around.subarray(7, -7));
      assert.ok(result.ok);
      assert.deepEqual(blocksOf(Buffer.concat(result.image.pieces)), blocksOf(sample(name)));
    }
  });
});
