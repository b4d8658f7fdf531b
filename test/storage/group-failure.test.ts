import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { describe, test } from 'node:test';
import Database from 'better-sqlite3';
import type { Connection } from '../../src/storage/database.ts';
import { StorageFailedError } from '../../src/storage/transaction.ts';
import { holdWriteLock } from '../support/write-lock.ts';
import { openWritten, outcomes } from '../support/written.ts';

const sqlite = (code: string): Error => new Database.SqliteError('some words', code);

describe('a transaction of several writes that fails as a whole', () => {
  /** Breaks a rule that is looked at when the transaction is committed. */
  const orphan = (connection: Connection) => (): void => {
    connection.exec('INSERT INTO restaurant_food_types (restaurant_id, food_type_id) VALUES (999, 1)');
  };

  test('at its commit is run again one by one, in order: the culprit fails alone', async (t) => {
    const { add, connection, stored, transactions, writeAll } = openWritten(t, Infinity);
    const names = Array.from({ length: 150 }, (_, index) => `Kind ${index}`);
    const works = names.map((name, index) => (index === 50 ? orphan(connection) : () => add(name)));
    const settled = outcomes(await writeAll(works));
    const refused = 'refused: SqliteError: FOREIGN KEY constraint failed';
    assert.deepEqual(settled, names.with(50, refused));
    assert.deepEqual(stored(), names.toSpliced(50, 1));
    assert.equal(transactions.hasFailed(), false);
  });

  test('within a work, on a full disk, is run again one by one', async (t) => {
    const { add, connection, stored, writeAll } = openWritten(t, Infinity);
    let runs = 0;
    const tooLarge = (): never => {
      runs += 1;
      add('too large');
      // As SQLite does by itself at some failures.
      connection.exec('ROLLBACK');
      throw sqlite('SQLITE_FULL');
    };
    const settled = await writeAll([() => add('A'), tooLarge, () => add('B')]);
    assert.deepEqual(outcomes(settled), ['A', 'refused: SqliteError: some words', 'B']);
    assert.deepEqual([runs, stored()], [2, ['A', 'B']]);
  });

  for (const [code, isUndone] of [
    ['SQLITE_IOERR_WRITE', true],
    ['SQLITE_CORRUPT', false],
  ] as const)
    test(`of ${code} acknowledges none of them, and nothing is written any more`, async (t) => {
      const { add, connection, stored, transactions, writeAll } = openWritten(t, Infinity);
      const failing = (): never => {
        if (isUndone) connection.exec('ROLLBACK');
        throw sqlite(code);
      };
      const refuse = (): never => {
        throw new RangeError('no');
      };
      const settled = await writeAll([() => add('A'), refuse, failing, () => add('B')]);
      assert.deepEqual(outcomes(settled), Array<string>(4).fill('refused: SqliteError: some words'));
      assert.equal(transactions.hasFailed(), true);
      await assert.rejects(
        transactions.write(() => add('C')),
        StorageFailedError,
      );
      assert.deepEqual(stored(), []);
    });

  test('since another process writes is given up by all that have waited long enough', async (t) => {
    const { add, waitByTimer, connection, stored, writeAll } = openWritten(t, Infinity, { limitMs: 50 });
    waitByTimer();
    const release = holdWriteLock(t, dirname(connection.name));
    const settled = await writeAll([() => add('A'), () => add('B')]);
    assert.deepEqual(outcomes(settled), Array<string>(2).fill('refused: SqliteError: database is locked'));
    release();
    assert.deepEqual(outcomes(await writeAll([() => add('C')])), ['C']);
    assert.deepEqual(stored(), ['C']);
  });
});
