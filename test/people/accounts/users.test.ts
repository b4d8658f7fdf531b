import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { remove, startWithAlice } from '../../support/accounts.ts';
import { refusal } from '../../support/changes.ts';
import { array, field, ids, record, textOf } from '../../support/client.ts';
import { changeStored, makeAdmin, readStored, signUp } from '../../support/people.ts';
import { startService } from '../../support/service.ts';
import { startWorld } from '../../support/world.ts';

const LAST = [409, 'The last administrator must stay'];

describe('GET /users', () => {
  test('lists all users by id, page by page, with what they have open', async (t) => {
    const { admin, service } = await startWorld(t);
    const first = await admin.get('/users?limit=2');
    assert.deepEqual([ids(field(first.body, 'data')), field(first.body, 'total')], [[2, 3], 3]);
    const cursor = textOf(first.body, 'next_cursor');
    assert.match(first.headers.get('link') ?? '', /^<\/api\/users\?limit=2&cursor=[^>]+>; rel="next"$/);
    const second = await admin.get(`/users?limit=2&cursor=${cursor}`);
    const { data, next_cursor, has_more } = record(second.body);
    assert.deepEqual([ids(data), next_cursor, has_more], [[4], null, false]);
    const alice = record(array(field(first.body, 'data'))[0]);
    assert.deepEqual([alice['sessions'], alice['api_tokens'], alice['has_password']], [1, 1, true]);
    assert.deepEqual((await admin.get('/users/2')).body, alice);
    assert.equal(first.headers.get('cache-control'), 'private, no-store');
    assert.equal(first.headers.get('etag'), null);
    assert.ok(!JSON.stringify(first.body).includes('$argon2'));
    assert.equal((await service.api.get('/users')).status, 401);
  });

  test('finds users by any part of their names, without case and diacritics', async (t) => {
    const { admin, owner } = await startWorld(t);
    await owner.patch('/auth/me', { full_name: 'Zoë Ångström' });
    const found = async (query: string): Promise<number[]> =>
      ids(field((await admin.get(`/users?${query}`)).body, 'data'));
    assert.deepEqual(await found('q=ZOE'), [2]);
    assert.deepEqual(await found('q=ngstr'), [2]);
    assert.deepEqual(await found('q=BOB@example'), [3]);
    for (const text of ['%25', '_', '*', '.%25', '@@', 'no%20one'])
      assert.deepEqual(await found(`q=${text}`), [], text);
    assert.deepEqual(await found('q=@'), [2, 3, 4]);
    await owner.patch('/auth/me', { username: 'a_li%ce' });
    for (const text of ['_', '%25']) assert.deepEqual(await found(`q=${text}`), [2], text);
    assert.deepEqual(await found('is_admin=true'), [4]);
    assert.deepEqual(await found('is_admin=false&q=ali'), [2]);
    assert.deepEqual(await found('is_active=false'), []);
    for (const [query, error] of [
      ['is_admin=1', 'is_admin must be one of true, false'],
      ['cursor=x', 'Invalid cursor'],
    ])
      assert.deepEqual(refusal(await admin.get(`/users?${query}`)), [400, error]);
  });
});

describe('PATCH /users/{id}', () => {
  test('deactivates, and activates again', async (t) => {
    const { admin, people, service } = await startWorld(t);
    const answer = await admin.patch('/users/2', { is_active: false });
    const { is_active, sessions, api_tokens } = record(answer.body);
    assert.deepEqual([answer.status, is_active, sessions, api_tokens], [200, false, 0, 1]);
    assert.equal((await service.api.post('/auth/login', people.owner)).status, 401);
    assert.deepEqual(refusal(await admin.post('/users/2/password-reset', {})), [409, 'User is not active']);

    assert.equal((await admin.patch('/users/2', { is_active: true })).status, 200);
    assert.equal((await service.api.post('/auth/login', people.owner)).status, 200);
  });

  test('refuses what is no change, and leaves who is an administrator alone', async (t) => {
    const { admin } = await startWorld(t);
    const faults: readonly [object, string][] = [
      [{}, 'is_active is required'],
      [{ is_active: null }, 'is_active is required'],
      [{ is_active: 'no' }, 'is_active must be true or false'],
      [{ is_active: 0 }, 'is_active must be true or false'],
    ];
    for (const [body, error] of faults)
      assert.deepEqual(refusal(await admin.patch('/users/2', body)), [400, error]);
    const { body } = await admin.patch('/users/2', { is_active: true, is_admin: true });
    assert.equal(field(body, 'is_admin'), false);
    assert.deepEqual(refusal(await admin.patch('/users/99', { is_active: true })), [404, 'User not found']);
    assert.deepEqual(refusal(await admin.patch('/users/x', { is_active: true })), [400, 'Invalid user ID']);
  });
});

describe('the last administrator', () => {
  test('can be neither deactivated nor deleted, by anyone', async (t) => {
    const { admin, people } = await startWorld(t);
    const path = `/users/${people.admin.id}`;
    assert.deepEqual(refusal(await admin.patch(path, { is_active: false })), LAST);
    const { password } = people.admin;
    assert.deepEqual(refusal(await remove(admin, '/auth/me', { password })), LAST);
    assert.equal((await admin.get('/auth/me')).status, 200);
  });

  test('is one of two who deactivate each other at the same time', async (t) => {
    const { admin, owner, people, service } = await startWorld(t);
    makeAdmin(service, people.owner);
    const answers = await Promise.all([
      admin.patch(`/users/${people.owner.id}`, { is_active: false }),
      owner.patch(`/users/${people.admin.id}`, { is_active: false }),
    ]);
    // The other one comes too late, or is no longer known.
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    const left = 'SELECT id FROM users WHERE is_admin = 1 AND is_active = 1';
    assert.equal(readStored(service.folder, left).length, 1);
  });

  test('may go once there is another one who may sign in', async (t) => {
    const { admin, people, service } = await startWorld(t);
    const { password } = people.admin;
    makeAdmin(service, people.owner);
    changeStored(service.folder, 'UPDATE users SET is_active = 0 WHERE id = ?', people.owner.id);
    assert.deepEqual(refusal(await remove(admin, '/auth/me', { password })), LAST);
    changeStored(service.folder, 'UPDATE users SET is_active = 1 WHERE id = ?', people.owner.id);
    assert.equal((await remove(admin, '/auth/me', { password })).status, 204);
  });
});

describe('DELETE /users/{id}/sessions', () => {
  test('signs a user out everywhere, and removes API tokens where that is asked for', async (t) => {
    const { admin, owner, token } = await startWorld(t);
    assert.equal((await admin.delete('/users/2/sessions')).status, 204);
    assert.deepEqual(
      [(await owner.get('/auth/me')).status, (await token.get('/auth/me')).status],
      [401, 200],
    );
    assert.equal((await admin.delete('/users/2/sessions?api_tokens=true')).status, 204);
    assert.equal((await token.get('/auth/me')).status, 401);
    const wrong = await admin.delete('/users/2/sessions?api_tokens=yes');
    assert.deepEqual(refusal(wrong), [400, 'api_tokens must be one of true, false']);
    assert.equal((await admin.delete('/users/99/sessions')).status, 404);
  });
});

describe('the own account of an administrator', () => {
  test('is deleted, and gets a password, only where the current password is asked for', async (t) => {
    const { admin, people, service } = await startWorld(t);
    makeAdmin(service, people.owner);
    const path = `/users/${people.admin.id}`;
    for (const [answer, error] of [
      [
        await admin.post(`${path}/password-reset`, {}),
        'Change your own password with POST /api/auth/password',
      ],
      [await admin.delete(path), 'Delete your own account with DELETE /api/auth/me'],
    ] as const)
      assert.deepEqual(refusal(answer), [409, error]);
    assert.deepEqual(readStored(service.folder, 'SELECT * FROM password_resets'), []);
    const { password } = people.admin;
    const change = { current_password: password, new_password: 'ten tall ships at sea' };
    assert.equal((await admin.post('/auth/password', change)).status, 200);
    assert.equal((await remove(admin, '/auth/me', { password: change.new_password })).status, 204);
  });

  test('may be signed out everywhere and deactivated, which gives a thief nothing', async (t) => {
    const { admin, owner, people, service } = await startWorld(t);
    makeAdmin(service, people.owner);
    const path = `/users/${people.admin.id}`;
    assert.equal((await admin.delete(`${path}/sessions?api_tokens=true`)).status, 204);
    assert.equal((await admin.get('/auth/me')).status, 401);
    assert.equal((await owner.patch(path, { is_active: false })).status, 200);
  });
});

describe('what is done to users', () => {
  test('is logged as warnings that name both', async (t) => {
    const { admin, service } = await startWorld(t);
    const dora = await signUp(service, 'dora');
    await admin.patch(`/users/${dora.id}`, { is_active: false });
    await admin.patch(`/users/${dora.id}`, { is_active: true });
    await admin.delete(`/users/${dora.id}/sessions`);
    await admin.post(`/users/${dora.id}/password-reset`, {});
    await admin.delete(`/users/${dora.id}`);
    const warnings = service.logs
      .map(record)
      .filter(({ level, user }) => level === 'warn' && user === dora.id);
    assert.deepEqual(
      warnings.map(({ msg, message, by }) => [msg ?? message, by]),
      [
        ['user deactivated', 4],
        ['user activated', 4],
        ['sessions of a user ended', 4],
        ['link to set a password made', 4],
        ['user deleted', 4],
      ],
    );
  });

  test('counts where there are no accounts as well', async (t) => {
    const { service, alice } = await startWithAlice(t);
    await service.stop();
    const { api } = await startService(t, { DATA_DIR: service.folder });
    assert.deepEqual(ids(field((await api.get('/users')).body, 'data')), [alice.id]);
    assert.equal((await api.patch('/users/2', { is_active: false })).status, 200);
    assert.equal((await api.delete('/users/2')).status, 204);
  });
});
