import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { apiTokenOf, bearing, startWithAlice } from '../../support/accounts.ts';
import { refusal } from '../../support/changes.ts';
import { array, createClient, field, ids, record, textOf } from '../../support/client.ts';
import { LOCAL, changeStored, makeAdmin, readStored, signUp } from '../../support/people.ts';
import { startService, temporaryFolder } from '../../support/service.ts';

describe('an API token', () => {
  test('is returned once, at its creation, and listed without its secret', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const { api } = alice;
    const made = await api.post('/auth/tokens', { name: ' <b>Backup</b> script ', expires_in_days: 30 });
    assert.equal(made.status, 201);
    assert.equal(made.headers.get('location'), '/api/auth/tokens/1');
    const token = textOf(made.body, 'token');
    assert.match(token, /^rct_[\w-]{43}$/);
    const [created, expires] = [textOf(made.body, 'created_at'), textOf(made.body, 'expires_at')];
    assert.equal(Date.parse(expires) - Date.parse(created), 30 * 24 * 60 * 60 * 1000);
    const times = { created_at: created, expires_at: expires, last_used_at: null };
    const listed = { id: 1, name: 'Backup script', ...times };
    assert.deepEqual(made.body, { ...listed, token });
    assert.deepEqual((await api.get('/auth/tokens')).body, [listed]);
    const stored = readStored(service.folder, 'SELECT *, hex(token_hash) FROM api_tokens');
    assert.ok(!JSON.stringify(stored).includes(token));
  });

  test('is read at its Location by its user alone, without its secret', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const bob = await signUp(service, 'bob');
    const made = await alice.api.post('/auth/tokens', { name: 'script', expires_in_days: 30 });
    const { token: _secret, ...listed } = record(made.body);
    const location = made.headers.get('location') ?? '';
    const answer = await alice.api.send(location, {});
    assert.deepEqual([answer.status, answer.body], [200, listed]);
    assert.equal(answer.headers.get('cache-control'), 'private, no-store');
    assert.equal(answer.headers.get('etag'), null);
    for (const answer of [await bob.api.send(location, {}), await alice.api.get('/auth/tokens/2')])
      assert.deepEqual(refusal(answer), [404, 'Token not found']);
    assert.deepEqual(refusal(await alice.api.get('/auth/tokens/0')), [400, 'Invalid token ID']);
    await alice.api.delete('/auth/tokens/1');
    assert.equal((await alice.api.send(location, {})).status, 404);
  });

  test('works like an access token of its user, without an expiry unless it has one', async (t) => {
    const { service, alice } = await startWithAlice(t, { WRITE_ACCESS: 'admins' });
    const made = await alice.api.post('/auth/tokens', { name: 'script' });
    assert.equal(field(made.body, 'expires_at'), null);
    const script = createClient(service.url, bearing(textOf(made.body, 'token')));
    assert.equal(field((await script.get('/auth/me')).body, 'id'), alice.id);
    assert.equal((await script.post('/restaurants', { name: 'A' })).status, 403);
    makeAdmin(service, alice);
    assert.equal((await script.post('/restaurants', { name: 'A' })).status, 201);
  });

  test('outlives the sessions of its user', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const script = createClient(service.url, bearing(await apiTokenOf(alice.api)));
    await alice.api.post('/auth/logout', {});
    assert.equal((await script.get('/auth/me')).status, 200);
    assert.equal((await script.post('/auth/logout', {})).status, 200);
    assert.equal((await script.get('/auth/me')).status, 200);
  });

  test('notes its last use to the hour', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const token = await apiTokenOf(alice.api);
    const before = new Date().toISOString().slice(0, 13);
    await service.api.get('/auth/me', bearing(token));
    const [listed] = array((await alice.api.get('/auth/tokens')).body);
    const noted = textOf(listed, 'last_used_at');
    assert.ok(noted === `${before}:00:00.000Z` || noted > before);
    assert.match(noted, /:00:00\.000Z$/);
  });

  test('answers 401 once it has expired', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const token = bearing(await apiTokenOf(alice.api));
    changeStored(service.folder, "UPDATE api_tokens SET expires_at = '2020-01-01T00:00:00.000Z'");
    assert.deepEqual(refusal(await service.api.get('/auth/me', token)), [401, 'Invalid token']);
  });

  test('is removed by its user alone, and from then on not valid', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const bob = await signUp(service, 'bob');
    const [token] = [await apiTokenOf(alice.api), await apiTokenOf(alice.api)];
    assert.deepEqual((await bob.api.get('/auth/tokens')).body, []);
    assert.deepEqual(refusal(await bob.api.delete('/auth/tokens/1')), [404, 'Token not found']);
    assert.deepEqual(ids((await alice.api.get('/auth/tokens')).body), [2, 1]);
    assert.equal((await alice.api.delete('/auth/tokens/1')).status, 204);
    assert.equal((await service.api.get('/auth/me', bearing(token))).status, 401);
    assert.deepEqual(ids((await alice.api.get('/auth/tokens')).body), [2]);
    assert.equal((await alice.api.delete('/auth/tokens/1')).status, 404);
    assert.equal((await alice.api.delete('/auth/tokens/x')).status, 400);
  });

  test('is one of at most 100 of its user', async (t) => {
    const { service, alice } = await startWithAlice(t);
    await apiTokenOf(alice.api);
    const rest = `INSERT INTO api_tokens (user_id, name, token_hash, created_at)
      SELECT user_id, value, CAST(format('%032d', value) AS BLOB), created_at FROM api_tokens, json_each(?)`;
    changeStored(service.folder, rest, JSON.stringify(Array.from({ length: 98 }, (_, i) => `${i}`)));
    await apiTokenOf(alice.api);
    const many = await alice.api.post('/auth/tokens', { name: 'y' });
    assert.deepEqual(refusal(many), [409, 'At most 100 API tokens']);
  });

  const refusals: readonly [object, string][] = [
    [{}, 'name is required'],
    [{ name: 'a'.repeat(101) }, 'name must be at most 100 characters'],
    [{ name: 'a', expires_in_days: 0 }, 'expires_in_days must be an integer from 1 to 3650'],
    [{ name: 'a', expires_in_days: 1.5 }, 'expires_in_days must be an integer from 1 to 3650'],
    [{ expires_in_days: '7' }, 'name is required; expires_in_days must be an integer from 1 to 3650'],
  ];
  test('is refused with all of its faults', async (t) => {
    const { alice } = await startWithAlice(t);
    for (const [body, error] of refusals)
      assert.deepEqual(refusal(await alice.api.post('/auth/tokens', body)), [400, error]);
  });

  test('works after its database was put back on another machine, with another secret and in another mode', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const token = await apiTokenOf(alice.api);
    await service.stop();
    const folder = temporaryFolder(t);
    copyFileSync(join(service.folder, 'catalogue.db'), join(folder, 'catalogue.db'));
    const later = await startService(t, { AUTH_MODE: 'oauth', DATA_DIR: folder });
    assert.equal(field((await later.api.get('/auth/me', bearing(token))).body, 'id'), alice.id);
    assert.equal((await later.api.get('/auth/me', bearing(alice.accessToken))).status, 401);
  });

  test('of mode none is the placeholder’s, and not valid in any other mode', async (t) => {
    const service = await startService(t);
    const token = await apiTokenOf(service.api);
    assert.deepEqual(ids((await service.api.get('/auth/tokens')).body), [1]);
    assert.equal(field((await service.api.get('/auth/tokens/1')).body, 'name'), 'script');
    assert.equal(field((await service.api.get('/auth/me', bearing(token))).body, 'id'), 1);
    await service.stop();
    const later = await startService(t, { ...LOCAL, DATA_DIR: service.folder });
    assert.equal((await later.api.get('/auth/me', bearing(token))).status, 401);
    assert.deepEqual((await (await signUp(later, 'alice')).api.get('/auth/tokens')).body, []);
  });
});
