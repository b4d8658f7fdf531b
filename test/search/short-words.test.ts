import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRestaurants } from '../support/catalogue.ts';
import { type Client, field, ids } from '../support/client.ts';
import { startService } from '../support/service.ts';

async function search(api: Client, q: string): Promise<number[]> {
  const { status, body } = await api.get(`/search?q=${encodeURIComponent(q)}`);
  assert.equal(status, 200, `${q}: ${JSON.stringify(body)}`);
  return ids(body);
}

// Scripts without blanks between words: one character may stand at the start of a text, within it and at its end.
const PLACES: readonly [string, object][] = [
  ['the name', { name: '築地寿司大' }],
  ['the address', { name: 'A', address: '築地寿司大' }],
  ['the description', { name: 'A', description: '築地寿司大' }],
  ['the description behind an address', { name: 'A', address: 'B', description: '築地寿司大' }],
];

describe('a search for one or two characters', () => {
  test('finds them at the start, within and at the end of every text', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [{ name: 'Unrelated' }]);
    for (const [title, body] of PLACES) {
      const [id = 0] = await createRestaurants(api, [body]);
      for (const query of ['築', '地', '寿', '司', '大', '築地', '地寿', '寿司', '司大'])
        assert.deepEqual(await search(api, query), [id], `${title}: ${query}`);
      await api.delete(`/restaurants/${id}`);
    }
  });

  test('finds them at both ends of the name of a category and a food type', async (t) => {
    const { api } = await startService(t);
    for (const path of ['/categories', '/food-types']) await api.post(path, { name: '回転寿司' });
    const made = await createRestaurants(api, [
      { name: 'A', category_id: 11 },
      { name: 'B', food_type_ids: [11] },
      { name: 'Unrelated' },
    ]);
    for (const query of ['回', '司', '回転', '寿司'])
      assert.deepEqual((await search(api, query)).sort(), made.slice(0, 2), query);
  });

  test('finds an emoji at the end of an address', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [{ name: 'A', address: 'Beach 🦞' }]);
    assert.deepEqual(await search(api, '🦞'), [1]);
  });

  test('misses none of hundreds, whatever follows the character', async (t) => {
    const { api } = await startService(t);
    const made = await createRestaurants(
      api,
      Array.from({ length: 250 }, (_, index) => ({
        name: `大${String.fromCodePoint(0x4e00 + index * 7, 0x4e00 + index * 3)}店`,
      })),
    );
    const body = (await api.get(`/restaurants/paginated?limit=1&q=${encodeURIComponent('大')}`)).body;
    assert.equal(field(body, 'total'), made.length);
  });

  test('puts names before the rest, wherever in the name the character stands', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [
      { name: '東京大' },
      { name: 'A', address: '大阪市' },
      { name: '大盛軒' },
      { name: 'B', address: '大手町' },
    ]);
    const found = await search(api, '大');
    assert.deepEqual(found.slice(0, 2).sort(), [1, 3]);
    assert.deepEqual(found.slice(2).sort(), [2, 4]);
  });

  test('finds the start of a word in other scripts, at the end of every text', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [{ name: 'Rio', address: 'Rua X 7', description: 'fish & o' }]);
    for (const query of ['r', 'ri', 'x', '7', 'o', 'fi', 'X 7 o'])
      assert.deepEqual(await search(api, query), [1], query);
  });

  test('takes a hundred of them at once', async (t) => {
    const { api } = await startService(t);
    const characters = Array.from({ length: 100 }, (_, index) => String.fromCodePoint(0x4e00 + index * 7));
    await createRestaurants(api, [
      { name: characters.join('') },
      ...characters.map((character, index) => ({ name: `${character}店${index}` })),
    ]);
    assert.deepEqual(await search(api, characters.join(' ')), [1]);
  });
});
