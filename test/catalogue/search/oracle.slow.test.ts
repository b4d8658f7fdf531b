import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { storedFieldsOf } from '../../../src/catalogue/restaurants/fields.ts';
import { CatalogueStores } from '../../../src/catalogue/stores.ts';
import { openStorage } from '../../../src/storage/storage.ts';
import { randomNumbers } from '../../support/catalogue.ts';
import { array, ids, record } from '../../support/client.ts';
import { openWrites } from '../../support/log.ts';
import { startService, temporaryFolder } from '../../support/service.ts';

// Words that share beginnings, ends and middles, in more texts than are looked up one by one.
const WORDS =
  'golden gold old oldie gelder dragon drag rag ragu bistro bis tro maison son sonata a an ana'.split(' ');
const KINDS = ['Golden years', 'Ragu house', 'Sonata', 'Bis'];
const COUNT = 1_500;

interface Place {
  readonly id: number;
  readonly words: readonly string[];
}

/** Whether a place has the word: one of three letters or more anywhere in a word of its own, a shorter one at its start. */
function has({ words }: Place, word: string): boolean {
  return words.some((own) => (word.length >= 3 ? own.includes(word) : own.startsWith(word)));
}

describe('search among many texts with the same words', () => {
  test('finds what a plain look at every text finds, whatever the words, after writes, too', async (t) => {
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
      for (let index = 0; index < COUNT; index += 1) {
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
        places.push({ id: outcome.record.id, words: text.toLowerCase().split(' ') });
      }
    });
    storage.close();
    const { api } = await startService(t, { DATA_DIR: folder });
    const look = async (rounds: number): Promise<void> => {
      for (let round = 0; round < rounds; round += 1) {
        const parts = some(5).map((word) => word.slice(0, 1 + Math.floor(random() * word.length)));
        if (random() < 0.2) parts.push(String(Math.floor(random() * COUNT)));
        const words = [...new Set(parts)];
        const asked = words.join(' ');
        const q = encodeURIComponent(asked);
        const expected = places
          .filter((place) => words.every((word) => has(place, word)))
          .map(({ id }) => id);
        const listed = ids((await api.get(`/restaurants?q=${q}`)).body).sort((left, right) => left - right);
        assert.deepEqual(listed, expected, asked);
        const found = ids((await api.get(`/search?q=${q}&limit=100`)).body);
        assert.equal(found.length, Math.min(100, expected.length), asked);
        assert.ok(
          found.every((id) => expected.includes(id)),
          asked,
        );
        const named = array((await api.get(`/search?q=${q}&limit=1`)).body);
        assert.equal(named.length, Math.min(1, expected.length));
      }
    };
    await look(100);
    for (let write = 0; write < 60; write += 1) {
      const at = Math.floor(random() * places.length);
      const id = places[at]?.id ?? 0;
      const name = `${write} ${some(3).join(' ')}`;
      const [address, description] = [some(2).join(' '), some(4).join(' ')];
      const fields = { name, address, description, category_id: null, food_type_ids: [] };
      const words = [name, address, description].join(' ').split(' ');
      if (write % 3 === 0) {
        assert.equal((await api.delete(`/restaurants/${id}`)).status, 204);
        places.splice(at, 1);
      } else if (write % 3 === 1) {
        const { status, body } = await api.post('/restaurants', fields);
        assert.equal(status, 201);
        places.push({ id: Number(record(body)['id']), words });
      } else {
        assert.equal((await api.put(`/restaurants/${id}`, fields)).status, 200);
        places[at] = { id, words };
      }
      if (write % 10 === 0) await look(5);
    }
    await look(50);
  });

  test('takes no notice of characters that no one sees, in texts and in words', async (t) => {
    const { api } = await startService(t);
    await api.post('/restaurants', { name: 'Caf\u00e9 Ce\u00adn\u200dtral', address: 'Οδός Ερμού 1' });
    for (const q of ['central', 'ce\u200bntral', '\u2066cafe\u2069', 'οδοσ', 'ΟΔΌΣ'])
      assert.deepEqual(ids((await api.get(`/search?q=${encodeURIComponent(q)}`)).body), [1], q);
  });
});
