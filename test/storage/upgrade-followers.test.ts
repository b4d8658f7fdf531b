import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Connection } from '../../src/storage/database.ts';
import { fingerprint } from '../support/backups.ts';
import { runCommand } from '../support/cli.ts';
import { makeDatabaseBefore } from '../support/old-database.ts';
import { readStored } from '../support/people.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import { longTest } from '../support/size.ts';

const namesOf = (connection: Connection, condition: string): string[] =>
  connection.prepare<[], string>(`SELECT name FROM pragma_table_list WHERE ${condition}`).pluck().all();

/** The log of changed rows that versions before had where replicas followed. */
function addRowLog(connection: Connection): void {
  connection.exec(`
    CREATE TABLE followed_rows (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, key TEXT NOT NULL, UNIQUE (name, key)
    ) STRICT;
    CREATE TABLE followed_epochs (
      number INTEGER PRIMARY KEY AUTOINCREMENT, epoch TEXT NOT NULL UNIQUE, after INTEGER NOT NULL
    ) STRICT`);
  const tables = namesOf(
    connection,
    `schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'followed_%'
     AND name <> 'schema_migrations'`,
  );
  assert.ok(tables.length >= 28);
  for (const table of tables)
    for (const verb of ['insert', 'update', 'delete'])
      connection.exec(
        `CREATE TRIGGER followed_${verb}_${table} AFTER ${verb} ON ${table} BEGIN
           INSERT INTO followed_rows (name, key) VALUES ('${table}', json_array(random())); END`,
      );
}

/** What such a replica had: no triggers, and its place in the log of its primary. */
function makeFollower(connection: Connection): void {
  const triggers = connection
    .prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`)
    .pluck()
    .all();
  for (const name of triggers) connection.exec(`DROP TRIGGER ${name}`);
  connection.exec(
    `CREATE TABLE following (epoch TEXT NOT NULL, seq INTEGER NOT NULL) STRICT; INSERT INTO following VALUES ('a', 1)`,
  );
}

describe('the database of a primary that replicas followed', () => {
  for (const migration of ['stolen_copies', 'no_row_log'])
    test(`loses its log of rows with the upgrade, from before ${migration}`, async (t) => {
      const folder = temporaryFolder(t);
      makeDatabaseBefore(folder, migration, addRowLog);
      const { api } = await startService(t, { DATA_DIR: folder });
      assert.equal((await api.post('/restaurants', { name: 'Chez Nous' })).status, 201);
      assert.deepEqual(readStored(folder, `SELECT name FROM sqlite_schema WHERE name LIKE 'followed%'`), []);
    });
});

describe('the database of a replica that followed its primary', () => {
  longTest('is refused in one line by everything that needs a whole one, and left as it is', async (t) => {
    const folder = temporaryFolder(t);
    makeDatabaseBefore(folder, 'no_row_log', makeFollower);
    const before = fingerprint(folder)['catalogue.db'];
    for (const [command, more] of [
      ['serve', {}],
      ['serve', { READ_ONLY: 'true', PRIMARY_URL: 'https://food.example', FOLLOW_TOKEN: 'x'.repeat(32) }],
      ['migrate', {}],
      ['check', {}],
    ] as const) {
      const { code, err } = await runCommand([command], {
        variables: { DATA_DIR: folder, PORT: '0', ...more },
      });
      assert.equal(code, 1);
      assert.match(
        err,
        /^[^\n]*this is the database of a replica that followed its primary, [^\n]+ replace it with a copy of the primary, [^\n]+\n$/,
      );
      assert.equal(fingerprint(folder)['catalogue.db'], before);
    }
  });
});
