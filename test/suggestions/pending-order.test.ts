import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Statement } from 'better-sqlite3';
import { openStorage } from '../../src/storage/storage.ts';
import { randomNumbers } from '../support/catalogue.ts';
import { array, field, ids } from '../support/client.ts';
import { startService, temporaryFolder } from '../support/service.ts';

// More than are read in one slice, of which there are five hundred rows at most.
const COUNT = 610;

/** Restaurants and pending suggestions, many of them made in the same moment and named the same. */
function fill(folder: string): void {
  const { connection, close } = openStorage(folder);
  const random = randomNumbers(11);
  const pick = (count: number): number => Math.floor(random() * count);
  const insert = (table: string, status: string): Statement =>
    connection.prepare(
      `INSERT INTO ${table} (id, name, latitude, longitude, status, identity_key, search_name, search_text,
         created_at, updated_at) VALUES (?, ?, ?, ?, '${status}', ?, ?, '', ?, ?)`,
    );
  const restaurant = insert('restaurants', 'active');
  const suggestion = insert('suggestions', 'pending');
  connection.transaction(() => {
    for (let id = 1; id <= COUNT; id += 1) {
      const name = `place ${pick(60)}`;
      const at = `2026-01-01T00:00:${String(pick(60)).padStart(2, '0')}.000Z`;
      const [latitude, longitude] = pick(5) === 0 ? [null, null] : [40 + random() * 10, random() * 10];
      const statement = pick(5) < 2 ? suggestion : restaurant;
      statement.run(id, name, latitude, longitude, `${id}`, name, at, at);
    }
    connection.prepare('UPDATE id_sequence SET last_id = ?').run(COUNT);
  })();
  close();
}

/** The order of a sort, by the answers alone. */
function expectedOrder(bodies: readonly unknown[], sort: string): number[] {
  const key = (body: unknown): string | number => {
    if (sort === 'newest') return String(field(body, 'created_at'));
    if (sort === 'name') return String(field(body, 'name'));
    const distance = sort === 'distance' ? field(body, 'distance') : 0;
    return typeof distance === 'number' ? distance : Infinity;
  };
  const descending = sort === 'newest';
  const byId = sort === 'name' ? 1 : -1;
  return [...bodies]
    .sort((left, right) => {
      const [a, b] = [key(left), key(right)];
      if (a !== b) return (a < b ? -1 : 1) * (descending ? -1 : 1);
      return (Number(field(left, 'id')) - Number(field(right, 'id'))) * byId;
    })
    .map((body) => Number(field(body, 'id')));
}

describe('a list of restaurants and many pending suggestions', () => {
  test('is one order by any sort, whole and in every part', async (t) => {
    const folder = temporaryFolder(t);
    fill(folder);
    const { api } = await startService(t, { DATA_DIR: folder });
    for (const sort of ['newest', 'name', 'rating', 'distance']) {
      const query = `/restaurants?sort=${sort}&lat=45&lng=5`;
      const whole = array((await api.get(query)).body);
      assert.equal(whole.length, COUNT);
      const order = expectedOrder(whole, sort);
      assert.deepEqual(ids(whole), order);
      for (const offset of [0, 1, 199, 200, 499, 500, 501, 609, 610, 2000])
        for (const limit of [1, 20, 1000]) {
          const part = await api.get(`${query}&limit=${limit}&offset=${offset}`);
          assert.deepEqual(ids(part.body), order.slice(offset, offset + limit), `${offset} ${limit}`);
        }
      assert.deepEqual(ids((await api.get(`${query}&offset=377`)).body), order.slice(377));
    }

    // Within a radius it holds what a look at every place finds.
    const whole = array((await api.get('/restaurants?lat=45&lng=5')).body);
    for (const radius of [60, 150, 400]) {
      const near = whole.filter((one) => {
        const distance = field(one, 'distance');
        return typeof distance === 'number' && distance <= radius;
      });
      const answer = await api.get(`/restaurants?lat=45&lng=5&radius=${radius}`);
      assert.deepEqual(ids(answer.body), ids(near), String(radius));
      assert.ok(near.some((one) => field(one, 'is_suggestion') === true));
    }
  });
});
