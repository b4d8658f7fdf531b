import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newest, openWritten, outcomes } from '../support/written.ts';

describe('writes that arrive together', () => {
  test('share one transaction, run in order after this turn, and see each other', async (t) => {
    const { transactions, add, stored, connection, writeAll } = openWritten(t, Infinity);
    const ran: string[] = [];
    const names = Array.from({ length: 20 }, (_, index) => `Kind ${index}`);
    const works = names.map((name) => () => {
      ran.push(add(name));
      return newest(connection);
    });
    const settled = writeAll(works);
    assert.deepEqual(ran, []);
    const ids = outcomes(await settled).map(Number);
    assert.deepEqual([ran, stored()], [names, names]);
    assert.deepEqual(
      ids,
      names.map((_, index) => (ids[0] ?? 0) + index),
    );
    assert.equal(transactions.commits(), 1);
  });

  test('are all on the disk at the moment when the first of them is acknowledged', async (t) => {
    const { transactions, add, stored } = openWritten(t, Infinity);
    const seen: number[] = [];
    const names = ['A', 'B', 'C'];
    await Promise.all(
      names.map((name) => transactions.write(() => add(name)).then(() => seen.push(stored().length))),
    );
    assert.deepEqual(seen, [3, 3, 3]);
  });

  test('fail one by one: what a failing one wrote is undone, and the others stand', async (t) => {
    const { transactions, add, stored, writeAll } = openWritten(t, Infinity);
    const broken = (): never => {
      add('half');
      throw new RangeError('no');
    };
    const settled = await writeAll([() => add('A'), broken, () => add('A'), () => add('B'), broken]);
    assert.deepEqual(outcomes(settled), [
      'A',
      'refused: RangeError: no',
      'refused: SqliteError: UNIQUE constraint failed: categories.name_key',
      'B',
      'refused: RangeError: no',
    ]);
    assert.deepEqual(stored(), ['A', 'B']);
    assert.equal(transactions.commits(), 1);
  });

  test('are run again when the first one throws, and only once while more are expected to', async (t) => {
    const { writeAll } = openWritten(t, Infinity);
    const ran: string[] = [];
    const good = (name: string) => () => ran.push(name);
    const broken = (): never => {
      throw new RangeError('no');
    };
    const groups = [
      ['A', broken],
      ['B', broken],
      ['C', 'D'],
      ['E', broken],
    ] as const;
    for (const group of groups)
      await writeAll(group.map((work) => (typeof work === 'string' ? good(work) : broken)));
    assert.deepEqual(ran.join(''), 'AABCDEE');
  });

  test('are refused a promise, alone as in company', async (t) => {
    const { add, stored, writeAll } = openWritten(t, Infinity);
    const lingering = (): Promise<string> => Promise.resolve(add('late'));
    const refused = 'refused: TypeError: Transaction function cannot return a promise';
    assert.deepEqual(outcomes(await writeAll([lingering])), [refused]);
    assert.deepEqual(outcomes(await writeAll([() => add('A'), lingering])), ['A', refused]);
    assert.deepEqual(stored(), ['A']);
  });

  test('are several transactions where they are many or slow', async (t) => {
    const { transactions, add, stored, writeAll } = openWritten(t);
    const names = Array.from({ length: 250 }, (_, index) => `Kind ${index}`);
    await writeAll(names.map((name) => () => add(name)));
    assert.deepEqual(stored(), names);
    assert.ok(transactions.commits() >= 3, String(transactions.commits()));
    const before = transactions.commits();
    const slow = ['X', 'Y', 'Z'].map((name) => () => {
      for (const end = performance.now() + 12; performance.now() < end;);
      return add(name);
    });
    await writeAll(slow);
    assert.deepEqual([stored().slice(-3), transactions.commits() - before], [['X', 'Y', 'Z'], 3]);
  });
});

describe('writes that wait', () => {
  test('are stored and acknowledged when the storage is closed, and later ones are refused', async (t) => {
    const { add, close, stored, transactions, writeAll } = openWritten(t);
    const settled = writeAll([() => add('A'), () => add('B')]);
    close();
    assert.deepEqual(stored(), ['A', 'B']);
    assert.deepEqual(outcomes(await settled), ['A', 'B']);
    await assert.rejects(
      transactions.write(() => add('C')),
      /The database connection is not open/,
    );
  });

  test('are rejected when the storage is abandoned, and none hangs', async (t) => {
    const { abandon, add, stored, writeAll } = openWritten(t);
    const settled = writeAll([() => add('A'), () => add('B')]);
    abandon();
    const refused = 'refused: TypeError: The database connection is not open';
    assert.deepEqual(outcomes(await settled), [refused, refused]);
    assert.deepEqual(stored(), []);
  });

  test('are stored before a snapshot is read, and others are refused until it has ended', async (t) => {
    const { add, connection, stored, transactions, writeAll } = openWritten(t);
    const settled = writeAll([() => add('A')]);
    const before = newest(connection);
    await transactions.readSnapshot(async () => {
      assert.equal(newest(connection), before + 1);
      const within = transactions.write(() => add('B'));
      await assert.rejects(within, /a write was asked for within a snapshot or another write/);
    });
    assert.deepEqual(outcomes(await settled), ['A']);
    await transactions.write(() => add('C'));
    assert.deepEqual(stored(), ['A', 'C']);
  });
});
