import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  apiTokenOf,
  bearing,
  logIn,
  registration,
  secretOf,
  startWithAlice,
} from '../../support/accounts.ts';
import { run } from '../../support/backups.ts';
import { refusal } from '../../support/changes.ts';
import { field } from '../../support/client.ts';
import { makeFeed } from '../../support/feeds.ts';
import { expired } from '../../support/forge.ts';
import { LOCAL, readStored, signUp } from '../../support/people.ts';
import { startService, temporaryFolder } from '../../support/service.ts';
import { startWorld } from '../../support/world.ts';

const INVALID = [401, 'Invalid token'];

describe('after a backup is restored', () => {
  test('tokens of the backup go on, and later ones open nothing, though ids are given again', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const backup = join(temporaryFolder(t), 'backup.tar');
    const script = await apiTokenOf(alice.api);
    await run(service.folder, 'backup', backup);
    const [bob, later] = [await signUp(service, 'bob'), await logIn(service, alice)];
    const lost = [bob.accessToken, await apiTokenOf(bob.api), later.accessToken];
    await service.stop();
    await run(service.folder, 'restore', backup, '--force');

    const restored = await startService(t, { ...LOCAL, DATA_DIR: service.folder });
    const mallory = await signUp(restored, 'mallory');
    await logIn(restored, mallory);
    assert.equal(mallory.id, bob.id);
    assert.equal(readStored(service.folder, 'SELECT id FROM sessions WHERE id IN (2, 3)').length, 2);
    for (const token of lost) {
      assert.deepEqual(refusal(await restored.api.get('/auth/me', bearing(token))), INVALID);
    }
    for (const { refreshToken } of [bob, later]) {
      const answer = await restored.api.post('/auth/refresh', { refresh_token: refreshToken });
      assert.equal(answer.status, 401);
    }
    for (const token of [alice.accessToken, script])
      assert.equal(field((await restored.api.get('/auth/me', bearing(token))).body, 'id'), alice.id);
    const goesOn = await restored.api.post('/auth/refresh', { refresh_token: alice.refreshToken });
    assert.equal(goesOn.status, 200);
  });

  test('addresses of feeds go on, where they were not deleted before the backup', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const backup = join(temporaryFolder(t), 'backup.tar');
    const [gone, calendar] = [await makeFeed(alice.api), await makeFeed(alice.api)];
    await alice.api.delete('/feeds/1');
    await run(service.folder, 'backup', backup);
    const later = await makeFeed(alice.api);
    await service.stop();
    await run(service.folder, 'restore', backup, '--force');
    const restored = await startService(t, { ...LOCAL, DATA_DIR: service.folder });
    const statuses = [gone, calendar, later].map(async (url) => (await restored.api.send(url, {})).status);
    assert.deepEqual(await Promise.all(statuses), [404, 200, 404]);
  });

  test('open invitations and links to set a password have ended', async (t) => {
    const { admin, people, service } = await startWorld(t);
    const used = secretOf(await admin.post('/invitations', {}));
    await service.api.post('/auth/register', registration('dora', { invitation: used }));
    const invitation = secretOf(await admin.post('/invitations', {}));
    const token = secretOf(await admin.post(`/users/${people.owner.id}/password-reset`, {}));
    const backup = join(temporaryFolder(t), 'backup.tar');
    await run(service.folder, 'backup', backup);
    await service.stop();
    await run(service.folder, 'restore', backup, '--force');
    const { api } = await startService(t, { ...LOCAL, DATA_DIR: service.folder });
    assert.equal((await api.post('/auth/invitation', { invitation })).status, 404);
    const reset = { token, new_password: 'ten tall ships at sea' };
    assert.equal((await api.post('/auth/password-reset', reset)).status, 400);
    assert.equal((await api.get('/auth/me', bearing(people.admin.accessToken))).status, 200);
    const stored = readStored(service.folder, 'SELECT id FROM invitations WHERE used_at IS NOT NULL');
    assert.equal(stored.length, 1);
  });

  test('a lost token ends no session', async (t) => {
    const service = await startService(t, LOCAL);
    const backup = join(temporaryFolder(t), 'backup.tar');
    await run(service.folder, 'backup', backup);
    const bob = await signUp(service, 'bob');
    await service.stop();
    await run(service.folder, 'restore', backup, '--force');
    const restored = await startService(t, { ...LOCAL, DATA_DIR: service.folder });
    const mallory = await signUp(restored, 'mallory');
    for (const token of [bob.accessToken, expired(bob.accessToken)])
      assert.equal((await restored.api.post('/auth/logout', {}, bearing(token))).status, 200);
    assert.equal((await mallory.api.get('/auth/me')).status, 200);
  });
});
