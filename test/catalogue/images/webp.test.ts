import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findOrientation } from '../../../src/catalogue/images/exif.ts';
import { blocksOf } from '../../support/image-blocks.ts';
import { exifBlock, WEBP_PRIVATE } from '../../support/image-metadata.ts';
import {
  ALPHA,
  cleaned,
  faultOf,
  intoWebp,
  OPAQUE,
  sample,
  webpChunk,
  webpFile,
  webpFrame,
  webpHeader,
} from '../../support/images.ts';

const lossy = sample('lossy').subarray(12);
const lossless = sample('lossless').subarray(12);
const [ICC, ALPHA_FLAG, EXIF, XMP, ANIMATED] = [0x20, 0x10, 0x08, 0x04, 0x02];
const RESERVED = 0xc1;
const profile = webpChunk('ICCP', 'a profile');
const animation = webpChunk('ANIM', Buffer.from('ffffffff0000', 'hex'));
const transparent = [webpChunk('ALPH', ALPHA), webpChunk('VP8 ', OPAQUE)];
const exifOf = (orientation: number): Buffer => webpChunk('EXIF', exifBlock(orientation));
const DAMAGED = 'photo is damaged';
const TRUNCATED = 'photo is truncated';
const TOO_LARGE = 'photo must be at most 12,000 pixels a side';

/** A file, or a chunk, with these bytes from `at` on. */
function changed(bytes: Buffer, at: number, ...values: readonly number[]): Buffer {
  const copy = Buffer.from(bytes);
  copy.set(values, at);
  return copy;
}

/** An animation of these chunks. */
function animated(...chunks: readonly Buffer[]): Buffer {
  return webpFile(webpHeader(ANIMATED), animation, ...chunks);
}

const frame = webpFrame(lossy);
const AS_IT_IS: readonly (readonly [string, Buffer])[] = [
  ['lossy', webpFile(lossy)],
  ['lossless', webpFile(lossless)],
  ['extended', webpFile(webpHeader(0), lossy)],
  ['extended with a colour profile', webpFile(webpHeader(ICC), profile, lossless)],
  ['extended with transparency', webpFile(webpHeader(ALPHA_FLAG), ...transparent)],
  ['animated', animated(frame, webpFrame(lossless))],
  ['animated with transparency', webpFile(webpHeader(0x12), animation, webpFrame(...transparent), frame)],
];

const REFUSED: readonly (readonly [string, Buffer, string])[] = [
  ['a head alone', changed(webpFile(), 4, 4), DAMAGED],
  ['a size of 0', changed(webpFile(lossy), 4, 0), DAMAGED],
  ['a size beyond the end', changed(webpFile(lossy), 4, 0x4e), TRUNCATED],
  ['the largest size', changed(webpFile(lossy), 4, 255, 255, 255, 255), TRUNCATED],
  ['a size that ends in the picture', changed(webpFile(lossy), 4, 0x40), DAMAGED],
  ['a chunk beyond the container', changed(webpFile(lossy), 16, 0x42), DAMAGED],
  ['a chunk of the largest size', changed(webpFile(lossy), 16, 255, 255, 255, 255), DAMAGED],
  ['a few bytes behind the last chunk', webpFile(lossy, Buffer.from('abcd')), DAMAGED],
  ['no picture', webpFile(webpChunk('ABCD', 'canary')), DAMAGED],
  ['no picture behind an extended header', webpFile(webpHeader(0)), DAMAGED],
  ['nothing but metadata behind an extended header', webpFile(webpHeader(EXIF), exifOf(6)), DAMAGED],
  ['nothing but transparency', webpFile(webpHeader(ALPHA_FLAG), webpChunk('ALPH', ALPHA)), DAMAGED],
  ['an extended header of nine bytes', webpFile(webpChunk('VP8X', Buffer.alloc(9)), lossy), DAMAGED],
  ['an extended header of no bytes', webpFile(webpChunk('VP8X', ''), lossy), DAMAGED],
  ['a canvas that is not the picture', webpFile(webpHeader(0, 17, 8), lossy), DAMAGED],
  ['an empty bitstream', webpFile(webpChunk('VP8 ', '')), DAMAGED],
  ['an empty lossless bitstream', webpFile(webpChunk('VP8L', '')), DAMAGED],
  ['a bitstream without its signature', webpFile(changed(lossy, 11, 0)), DAMAGED],
  ['a frame that needs another', webpFile(changed(lossy, 8, 0xd1)), DAMAGED],
  ['a frame that is not shown', webpFile(changed(lossy, 8, 0xc0)), DAMAGED],
  ['an unknown version', webpFile(changed(lossy, 8, 0xdc)), DAMAGED],
  ['a first part larger than the whole', webpFile(changed(lossy, 10, 0xff)), DAMAGED],
  ['a width of 0', webpFile(changed(lossy, 14, 0, 0)), DAMAGED],
  ['a height of 0', webpFile(changed(lossy, 16, 0, 0)), DAMAGED],
  ['a lossless bitstream without its signature', webpFile(changed(lossless, 8, 0x2e)), DAMAGED],
  ['an unknown version of a lossless bitstream', webpFile(changed(lossless, 12, 0x20)), DAMAGED],
  ['an animation without frames', animated(), DAMAGED],
  ['frames without an animation', webpFile(webpHeader(ANIMATED), frame), DAMAGED],
  ['an animation behind its frames', webpFile(webpHeader(ANIMATED), frame, animation), DAMAGED],
  ['an animation of five bytes', webpFile(webpHeader(ANIMATED), webpChunk('ANIM', 'abcde'), frame), DAMAGED],
  ['a frame of 15 bytes', animated(webpChunk('ANMF', Buffer.alloc(15))), DAMAGED],
  ['a frame without a picture', animated(webpFrame()), DAMAGED],
  ['a frame with a chunk beyond it', animated(webpFrame(changed(lossy, 4, 99))), DAMAGED],
  ['a frame that is not its picture', animated(changed(frame, 14, 14)), DAMAGED],
  ['a frame that leaves the canvas', animated(changed(frame, 8, 1)), DAMAGED],
  ['a picture next to the frames', animated(frame, lossy), DAMAGED],
  ['frames, and no sign of an animation', webpFile(webpHeader(0), animation, frame), DAMAGED],
  ['16,383 pixels', webpFile(changed(lossy, 14, 0xff, 0x3f, 0xff, 0x3f)), TOO_LARGE],
  ['12,001 lossless pixels', webpFile(changed(lossless, 9, 0xe0, 0xee)), TOO_LARGE],
  ['a canvas of 16,777,216 pixels', webpFile(webpHeader(ANIMATED, 2 ** 24, 8), animation, frame), TOO_LARGE],
];

describe('a WebP photo', () => {
  for (const [title, whole] of AS_IT_IS)
    test(`is taken as it is when it is ${title}`, () => {
      const { image, bytes } = cleaned(whole);
      assert.deepEqual(
        { ...image, pieces: [] },
        { type: 'image/webp', extension: 'webp', width: 16, height: 8, pieces: [] },
      );
      assert.deepEqual(bytes, whole);
    });

  for (const [title, chunk] of WEBP_PRIVATE)
    test(`loses ${title} and the sign of it, before, behind and within a picture`, () => {
      const still = webpFile(webpHeader(EXIF | XMP | RESERVED), chunk, lossless, chunk);
      assert.deepEqual(cleaned(still).bytes, webpFile(webpHeader(0), lossless));
      const head = webpHeader(EXIF | XMP | ANIMATED);
      const moving = webpFile(head, animation, chunk, webpFrame(lossy, chunk), chunk);
      assert.deepEqual(cleaned(moving).bytes, animated(frame));
      assert.deepEqual(cleaned(webpFile(lossy, chunk)).bytes, webpFile(lossy));
    });

  for (const orientation of [2, 3, 4, 5, 6, 7, 8])
    test(`keeps orientation ${orientation}, alone and behind the picture, which browsers show as it is`, () => {
      const late = [exifOf(orientation), exifOf(1)];
      const { image, bytes } = cleaned(intoWebp(sample('lossy'), ICC | XMP, [profile], late));
      assert.deepEqual([image.width, image.height], [16, 8]);
      assert.deepEqual(blocksOf(bytes), ['VP8X', 'ICCP', 'VP8 ', 'EXIF']);
      assert.equal(findOrientation(bytes.subarray(-26)), orientation);
      assert.equal(bytes[20], ICC | EXIF);
      assert.equal(bytes.length, webpFile(webpHeader(0), profile, lossy).length + 34);
      assert.deepEqual(cleaned(bytes).bytes, bytes);
    });

  test('has the orientation of the first EXIF block that is one, wherever it stands', () => {
    const early = intoWebp(sample('lossy'), EXIF, [webpChunk('EXIF', 'canary'), exifOf(6), exifOf(3)]);
    const { bytes } = cleaned(early);
    assert.deepEqual(blocksOf(bytes), ['VP8X', 'VP8 ', 'EXIF']);
    assert.equal(findOrientation(bytes.subarray(-26)), 6);
  });

  test('loses a second picture, what belongs to none, and a profile that comes too late', () => {
    const late = [lossless, webpChunk('ALPH', ALPHA), profile, animation];
    const first = intoWebp(sample('lossy'), ICC, [], late);
    assert.deepEqual(cleaned(first).bytes, webpFile(webpHeader(0), lossy));
    const twice = webpFile(webpHeader(ICC), profile, webpChunk('ICCP', 'canary'), lossless);
    assert.deepEqual(cleaned(twice).bytes, webpFile(webpHeader(ICC), profile, lossless));
  });

  test('has chunks at even places, whatever fills them up', () => {
    const filled = intoWebp(sample('lossless'), ICC, [changed(profile, profile.length - 1, 0x63)]);
    assert.deepEqual(cleaned(filled).bytes, webpFile(webpHeader(ICC), profile, lossless));
    const open = changed(webpFile(lossless).subarray(0, -1), 4, 0x39);
    assert.deepEqual(cleaned(open).bytes, webpFile(lossless));
  });

  for (const [title, bytes, fault] of REFUSED)
    test(`is refused with ${title}`, () => {
      assert.equal(faultOf(bytes), fault);
    });
});
