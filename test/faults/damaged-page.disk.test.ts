import assert from 'node:assert/strict';
import { closeSync, openSync, writeSync } from 'node:fs';
import { describe, test } from 'node:test';
import { databasePath } from '../../src/storage/database.ts';
import { rate } from '../support/catalogue.ts';
import { field } from '../support/client.ts';
import { readStored } from '../support/people.ts';
import { startWithRestaurant } from '../support/photos.ts';
import { startService } from '../support/service.ts';

const FAILED = { error: 'Storage has failed; the service must be restarted' };

/** Overwrites the first page of a table. */
function damageTable(folder: string, table: string): void {
  const [schema] = readStored(folder, 'SELECT rootpage FROM sqlite_schema WHERE name = ?', table);
  const [pragma] = readStored(folder, 'PRAGMA page_size');
  const size = Number(field(pragma, 'page_size'));
  const file = openSync(databasePath(folder), 'r+');
  writeSync(file, Buffer.alloc(size, 0xff), 0, size, (Number(field(schema, 'rootpage')) - 1) * size);
  closeSync(file);
}

describe('a read that finds the database damaged', () => {
  test('answers 503, ends all writes and is reported by the health check; what is whole is read on', async (t) => {
    const first = await startWithRestaurant(t);
    await rate(first.api, 1, 5);
    await first.stop();
    damageTable(first.folder, 'ratings');
    const { api, logs, stop } = await startService(t, { DATA_DIR: first.folder });
    assert.equal((await api.get('/health')).status, 200);
    assert.equal((await api.post('/categories', { name: 'Before' })).status, 201);

    const found = await api.get('/restaurants/1/ratings');
    assert.deepEqual([found.status, found.body], [503, FAILED]);
    assert.ok(logs.some((line) => field(line, 'message') === 'storage failure'));
    assert.equal((await api.get('/health')).status, 503);
    const refused = await api.post('/categories', { name: 'After' });
    assert.deepEqual([refused.status, refused.body], [503, FAILED]);
    assert.equal((await api.get('/restaurants/1')).status, 200);
    await stop();
  });
});
