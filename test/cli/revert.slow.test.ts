import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createRestaurants, rate } from '../support/catalogue.ts';
import { type Ended, importOn, runCommand, runOn, startServerProcess } from '../support/cli.ts';
import { field, headerValues } from '../support/client.ts';
import { readStored } from '../support/people.ts';
import { placeOf, storedFiles, upload } from '../support/photos.ts';
import { startService, temporaryFolder } from '../support/service.ts';

const revert = (folder: string, ...args: readonly string[]): Promise<Ended> =>
  runOn(folder, 'revert', ...args);

describe('catalogue revert', () => {
  test('brings a deleted restaurant back with all it had, while the service runs', async (t) => {
    const { api, folder } = await startService(t);
    await createRestaurants(api, [{ name: 'Chez Nous', category_id: 5, food_type_ids: [1, 2] }]);
    await rate(api, 1, 4);
    const photo = await upload(api);
    const paths = ['/restaurants/1', '/restaurants/1/ratings', '/restaurants/1/photos'];
    const seen = (): Promise<unknown[]> => Promise.all(paths.map(async (path) => (await api.get(path)).body));
    const before = await seen();
    const [deletion = ''] = headerValues(await api.delete('/restaurants/1'), 'change');
    const out = 'Reverted change 4. This is change 5; to undo it: catalogue revert 5\n';
    assert.deepEqual(await revert(folder, String(deletion)), { code: 0, out, err: '' });
    assert.deepEqual(await seen(), before);
    assert.deepEqual(storedFiles(folder), [placeOf(photo.body)]);
  });

  test('is a change of the command line, which can be undone in turn', async (t) => {
    const { api, folder } = await startService(t);
    await createRestaurants(api, [{ name: 'Chez Nous' }]);
    await revert(folder, '1');
    const { body } = await api.get('/changes/2');
    assert.deepEqual(
      ['action', 'via', 'actor', 'reverts', 'reverted_by'].map((name) => field(body, name)),
      ['delete', 'cli', null, 1, null],
    );
    assert.equal((await revert(folder, '2')).code, 0);
    assert.equal((await api.get('/restaurants/1')).status, 200);
    assert.equal(field((await api.get('/changes/1')).body, 'reverted_by'), null);
  });

  test('keeps to TRASH_DAYS', async (t) => {
    const { api, folder } = await startService(t);
    await createRestaurants(api, [{ name: 'Chez Nous' }]);
    const { code } = await runCommand(['revert', '1'], { variables: { DATA_DIR: folder, TRASH_DAYS: '0' } });
    assert.equal(code, 0);
    const { err } = await revert(folder, '2');
    assert.equal(err, 'Change 2 cannot be reverted: what was deleted is no longer kept\n');
  });

  test('brings no photo back without its file, where TRASH_DAYS was lowered between two deletions', async (t) => {
    const { api, folder } = await startService(t);
    await createRestaurants(api, [{ name: 'Chez Nous' }]);
    await upload(api);
    await api.delete('/restaurants/1');
    await revert(folder, '3');
    await runCommand(['revert', '4'], { variables: { DATA_DIR: folder, TRASH_DAYS: '0' } });
    assert.equal((await api.get('/restaurants/1')).status, 404);
    const { err } = await revert(folder, '3');
    assert.equal(err, 'Change 3 cannot be reverted: what was deleted is no longer kept\n');
    assert.equal(field((await api.get('/changes/3')).body, 'before'), null);
    assert.equal((await runOn(folder, 'check')).code, 0);
  });

  test('says in the words of the service what stands in the way, and writes nothing', async (t) => {
    const { api, folder } = await startService(t);
    await createRestaurants(api, [{ name: 'Chez Nous' }]);
    await api.put('/restaurants/1', { phone: '1' });
    await api.put('/restaurants/1', { phone: '2' });
    const count = (): unknown => readStored(folder, 'SELECT count(*) AS n FROM changes')[0];
    const before = count();
    for (const id of ['1', '2']) {
      const { code, out, err } = await revert(folder, id);
      const { status, body } = await api.post(`/changes/${id}/revert`, {});
      assert.deepEqual([code, out, status], [1, '', 409]);
      assert.equal(err, `${String(field(body, 'error'))}\n`);
    }
    assert.deepEqual(count(), before);
  });

  test('knows no change and no batch of an id that there is not', async (t) => {
    const { folder, stop } = await startService(t);
    await stop();
    for (const [args, err] of [
      [['7'], 'there is no change 7\n'],
      [['--batch', '7'], 'there is no batch 7\n'],
    ] as const)
      assert.deepEqual(await revert(folder, ...args), { code: 1, out: '', err });
  });

  test('does not take a batch that is too large for the service as too large', async (t) => {
    const DATA_DIR = join(temporaryFolder(t), 'data');
    const rows = Array.from({ length: 10_001 }, (_, index) => `R ${index}\n`);
    await importOn(DATA_DIR, `name\n${rows.join('')}`);
    const { api } = await startServerProcess(t, { DATA_DIR });
    assert.equal((await api.post('/batches/1/revert', {})).status, 409);
    const { code, out } = await revert(DATA_DIR, '--batch', '1');
    const expected =
      'Reverted batch 1 (10001 changes). This is batch 2; to undo it: catalogue revert --batch 2\n';
    assert.deepEqual([code, out], [0, expected]);
    assert.deepEqual((await api.get('/restaurants')).body, []);
  });
});
