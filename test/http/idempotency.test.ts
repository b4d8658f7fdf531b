import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { DATABASE_FILES } from '../faults/damage.ts';
import { type Answer, type Client, array, field, ids, record } from '../support/client.ts';
import { sample } from '../support/images.ts';
import { changeStored, readStored, signUp } from '../support/people.ts';
import { FORM_TYPE, form, photoPart, storedFiles } from '../support/photos.ts';
import { nextData, openFrom } from '../support/raw.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { ratingOf, startWorld } from '../support/world.ts';

const CHEZ_NOUS = { name: 'Chez Nous' };
const KEY = { 'Idempotency-Key': 'the first one' };
const TAKEN = { error: 'Idempotency-Key was used for another request' };
const BROKEN = { error: 'Idempotency-Key must be 1 to 255 printable ASCII characters' };

const replay = ({ headers }: Answer): string | null => headers.get('idempotent-replay');
const create = (api: Client, body: object = CHEZ_NOUS, headers = KEY): Promise<Answer> =>
  api.post('/restaurants', body, headers);
const restaurants = async (api: Client): Promise<number> =>
  array((await api.get('/restaurants')).body).length;
/** Whether the database or its write-ahead log holds a text. */
const filesHold = (folder: string, text: string): boolean =>
  DATABASE_FILES.some((file) => readFileSync(join(folder, file)).includes(text));
const stored = (folder: string): number => readStored(folder, 'SELECT 1 FROM idempotency_keys').length;

describe('a POST with an Idempotency-Key', () => {
  test('is answered the same again, though what it made was changed and deleted since', async (t) => {
    const { api } = await startService(t);
    const first = await create(api);
    await api.put('/restaurants/1', { name: 'Chez Vous' });
    await api.delete('/restaurants/1');
    const second = await create(api);
    assert.deepEqual([second.status, second.body, replay(second)], [201, first.body, 'true']);
    for (const name of ['location', 'change', 'content-type', 'content-length'])
      assert.equal(second.headers.get(name), first.headers.get(name), name);
    assert.equal(await restaurants(api), 0);
  });

  test('is refused with 422 where the key was used for another request', async (t) => {
    const { api } = await startService(t);
    await create(api);
    const others: [string, () => Promise<Answer>][] = [
      ['another body', () => create(api, { name: 'Chez Vous' })],
      ['the same JSON in other bytes', () => api.post('/restaurants', { ...CHEZ_NOUS, phone: null }, KEY)],
      ['another path', () => api.post('/categories', CHEZ_NOUS, KEY)],
      ['another query', () => api.post('/restaurants?a=1', CHEZ_NOUS, KEY)],
      ['a slash at the end', () => api.post('/restaurants/', CHEZ_NOUS, KEY)],
    ];
    for (const [title, ask] of others) {
      const { status, body } = await ask();
      assert.deepEqual([status, body], [422, TAKEN], title);
    }
    const form = { method: 'POST', headers: KEY, body: new FormData() };
    assert.equal((await api.send('/api/restaurants', form)).status, 415);
    assert.equal(await restaurants(api), 1);
  });

  test('shares its key with no other user, and with no other method', async (t) => {
    const { owner, other, token, service } = await startWorld(t);
    assert.equal(replay(await create(owner)), null);
    assert.equal(replay(await create(token)), 'true');
    const theirs = await create(other, { name: 'Chez Eux' });
    assert.deepEqual([theirs.status, replay(theirs)], [201, null]);
    const changed = await other.put('/restaurants/1', { name: 'Chez Vous' }, KEY);
    assert.deepEqual([changed.status, replay(changed)], [200, null]);
    assert.equal(stored(service.folder), 2);
  });

  test('is refused with 400 where the key is none, and the fault is named', async (t) => {
    const { api, folder } = await startService(t);
    const keys: [string, string][] = [
      ['an empty one', ''],
      ['one of 256 characters', 'x'.repeat(256)],
      ['one with a letter beyond ASCII', 'clé'],
      ['one with a tab', 'a\tb'],
    ];
    for (const [title, key] of keys) {
      const { status, body } = await create(api, CHEZ_NOUS, { 'Idempotency-Key': key });
      assert.deepEqual([status, body], [400, BROKEN], title);
    }
    const longest = await create(api, CHEZ_NOUS, { 'Idempotency-Key': '~ '.repeat(127) + '!' });
    assert.equal(longest.status, 201);
    assert.equal(stored(folder), 1);
  });

  test('leaves the key free where it is refused', async (t) => {
    const { owner, other, service } = await startWorld(t, { WRITE_ACCESS: 'admins' });
    await service.api.post('/restaurants', CHEZ_NOUS, KEY);
    const refusals: [number, () => Promise<Answer>][] = [
      [401, () => create(service.api)],
      [403, () => create(owner)],
      [400, () => owner.post('/ratings', {}, KEY)],
      [404, () => owner.post('/ratings', ratingOf(7), KEY)],
    ];
    for (const [status, ask] of refusals)
      for (const answer of [await ask(), await ask()])
        assert.deepEqual([answer.status, replay(answer)], [status, null]);
    assert.equal(stored(service.folder), 0);
    const made = await owner.post('/suggestions', CHEZ_NOUS, KEY);
    assert.equal(made.status, 201);
    const twin = await other.post('/suggestions', CHEZ_NOUS, { 'Idempotency-Key': 'the second one' });
    assert.deepEqual([twin.status, replay(twin)], [409, null]);
    assert.equal(stored(service.folder), 1);
  });

  test('is made anew after 24 hours, and not before', async (t) => {
    const { api, folder } = await startService(t);
    await create(api);
    const age = (hours: number): void => {
      const at = new Date(Date.now() - hours * 3_600_000).toISOString();
      changeStored(folder, 'UPDATE idempotency_keys SET created_at = ?', at);
    };
    age(23.9);
    assert.equal(replay(await create(api)), 'true');
    age(24.1);
    const duplicate = await create(api);
    assert.deepEqual([duplicate.status, replay(duplicate)], [409, null]);
    await create(api, { name: 'Chez Vous' });
    assert.equal(replay(await create(api, { name: 'Chez Vous' })), 'true');
  });

  test('has its answer removed after 24 hours, though its user sends no other', async (t) => {
    const before = await startService(t);
    await create(before.api);
    await create(before.api, { name: 'Chez Vous' }, { 'Idempotency-Key': 'the second one' });
    await before.stop();
    const at = new Date(Date.now() - 24.1 * 3_600_000).toISOString();
    changeStored(before.folder, "UPDATE idempotency_keys SET created_at = ? WHERE key = 'the first one'", at);
    const { folder } = await startService(t, { DATA_DIR: before.folder });
    await until(() => stored(folder) === 1);
  });

  test('has its answer stored with others of its user, up to 10 MB, of which the oldest go', async (t) => {
    const { api, folder } = await startService(t);
    const insert = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
      INSERT INTO idempotency_keys
      SELECT ?, 'k' || i, i * 100000, printf('%043d', i), 201, NULL, NULL, zeroblob(99000), ? FROM n`;
    for (const user of [1, 2]) changeStored(folder, insert, user, new Date().toISOString());
    await create(api);
    const sum = `SELECT sum(length(body) + 1000) <= 10000000 AS isBounded, count(*) AS count,
      min(bytes_so_far) AS least FROM idempotency_keys WHERE user_id = ?`;
    const kept = [1, 2].map((user) => record(readStored(folder, sum, user)[0]));
    assert.deepEqual(kept, [
      { isBounded: 1, count: 99, least: 300_000 },
      { isBounded: 1, count: 100, least: 100_000 },
    ]);
    assert.equal(replay(await create(api)), 'true');
  });

  test('is never made twice where its answer may show what others wrote, but repeated without the body', async (t) => {
    const { api } = await startService(t);
    await api.post('/restaurants', CHEZ_NOUS);
    await api.post('/ratings', ratingOf(1));
    const gone = await api.delete('/restaurants/1');
    const undo = (): Promise<Answer> =>
      api.post(`/changes/${String(gone.headers.get('change'))}/revert`, {}, KEY);
    const [first, second] = [await undo(), await undo()];
    assert.deepEqual([first.status, replay(first)], [200, null]);
    assert.deepEqual([second.status, replay(second), second.body], [200, 'true', '']);
    assert.equal(second.headers.get('change'), first.headers.get('change'));
  });

  test('has its answer repeated without a body once what it shows was removed for good, and no other answer', async (t) => {
    const { owner, other, service } = await startWorld(t);
    await create(owner, { ...CHEZ_NOUS, description: 'Unsayable things' });
    const first = await create(other, { name: 'Chez Eux' }, KEY);
    const gone = await owner.delete('/restaurants/1');
    const purged = await owner.post(`/changes/${String(gone.headers.get('change'))}/purge`, {});
    assert.equal(purged.status, 204);
    const bodyless = await create(owner, { ...CHEZ_NOUS, description: 'Unsayable things' });
    assert.deepEqual([bodyless.status, replay(bodyless), bodyless.body], [201, 'true', '']);
    const again = await create(other, { name: 'Chez Eux' }, KEY);
    assert.deepEqual([again.status, replay(again), again.body], [201, 'true', first.body]);
    for (const name of ['location', 'change'])
      assert.equal(again.headers.get(name), first.headers.get(name), name);
    assert.equal(await restaurants(other), 1);
    // In the end neither the database nor its write-ahead log holds it.
    await until(() => readStored(service.folder, 'SELECT 1 FROM answers_to_clear').length === 0);
    await until(() => !filesHold(service.folder, 'Unsayable things'));
  });

  test('is ignored, even a broken one, where answers hold secrets', async (t) => {
    const { owner, service } = await startWorld(t);
    for (const key of ['secret', '']) {
      const made = await owner.post('/auth/tokens', { name: 'script' }, { 'Idempotency-Key': key });
      assert.deepEqual([made.status, replay(made)], [201, null]);
    }
    const tokens = array((await owner.get('/auth/tokens')).body).map((one) => field(one, 'id'));
    assert.equal(new Set(tokens).size, 3);
    await signUp(service, 'dave');
    assert.equal(stored(service.folder), 0);
  });
});

const UNDER_WAY = { error: 'A request with this Idempotency-Key is under way' };
const CAPTION = { name: 'caption', content: 'The menu' };

const names = async (api: Client): Promise<unknown[]> =>
  array((await api.get('/restaurants')).body).map((one) => field(one, 'name'));

function upload(api: Client, body: Buffer, headers: Readonly<Record<string, string>> = KEY): Promise<Answer> {
  return api.send('/api/restaurants/1/photos', {
    method: 'POST',
    headers: { 'Content-Type': FORM_TYPE, ...headers },
    body: new Uint8Array(body),
  });
}

describe('a POST whose Idempotency-Key is under way', () => {
  test('is made once, however many are sent at once', async (t) => {
    const { api } = await startService(t);
    const send = (): Promise<Answer> => api.post('/restaurants', { name: 'Chez Nous' }, KEY);
    const answers = await Promise.all(Array.from({ length: 20 }, send));
    for (const { status, body } of answers)
      if (status !== 201) assert.deepEqual([status, body], [409, UNDER_WAY]);
    const made = answers.filter((answer) => answer.status === 201 && replay(answer) === null);
    assert.equal(made.length, 1);
    assert.equal(replay(await send()), 'true');
    assert.deepEqual(await names(api), ['Chez Nous']);
  });

  test('is refused with 409 while the first still sends its body, and is free once that has gone', async (t) => {
    const { api, port } = await startService(t);
    const slow = await openFrom('127.0.0.1', port);
    slow.write(
      'POST /api/restaurants HTTP/1.1\r\nHost: x\r\nIdempotency-Key: the first one\r\n' +
        'Content-Type: application/json\r\nContent-Length: 20\r\nExpect: 100-continue\r\n\r\n',
    );
    await nextData(slow);
    const send = (): Promise<Answer> => api.post('/restaurants', { name: 'Chez Nous' }, KEY);
    let answer = await send();
    assert.deepEqual([answer.status, answer.body], [409, UNDER_WAY]);
    const other = { 'Idempotency-Key': 'another' };
    assert.equal((await api.post('/restaurants', { name: 'Chez Vous' }, other)).status, 201);
    slow.destroy();
    await until(async () => {
      answer = await send();
      return answer.status !== 409;
    });
    assert.deepEqual([answer.status, replay(answer)], [201, null]);
  });
});

describe('an upload with an Idempotency-Key', () => {
  test('is compared by the names and contents of its parts, in any order and with any boundary', async (t) => {
    const { api, folder } = await startService(t);
    await api.post('/restaurants', { name: 'Chez Nous' });
    const first = await upload(api, form(photoPart(), CAPTION));
    assert.equal(first.status, 201, JSON.stringify(first.body));
    const boundary = Buffer.from(
      form(CAPTION, photoPart()).toString('latin1').replaceAll('--the-boundary', '--another'),
      'latin1',
    );
    const sames: [string, Buffer, string][] = [
      ['the same', form(photoPart(), CAPTION), FORM_TYPE],
      ['another order', form(CAPTION, photoPart()), FORM_TYPE],
      ['another boundary', boundary, FORM_TYPE.replace('--the-boundary', '--another')],
    ];
    for (const [title, body, type] of sames) {
      const second = await upload(api, body, { ...KEY, 'Content-Type': type });
      assert.deepEqual([second.status, second.body, replay(second)], [201, first.body, 'true'], title);
    }
    const others: [string, Buffer][] = [
      ['another photo', form(photoPart(sample('progressive')), CAPTION)],
      ['another caption', form(photoPart(), { name: 'caption', content: 'The menu.' })],
      ['no caption', form(photoPart())],
      ['a field more', form(photoPart(), CAPTION, { name: 'note', content: 'The menu' })],
    ];
    for (const [title, body] of others) {
      const { status, body: refusal } = await upload(api, body);
      assert.deepEqual([status, refusal], [422, TAKEN], title);
    }
    assert.equal(ids((await api.get('/restaurants/1/photos')).body).length, 1);
    assert.equal(storedFiles(folder).length, 1);
    await api.delete('/restaurants/1');
    assert.equal(replay(await upload(api, form(photoPart(), CAPTION))), 'true');
    assert.equal((await upload(api, form(photoPart()), { 'Idempotency-Key': 'another' })).status, 404);
  });

  test('leaves the key free where the form is refused', async (t) => {
    const { api } = await startService(t);
    await api.post('/restaurants', { name: 'Chez Nous' });
    assert.equal((await upload(api, form(CAPTION))).status, 400);
    assert.equal((await upload(api, form(photoPart(Buffer.from('no image at all'))))).status, 400);
    const made = await upload(api, form(photoPart()));
    assert.deepEqual([made.status, replay(made)], [201, null]);
  });
});
