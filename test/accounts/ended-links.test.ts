import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import Database from 'better-sqlite3';
import { databasePath } from '../../src/storage/database.ts';
import { registration, remove, secretOf } from '../support/accounts.ts';
import { run } from '../support/backups.ts';
import { refusal } from '../support/changes.ts';
import { runCommand } from '../support/cli.ts';
import { array, field, ids } from '../support/client.ts';
import { makeDatabaseBefore } from '../support/old-database.ts';
import { LOCAL, changeStored, makeAdmin, readStored } from '../support/people.ts';
import { startService, temporaryFolder } from '../support/service.ts';
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

async function command({ folder }: World['service'], ...args: readonly string[]): Promise<void> {
  const ended = await runCommand(args, { variables: { ...LOCAL, DATA_DIR: folder } });
  assert.equal(ended.code, 0, ended.err);
}

type End = (world: World) => Promise<unknown> | undefined;

const byCommand =
  (action: string): End =>
  ({ service, people }) =>
    command(service, 'user', action, people.owner.email);
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
  ['is deactivated on the command line', byCommand('deactivate')],
  ['is no longer one by the command line', byCommand('revoke-admin')],
  ['is deleted on the command line', byCommand('delete')],
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

describe('an upgrade from before links had creators', () => {
  test('ends the open ones that no administrator answers for', async (t) => {
    const folder = temporaryFolder(t);
    const now = new Date().toISOString();
    makeDatabaseBefore(folder, 'stolen_copies', (connection) => {
      for (const [id, isAdmin, isActive] of [
        [2, 1, 1],
        [3, 0, 1],
        [4, 1, 0],
      ])
        connection
          .prepare(
            `INSERT INTO users (id, email, email_key, username, username_key, is_admin, is_active, created_at, updated_at)
             VALUES (:id, 'u' || :id, 'u' || :id, 'u' || :id, 'u' || :id, :isAdmin, :isActive, :now, :now)`,
          )
          .run({ id, isAdmin, isActive, now });
      for (const createdBy of [2, 3, 4, null])
        for (const usedAt of [null, now])
          connection
            .prepare(
              `INSERT INTO invitations (secret_hash, created_at, created_by, expires_at, used_at)
               VALUES (randomblob(32), ?, ?, ?, ?)`,
            )
            .run(now, createdBy, '2999-01-01T00:00:00.000Z', usedAt);
      connection
        .prepare("INSERT INTO password_resets VALUES (2, randomblob(32), '2999-01-01T00:00:00.000Z')")
        .run();
    });
    await run(folder, 'migrate');
    const open = readStored(folder, 'SELECT created_by FROM invitations WHERE used_at IS NULL');
    assert.deepEqual(
      open.map((row) => field(row, 'created_by')),
      [2],
    );
    assert.equal(readStored(folder, 'SELECT 1 FROM invitations').length, 5);
    assert.deepEqual(readStored(folder, 'SELECT * FROM password_resets'), []);
    const { api } = await startService(t, { DATA_DIR: folder });
    assert.equal(array((await api.get('/invitations')).body).length, 5);
  });
});
