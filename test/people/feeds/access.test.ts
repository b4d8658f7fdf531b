import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apiTokenOf, bearing } from '../../support/accounts.ts';
import { refusal } from '../../support/changes.ts';
import { array, createClient, field, headerValues, idOf, ids, record } from '../../support/client.ts';
import { addManyVisits, openUnread, readToEnd } from '../../support/diaries.ts';
import { makeFeed, readFeed, refusalOfFeed } from '../../support/feeds.ts';
import { addRestaurants } from '../../support/lists.ts';
import { LOCAL, changeStored, readStored } from '../../support/people.ts';
import { SECRETS, keepSecrets, secretsIn } from '../../support/secrets.ts';
import { startService } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';
import { startWorld } from '../../support/world.ts';

const ADDRESS = /^\/feeds\/[\w-]{43}\.(ics|atom)$/;
const GUESSED = 'x'.repeat(43);

describe('a feed', () => {
  test('is made with an address that is returned once, and listed without it', async (t) => {
    const { owner, other, service } = await startWorld(t);
    const made = await owner.post('/feeds', { kind: 'visits' });
    const { url, ...listed } = record(made.body);
    assert.deepEqual([made.status, listed['id'], listed['kind']], [201, 1, 'visits']);
    assert.deepEqual(headerValues(made, 'cache-control', 'location'), ['private, no-store', null]);
    assert.match(String(url), ADDRESS);
    assert.match(await makeFeed(owner, 'changes'), /\.atom$/);
    const all = array((await owner.get('/feeds')).body);
    assert.deepEqual([ids(all), all[1]], [[2, 1], listed]);
    assert.deepEqual((await other.get('/feeds')).body, []);
    const stored = readStored(service.folder, 'SELECT *, hex(token_hash) FROM feeds');
    assert.ok(!JSON.stringify(stored).includes(String(url).slice(7, 50)));
  });

  test('is of a kind that there is', async (t) => {
    const { api } = await startService(t);
    for (const kind of ['outing', 'Visits', '', 1, ['visits']]) {
      const answer = await api.post('/feeds', { kind });
      assert.deepEqual(refusal(answer), [400, 'kind must be one of visits, changes, outings'], String(kind));
    }
    for (const body of [{}, { kind: null }])
      assert.deepEqual(refusal(await api.post('/feeds', body)), [400, 'kind is required']);
  });

  test('is one of at most twenty of a user', async (t) => {
    const { owner, other } = await startWorld(t);
    for (let count = 0; count < 20; count += 1) await makeFeed(owner);
    assert.deepEqual(refusal(await owner.post('/feeds', { kind: 'changes' })), [409, 'At most 20 feeds']);
    await makeFeed(other);
    assert.equal((await owner.delete('/feeds/7')).status, 204);
    await makeFeed(owner);
  });

  test('is deleted by its user alone', async (t) => {
    const { owner, other, admin } = await startWorld(t);
    await makeFeed(owner);
    for (const api of [other, admin])
      assert.deepEqual(refusal(await api.delete('/feeds/1')), [404, 'Feed not found']);
    assert.deepEqual(refusal(await owner.delete('/feeds/one')), [400, 'Invalid feed ID']);
    assert.equal((await owner.delete('/feeds/1')).status, 204);
    assert.deepEqual(refusal(await owner.delete('/feeds/1')), [404, 'Feed not found']);
  });

  test('is in the download of the own data, without its address', async (t) => {
    const { owner, other } = await startWorld(t);
    const url = await makeFeed(owner, 'changes');
    await makeFeed(other);
    const text = String((await owner.get('/me/export')).body);
    const lines = text
      .trim()
      .split('\n')
      .map((line) => record(JSON.parse(line)));
    const feeds = lines.filter(({ type }) => type === 'feed');
    assert.deepEqual(
      feeds.map((feed) => Object.keys(feed)),
      [['type', 'id', 'kind', 'created_at']],
    );
    assert.ok(!text.includes(url.slice(7, 50)));
  });
});

describe('the address of a feed', () => {
  for (const [kind, type] of [
    ['visits', 'text/calendar; charset=utf-8'],
    ['changes', 'application/atom+xml; charset=utf-8'],
  ] as const)
    test(`of ${kind} shows the same to everyone, and is sent again only when it has changed`, async (t) => {
      const { owner, other, admin, service } = await startWorld(t);
      await addRestaurants(admin, 'A');
      await owner.post('/visits', { restaurant_id: 1, note: 'Mine' });
      const url = await makeFeed(owner, kind);
      const token = bearing(await apiTokenOf(other));
      const first = await service.api.send(url, {});
      for (const api of [owner, other, admin, createClient(service.url, token)]) {
        const answer = await api.send(url, {});
        assert.deepEqual([answer.status, answer.body], [200, first.body]);
      }
      const names = ['content-type', 'cache-control', 'referrer-policy', 'x-robots-tag'];
      const expected = [type, 'private, no-cache', 'no-referrer', 'noindex'];
      assert.deepEqual(headerValues(first, ...names), expected);
      const etag = first.headers.get('etag') ?? '';
      const again = async (method: string): Promise<number> =>
        (await service.api.send(url, { method, headers: { 'If-None-Match': etag } })).status;
      for (const method of ['GET', 'HEAD']) assert.equal(await again(method), 304);
      // What others note does not concern it.
      await other.post('/visits', { restaurant_id: 1, note: 'Theirs' });
      assert.equal(await again('GET'), 304);
      await admin.put('/restaurants/1', { name: 'B' });
      for (const method of ['GET', 'HEAD']) assert.equal(await again(method), 200);
    });

  test('is the same 404 whether it is unknown, deleted, malformed or misses its ending', async (t) => {
    const { owner, service } = await startWorld(t);
    const [calendar, news, gone] = [
      await makeFeed(owner),
      await makeFeed(owner, 'changes'),
      await makeFeed(owner),
    ];
    await owner.delete('/feeds/3');
    const secret = calendar.slice(0, -'.ics'.length);
    const addresses = [
      ...[gone, `/feeds/${GUESSED}.ics`, `/feeds/${GUESSED}.atom`, secret, `${secret}.atom`, `${secret}.ICS`],
      ...[
        `${secret}.ics.ics`,
        `${secret}x.ics`,
        `${secret.slice(0, -1)}.ics`,
        `${secret}.`,
        `${secret}.json`,
      ],
      ...[
        news.replace('.atom', '.ics'),
        '/feeds/.ics',
        '/feeds/x',
        '/feeds/%20.ics',
        '/feeds/1',
        '/feeds/1.ics',
      ],
    ];
    const type = 'application/json; charset=utf-8';
    const expected = [
      404,
      { error: 'Feed not found' },
      type,
      'private, no-cache',
      'no-referrer',
      'noindex',
      null,
    ];
    for (const address of addresses)
      for (const api of [service.api, owner])
        assert.deepEqual(refusalOfFeed(await api.send(address, {})), expected, address);
    const headers = { 'If-None-Match': '*' };
    assert.equal((await service.api.send(gone, { headers })).status, 404);
  });

  test('shows no byte of the diary and the lists of others', async (t) => {
    const world = await startWorld(t);
    const { owner, other, admin, service } = world;
    await keepSecrets(world);
    for (const api of [other, admin]) {
      const id = idOf(await api.post('/visits', { restaurant_id: 1, note: 'Theirs' }));
      await api.delete(`/visits/${id}`);
      for (const kind of ['visits', 'changes'])
        assert.deepEqual(secretsIn(await readFeed(service, await makeFeed(api, kind))), [], kind);
    }
    const own = (await readFeed(service, await makeFeed(owner))).replaceAll('\r\n ', '');
    assert.ok(own.includes(SECRETS.visit) && !own.includes('Theirs'));
    assert.ok(!own.includes(SECRETS.deletedVisit) && !own.includes(SECRETS.list));
    assert.deepEqual(secretsIn(await readFeed(service, await makeFeed(owner, 'changes'))), []);
  });

  longTest('stops within a long calendar when it is taken back', async (t) => {
    const { owner, people, service } = await startWorld(t);
    await addManyVisits(service, owner, people.owner.id);
    const url = await makeFeed(owner);
    const reader = await openUnread(service.port, url);
    await owner.delete('/feeds/1');
    const { all, isWhole } = await readToEnd(reader);
    assert.ok(!isWhole && all.includes('BEGIN:VEVENT') && !all.includes('END:VCALENDAR'));
    assert.deepEqual(
      service.logs.filter((line) => field(line, 'level') === 'error'),
      [],
    );
  });
});

describe('a feed of mode none', () => {
  test("is the placeholder's, works without an account, and only in that mode", async (t) => {
    const service = await startService(t);
    const { api, folder } = service;
    await addRestaurants(api, 'A');
    await api.post('/visits', { restaurant_id: 1, note: 'Ours' });
    const [calendar, news] = [await makeFeed(api), await makeFeed(api, 'changes')];
    assert.match(await readFeed(service, calendar), /DESCRIPTION:Ours\r\n/);
    assert.match(await readFeed(service, news), /<title>Someone added A<\/title>/);
    assert.deepEqual(ids((await api.get('/feeds')).body), [2, 1]);
    await service.stop();

    const world = await startWorld(t, { ...LOCAL, DATA_DIR: folder });
    assert.equal((await world.service.api.send(calendar, {})).status, 404);
    assert.deepEqual((await world.owner.get('/feeds')).body, []);
    const own = await makeFeed(world.owner);
    await world.owner.post('/visits', { restaurant_id: 1, note: 'Mine' });
    await world.service.stop();

    const again = await startService(t, { DATA_DIR: folder });
    assert.doesNotMatch(await readFeed(again, calendar), /Mine/);
    assert.match(await readFeed(again, own), /DESCRIPTION:Mine\r\n/);
    changeStored(folder, 'UPDATE users SET is_active = 0');
    assert.equal((await again.api.send(own, {})).status, 404);
    assert.equal((await again.api.delete('/feeds/1')).status, 204);
    assert.equal((await again.api.send(calendar, {})).status, 404);
  });
});
