import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { sqlFolder } from '../../src/storage/statements.ts';
import { runCommand } from '../support/cli.ts';
import { field, ids } from '../support/client.ts';
import { makeOldDatabase } from '../support/old-database.ts';
import { LOCAL, signUp } from '../support/people.ts';
import { startService, temporaryFolder } from '../support/service.ts';

describe('a database of the first version', () => {
  test('is refused until it is migrated, and loses nothing', async (t) => {
    const folder = temporaryFolder(t);
    makeOldDatabase(folder);
    await assert.rejects(
      startService(t, { DATA_DIR: folder }),
      /is from an older version; back it up, then run: catalogue migrate/,
    );
    const migrated = await runCommand(['migrate'], { variables: { DATA_DIR: folder } });
    const [, ...later] = readdirSync(new URL('migrations/', sqlFolder)).sort();
    const names = later.map((file) => file.replace('.sql', '')).join(', ');
    assert.deepEqual(migrated, { code: 0, out: `Applied ${names}.\n`, err: '' });
    const service = await startService(t, { ...LOCAL, DATA_DIR: folder });
    assert.deepEqual(ids((await service.api.get('/restaurants/1/ratings')).body), [2, 1]);
    for (const q of ['old', '大', '寿司', '築地寿司大'])
      assert.deepEqual(ids((await service.api.get(`/search?q=${encodeURIComponent(q)}`)).body), [1], q);
    const { api } = await signUp(service, 'alice');
    assert.equal((await api.delete('/ratings/1')).status, 204);
    const restaurant = (await service.api.get('/restaurants/1')).body;
    assert.equal(field(field(restaurant, 'avg_rating'), 'overall'), 2);
  });
});
