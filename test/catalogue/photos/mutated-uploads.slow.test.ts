import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { randomNumbers } from '../../support/catalogue.ts';
import { array, field } from '../../support/client.ts';
import { forbiddenIn } from '../../support/image-blocks.ts';
import { mutate, PHOTOS } from '../../support/image-mutations.ts';
import { inTurns } from '../../support/in-turns.ts';
import {
  form,
  photoPart,
  placeOf,
  sendForm,
  startWithRestaurant,
  storedFiles,
} from '../../support/photos.ts';
import { SEED, scaled } from '../../support/size.ts';

const UPLOADS = scaled(1_000);
const AT_ONCE = 8;

/** A form whose photo went wrong, or that went wrong itself. */
function mutatedForm(round: number, random: () => number): Buffer {
  const [, photo = Buffer.alloc(0)] = PHOTOS[round % PHOTOS.length] ?? [];
  const caption = { name: 'caption', content: 'Menu' };
  if (round % 3 > 0) return form(photoPart(mutate(photo, random)), caption);
  return mutate(form(caption, photoPart(photo)), random);
}

describe('uploads that went wrong', () => {
  test(`are taken clean or refused with 400, all ${UPLOADS} of them, and leave no other file (seed ${SEED})`, async (t) => {
    const { api, folder, logs } = await startWithRestaurant(t, { LOG_LEVEL: 'warn' });
    const random = randomNumbers(SEED);
    const statuses = await inTurns(UPLOADS, AT_ONCE, async (turn) => {
      return (await sendForm(api, mutatedForm(turn, random))).status;
    });

    assert.deepEqual([...new Set(statuses)].sort(), [201, 400]);
    const photos = array((await api.get('/restaurants/1/photos')).body);
    assert.equal(photos.length, statuses.filter((status) => status === 201).length);
    assert.deepEqual(storedFiles(folder), photos.map(placeOf).sort());
    for (const photo of photos) {
      const bytes = readFileSync(join(folder, 'photos', placeOf(photo)));
      assert.equal(bytes.length, field(photo, 'file_size'));
      assert.deepEqual(forbiddenIn(bytes), []);
    }
    assert.deepEqual(logs, []);
  });
});
