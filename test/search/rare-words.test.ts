import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRestaurants, createSuggestions } from '../support/catalogue.ts';
import { type Client, ids } from '../support/client.ts';
import { startService } from '../support/service.ts';

// More than may be called rare, so that a common word is read from the texts of a rare one.
const COMMON = 310;

async function search(api: Client, q: string): Promise<number[]> {
  const { status, body } = await api.get(`/search?q=${encodeURIComponent(q)}&limit=100`);
  assert.equal(status, 200, `${q}: ${JSON.stringify(body)}`);
  return ids(body);
}

const SPECIAL = [
  { name: 'Zebra Noodle' },
  { name: 'Zebra', address: '1 Noodle Street' },
  { name: 'Zebra', address: '2 Snood Street' },
  { name: 'Zebra Οδός', address: '3 Noodle + Soup' },
  { name: 'Zebra', description: 'Noodles, 寿司 and nothing else' },
];

// The ids of SPECIAL, in the order of the answer, behind the common ones.
const SEARCHES: readonly [string, readonly number[]][] = [
  ['zebra noodle', [1, 5, 4, 2]],
  ['noodle zebra', [1, 5, 4, 2]],
  ['zebra nood', [1, 5, 4, 3, 2]],
  ['zebra no', [1, 5, 4, 2]],
  ['zebra oodle', [1, 5, 4, 2]],
  ['zebra noodle street', [2]],
  ['zebra noodle + soup', [4]],
  ['noodle zebra οδοσ', [4]],
  ['noodle zebra 司', [5]],
  ['noodle zebra giraffe', []],
  ['noodle zebra giraffes elephants', []],
];

describe('a rare word next to a common one', () => {
  test('finds what has both, names first, in whichever order they are given', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(
      api,
      Array.from({ length: COMMON }, (_, index) => ({
        name: `Noodle House ${index}`,
        address: 'Soup Street',
      })),
    );
    await createRestaurants(api, SPECIAL);
    const found = async (words: string): Promise<number[]> =>
      (await search(api, words)).map((id) => id - COMMON);
    for (const [words, wanted] of SEARCHES) assert.deepEqual(await found(words), wanted, words);

    // Pending suggestions are among the restaurants.
    await createRestaurants(api, [{ name: 'Noodle Yak' }]);
    await createSuggestions(api, [{ name: 'Noodle Yak Two' }, { name: 'Yak', address: 'Snood Street' }]);
    assert.deepEqual(await found('noodle yak'), [6, 7]);
    assert.deepEqual(await found('yak nood'), [7, 6, 8]);
  });
});
