import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import Database from 'better-sqlite3';
import { databasePath, openDatabase } from '../../src/storage/database.ts';
import { prepareFolder } from '../../src/storage/folder.ts';
import { migrate, migrationState } from '../../src/storage/migrations.ts';
import { claimFolder, openClaimed, openStorage } from '../../src/storage/storage.ts';
import { atEnd } from '../support/cleanup.ts';
import { temporaryFolder } from '../support/service.ts';

describe('the database', () => {
  test('commits to the disk: WAL with synchronous=FULL, at the first opening as at every later one', (t) => {
    const folder = temporaryFolder(t);
    for (const opening of ['first', 'second']) {
      const { connection, close } = openStorage(folder);
      const pragma = (name: string): unknown => connection.pragma(name, { simple: true });
      assert.deepEqual(
        [pragma('journal_mode'), pragma('synchronous'), pragma('foreign_keys'), pragma('trusted_schema')],
        ['wal', 2, 1, 0],
        opening,
      );
      assert.ok(Number(pragma('busy_timeout')) > 0);
      close();
    }
  });

  test('is for its owner alone', (t) => {
    const folder = join(temporaryFolder(t), 'data');
    openStorage(folder).close();
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    assert.equal(statSync(databasePath(folder)).mode & 0o777, 0o600);
  });

  test('leaves nothing in the write-ahead log when it is closed', (t) => {
    const folder = temporaryFolder(t);
    const storage = openStorage(folder);
    storage.keys('one');
    storage.close();
    assert.throws(() => statSync(`${databasePath(folder)}-wal`), { code: 'ENOENT' });
  });

  test('has only STRICT tables', (t) => {
    const { connection, close } = openStorage(temporaryFolder(t));
    atEnd(t, close);
    const loose = connection
      .prepare(
        `SELECT name FROM pragma_table_list WHERE type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'`,
      )
      .all();
    assert.deepEqual(loose, []);
  });

  test('is refused when it is no database, and left as it is', (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(databasePath(folder), 'this is no database, but it is somebody’s file'.repeat(100));
    const before = readFileSync(databasePath(folder));
    assert.throws(() => openDatabase(folder), {
      name: 'StorageError',
      message: /catalogue\.db is damaged: file is not a database; .*catalogue restore/,
    });
    assert.deepEqual(readFileSync(databasePath(folder)), before);
  });

  test('is refused when it is the database of another program', (t) => {
    const folder = temporaryFolder(t);
    const other = new Database(databasePath(folder));
    other.exec('CREATE TABLE notes (text TEXT)');
    other.close();
    assert.throws(() => openDatabase(folder), {
      name: 'StorageError',
      message: /is not a database of this service/,
    });
  });

  test('is refused to a second server, and free again after the first', (t) => {
    const folder = temporaryFolder(t);
    const first = openClaimed(folder, claimFolder(folder).release);
    assert.throws(() => claimFolder(folder), {
      name: 'StorageError',
      message: `another server is running on the data folder ${folder}`,
    });
    first.close();
    openClaimed(folder, claimFolder(folder).release).close();
  });
});

describe('migrations', () => {
  test('are recorded and applied once', (t) => {
    const folder = temporaryFolder(t);
    prepareFolder(folder);
    const connection = openDatabase(folder);
    atEnd(t, () => connection.close());
    assert.equal(migrationState(connection).version, 0);
    const applied = migrate(connection);
    assert.ok(applied.includes('0001_catalogue'));
    assert.deepEqual(migrationState(connection), { version: applied.length, pending: [] });
    assert.deepEqual(migrate(connection), []);
  });

  test('refuse a database from a newer version of the service', (t) => {
    const folder = temporaryFolder(t);
    const { connection, close } = openStorage(folder);
    connection.exec(
      `INSERT INTO schema_migrations VALUES (999, '0999_future', 'x', '2099-01-01T00:00:00.000Z')`,
    );
    close();
    assert.throws(() => openStorage(folder), {
      name: 'StorageError',
      message: /from a newer version of the service \(migration 0999_future/,
    });
  });

  test('refuse a database whose recorded migration is not the one shipped', (t) => {
    const folder = temporaryFolder(t);
    const { connection, close } = openStorage(folder);
    connection.exec(`UPDATE schema_migrations SET checksum = 'other' WHERE version = 1`);
    close();
    assert.throws(() => openStorage(folder), {
      name: 'StorageError',
      message: /migration 0001_catalogue in the database differs/,
    });
  });
});
