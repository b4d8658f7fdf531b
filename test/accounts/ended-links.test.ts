import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import Database from 'better-sqlite3';
import { databasePath } from '../../src/storage/database.ts';
import { registration, remove, secretOf } from '../support/accounts.ts';
import { refusal } from '../support/changes.ts';
import { ids } from '../support/client.ts';
import { changeStored, makeAdmin, readStored } from '../support/people.ts';
import { type World, startWorld } from '../support/world.ts';

const PASSWORD = 'ten tall ships at sea';

interface Links {
  readonly invitation: string;
  readonly reset: string;
}

/** A world with two administrators, alice and carol, and the links that alice made. */
async function withLinks(t: Parameters<typeof startWorld>[0]): Promise<World & Links> {
  const world = await startWorld(t);
  makeAdmin(world.service, world.people.owner);
  const used = secretOf(await world.owner.post('/invitations', {}));
  const guest = registration('dora', { invitation: used });
  assert.equal((await world.service.api.post('/auth/register', guest)).status, 201);
  return {
    ...world,
    invitation: secretOf(await world.owner.post('/invitations', {})),
    reset: secretOf(await world.owner.post('/users/3/password-reset', {})),
  };
}

async function areOpen({ service, invitation }: World & Links): Promise<boolean> {
  const look = await service.api.post('/auth/invitation', { invitation });
  return look.status === 200 && readStored(service.folder, 'SELECT * FROM password_resets').length === 1;
}

async function requireEnded(world: World & Links): Promise<void> {
  const { service, invitation, reset } = world;
  const words = 'Invitation is unknown, used or expired';
  assert.deepEqual(refusal(await service.api.post('/auth/invitation', { invitation })), [404, words]);
  const guest = registration('mallory', { invitation });
  assert.deepEqual(refusal(await service.api.post('/auth/register', guest)), [403, words]);
  const set = { token: reset, new_password: PASSWORD };
  const answer = await service.api.post('/auth/password-reset', set);
  assert.deepEqual(refusal(answer), [400, 'Reset link is unknown, used or expired']);
  // The one that was used stays, to say by whom.
  assert.deepEqual(ids((await world.admin.get('/invitations')).body), [1]);
}

type End = (world: World) => Promise<unknown> | undefined;

const byHand =
  (change: string): End =>
  ({ service }) => {
    changeStored(service.folder, `UPDATE users SET ${change} WHERE id = 2`);
    return undefined;
  };

const ENDS: readonly [string, End][] = [
  ['is deactivated', ({ admin }) => admin.patch('/users/2', { is_active: false })],
  ['is deleted by another one', ({ admin }) => admin.delete('/users/2')],
  ['deletes the own account', ({ owner, people }) => remove(owner, '/auth/me', people.owner)],
  ['is no longer one by hand', byHand('is_admin = 0')],
  ['is deactivated by hand', byHand('is_active = 0')],
];

describe('the open links of an administrator', () => {
  for (const [title, end] of ENDS)
    test(`end when the administrator ${title}`, async (t) => {
      const world = await withLinks(t);
      assert.equal(await areOpen(world), true);
      await end(world);
      await requireEnded(world);
    });

  test('do not come back with the rights of the administrator', async (t) => {
    const world = await withLinks(t);
    for (const flag of [0, 1])
      changeStored(world.service.folder, `UPDATE users SET is_admin = ${flag} WHERE id = 2`);
    await world.admin.patch('/users/2', { is_active: false });
    await world.admin.patch('/users/2', { is_active: true });
    await requireEnded(world);
  });

  for (const change of ['is_admin = 0', 'is_active = 0', 'id = 99'])
    test(`open nothing when a tool has replaced the creator's row with one of ${change}`, async (t) => {
      const world = await withLinks(t);
      const { service, invitation, reset } = world;
      const database = new Database(databasePath(service.folder));
      // As the command sqlite3 has it; the row is replaced without a trigger.
      database.pragma('foreign_keys = OFF');
      database.exec(`CREATE TEMP TABLE copy AS SELECT * FROM users WHERE id = 2;
        UPDATE copy SET ${change};
        INSERT OR REPLACE INTO users SELECT * FROM copy`);
      database.close();
      assert.equal((await service.api.post('/auth/invitation', { invitation })).status, 404);
      const guest = registration('mallory', { invitation });
      assert.equal((await service.api.post('/auth/register', guest)).status, 403);
      const set = { token: reset, new_password: PASSWORD };
      assert.equal((await service.api.post('/auth/password-reset', set)).status, 400);
    });

  test('stay when other users change, and a link belongs to who made it last', async (t) => {
    const world = await withLinks(t);
    const { admin, service } = world;
    const reset = secretOf(await admin.post('/users/3/password-reset', {}));
    await admin.patch('/users/5', { is_active: false });
    await admin.patch('/auth/me', { full_name: 'Carol C.' });
    assert.equal(await areOpen(world), true);
    await admin.patch('/users/2', { is_active: false });
    const set = { token: reset, new_password: PASSWORD };
    assert.equal((await service.api.post('/auth/password-reset', set)).status, 200);
  });

  test('without a creator, as the operator may store them, work', async (t) => {
    const world = await withLinks(t);
    changeStored(world.service.folder, 'UPDATE invitations SET created_by = NULL');
    changeStored(world.service.folder, 'UPDATE password_resets SET created_by = NULL');
    await world.admin.delete('/users/2');
    assert.equal(await areOpen(world), true);
  });
});
