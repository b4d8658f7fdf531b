import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { blocksOf } from '../../support/image-blocks.ts';
import { CANARIES, JPEG_PRIVATE, JPEG_PROFILE, jpegExif, phonePhoto } from '../../support/image-metadata.ts';
import { cleaned, faultOf, intoJpeg, jpegSegment, sample } from '../../support/images.ts';

const baseline = sample('baseline');
const DAMAGED = 'photo is damaged';
const TRUNCATED = 'photo is truncated';
const TOO_LARGE = 'photo must be at most 12,000 pixels a side';
const UNUSUAL = 'photo is a JPEG of a kind that browsers do not show';

/** Where a segment of the baseline sample begins. */
function placeOf(marker: number): number {
  return baseline.indexOf(Buffer.from([0xff, marker]));
}

/** The baseline sample with these bytes at so far behind the beginning of a segment. */
function changed(marker: number, offset: number, ...bytes: readonly number[]): Buffer {
  const copy = Buffer.from(baseline);
  copy.set(bytes, placeOf(marker) + offset);
  return copy;
}

/** The baseline sample without the segments from one marker up to another. */
function without(from: number, to: number): Buffer {
  return Buffer.concat([baseline.subarray(0, placeOf(from)), baseline.subarray(placeOf(to))]);
}

/** A JPEG file with a segment right before its end. */
function beforeEnd(jpeg: Buffer, segment: Buffer): Buffer {
  return Buffer.concat([jpeg.subarray(0, -2), segment, end]);
}

const end = baseline.subarray(-2);
const frame = baseline.subarray(placeOf(0xc0), placeOf(0xc4));
const adobe = jpegSegment(0xee, 'Adobe\0\x64\0\0\0\0\x01');

const REFUSED: readonly (readonly [string, Buffer, string])[] = [
  ['a start and an end', Buffer.from('ffd8ffd9', 'hex'), DAMAGED],
  ['no picture before the end', Buffer.concat([baseline.subarray(0, placeOf(0xda)), end]), DAMAGED],
  ['no frame', without(0xc0, 0xc4), DAMAGED],
  ['two frames', intoJpeg(baseline, [frame]), DAMAGED],
  ['a frame behind the scan', beforeEnd(without(0xc0, 0xc4), frame), DAMAGED],
  ['a second start', intoJpeg(baseline, [Buffer.from('ffd80004aaaa', 'hex')]), DAMAGED],
  ['a width of 0', changed(0xc0, 7, 0, 0), DAMAGED],
  ['a height of 0', changed(0xc0, 5, 0, 0), DAMAGED],
  ['a frame of no components', changed(0xc0, 9, 0), DAMAGED],
  ['a frame of fewer components than it has space for', changed(0xc0, 9, 2), DAMAGED],
  ['a frame without a body', intoJpeg(without(0xc0, 0xc4), [jpegSegment(0xc0, '')]), DAMAGED],
  ['a frame of 255 components', intoJpeg(baseline, [jpegSegment(0xc0, Buffer.alloc(771, 255))]), DAMAGED],
  ['a scan of no components', changed(0xda, 4, 0), DAMAGED],
  ['a scan of more components than it has space for', changed(0xda, 4, 4), DAMAGED],
  ['a length of 0', changed(0xdb, 2, 0, 0), DAMAGED],
  ['a length of 1', changed(0xdb, 2, 0, 1), DAMAGED],
  ['a length beyond the end', changed(0xdb, 2, 0xff, 0xff), TRUNCATED],
  ['a quantisation table and more', intoJpeg(baseline, [jpegSegment(0xdb, Buffer.alloc(80))]), DAMAGED],
  ['a Huffman table and more', intoJpeg(baseline, [jpegSegment(0xc4, Buffer.alloc(20))]), DAMAGED],
  ['a Huffman table that counts beyond its end', changed(0xc4, 5, 200), DAMAGED],
  ['a restart interval of four bytes', intoJpeg(baseline, [jpegSegment(0xdd, 'four')]), DAMAGED],
  ['a lossless frame', changed(0xc0, 1, 0xc3), UNUSUAL],
  ['a hierarchical frame', changed(0xc0, 1, 0xc5), UNUSUAL],
  ['an arithmetic frame', changed(0xc0, 1, 0xc9), UNUSUAL],
  ['12 bits a channel', changed(0xc0, 4, 12), UNUSUAL],
  ['65,535 by 65,535 pixels', changed(0xc0, 5, 0xff, 0xff, 0xff, 0xff), TOO_LARGE],
];

describe('a JPEG photo', () => {
  for (const name of ['baseline', 'progressive'] as const)
    test(`is taken as it is when it is ${name} and has nothing but a picture`, () => {
      const { image, bytes } = cleaned(sample(name));
      assert.deepEqual(
        { ...image, pieces: [] },
        { type: 'image/jpeg', extension: 'jpg', width: 16, height: 8, pieces: [] },
      );
      assert.deepEqual(bytes, sample(name));
    });

  for (const [title, segment] of JPEG_PRIVATE)
    test(`loses ${title}, and nothing of the picture`, () => {
      assert.deepEqual(cleaned(intoJpeg(baseline, [segment])).bytes, baseline);
      assert.deepEqual(cleaned(intoJpeg(baseline, [segment, segment], 'start')).bytes, baseline);
      assert.deepEqual(cleaned(beforeEnd(baseline, segment)).bytes, baseline);
    });

  for (const orientation of [2, 3, 4, 5, 6, 7, 8])
    test(`keeps orientation ${orientation}, alone and right behind the start`, () => {
      const { image, bytes } = cleaned(intoJpeg(baseline, [jpegExif(orientation), jpegExif(1)], 'start'));
      assert.deepEqual([image.width, image.height], orientation < 5 ? [16, 8] : [8, 16]);
      assert.deepEqual(blocksOf(bytes).slice(0, 4), ['SOI', 'JFIF', 'Exif', 'DQT']);
      assert.equal(bytes.length, baseline.length + 36);
      assert.deepEqual(Buffer.concat([bytes.subarray(0, 20), bytes.subarray(56)]), baseline);
      assert.deepEqual(cleaned(bytes).bytes, bytes);
    });

  test('has the orientation of the first EXIF block that is one', () => {
    const broken = jpegSegment(0xe1, 'Exif\0\0canary');
    assert.equal(cleaned(intoJpeg(baseline, [broken, jpegExif(6)])).image.width, 8);
    assert.equal(cleaned(intoJpeg(baseline, [jpegExif(1), jpegExif(6)])).image.width, 16);
    assert.equal(cleaned(beforeEnd(baseline, jpegExif(6))).image.width, 16);
  });

  test('keeps its colour profile in all its parts, what Adobe says of its channels, and restarts', () => {
    const needed = [...JPEG_PROFILE, adobe, jpegSegment(0xdd, '\0\x01')];
    const whole = intoJpeg(baseline, needed);
    assert.deepEqual(cleaned(whole).bytes, whole);
  });

  test('loses what stands behind the twelve bytes of Adobe, and a segment of fewer', () => {
    const longer = jpegSegment(0xee, Buffer.concat([adobe.subarray(4), Buffer.from('canary')]));
    assert.deepEqual(cleaned(intoJpeg(baseline, [longer])).bytes, intoJpeg(baseline, [adobe]));
    assert.deepEqual(cleaned(intoJpeg(baseline, [jpegSegment(0xee, 'Adobe')])).bytes, baseline);
  });

  test('loses the small copy in its JFIF header, and a second header', () => {
    const header = jpegSegment(0xe0, 'JFIF\0\x01\x01\0\0\x01\0\x01\x02\x02canary copy..');
    const bare = Buffer.concat([baseline.subarray(0, 2), baseline.subarray(20)]);
    assert.deepEqual(cleaned(intoJpeg(bare, [header, header], 'start')).bytes, baseline);
    assert.deepEqual(cleaned(intoJpeg(bare, [jpegSegment(0xe0, 'JFIF\0canary')], 'start')).bytes, bare);
  });

  test('loses what decoders skip: fill bytes, stray bytes and markers without a meaning', () => {
    const stray = [Buffer.from('canary'), Buffer.from('ff00ff01ffd3', 'hex'), Buffer.from('ffff', 'hex')];
    assert.deepEqual(cleaned(intoJpeg(baseline, stray)).bytes, baseline);
  });

  test('is cleaned without a copy of the picture, however large, and of all that a phone writes', () => {
    const photo = phonePhoto(3 * 1024 * 1024, 6);
    const { image, bytes } = cleaned(photo);
    assert.deepEqual([image.width, image.height], [8, 16]);
    const shared = image.pieces.filter((piece) => piece.buffer === photo.buffer);
    assert.ok(shared.some((piece) => piece.length > 3 * 1024 * 1024) && image.pieces.length < 20);
    assert.deepEqual(blocksOf(bytes).slice(0, 5), ['SOI', 'JFIF', 'Exif', 'ICC', 'ICC']);
    assert.equal(blocksOf(bytes).at(-1), 'EOI');
    for (const canary of CANARIES) assert.ok(photo.includes(canary) && !bytes.includes(canary));
  });

  for (const [title, bytes, fault] of REFUSED)
    test(`is refused with ${title}`, () => {
      assert.equal(faultOf(bytes), fault);
    });
});
