import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cleanImage, looksLikeImage } from '../../../src/catalogue/images/image.ts';
import { randomNumbers } from '../../support/catalogue.ts';
import { forbiddenIn } from '../../support/image-blocks.ts';
import { CANARIES } from '../../support/image-metadata.ts';
import { mutate, PHOTOS } from '../../support/image-mutations.ts';
import { faultOf } from '../../support/images.ts';
import { scaled } from '../../support/size.ts';

const MUTATIONS = scaled(10_000);
const SEED = 26;
const NO_PHOTO = 'photo must be a JPEG, PNG or WebP image';

/** Whether a photo is taken; what is taken must be clean, whole and not change any more. */
function isTakenAndClean(photo: Buffer, title: string): boolean {
  const result = cleanImage(photo);
  if (!result.ok) return false;
  const { pieces, ...described } = result.image;
  const bytes = Buffer.concat(pieces);
  assert.deepEqual(forbiddenIn(bytes), [], title);
  for (const canary of CANARIES) assert.ok(!bytes.includes(canary), `${title}: ${canary}`);
  const again = cleanImage(bytes);
  assert.ok(again.ok, title);
  const { pieces: same, ...describedAgain } = again.image;
  assert.deepEqual(describedAgain, described, title);
  assert.ok(Buffer.concat(same).equals(bytes), title);
  return true;
}

describe('photos that went wrong', () => {
  for (const [title, photo] of PHOTOS)
    test(`are refused wherever they end too early (${title})`, () => {
      assert.ok(isTakenAndClean(photo, title));
      const start = photo[0] === 0xff ? 3 : photo[0] === 0x89 ? 8 : 12;
      for (let length = 0; length < photo.length; length += 1) {
        const part = photo.subarray(0, length);
        assert.equal(looksLikeImage(part.subarray(0, 12)), length >= start, `${length} bytes`);
        assert.equal(faultOf(part), length < start ? NO_PHOTO : 'photo is truncated', `${length} bytes`);
      }
    });

  test(`are clean, or refused, whatever ${MUTATIONS} changes do to them (seed ${SEED})`, () => {
    const random = randomNumbers(SEED);
    let taken = 0;
    for (let round = 0; round < MUTATIONS; round += 1) {
      const [title, photo] = PHOTOS[round % PHOTOS.length] ?? ['', Buffer.alloc(0)];
      if (isTakenAndClean(mutate(photo, random), `${title}, round ${round}`)) taken += 1;
    }
    assert.ok(taken > MUTATIONS / 10 && taken < MUTATIONS, `${taken} taken`);
  });
});
