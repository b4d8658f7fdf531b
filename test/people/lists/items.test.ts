import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { ListStore } from '../../../src/people/lists/store.ts';
import { openStorage } from '../../../src/storage/storage.ts';
import { randomNumbers } from '../../support/catalogue.ts';
import { changeOf, refusal } from '../../support/changes.ts';
import { atEnd } from '../../support/cleanup.ts';
import { type Client, array, field, record } from '../../support/client.ts';
import { addItems, addRestaurants, namesOn, putItem } from '../../support/lists.ts';
import { openWrites } from '../../support/log.ts';
import { changeStored } from '../../support/people.ts';
import { type Service, startService, temporaryFolder } from '../../support/service.ts';
import { longTest, scaled } from '../../support/size.ts';

const AT = '2026-01-31T19:30:00.000Z';

/** Inserts restaurants R1, R2 and so on. */
const restaurantsTo = (count: number): string =>
  `INSERT INTO restaurants (id, name, identity_key, search_name, search_text, status, created_at, updated_at)
   WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
   SELECT i, 'R' || i, 'k' || i, 'r' || i, '', 'active', '${AT}', '${AT}' FROM n`;

/** A service with restaurants A to E, which are 1 to 5. */
async function furnished(t: TestContext): Promise<Service> {
  const service = await startService(t);
  await addRestaurants(service.api, 'A', 'B', 'C', 'D', 'E');
  return service;
}

const countOf = async (api: Client): Promise<unknown> =>
  field((await api.get('/lists/want')).body, 'item_count');

describe('an item of a list', () => {
  test('is the restaurant in full, with position, note, time and the person who added it', async (t) => {
    const { api } = await furnished(t);
    const put = await putItem(api, 'want', 2, { note: 'For the soup' });
    const { created_at, ...item } = record(put.body);
    const restaurant = (await api.get('/restaurants/2')).body;
    assert.deepEqual(item, { restaurant, position: 1, note: 'For the soup', added_by: null });
    assert.match(String(created_at), /^\d{4}-/);
    assert.deepEqual((await api.get('/lists/want/items')).body, [put.body]);
    // It changes its list, too.
    assert.equal(field((await api.get('/lists/want')).body, 'updated_at'), created_at);
  });

  test('comes with its list and the cover of its restaurant where that is asked for', async (t) => {
    const { api } = await furnished(t);
    await addItems(api, 'want', [2, 1]);
    await api.delete('/restaurants/2');
    const list = record((await api.get('/lists/want')).body);
    const [item] = array((await api.get('/lists/want/items')).body);
    const { items, ...rest } = record((await api.get('/lists/want?include=items')).body);
    assert.deepEqual(rest, list);
    const restaurant = (await api.get('/restaurants/1?include=cover')).body;
    assert.equal(field(restaurant, 'cover'), null);
    assert.deepEqual(items, [{ ...record(item), restaurant }]);
    assert.equal((await api.get('/lists/want?include=places')).status, 400);
  });

  test('comes at the end, or where it is wanted, which is the end beyond it', async (t) => {
    const { api } = await furnished(t);
    await addItems(api, 'want', [1, 2, 3]);
    assert.deepEqual(await namesOn(api, 'want'), ['A', 'B', 'C']);
    await putItem(api, 'want', 4, { position: 2 });
    assert.deepEqual(await namesOn(api, 'want'), ['A', 'D', 'B', 'C']);
    const last = await putItem(api, 'want', 5, { position: 99 });
    assert.equal(field(last.body, 'position'), 5);
    assert.equal(await countOf(api), 5);
  });

  test('moves, and keeps its note and time', async (t) => {
    const { api } = await furnished(t);
    await addItems(api, 'want', [1, 2, 3, 4]);
    const noted = await putItem(api, 'want', 4, { note: 'x' });
    const moved = await putItem(api, 'want', 4, { position: 1 });
    assert.deepEqual(await namesOn(api, 'want'), ['D', 'A', 'B', 'C']);
    assert.deepEqual(moved.body, { ...record(noted.body), position: 1 });
    await putItem(api, 'want', 4, { position: 3 });
    assert.deepEqual(await namesOn(api, 'want'), ['A', 'B', 'D', 'C']);
  });

  test('is not written when it is so already', async (t) => {
    const { api } = await furnished(t);
    await addItems(api, 'want', [1, 2]);
    await putItem(api, 'want', 1, { note: 'x' });
    for (const body of [{}, { note: 'x' }, { position: 1 }, { position: 1, note: ' x ' }]) {
      const { status, headers } = await putItem(api, 'want', 1, body);
      assert.deepEqual([status, headers.get('change')], [200, null]);
    }
    assert.ok(changeOf(await putItem(api, 'want', 1, { note: null })) > 0);
  });

  test('is put with an empty body as well', async (t) => {
    const { api } = await furnished(t);
    const headers = { 'Content-Type': 'application/json' };
    const { status } = await api.send('/api/lists/want/items/1', { method: 'PUT', headers });
    assert.deepEqual([status, await namesOn(api, 'want')], [200, ['A']]);
  });

  test('is deleted, and the others move up', async (t) => {
    const { api } = await furnished(t);
    await addItems(api, 'want', [1, 2, 3]);
    const removed = await api.delete('/lists/want/items/2');
    assert.ok(removed.status === 204 && changeOf(removed) > 0);
    assert.deepEqual([await namesOn(api, 'want'), await countOf(api)], [['A', 'C'], 2]);
    assert.deepEqual(refusal(await api.delete('/lists/want/items/2')), [404, 'Item not found']);
  });

  test('stands where a list in memory has it, after many moves to few places', async (t) => {
    const { api } = await furnished(t);
    const random = randomNumbers(7);
    let names: string[] = [];
    for (let step = 0; step < scaled(120); step += 1) {
      const id = 1 + Math.floor(random() * 5);
      const name = 'ABCDE'.charAt(id - 1);
      const others = names.filter((other) => other !== name);
      if (random() < 0.1) {
        await api.delete(`/lists/want/items/${id}`);
        names = others;
        continue;
      }
      const position = 1 + Math.floor(random() * 3);
      await putItem(api, 'want', id, { position });
      names = others.toSpliced(position - 1, 0, name);
      assert.deepEqual(await namesOn(api, 'want'), names);
    }
  });

  // The ranks between two neighbours are used up after some twenty moves.
  const places: readonly (readonly [string, (step: number) => number])[] = [
    ['one place', () => 300],
    ['the place behind the last one', (step) => 100 + (step % 500)],
    ['both sides of one place', (step) => 300 + (step % 2)],
  ];
  for (const [title, placeOf] of places)
    test(`stands where a list in memory has it after thousands of moves to ${title}, which touch few others`, (t) => {
      const storage = openStorage(temporaryFolder(t));
      atEnd(t, storage.close);
      const { connection, queries } = storage;
      const count = 600;
      connection.exec(`${restaurantsTo(count)}; INSERT INTO list_items (list_id, restaurant_id, rank, created_at)
        SELECT 1, id, id * 1048576, '${AT}' FROM restaurants`);
      const { items } = new ListStore(queries.file('lists'));
      const begin = openWrites(storage);
      const changes = connection.prepare<[], number>('SELECT total_changes()').pluck();
      const order = Array.from({ length: count }, (_, index) => index + 1);
      const before = changes.get() ?? 0;
      connection.transaction(() => {
        for (let step = 0; step < 3_000; step += 1) {
          const position = placeOf(step);
          const [id = 0] = order.splice(-1 - (step % 90), 1);
          order.splice(position - 1, 0, id);
          items.put(1, id, { position }, begin());
          if (step % 300 > 0) continue;
          assert.deepEqual(
            Array.from(items.read(1, undefined, -1, 0), (item) => item.restaurant_id),
            order,
            `step ${step}`,
          );
        }
      })();
      // The item, its list and the log are three.
      const each = ((changes.get() ?? 0) - before) / 3_000;
      assert.ok(each < 20, `${each} rows a move`);
    });

  const POSITION = 'position must be an integer from 1 to 9007199254740991';
  const LONG = { note: 'x'.repeat(1001) };
  const refusals: readonly (readonly [string, string, object, number, string])[] = [
    ['of an unknown restaurant', 'want/items/99', {}, 404, 'Restaurant not found'],
    ['of a pending suggestion', 'want/items/6', {}, 404, 'Restaurant not found'],
    ['of an unknown list', '99/items/1', {}, 404, 'List not found'],
    ['of no id', 'want/items/x', {}, 400, 'Invalid restaurant ID'],
    ['at position 0', 'want/items/1', { position: 0 }, 400, POSITION],
    ['with a long note', 'want/items/1', LONG, 400, 'note must be at most 1000 characters'],
  ];
  test('is refused for what is not there, and for faults', async (t) => {
    const { api } = await furnished(t);
    assert.equal(field((await api.post('/suggestions', { name: 'Auberge' })).body, 'id'), 6);
    for (const [title, path, body, status, error] of refusals)
      assert.deepEqual(refusal(await api.put(`/lists/${path}`, body)), [status, error], title);
  });

  longTest('is the 5,000th at most; the list is read whole, and in parts', async (t) => {
    const { api, folder } = await startService(t);
    changeStored(folder, restaurantsTo(5_001));
    changeStored(
      folder,
      `INSERT INTO list_items (list_id, restaurant_id, rank, created_at)
       SELECT 1, id, id * 10, '${AT}' FROM restaurants WHERE id < 5001`,
    );
    assert.deepEqual(refusal(await putItem(api, 'want', 5001)), [409, 'A list has at most 5000 items']);
    assert.equal((await putItem(api, 'want', 5000, { position: 1 })).status, 200);
    const all = array((await api.get('/lists/want/items')).body);
    assert.deepEqual([all.length, new Set(all.map((item) => field(item, 'position'))).size], [5000, 5000]);
    assert.deepEqual(await namesOn(api, 'want', '?limit=3&offset=1'), ['R1', 'R2', 'R3']);
    const [part] = array((await api.get('/lists/want/items?limit=1&offset=250')).body);
    assert.equal(field(part, 'position'), 251);
  });
});
