import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { importOn, runOn, startServerProcess } from '../support/cli.ts';
import { array, field } from '../support/client.ts';
import { changeStored, readStored } from '../support/people.ts';
import { startService, temporaryFolder } from '../support/service.ts';

async function exported(folder: string): Promise<string> {
  return (await runOn(folder, 'export', '-', '--format', 'ndjson')).out;
}

describe('the batch of an import', () => {
  const FIRST = 'name,phone,cuisine\nChez Nous,1,French\nSakura,2,Sushi\n';
  const SECOND = 'name,phone,cuisine\nChez Nous,9,Bistro\nLe Bac,3,New\n';

  test('is printed with the way to undo it, which brings back what was', async (t) => {
    const DATA_DIR = join(temporaryFolder(t), 'data');
    await importOn(DATA_DIR, FIRST);
    const before = await exported(DATA_DIR);
    const { out } = await importOn(DATA_DIR, SECOND);
    const [, command = ''] = /^This is batch 2; to undo it: catalogue (.+)$/m.exec(out) ?? [];
    assert.equal(command, 'revert --batch 2');
    assert.notEqual(await exported(DATA_DIR), before);
    const reverted = await runOn(DATA_DIR, ...command.split(' '));
    assert.equal(reverted.code, 0, reverted.err);
    const withoutTimes = (text: string): string => text.replace(/"updated_at":"[^"]+"/g, '');
    assert.equal(withoutTimes(await exported(DATA_DIR)), withoutTimes(before));
  });

  test('names its file in the list of batches', async (t) => {
    const folder = temporaryFolder(t);
    const path = join(folder, 'places.csv');
    writeFileSync(path, FIRST);
    const DATA_DIR = join(folder, 'data');
    await runOn(DATA_DIR, 'import', path);
    await importOn(DATA_DIR, SECOND);
    const { api } = await startServerProcess(t, { DATA_DIR });
    const batches = array(field((await api.get('/batches')).body, 'data'));
    assert.deepEqual(
      batches.map((batch) => field(batch, 'file')),
      [null, 'places.csv'],
    );
  });

  test('is refused as a whole where one of its restaurants was changed since', async (t) => {
    const { api, folder } = await startService(t);
    await importOn(folder, FIRST);
    await api.put('/restaurants/1', { phone: '5' });
    const before = await exported(folder);
    const { code, err } = await runOn(folder, 'revert', '--batch', '1');
    assert.equal(code, 1);
    assert.match(err, /^Batch 1 cannot be reverted: \d+ obstacles?: .*restaurant 1 was changed later.*\n$/);
    assert.equal(await exported(folder), before);
  });

  test('is named where the import fails in the middle, and holds what went in before', async (t) => {
    const { folder, stop } = await startService(t);
    await stop();
    // The id of the last row is taken.
    changeStored(
      folder,
      `INSERT INTO restaurants (id, name, status, identity_key, search_name, search_text, created_at, updated_at)
       VALUES (301, 'In the way', 'active', '', '', '', '2026', '2026')`,
    );
    const rows = Array.from({ length: 300 }, (_, index) => `R ${index}\n`).join('');
    const { code, out } = await importOn(folder, `name\n${rows}Poison\n`);
    assert.deepEqual([code, out], [1, 'This is batch 1; to undo it: catalogue revert --batch 1\n']);
    const imported = (): number => readStored(folder, 'SELECT id FROM restaurants WHERE id <> 301').length;
    const stored = imported();
    assert.ok(stored > 0, `${stored} rows`);
    assert.equal((await runOn(folder, 'revert', '--batch', '1')).code, 0);
    assert.equal(imported(), 0);
    changeStored(folder, 'UPDATE id_sequence SET last_id = 299');
    const nothing = await importOn(folder, 'name\nUndone\nPoison\n');
    assert.deepEqual([nothing.code, nothing.out], [1, '']);
  });
});
