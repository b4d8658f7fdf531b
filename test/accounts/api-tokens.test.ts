import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { array, createClient, field, ids, record, textOf } from '../support/client.ts';
import { LOCAL, changeStored, makeAdmin, readStored, signUp } from '../support/people.ts';
import { startService, temporaryFolder } from '../support/service.ts';

const bearing = (token: string): Readonly<Record<string, string>> => ({ Authorization: `Bearer ${token}` });

describe('an API token', () => {
  test('is returned once, at its creation, and listed without its secret', async (t) => {
    const service = await startService(t, LOCAL);
    const { api } = await signUp(service, 'alice');
    const made = await api.post('/auth/tokens', { name: ' <b>Backup</b> script ', expires_in_days: 30 });
    assert.equal(made.status, 201);
    assert.equal(made.headers.get('location'), '/api/auth/tokens/1');
    const token = textOf(made.body, 'token');
    assert.match(token, /^rct_[\w-]{43}$/);
    const [created, expires] = [textOf(made.body, 'created_at'), textOf(made.body, 'expires_at')];
    assert.equal(Date.parse(expires) - Date.parse(created), 30 * 24 * 60 * 60 * 1000);
    const listed = {
      id: 1,
      name: 'Backup script',
      created_at: created,
      expires_at: expires,
      last_used_at: null,
    };
    assert.deepEqual(made.body, { ...listed, token });
    assert.deepEqual((await api.get('/auth/tokens')).body, [listed]);
    assert.ok(
      !JSON.stringify(readStored(service.folder, 'SELECT *, hex(token_hash) FROM api_tokens')).includes(
        token,
      ),
    );
  });

  test('is read at its Location by its user alone, without its secret', async (t) => {
    const service = await startService(t, LOCAL);
    const [alice, bob] = [await signUp(service, 'alice'), await signUp(service, 'bob')];
    const made = await alice.api.post('/auth/tokens', { name: 'script', expires_in_days: 30 });
    const { token: _secret, ...listed } = record(made.body);
    const location = made.headers.get('location') ?? '';
    const answer = await alice.api.send(location, {});
    assert.deepEqual([answer.status, answer.body], [200, listed]);
    assert.equal(answer.headers.get('cache-control'), 'private, no-store');
    assert.equal(answer.headers.get('etag'), null);
    for (const answer of [await bob.api.send(location, {}), await alice.api.get('/auth/tokens/2')])
      assert.deepEqual([answer.status, answer.body], [404, { error: 'Token not found' }]);
    const wrong = await alice.api.get('/auth/tokens/0');
    assert.deepEqual([wrong.status, wrong.body], [400, { error: 'Invalid token ID' }]);
    await alice.api.delete('/auth/tokens/1');
    assert.equal((await alice.api.send(location, {})).status, 404);
  });

  test('works like an access token of its user, without an expiry unless it has one', async (t) => {
    const service = await startService(t, { ...LOCAL, WRITE_ACCESS: 'admins' });
    const alice = await signUp(service, 'alice');
    const made = await alice.api.post('/auth/tokens', { name: 'script' });
    assert.equal(field(made.body, 'expires_at'), null);
    const script = createClient(service.url, bearing(textOf(made.body, 'token')));
    assert.equal(field((await script.get('/auth/me')).body, 'id'), alice.id);
    assert.equal((await script.post('/restaurants', { name: 'A' })).status, 403);
    makeAdmin(service, alice);
    assert.equal((await script.post('/restaurants', { name: 'A' })).status, 201);
  });

  test('outlives the sessions of its user', async (t) => {
    const service = await startService(t, LOCAL);
    const { api } = await signUp(service, 'alice');
    const script = createClient(
      service.url,
      bearing(textOf((await api.post('/auth/tokens', { name: 'x' })).body, 'token')),
    );
    await api.post('/auth/logout', {});
    assert.equal((await script.get('/auth/me')).status, 200);
    assert.equal((await script.post('/auth/logout', {})).status, 200);
    assert.equal((await script.get('/auth/me')).status, 200);
  });

  test('notes its last use to the hour', async (t) => {
    const service = await startService(t, LOCAL);
    const { api } = await signUp(service, 'alice');
    const token = textOf((await api.post('/auth/tokens', { name: 'x' })).body, 'token');
    const before = new Date().toISOString().slice(0, 13);
    await service.api.get('/auth/me', bearing(token));
    const [listed] = array((await api.get('/auth/tokens')).body);
    const noted = textOf(listed, 'last_used_at');
    assert.ok(noted === `${before}:00:00.000Z` || noted > before);
    assert.match(noted, /:00:00\.000Z$/);
  });

  const ends: readonly [string, string][] = [
    ['has expired', "UPDATE api_tokens SET expires_at = '2020-01-01T00:00:00.000Z'"],
    ['is of an inactive user', 'UPDATE users SET is_active = 0'],
    ['is of a user who is gone', 'DELETE FROM users'],
  ];
  for (const [title, sql] of ends)
    test(`answers 401 when it ${title}`, async (t) => {
      const service = await startService(t, LOCAL);
      const { api } = await signUp(service, 'alice');
      const made = await api.post('/auth/tokens', { name: 'x', expires_in_days: 1 });
      changeStored(service.folder, sql);
      const answer = await service.api.get('/auth/me', bearing(textOf(made.body, 'token')));
      assert.deepEqual([answer.status, answer.body], [401, { error: 'Invalid token' }]);
    });

  test('is removed by its user alone, and from then on not valid', async (t) => {
    const service = await startService(t, LOCAL);
    const [alice, bob] = [await signUp(service, 'alice'), await signUp(service, 'bob')];
    const token = textOf((await alice.api.post('/auth/tokens', { name: 'x' })).body, 'token');
    assert.deepEqual((await bob.api.get('/auth/tokens')).body, []);
    const foreign = await bob.api.delete('/auth/tokens/1');
    assert.deepEqual([foreign.status, foreign.body], [404, { error: 'Token not found' }]);
    assert.equal((await alice.api.delete('/auth/tokens/1')).status, 204);
    assert.equal((await service.api.get('/auth/me', bearing(token))).status, 401);
    assert.equal((await alice.api.delete('/auth/tokens/1')).status, 404);
    assert.equal((await alice.api.delete('/auth/tokens/x')).status, 400);
  });

  test('neither sees nor removes tokens, itself included', async (t) => {
    const service = await startService(t, LOCAL);
    const { api } = await signUp(service, 'alice');
    const script = createClient(
      service.url,
      bearing(textOf((await api.post('/auth/tokens', { name: 'x' })).body, 'token')),
    );
    await api.post('/auth/tokens', { name: 'y' });
    for (const answer of [
      await script.get('/auth/tokens'),
      await script.get('/auth/tokens/1'),
      await script.delete('/auth/tokens/1'),
      await script.delete('/auth/tokens/2'),
    ])
      assert.deepEqual([answer.status, answer.body], [403, { error: 'API tokens cannot manage accounts' }]);
    assert.deepEqual(ids((await api.get('/auth/tokens')).body), [2, 1]);
  });

  test('creates no further ones', async (t) => {
    const service = await startService(t, LOCAL);
    const { api } = await signUp(service, 'alice');
    const script = createClient(
      service.url,
      bearing(textOf((await api.post('/auth/tokens', { name: 'x' })).body, 'token')),
    );
    const answer = await script.post('/auth/tokens', { name: 'y' });
    assert.deepEqual([answer.status, answer.body], [403, { error: 'API tokens cannot create API tokens' }]);
  });

  const refusals: readonly [object, string][] = [
    [{}, 'name is required'],
    [{ name: 'a'.repeat(101) }, 'name must be at most 100 characters'],
    [{ name: 'a', expires_in_days: 0 }, 'expires_in_days must be an integer from 1 to 3650'],
    [{ name: 'a', expires_in_days: 1.5 }, 'expires_in_days must be an integer from 1 to 3650'],
    [{ expires_in_days: '7' }, 'name is required; expires_in_days must be an integer from 1 to 3650'],
  ];
  for (const [body, error] of refusals)
    test(`is refused as ${JSON.stringify(body).slice(0, 60)}`, async (t) => {
      const { api } = await signUp(await startService(t, LOCAL), 'alice');
      const answer = await api.post('/auth/tokens', body);
      assert.deepEqual([answer.status, answer.body], [400, { error }]);
    });

  test('works after its database was put back on another machine, with another secret and in another mode', async (t) => {
    const service = await startService(t, LOCAL);
    const alice = await signUp(service, 'alice');
    const token = textOf((await alice.api.post('/auth/tokens', { name: 'x' })).body, 'token');
    await service.stop();
    const folder = temporaryFolder(t);
    copyFileSync(join(service.folder, 'catalogue.db'), join(folder, 'catalogue.db'));
    const later = await startService(t, { AUTH_MODE: 'oauth', DATA_DIR: folder });
    assert.equal(field((await later.api.get('/auth/me', bearing(token))).body, 'id'), alice.id);
    assert.equal((await later.api.get('/auth/me', bearing(alice.accessToken))).status, 401);
  });

  test('of mode none is the placeholder’s, and not valid in any other mode', async (t) => {
    const service = await startService(t);
    const made = await service.api.post('/auth/tokens', { name: 'x' });
    assert.equal(made.status, 201);
    assert.deepEqual(ids((await service.api.get('/auth/tokens')).body), [1]);
    assert.equal(field((await service.api.get('/auth/tokens/1')).body, 'name'), 'x');
    assert.equal(
      field((await service.api.get('/auth/me', bearing(textOf(made.body, 'token')))).body, 'id'),
      1,
    );
    await service.stop();
    const later = await startService(t, { ...LOCAL, DATA_DIR: service.folder });
    assert.equal((await later.api.get('/auth/me', bearing(textOf(made.body, 'token')))).status, 401);
    assert.deepEqual((await (await signUp(later, 'alice')).api.get('/auth/tokens')).body, []);
  });
});
