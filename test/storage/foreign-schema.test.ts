import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import Database from 'better-sqlite3';
import { inspectData } from '../../src/operations/inspection/check.ts';
import { databasePath } from '../../src/storage/database.ts';
import { backUp, readBackup, restoreInto } from '../support/backups.ts';
import { sumAgain } from '../support/tampering.ts';
import { LOCAL, signUp } from '../support/people.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import { FOREIGN_OBJECTS } from '../support/tampering.ts';

function alter(path: string, sql: string): void {
  const database = new Database(path);
  database.unsafeMode(true).exec(sql);
  database.close();
}

describe('a database with another schema than its version has', () => {
  test('is refused by all that opens it, with the object named, and left as it is', async (t) => {
    const { folder, stop, ...service } = await startService(t, LOCAL);
    await signUp({ ...service }, 'alice');
    await stop();
    const saved = join(temporaryFolder(t), 'saved');
    await backUp(folder, saved);
    for (const [sql, named] of FOREIGN_OBJECTS) {
      const place = temporaryFolder(t);
      const [data, backup] = [join(place, 'data'), join(place, 'backup')];
      cpSync(folder, data, { recursive: true });
      cpSync(saved, backup, { recursive: true });
      for (const one of [data, backup]) alter(databasePath(one), sql);
      sumAgain(backup);
      const before = readFileSync(databasePath(data));
      const refused = async (what: string, attempt: () => unknown): Promise<void> => {
        const message = await Promise.resolve()
          .then(attempt)
          .then(String, (error: unknown) => (error instanceof Error ? error.message : ''));
        assert.ok(
          message.includes(named) && message.length < 500,
          `${what} of ${sql.slice(0, 80)}: ${message}`,
        );
      };
      await refused('check', () => [...inspectData(data)]);
      await refused('start', () => startService(t, { ...LOCAL, DATA_DIR: data }));
      await refused('replica', () => startService(t, { ...LOCAL, READ_ONLY: 'true', DATA_DIR: data }));
      await refused('backup', () => backUp(data, join(place, 'another')));
      await refused('check of a backup', () => readBackup(backup));
      await refused('restore', () => restoreInto(join(place, 'restored'), backup));
      assert.deepEqual(readFileSync(databasePath(data)), before, sql);
    }
  });

  test('is served when another program has only analysed, compacted or copied it', async (t) => {
    const { folder, stop } = await startService(t);
    await stop();
    alter(
      databasePath(folder),
      `ANALYZE; VACUUM;
      CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER); CREATE TABLE _litestream_lock (id INTEGER);`,
    );
    const { api } = await startService(t, { DATA_DIR: folder });
    assert.equal((await api.post('/categories', { name: 'Bistro' })).status, 201);
  });
});
