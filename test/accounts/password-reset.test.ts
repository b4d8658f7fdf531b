import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bearing, secretOf } from '../support/accounts.ts';
import { refusal } from '../support/changes.ts';
import { createClient, field } from '../support/client.ts';
import { LOCAL, changeStored } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { type World, startWorld } from '../support/world.ts';

const PASSWORD = 'ten tall ships at sea';
const NOT_VALID = [400, 'Reset link is unknown, used or expired'];

const link = async ({ admin }: World, id = 2): Promise<string> =>
  secretOf(await admin.post(`/users/${id}/password-reset`, {}));

const use = ({ service }: World, token: unknown, new_password = PASSWORD) =>
  service.api.post('/auth/password-reset', { token, new_password });

describe('a link to set a password', () => {
  test('works once: sessions end, API tokens stay', async (t) => {
    const world = await startWorld(t);
    const { admin, owner, token, people, service } = world;
    const made = await admin.post('/users/2/password-reset', {});
    assert.match(String(field(made.body, 'url')), /^\/reset#rst_[A-Za-z0-9_-]{43}$/);
    const hours = (Date.parse(String(field(made.body, 'expires_at'))) - Date.now()) / 3_600_000;
    assert.ok(hours > 23.9 && hours <= 24);
    const answer = await use(world, secretOf(made));
    assert.deepEqual([answer.status, answer.body], [200, { message: 'Password changed' }]);
    assert.deepEqual(
      [(await owner.get('/auth/me')).status, (await token.get('/auth/me')).status],
      [401, 200],
    );
    assert.equal((await service.api.post('/auth/login', people.owner)).status, 401);
    const login = await service.api.post('/auth/login', { ...people.owner, password: PASSWORD });
    assert.equal(login.status, 200);
    assert.deepEqual(refusal(await use(world, secretOf(made), 'another long password')), NOT_VALID);
  });

  test('ends with a newer one, with a new password, with its time', async (t) => {
    const world = await startWorld(t);
    const first = await link(world);
    const second = await link(world);
    assert.deepEqual(refusal(await use(world, first)), NOT_VALID);
    const change = { current_password: world.people.owner.password, new_password: 'my own new password' };
    assert.equal((await world.owner.post('/auth/password', change)).status, 200);
    assert.deepEqual(refusal(await use(world, second)), NOT_VALID);
    const third = await link(world);
    changeStored(world.service.folder, "UPDATE password_resets SET expires_at = '2020-01-01T00:00:00.000Z'");
    assert.deepEqual(refusal(await use(world, third)), NOT_VALID);
  });

  test('that is guessed, cut or of another kind opens nothing', async (t) => {
    const world = await startWorld(t);
    const whole = await link(world);
    const invitation = secretOf(await world.admin.post('/invitations', {}));
    const guessed = `rst_${'A'.repeat(43)}`;
    for (const token of [guessed, whole.slice(0, -1), whole.slice(4), `/reset#${whole}`, invitation])
      assert.deepEqual(refusal(await use(world, token)), NOT_VALID, token);
    for (const [token, error] of [
      [5, 'token must be a string'],
      ['', 'token is required'],
      [null, 'token is required'],
    ])
      assert.deepEqual(refusal(await use(world, token)), [400, error]);
    assert.equal((await use(world, whole)).status, 200);
  });

  test('stays when the password is refused', async (t) => {
    const world = await startWorld(t);
    const token = await link(world);
    const refused = await use(world, token, 'alice@example.com');
    assert.deepEqual(refusal(refused), [400, 'password must not be your email or username']);
    assert.equal((await use(world, token)).status, 200);
  });

  test('sets one of the passwords that come at once', async (t) => {
    const world = await startWorld(t);
    const token = await link(world);
    const wishes = ['the first password', 'the second one!'];
    const answers = await Promise.all(wishes.map((wish) => use(world, token, wish)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400]);
  });

  test('lets in a user who failed too often', async (t) => {
    const world = await startWorld(t);
    const { service, people } = world;
    for (let tries = 0; tries < 10; tries += 1)
      await service.api.post('/auth/login', { ...people.owner, password: 'wrong' });
    assert.equal((await service.api.post('/auth/login', people.owner)).status, 429);
    assert.equal((await use(world, await link(world))).status, 200);
    const login = await service.api.post('/auth/login', { ...people.owner, password: PASSWORD });
    assert.equal(login.status, 200);
  });

  test('sets the first password of a user who has none', async (t) => {
    const world = await startWorld(t);
    changeStored(world.service.folder, 'UPDATE users SET password_hash = NULL WHERE id = 2');
    assert.equal((await use(world, await link(world))).status, 200);
    assert.equal(field((await world.admin.get('/users/2')).body, 'has_password'), true);
  });
});

describe('local accounts that are disabled', () => {
  test('have no passwords to change', async (t) => {
    const world = await startWorld(t);
    await world.service.stop();
    const service = await startService(t, { ...LOCAL, AUTH_MODE: 'oauth', DATA_DIR: world.service.folder });
    const admin = createClient(service.url, bearing(world.people.admin.accessToken));
    for (const [path, body] of [
      ['/auth/password', { current_password: 'x', new_password: PASSWORD }],
      ['/auth/password-reset', { token: 'x', new_password: PASSWORD }],
      ['/users/2/password-reset', {}],
    ] as const)
      assert.deepEqual(refusal(await admin.post(path, body)), [403, 'Local accounts are disabled'], path);
  });
});
