import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import Database from 'better-sqlite3';
import { isUniqueViolation, storageFailure } from '../../src/storage/failures.ts';
import { openStorage } from '../../src/storage/storage.ts';
import { StorageFailedError } from '../../src/storage/transaction.ts';
import { atEnd } from '../support/cleanup.ts';
import { temporaryFolder } from '../support/service.ts';

const sqlite = (code: string): Error => new Database.SqliteError('some words', code);

describe('a storage failure', () => {
  const kinds: readonly [Error, ReturnType<typeof storageFailure>][] = [
    [sqlite('SQLITE_FULL'), 'full'],
    [Object.assign(new Error('x'), { code: 'ENOSPC' }), 'full'],
    [Object.assign(new Error('x'), { code: 'EDQUOT' }), 'full'],
    [sqlite('SQLITE_IOERR_SHMSIZE'), 'full'],
    [sqlite('SQLITE_BUSY'), 'busy'],
    [sqlite('SQLITE_BUSY_SNAPSHOT'), 'busy'],
    [Object.assign(new Error('x'), { code: 'EMFILE' }), 'exhausted'],
    [Object.assign(new Error('x'), { code: 'ENFILE' }), 'exhausted'],
    [sqlite('SQLITE_CANTOPEN'), 'exhausted'],
    [sqlite('SQLITE_IOERR_FSYNC'), 'failed'],
    [sqlite('SQLITE_CORRUPT'), 'failed'],
    [sqlite('SQLITE_CORRUPT_VTAB'), 'failed'],
    [sqlite('SQLITE_NOTADB'), 'failed'],
    [Object.assign(new Error('x'), { code: 'EIO' }), 'failed'],
    [Object.assign(new Error('x'), { code: 'EROFS' }), 'failed'],
    [Object.assign(new Error('x'), { code: 'ENOENT' }), undefined],
    [sqlite('SQLITE_CONSTRAINT_CHECK'), undefined],
    [new Error('disk full'), undefined],
  ];
  for (const [error, kind] of kinds)
    test(`of ${'code' in error ? String(error.code) : 'no code'} is ${kind ?? 'none'}`, () => {
      assert.equal(storageFailure(error), kind);
    });
});

describe('a write', () => {
  test('is stored whole or not at all', async (t) => {
    const { transactions, connection, close } = openStorage(temporaryFolder(t));
    atEnd(t, close);
    const rename = connection.prepare(`UPDATE categories SET name = 'X' WHERE id = 1`);
    const broken = transactions.write(() => {
      rename.run();
      throw new Error('in the middle');
    });
    await assert.rejects(broken, /in the middle/);
    assert.equal(
      connection.prepare<[], { name: string }>('SELECT name FROM categories WHERE id = 1').get()?.name,
      'Italian',
    );
  });

  test('is refused once the disk has failed, until a restart; reads go on', async (t) => {
    const { transactions, connection, close } = openStorage(temporaryFolder(t));
    atEnd(t, close);
    for (const code of ['SQLITE_FULL', 'SQLITE_CANTOPEN'])
      await assert.rejects(
        transactions.write(() => {
          throw sqlite(code);
        }),
      );
    assert.equal(transactions.hasFailed(), false);
    await assert.rejects(
      transactions.write(() => {
        throw sqlite('SQLITE_IOERR_FSYNC');
      }),
    );
    assert.equal(transactions.hasFailed(), true);
    await assert.rejects(
      transactions.write(() => 1),
      StorageFailedError,
    );
    assert.ok(connection.prepare('SELECT 1 FROM categories').get() !== undefined);
  });

  test('that doubles a unique value in spite of all checks is known as such', async (t) => {
    const { transactions, connection, close } = openStorage(temporaryFolder(t));
    atEnd(t, close);
    const double = connection.prepare(`UPDATE categories SET name_key = 'thai' WHERE id = 1`);
    await assert.rejects(
      transactions.write(() => double.run()),
      isUniqueViolation,
    );
  });
});
