import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { storedFieldsOf } from '../../../src/catalogue/restaurants/fields.ts';
import { CatalogueStores } from '../../../src/catalogue/stores.ts';
import { openStorage } from '../../../src/storage/storage.ts';
import { randomNumbers, rate } from '../../support/catalogue.ts';
import { type Client, field, ids, record } from '../../support/client.ts';
import { openWrites } from '../../support/log.ts';
import { startService, temporaryFolder } from '../../support/service.ts';

// Words that share beginnings, ends and middles, in more texts than are looked up one by one.
const WORDS =
  'golden gold old oldie gelder dragon drag rag ragu bistro bis tro maison son sonata a an ana'.split(' ');
const KINDS = ['Golden years', 'Ragu house', 'Sonata', 'Bis'];
// In the small catalogue every word is rare, so the database looks for them; in the large one most are common, and
// signatures in memory do.
const SIZES = [60, 1_500];
const MOST_OFFSETS = 200;

interface Place {
  readonly id: number;
  readonly name: string;
  readonly words: readonly string[];
  readonly rating: number;
}

/** Whether a place has the word: one of three letters or more anywhere in a word of its own, a shorter one at its start. */
function has({ words }: Place, word: string): boolean {
  return words.some((own) => (word.length >= 3 ? own.includes(word) : own.startsWith(word)));
}

/** How well the name fits, best first. */
function rank({ name, ...place }: Place, asked: string): number {
  if (name === asked) return 0;
  if (name.startsWith(asked)) return 1;
  if (` ${name} `.includes(` ${asked} `)) return 2;
  if (` ${name}`.includes(` ${asked}`)) return 3;
  const named = { ...place, name, words: name.split(' ') };
  return asked.split(' ').every((word) => has(named, word)) ? 4 : 5;
}

describe('search among many texts with the same words', () => {
  for (const size of SIZES)
    test(`finds what a plain look at each of ${size} texts finds, in the same order, after writes, too`, (t) =>
      compare(t, size));

  test('takes no notice of characters that no one sees, in texts and in words', async (t) => {
    const { api } = await startService(t);
    await api.post('/restaurants', { name: 'Caf\u00e9 Ce\u00adn\u200dtral', address: 'Οδός Ερμού 1' });
    for (const q of ['central', 'ce\u200bntral', '\u2066cafe\u2069', 'οδοσ', 'ΟΔΌΣ'])
      assert.deepEqual(ids((await api.get(`/search?q=${encodeURIComponent(q)}`)).body), [1], q);
  });
});

async function compare(t: TestContext, size: number): Promise<void> {
  const random = randomNumbers(39);
  const pick = <Value>(values: readonly Value[]): Value => {
    const value = values[Math.floor(random() * values.length)];
    if (value === undefined) throw new Error('nothing to pick from');
    return value;
  };
  const some = (most: number): string[] =>
    Array.from({ length: 1 + Math.floor(random() * most) }, () => pick(WORDS));
  const folder = temporaryFolder(t);
  const storage = openStorage(folder);
  const { restaurants, categories, foodTypes } = new CatalogueStores(storage.queries);
  const places: Place[] = [];
  const begin = openWrites(storage);
  await storage.transactions.write(() => {
    for (const name of KINDS) for (const store of [categories, foodTypes]) store.create(name, begin());
    const kinds = categories.list().filter(({ name }) => KINDS.includes(name));
    const types = foodTypes.list().filter(({ name }) => KINDS.includes(name));
    for (let index = 0; index < size; index += 1) {
      const category = random() < 0.5 ? pick(kinds) : undefined;
      const foodType = random() < 0.3 ? pick(types) : undefined;
      const address = `${index} ${some(2).join(' ')}`;
      const [name, description] = [some(3).join(' '), some(4).join(' ')];
      const outcome = restaurants.create(
        storedFieldsOf({
          name,
          address,
          description,
          category_id: category?.id,
          status: 'active',
          food_type_ids: foodType ? [foodType.id] : [],
        }),
        begin(),
      );
      assert.equal(outcome.outcome, 'done');
      const text = [name, address, description, category?.name ?? '', foodType?.name ?? ''].join(' ');
      const words = text.toLowerCase().split(' ');
      places.push({ id: outcome.record.id, name, words, rating: 0 });
    }
  });
  storage.close();
  const { api } = await startService(t, { DATA_DIR: folder });
  for (const [at, place] of places.entries())
    if (random() < 0.4) {
      const rating = 1 + Math.floor(random() * 5);
      await rate(api, place.id, rating);
      places[at] = { ...place, rating };
    }
  const look = async (rounds: number): Promise<void> => {
    for (let round = 0; round < rounds; round += 1) {
      const parts = some(5).map((word) => word.slice(0, 1 + Math.floor(random() * word.length)));
      if (random() < 0.2) parts.push(String(Math.floor(random() * size)));
      const words = [...new Set(parts)];
      const asked = words.join(' ');
      const q = encodeURIComponent(asked);
      const matches = places
        .filter((place) => words.every((word) => has(place, word)))
        .toSorted(
          (left, right) =>
            rank(left, asked) - rank(right, asked) || right.rating - left.rating || right.id - left.id,
        );
      const expected = matches.map(({ id }) => id);
      const limit = 1 + Math.floor(random() * 100);
      const listed = async (filter: string): Promise<number[]> =>
        ids((await api.get(`/restaurants?q=${q}${filter}`)).body);
      assert.deepEqual(await listed(''), expected, asked);
      assert.deepEqual(
        ids((await api.get(`/search?q=${q}&limit=${limit}`)).body),
        expected.slice(0, limit),
        asked,
      );
      const offset = Math.floor(random() * (expected.length + 1));
      assert.deepEqual(
        await listed(`&offset=${offset}&limit=${limit}`),
        expected.slice(offset, offset + limit),
        `${asked} from ${offset}`,
      );
      const good = matches.filter(({ rating }) => rating >= 3).map(({ id }) => id);
      assert.deepEqual(await listed('&min_rating=3'), good, asked);
      if (round === 0) await lookAtAll(api, q, expected);
    }
  };
  await look(100);
  for (let write = 0; write < 60; write += 1) {
    const at = Math.floor(random() * places.length);
    const id = places[at]?.id ?? 0;
    const name = `${some(3).join(' ')} ${write}`;
    const [address, description] = [some(2).join(' '), some(4).join(' ')];
    const fields = { name, address, description, category_id: null, food_type_ids: [] };
    const words = [name, address, description].join(' ').split(' ');
    if (write % 3 === 0) {
      assert.equal((await api.delete(`/restaurants/${id}`)).status, 204);
      places.splice(at, 1);
    } else if (write % 3 === 1) {
      const { status, body } = await api.post('/restaurants', fields);
      assert.equal(status, 201);
      places.push({ id: Number(record(body)['id']), name, words, rating: 0 });
    } else {
      assert.equal((await api.put(`/restaurants/${id}`, fields)).status, 200);
      places[at] = { id, name, words, rating: places[at]?.rating ?? 0 };
    }
    if (write % 10 === 0) await look(5);
  }
  await look(50);
}

/** Every offset of a list, and all its pages. */
async function lookAtAll(api: Client, q: string, expected: readonly number[]): Promise<void> {
  for (let offset = 0; offset <= Math.min(expected.length, MOST_OFFSETS); offset += 1)
    assert.deepEqual(
      ids((await api.get(`/restaurants?q=${q}&offset=${offset}&limit=3`)).body),
      expected.slice(offset, offset + 3),
    );
  const paged: number[] = [];
  for (let next = ''; ;) {
    const { body } = await api.get(`/restaurants/paginated?q=${q}&limit=7${next}`);
    assert.equal(field(body, 'total'), expected.length);
    paged.push(...ids(field(body, 'data')));
    if (field(body, 'has_more') !== true) break;
    next = `&cursor=${String(field(body, 'next_cursor'))}`;
  }
  assert.deepEqual(paged, expected);
}
