import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { openDatabase } from '../../src/storage/database.ts';
import { sqlFolder } from '../../src/storage/statements.ts';
import { runCommand } from '../support/cli.ts';
import { field, ids } from '../support/client.ts';
import { LOCAL, signUp } from '../support/people.ts';
import { startService, temporaryFolder } from '../support/service.ts';

/** A database as the first version left it, with a restaurant that was rated twice. */
function makeOldDatabase(folder: string): void {
  const sql = readFileSync(new URL('migrations/0001_catalogue.sql', sqlFolder), 'utf8');
  const checksum = createHash('sha256').update(sql).digest('hex');
  const connection = openDatabase(folder);
  connection.exec(sql);
  connection.exec(
    'CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT',
  );
  connection
    .prepare('INSERT INTO schema_migrations VALUES (1, ?, ?, ?)')
    .run('0001_catalogue', checksum, '2026-01-01T00:00:00.000Z');
  const now = '2026-01-01T00:00:00.000Z';
  connection
    .prepare(
      `INSERT INTO restaurants (id, name, address, status, identity_key, search_name, search_text, created_at, updated_at)
       VALUES (1, 'Old', '築地寿司大', 'active', 'old', 'old', '築地寿司大', ?, ?)`,
    )
    .run(now, now);
  for (const value of [5, 2])
    connection
      .prepare(
        `INSERT INTO ratings (restaurant_id, food_rating, service_rating, ambiance_rating, created_at)
         VALUES (1, ?, ?, ?, ?)`,
      )
      .run(value, value, value, now);
  connection.close();
}

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
