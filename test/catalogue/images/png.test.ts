import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { blocksOf } from '../../support/image-blocks.ts';
import { exifBlock, PNG_PRIVATE } from '../../support/image-metadata.ts';
import { cleaned, faultOf, intoPng, pngChunk, pngChunks, pngFile, sample } from '../../support/images.ts';

const plain = sample('png');
const [header = plain, palette = plain, picture = plain, end = plain] = pngChunks(plain);
const DAMAGED = 'photo is damaged';
const TRUNCATED = 'photo is truncated';
const TOO_LARGE = 'photo must be at most 12,000 pixels a side';

/** The header chunk with these bytes at so far behind the beginning of its data. */
function headerWith(offset: number, ...bytes: readonly number[]): Buffer {
  const data = Buffer.from(header.subarray(8, -4));
  data.set(bytes, offset);
  return pngChunk('IHDR', data);
}

/** A chunk whose checksum is not that of its data. */
function withWrongSum(chunk: Buffer): Buffer {
  const copy = Buffer.from(chunk);
  copy.writeUInt8(copy.readUInt8(copy.length - 1) ^ 1, copy.length - 1);
  return copy;
}

function withLength(chunk: Buffer, length: number): Buffer {
  const copy = Buffer.from(chunk);
  copy.writeUInt32BE(length);
  return copy;
}

const halves = [picture.subarray(8, 15), picture.subarray(15, -4)].map((data) => pngChunk('IDAT', data));
const [half = plain, otherHalf = plain] = halves;
const control = pngChunk('fcTL', Buffer.from('0000000000000010000000080000000000000000000a00640000', 'hex'));
const animated = pngChunk('acTL', Buffer.from('0000000100000000', 'hex'));
const animation = pngFile(header, animated, palette, control, picture, end);

const time = pngChunk('tIME', '1234567');

const NEEDED: readonly (readonly [string, Buffer])[] = [
  ['its transparency', pngChunk('tRNS', '\0')],
  ['its gamma', pngChunk('gAMA', '\0\0ab')],
  ['its chromaticities', pngChunk('cHRM', Buffer.alloc(32, 1))],
  ['that it is sRGB', pngChunk('sRGB', '\0')],
  ['its colour profile', pngChunk('iCCP', 'profile\0\0compressed')],
  ['its significant bits', pngChunk('sBIT', '\x08\x08\x08')],
  ['its background', pngChunk('bKGD', '\0')],
  ['the shape of its pixels', pngChunk('pHYs', '\0\0\0\x01\0\0\0\x01\0')],
  ['its histogram', pngChunk('hIST', '\0\x01\0\x01\0\x01')],
  ['its video colour space', pngChunk('cICP', '\x01\x0d\0\x01')],
  ['the display it was made on', pngChunk('mDCV', Buffer.alloc(24, 1))],
  ['its light levels', pngChunk('cLLI', Buffer.alloc(8, 1))],
];

const REFUSED: readonly (readonly [string, Buffer, string])[] = [
  ['no header', pngFile(palette, picture, end), DAMAGED],
  ['a header behind a chunk', pngFile(pngChunk('tEXt', 'a\0b'), header, palette, picture, end), DAMAGED],
  ['two headers', pngFile(header, header, palette, picture, end), DAMAGED],
  ['a header of 12 bytes', pngFile(pngChunk('IHDR', header.subarray(8, 20)), palette, picture, end), DAMAGED],
  ['a header of 14 bytes', pngFile(pngChunk('IHDR', header.subarray(8, 22)), palette, picture, end), DAMAGED],
  ['a header whose checksum is wrong', pngFile(withWrongSum(header), palette, picture, end), DAMAGED],
  ['a width of 0', pngFile(headerWith(0, 0, 0, 0, 0), palette, picture, end), DAMAGED],
  ['a height of 0', pngFile(headerWith(4, 0, 0, 0, 0), palette, picture, end), DAMAGED],
  ['a palette that is too long', pngFile(header, pngChunk('PLTE', Buffer.alloc(771)), picture, end), DAMAGED],
  ['no picture', pngFile(header, palette, end), DAMAGED],
  ['a picture whose checksum is wrong', pngFile(header, palette, withWrongSum(picture), end), DAMAGED],
  ['an end with data', pngFile(header, palette, picture, pngChunk('IEND', 'canary')), DAMAGED],
  ['an unknown chunk that a decoder needs', intoPng(plain, [pngChunk('CgBI', 'abcd')]), DAMAGED],
  ['a chunk of no letters', intoPng(plain, [pngChunk('a\0bc', '')]), DAMAGED],
  ['a length of more than 31 bits', pngFile(header, palette, withLength(picture, 2 ** 31), end), DAMAGED],
  ['a length beyond the end', pngFile(header, palette, withLength(picture, 2 ** 31 - 1), end), TRUNCATED],
  ['a length that takes the next chunk in', pngFile(header, palette, withLength(picture, 33), end), DAMAGED],
  ['a length that ends too early', pngFile(header, palette, withLength(picture, 5), end), DAMAGED],
  ['12,001 pixels', pngFile(headerWith(2, 0x2e, 0xe1), palette, picture, end), TOO_LARGE],
  ['the most pixels', pngFile(headerWith(0, 255, 255, 255, 255), palette, picture, end), TOO_LARGE],
];

describe('a PNG photo', () => {
  test('is taken as it is when it has nothing but a picture', () => {
    const { image, bytes } = cleaned(plain);
    assert.deepEqual(
      { ...image, pieces: [] },
      { type: 'image/png', extension: 'png', width: 16, height: 8, pieces: [] },
    );
    assert.deepEqual(bytes, plain);
    const parted = pngFile(header, palette, half, otherHalf, end);
    assert.deepEqual(cleaned(parted).bytes, parted);
  });

  for (const [title, chunk] of NEEDED)
    test(`keeps ${title}, and loses it where its checksum is wrong`, () => {
      const whole = intoPng(plain, [chunk]);
      assert.deepEqual(cleaned(whole).bytes, whole);
      assert.deepEqual(cleaned(intoPng(plain, [withWrongSum(chunk)])).bytes, plain);
    });

  test('loses text in place of a gamma, and between two parts of the picture', () => {
    assert.deepEqual(cleaned(intoPng(plain, [pngChunk('gAMA', 'canary gamma')])).bytes, plain);
    const parted = cleaned(pngFile(header, palette, half, time, otherHalf, end)).bytes;
    assert.deepEqual(parted, pngFile(header, palette, half, otherHalf, end));
  });

  test('keeps its animation', () => {
    const frame = [control, pngChunk('fdAT', Buffer.concat([Buffer.alloc(4), picture]))];
    const more = intoPng(animation, [], [...frame, ...frame]);
    assert.deepEqual(cleaned(more).bytes, more);
  });

  for (const [title, chunk] of PNG_PRIVATE)
    test(`loses ${title}, before and behind the picture`, () => {
      assert.deepEqual(cleaned(intoPng(plain, [chunk, chunk], [chunk])).bytes, plain);
    });

  for (const orientation of [2, 3, 4, 5, 6, 7, 8])
    test(`keeps orientation ${orientation}, alone and right behind the header`, () => {
      const exif = pngChunk('eXIf', exifBlock(orientation));
      for (const whole of [intoPng(plain, [exif, PNG_PRIVATE[0]?.[1] ?? exif]), intoPng(plain, [], [exif])]) {
        const { image, bytes } = cleaned(whole);
        assert.deepEqual([image.width, image.height], orientation < 5 ? [16, 8] : [8, 16]);
        assert.deepEqual(blocksOf(bytes), ['IHDR', 'eXIf', 'PLTE', 'IDAT', 'IEND']);
        assert.equal(bytes.length, plain.length + 38);
        assert.deepEqual(cleaned(bytes).bytes, bytes);
      }
    });

  test('has the orientation of the first EXIF block that is intact', () => {
    const [six, three] = [6, 3].map((orientation) => pngChunk('eXIf', exifBlock(orientation)));
    assert.ok(six && three);
    assert.equal(cleaned(intoPng(plain, [withWrongSum(six)])).image.width, 16);
    assert.equal(cleaned(intoPng(plain, [pngChunk('eXIf', 'canary'), six, three])).image.width, 8);
    assert.equal(cleaned(intoPng(plain, [three, six])).image.width, 16);
  });

  for (const [title, bytes, fault] of REFUSED)
    test(`is refused with ${title}`, () => {
      assert.equal(faultOf(bytes), fault);
    });
});
