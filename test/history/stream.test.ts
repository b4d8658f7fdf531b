import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LookupStore } from '../../src/catalogue/lookups/store.ts';
import { openStorage } from '../../src/storage/storage.ts';
import { createRestaurants } from '../support/catalogue.ts';
import { allChanges, cursorForNow } from '../support/changes.ts';
import { openWrites } from '../support/log.ts';
import { startService } from '../support/service.ts';
import { longTest } from '../support/size.ts';
import { type Follower, askForStream, follow, refusalOf } from '../support/streams.ts';
import { until } from '../support/until.ts';
import { ratingOf, startWorld } from '../support/world.ts';

const QUICK = { lifetimeMs: 60_000, silenceMs: 30 };

const changesIn = ({ events }: Follower): unknown[] => events.slice(1).map(({ data }) => data);

describe('the stream of changes', () => {
  test('begins with ready, and then has every change as it is in the log, behind its cursor', async (t) => {
    const { api, url } = await startService(t);
    await createRestaurants(api, [{ name: 'Before' }]);
    const stream = await follow(t, url);
    const { headers } = stream.answer;
    assert.deepEqual(
      [headers['content-type'], headers['cache-control'], headers['content-encoding']],
      ['text/event-stream', 'private, no-store', undefined],
    );
    assert.deepEqual([stream.events[0]?.event, stream.events[0]?.data], ['ready', {}]);
    await createRestaurants(api, [{ name: 'A' }, { name: 'B' }]);
    await api.post('/ratings', ratingOf(2));
    await until(() => stream.events.length === 4);
    const all = await allChanges(api);
    assert.deepEqual(changesIn(stream), all.slice(1));
    assert.deepEqual(new Set(stream.events.slice(1).map(({ event }) => event)), new Set(['change']));
    for (const [index, { id }] of stream.events.entries())
      assert.deepEqual(await allChanges(api, '', { from: id }), all.slice(index + 1));
  });

  test('is not compressed, whatever is asked for', async (t) => {
    const { url } = await startService(t);
    const stream = await follow(t, url, { headers: { 'Accept-Encoding': 'gzip, br' } });
    assert.equal(stream.answer.headers['content-encoding'], undefined);
  });

  test('goes on behind Last-Event-ID, else behind since, else from now', async (t) => {
    const { api, url } = await startService(t);
    await createRestaurants(api, [{ name: 'A' }]);
    const first = await cursorForNow(api);
    await createRestaurants(api, [{ name: 'B' }]);
    const second = await cursorForNow(api);
    await createRestaurants(api, [{ name: 'C' }]);
    const all = await allChanges(api);
    const last = { 'Last-Event-ID': second };
    const cases = [
      [{ query: 'since=start' }, 0],
      [{ query: `since=${first}` }, 1],
      [{ query: `since=${first}`, headers: last }, 2],
      [{ headers: last }, 2],
      [{}, 3],
    ] as const;
    for (const [asked, from] of cases) {
      const stream = await follow(t, url, asked);
      await until(() => stream.events.length === all.length - from + 1);
      assert.deepEqual(changesIn(stream), all.slice(from));
      stream.leave();
    }
  });

  test('has what the filters leave', async (t) => {
    const { api, url } = await startService(t);
    const stream = await follow(t, url, { query: 'kind=rating,category&action=create' });
    await createRestaurants(api, [{ name: 'A' }]);
    await api.post('/ratings', ratingOf(1));
    await api.delete('/ratings/1');
    await api.post('/categories', { name: 'Nordic' });
    await until(() => stream.events.length === 3);
    assert.deepEqual(
      stream.events.slice(1).map(({ data }) => data['kind']),
      ['rating', 'category'],
    );
    const kind = { error: 'entity_id needs one kind' };
    assert.deepEqual((await refusalOf(askForStream(t, url, { query: 'entity_id=1' }))).slice(0, 2), [
      400,
      kind,
    ]);
  });

  test('shows each caller what that one may see', async (t) => {
    const { service, owner, people } = await startWorld(t);
    const [own, other] = await Promise.all(
      [people.owner, people.other].map(({ accessToken }) =>
        follow(t, service.url, { headers: { Authorization: `Bearer ${accessToken}` } }),
      ),
    );
    await owner.post('/restaurants', { name: 'A' });
    await owner.post('/ratings', ratingOf(1));
    for (const stream of [own, other]) await until(() => stream?.events.length === 3);
    const after = (stream: Follower | undefined): unknown => stream?.events[2]?.data['after'];
    assert.deepEqual([after(own) === null, after(other)], [false, null]);
  });

  test('beats where nothing happens', async (t) => {
    const { api, url } = await startService(t, {}, { streams: QUICK });
    const stream = await follow(t, url);
    await until(() => stream.beats() > 2);
    await createRestaurants(api, [{ name: 'A' }]);
    await until(() => stream.events.length === 2);
    await until(() => stream.beats() > 5);
  });

  longTest('has what other processes write', async (t) => {
    const { api, url, folder } = await startService(t);
    const stream = await follow(t, url);
    const storage = openStorage(folder);
    try {
      const store = new LookupStore(storage.queries, 'category');
      const begin = openWrites(storage);
      await storage.transactions.write(() => store.create('Nordic', begin()));
    } finally {
      storage.close();
    }
    await until(() => stream.events.length === 2);
    assert.deepEqual(changesIn(stream), await allChanges(api));
    assert.deepEqual([stream.events[1]?.data['via'], stream.events[1]?.data['actor']], ['cli', null]);
  });

  test('answers HEAD without a body, and is refused by a replica', async (t) => {
    const { api, url, folder, stop } = await startService(t);
    const head = await fetch(`${url}/api/changes/stream`, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'text/event-stream']);
    await createRestaurants(api, [{ name: 'A' }]);
    await stop();
    const replica = await startService(t, { DATA_DIR: folder, READ_ONLY: 'true' });
    assert.equal((await refusalOf(askForStream(t, replica.url)))[0], 503);
    assert.equal((await replica.api.get('/changes?since=start')).status, 200);
  });
});
