import assert from 'node:assert/strict';
import { ServerResponse } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { type Client, array, field, ids } from '../support/client.ts';
import { PAGE_BYTES, SIZES, SLICE_BYTES, fill } from '../support/filled.ts';
import { startService } from '../support/service.ts';

const SCALE = {
  restaurants: 25,
  suggestions: 10,
  ratings: 30,
  visits: 40,
  lookups: 1_000,
  lists: 70,
  others: 250,
};

/** Calls `see` with the bytes of each piece that this process hands to a connection, until it is called itself. */
function watchWrites(see: (bytes: number) => void): () => void {
  const original: unknown = Reflect.get(ServerResponse.prototype, 'write');
  if (typeof original !== 'function') throw new Error('a response without write');
  Reflect.set(ServerResponse.prototype, 'write', function (this: ServerResponse, ...values: unknown[]) {
    const [chunk] = values;
    if (typeof chunk === 'string' || Buffer.isBuffer(chunk)) see(Buffer.byteLength(chunk));
    const taken: unknown = Reflect.apply(original, this, values);
    return taken;
  });
  return () => {
    Reflect.set(ServerResponse.prototype, 'write', original);
  };
}

/** The ids of all pages, none of which is longer than it may be; without the cursor it is asked for `path`. */
async function walk(api: Client, path: string, rowKb: number): Promise<{ ids: number[]; pages: number }> {
  const found: number[] = [];
  for (let [cursor, pages] = ['', 1]; ; pages += 1) {
    const { status, body, headers } = await api.get(path + cursor, { 'Accept-Encoding': 'identity' });
    assert.equal(status, 200, JSON.stringify(body));
    const length = Number(headers.get('content-length'));
    assert.ok(length < PAGE_BYTES + rowKb * 1024 + 1_000, `${path}: ${length} bytes`);
    found.push(...ids(field(body, 'data')));
    assert.equal(field(body, 'has_more'), field(body, 'next_cursor') !== null);
    if (field(body, 'has_more') !== true) {
      assert.equal(field(body, 'total'), found.length);
      return { ids: found, pages };
    }
    assert.ok(length >= PAGE_BYTES || ids(field(body, 'data')).length === 100);
    cursor = `&cursor=${encodeURIComponent(String(field(body, 'next_cursor')))}`;
  }
}

describe('a catalogue that is filled to its limits', () => {
  const ended: (() => unknown)[] = [];
  let api: Client;
  before(async () => {
    const service = await startService({ after: (end: () => unknown) => void ended.push(end) });
    ({ api } = service);
    await fill(service, SCALE);
  });
  after(async () => {
    for (const end of ended.reverse()) await end();
  });

  test('is answered whole, and never more of it than a slice at a time', async () => {
    for (const [operation, { bound, ask, rowKb }] of Object.entries(SIZES)) {
      if (ask === undefined) continue;
      let largest = 0;
      const stop = watchWrites((bytes) => {
        largest = Math.max(largest, bytes);
      });
      const { status, body } = await api.get(ask);
      stop();
      assert.equal(status, 200, operation);
      assert.ok(largest < SLICE_BYTES, `${operation} writes ${largest} bytes at once`);
      if (bound !== 'slices' || operation === 'exportOwnData' || operation === 'listSessions') continue;
      const rows = array(body);
      const bytes = Buffer.byteLength(JSON.stringify(rows));
      assert.ok(bytes > SLICE_BYTES, `${operation} is not filled: ${bytes} bytes`);
      for (const row of rows) assert.ok(Buffer.byteLength(JSON.stringify(row)) <= rowKb * 1024, operation);
    }
    const lengths: readonly (readonly [string, number])[] = [
      ['/restaurants/1/ratings', SCALE.ratings],
      ['/ratings?user=me', SCALE.ratings],
      ['/restaurants/1/photos', SCALE.others],
      ['/suggestions', SCALE.suggestions],
      ['/restaurants', SCALE.restaurants + SCALE.suggestions],
      ['/search?q=restaurant&limit=100', SCALE.restaurants],
      ['/lists', SCALE.lists + 2],
      ['/invitations', SCALE.others],
      ['/auth/tokens', SCALE.lookups + 1],
    ];
    for (const [path, length] of lengths) {
      const found = ids((await api.get(path)).body);
      assert.deepEqual([path, found.length, new Set(found).size], [path, length, length]);
    }
    for (const path of ['/categories', '/food-types']) {
      const found = ids((await api.get(path)).body);
      assert.ok(found.length > SCALE.lookups && found.length === new Set(found).size, path);
    }
    const items = array((await api.get('/lists/want/items?offset=7')).body);
    const positions = items.map((item) => field(item, 'position'));
    assert.deepEqual(
      positions,
      Array.from({ length: SCALE.restaurants - 7 }, (_, index) => 8 + index),
    );
    const lines = String((await api.get('/me/export')).body).split('\n');
    assert.equal(lines.filter((line) => line.startsWith('{"type":"visit"')).length, SCALE.visits);
  });

  test('has pages that end after a megabyte, and go on behind their last element', async () => {
    const visits = await walk(api, '/visits?limit=100', SIZES['listVisits']?.rowKb ?? 0);
    assert.deepEqual(
      visits.ids,
      Array.from({ length: SCALE.visits }, (_, index) => SCALE.visits - index),
    );
    assert.ok(visits.pages > 2);
    const { rowKb = 0 } = SIZES['pageRestaurants'] ?? {};
    for (const query of ['sort=name', 'sort=newest&include=mine', 'lat=45&lng=9']) {
      const restaurants = await walk(api, `/restaurants/paginated?limit=100&${query}`, rowKb);
      assert.deepEqual(
        [query, new Set(restaurants.ids).size, restaurants.ids.length],
        [query, SCALE.restaurants, SCALE.restaurants],
      );
      assert.ok(restaurants.pages > 1, query);
    }
    const users = await walk(api, '/users?limit=100', SIZES['listUsers']?.rowKb ?? 0);
    assert.equal(users.ids.length, SCALE.others);
  });
});
