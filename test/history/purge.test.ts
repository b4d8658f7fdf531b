import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRestaurants } from '../support/catalogue.ts';
import { allChanges, changeAt, changeOf, refusal, revert, reverted } from '../support/changes.ts';
import { changeStored, readStored } from '../support/people.ts';
import { startWithRestaurant, storedFiles, upload } from '../support/photos.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { ratingOf, startWorld } from '../support/world.ts';

const FORGOTTEN = 'what was deleted is no longer kept';

describe('a purge', () => {
  test('takes what was deleted and all that earlier changes hold of it, and its files', async (t) => {
    const { api, folder } = await startWithRestaurant(t);
    await api.post('/ratings', ratingOf(1, 'Secret soup'));
    await upload(api);
    await api.patch('/photos/1', { caption: 'Secret menu' });
    await api.put('/restaurants/1', { description: 'Secret garden' });
    await createRestaurants(api, [{ name: 'Autre' }]);
    const gone = changeOf(await api.delete('/restaurants/1'));
    assert.equal(storedFiles(folder).length, 1);
    const count = (await allChanges(api)).length;
    const answer = await api.post(`/changes/${gone}/purge`, {});
    assert.deepEqual([answer.status, answer.body, answer.headers.get('change')], [204, '', null]);
    await until(() => storedFiles(folder).length === 0);
    const changes = await allChanges(api);
    assert.equal(changes.length, count);
    assert.ok(!JSON.stringify(readStored(folder, 'SELECT * FROM changes')).includes('Secret'));
    const others = changes.filter(({ name }) => name === 'Autre');
    assert.equal(others.filter(({ after }) => after !== null).length, 1);
    assert.deepEqual(await changeAt(api, gone).then(({ before, kept_until }) => [before, kept_until]), [
      null,
      null,
    ]);
    assert.deepEqual(refusal(await revert(api, gone)), [
      409,
      `Change ${gone} cannot be reverted: ${FORGOTTEN}`,
    ]);
  });

  test('takes a rating out of what earlier changes hold of its restaurant', async (t) => {
    const { api, folder } = await startWithRestaurant(t);
    await api.post('/ratings', ratingOf(1, 'Secret soup'));
    await api.post('/ratings', ratingOf(1, 'Salad'));
    await upload(api, undefined, 'Secret menu');
    const away = changeOf(await api.delete('/restaurants/1'));
    await reverted(api, away);
    for (const path of ['/ratings/1', '/photos/1'])
      assert.equal((await api.post(`/changes/${changeOf(await api.delete(path))}/purge`, {})).status, 204);
    const held = JSON.stringify(readStored(folder, 'SELECT before, after FROM changes'));
    assert.ok(!held.includes('Secret'));
    const seen = JSON.stringify(await allChanges(api));
    assert.ok(!seen.includes('Secret'));
    assert.ok(seen.includes('Salad'));
  });

  test('of a category leaves no way back, and is had by nothing', async (t) => {
    const { api, folder } = await startService(t);
    await createRestaurants(api, [{ name: 'A', category_id: 5 }]);
    const gone = changeOf(await api.delete('/categories/5'));
    await api.post(`/changes/${gone}/purge`, {});
    await until(() => readStored(folder, 'SELECT id FROM categories WHERE id = 5').length === 0);
    assert.equal((await revert(api, gone)).status, 409);
  });

  test('is refused of what deleted nothing, of what is back, and to those who may not revert it', async (t) => {
    const { owner, other, admin } = await startWorld(t, { WRITE_ACCESS: 'admins' });
    const made = changeOf(await admin.post('/restaurants', { name: 'Chez Nous' }));
    await owner.post('/ratings', ratingOf(1));
    const gone = changeOf(await owner.delete('/ratings/1'));
    const purge = `/changes/${gone}/purge`;
    assert.deepEqual(refusal(await admin.post(`/changes/${made}/purge`, {})), [
      409,
      `Change ${made} deleted nothing`,
    ]);
    assert.deepEqual(refusal(await other.post(purge, {})), [403, 'This change is not yours to revert']);
    assert.equal((await admin.post('/changes/99/purge', {})).status, 404);
    const back = await reverted(owner, gone);
    assert.deepEqual(refusal(await owner.post(purge, {})), [
      409,
      `Change ${gone} was reverted by change ${back}`,
    ]);
  });
});

describe('what was deleted', () => {
  test('is forgotten at the start after its time, with its files', async (t) => {
    const before = await startWithRestaurant(t);
    await upload(before.api);
    const gone = [
      changeOf(await before.api.delete('/restaurants/1')),
      changeOf(await before.api.delete('/categories/5')),
    ];
    await before.stop();
    assert.equal(storedFiles(before.folder).length, 1);
    changeStored(before.folder, "UPDATE changes SET kept_until = '2020' WHERE kept_until IS NOT NULL");
    const { api, folder } = await startService(t, { DATA_DIR: before.folder });
    await until(() => storedFiles(folder).length === 0);
    await until(() => readStored(folder, 'SELECT id FROM categories WHERE id = 5').length === 0);
    for (const id of gone) {
      const { before: kept, kept_until, name } = await changeAt(api, id);
      assert.deepEqual([kept, kept_until], [null, null]);
      assert.ok(['Chez Nous', 'French'].includes(String(name)));
    }
  });

  test('survives a restart until then, with its files', async (t) => {
    const before = await startWithRestaurant(t);
    await upload(before.api);
    const gone = changeOf(await before.api.delete('/restaurants/1'));
    await before.stop();
    const { api, folder } = await startService(t, { DATA_DIR: before.folder });
    await reverted(api, gone);
    assert.equal(storedFiles(folder).length, 1);
    assert.equal((await api.get('/photos/1')).status, 200);
  });
});
