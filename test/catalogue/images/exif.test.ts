import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findOrientation, makeOrientationBlock } from '../../../src/catalogue/images/exif.ts';
import { exifBlock } from '../../support/image-metadata.ts';

const ORIENTATIONS = [1, 2, 3, 4, 5, 6, 7, 8];
const block = makeOrientationBlock(6);

/** The little block of orientation 6 with these bytes from `at` on. */
function changed(at: number, ...bytes: readonly number[]): Buffer {
  const copy = Buffer.from(block);
  copy.set(bytes, at);
  return copy;
}

const NO_TIFF: readonly (readonly [string, Buffer])[] = [
  ['the prefix alone', Buffer.from('Exif\0\0')],
  ['a byte order without its 42', changed(2, 0, 43)],
  ['the number of another byte order', changed(0, 0x49, 0x49)],
  ['text', Buffer.from('<x:xmpmeta xmlns:x="adobe:ns:meta/">')],
];

const UNTOLD: readonly (readonly [string, Buffer])[] = [
  ['a directory beyond the end', changed(4, 0xff, 0xff, 0xff, 0xff)],
  ['a directory right at the end', changed(4, 0, 0, 0, 26)],
  ['no entry', changed(8, 0, 0)],
  ['another tag', changed(10, 0x01, 0x13)],
  ['an orientation of another type', changed(12, 0, 4)],
  ['several orientations', changed(14, 0, 0, 0, 2)],
  ['an orientation of 0', changed(18, 0, 0)],
  ['an orientation of 9', changed(18, 0, 9)],
  ['an orientation of 1,536', changed(18, 6, 0)],
];

describe('the orientation in EXIF', () => {
  for (const orientation of ORIENTATIONS)
    test(`is found when it is ${orientation}, in either byte order, with and without the prefix`, () => {
      for (const tiff of [exifBlock(orientation, 'II'), exifBlock(orientation, 'MM')]) {
        assert.equal(findOrientation(tiff), orientation);
        assert.equal(findOrientation(Buffer.concat([Buffer.from('Exif\0\0'), tiff])), orientation);
        const padded = Buffer.concat([Buffer.from('Exif\0\xff', 'latin1'), tiff]);
        assert.equal(findOrientation(padded), orientation);
      }
    });

  test('is all there is in the block that is made of it', () => {
    for (const orientation of ORIENTATIONS)
      assert.equal(findOrientation(makeOrientationBlock(orientation)), orientation);
    const hex = '4d4d002a00000008' + '0001' + '011200030000000100060000' + '00000000';
    assert.equal(block.toString('hex'), hex);
  });

  test('is found though the count of entries is a lie', () => {
    assert.equal(findOrientation(changed(8, 0xff, 0xff)), 6);
  });

  test('is that of the first directory alone', () => {
    const second = Buffer.concat([changed(8, 0, 0), block.subarray(8)]);
    second.writeUInt32BE(26, 10);
    assert.equal(findOrientation(second), 1);
  });

  for (const [title, bytes] of NO_TIFF)
    test(`is not looked for in ${title}`, () => {
      assert.equal(findOrientation(bytes), undefined);
    });

  for (const [title, bytes] of UNTOLD)
    test(`is upright with ${title}`, () => {
      assert.equal(findOrientation(bytes), 1);
    });

  test('is undefined or upright with every part of a block but its whole entry', () => {
    for (let length = 0; length < 22; length += 1)
      assert.equal(findOrientation(block.subarray(0, length)), length < 4 ? undefined : 1);
  });
});
