import assert from 'node:assert/strict';
import { readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fingerprint, run, startFilled } from '../../support/backups.ts';
import { runCommand } from '../../support/cli.ts';
import { storedFiles } from '../../support/photos.ts';
import { temporaryFolder } from '../../support/service.ts';

describe('catalogue check', () => {
  test('says what it looked at while the service runs', async (t) => {
    const { folder, api } = await startFilled(t);
    await api.post('/suggestions', { name: 'Le Bac', latitude: 1, longitude: 179.99999 });
    await api.post('/ratings', { restaurant_id: 1, food_rating: 5, service_rating: 4, ambiance_rating: 3 });
    const { out, err } = await run(folder, 'check');
    assert.equal(err, '');
    assert.equal(
      out,
      [
        'ok    database: integrity and references',
        'ok    rating sums: 3 restaurants',
        'ok    search: 4 searched places',
        ...['changes', 'times of changes', 'trash'].map((subject) => `ok    ${subject}: 7 changes`),
        'ok    lists: 2 lists',
        'ok    merges: 0 merged restaurants',
        'ok    visits: 0 visits',
        'ok    photos: 2 photo files',
        'ok    photos in the trash: 0 photo files',
        'ok    files of no photo: none',
        '',
      ].join('\n'),
    );
  });

  test('finds photos whose files are missing or cut short, and names files of no photo', async (t) => {
    const { folder } = await startFilled(t);
    const [first = '', second = ''] = storedFiles(folder);
    rmSync(join(folder, 'photos', first));
    truncateSync(join(folder, 'photos', second), 10);
    const stranger = `${second.slice(3, 5)}${'0'.repeat(30)}.png`;
    writeFileSync(join(folder, 'photos', second.slice(0, 2), stranger), 'mine');
    const { code, out, err } = await runCommand(['check'], { variables: { DATA_DIR: folder } });
    assert.equal(code, 1);
    assert.match(err, new RegExp(`^fault photos: photo \\d: the file ${first.slice(3)} is missing$`, 'm'));
    assert.match(err, new RegExp(`${second.slice(3)} has 10 bytes instead of \\d+$`, 'm'));
    assert.ok(out.includes(`ok    files of no photo: 1, which the service removes: ${stranger}\n`), out);
  });

  test('makes nothing where there is nothing, and changes nothing where there is something', async (t) => {
    const place = temporaryFolder(t);
    const variables = { DATA_DIR: join(place, 'nothing') };
    const { code, err } = await runCommand(['check'], { variables });
    assert.equal(code, 1);
    assert.match(err, /^there is no catalogue in \S+nothing: catalogue\.db is missing [^\n]+\n$/);
    assert.deepEqual(readdirSync(place), []);
    const { folder } = await startFilled(t);
    const before = fingerprint(folder);
    await run(folder, 'check');
    const after = fingerprint(folder);
    // The index of the write-ahead log notes who reads.
    for (const state of [before, after]) delete state['catalogue.db-shm'];
    assert.deepEqual(after, before);
  });

  test('finds files in the trash that are missing or cut short, and takes none for a file of no photo', async (t) => {
    const { api, folder } = await startFilled(t);
    await api.delete('/restaurants/1');
    const { out } = await run(folder, 'check');
    assert.match(out, /^ok {4}photos in the trash: 2 photo files\nok {4}files of no photo: none$/m);
    const [first = '', second = ''] = storedFiles(folder);
    rmSync(join(folder, 'photos', first));
    truncateSync(join(folder, 'photos', second), 10);
    const { code, err } = await runCommand(['check'], { variables: { DATA_DIR: folder } });
    assert.equal(code, 1);
    const missing = `fault photos in the trash: a deleted photo: the file ${first.slice(3)} is missing`;
    assert.ok(err.split('\n').includes(missing), err);
    assert.ok(err.includes(`the file ${second.slice(3)} has 10 bytes instead of `), err);
  });
});
