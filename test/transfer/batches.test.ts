import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { type TestContext, describe, test } from 'node:test';
import { COMMAND_LINE } from '../../src/storage/change-log.ts';
import { openStorage } from '../../src/storage/storage.ts';
import { importAll, totalOf } from '../../src/transfer/import-all.ts';
import { Notes } from '../../src/transfer/notes.ts';
import type { SourceEntry } from '../../src/transfer/source.ts';
import { temporaryFolder } from '../support/service.ts';

/** How many rows each transaction stores where a row takes so long and a commit so long, by a clock of the test. */
async function batches(t: TestContext, count: number, rowMs: number, commitMs: number): Promise<number[]> {
  const storage = openStorage(temporaryFolder(t));
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const entries = Array.from({ length: count }, (_, line): SourceEntry => ({
    line,
    kind: 'category',
    fields: new Map([['name', `Category ${line}`]]),
  }));
  const { queries, transactions } = storage;
  const totals: number[] = [];
  await importAll(Readable.from(entries), {
    storage: {
      queries,
      transactions: {
        write: (work) =>
          transactions.write(work).finally(() => {
            now += commitMs;
          }),
      },
    },
    trashDays: 1,
    writer: {
      ...COMMAND_LINE,
      recheck: () => {
        now += rowMs;
      },
    },
    batch: { file: null, id: undefined },
    notes: new Notes(),
    failed: ({ reason }) => assert.fail(reason),
    stored: (counts) => totals.push(totalOf(counts)),
  });
  storage.close();
  return totals.map((total, index) => total - (totals[index - 1] ?? 0));
}

describe('the transactions of an import', () => {
  test('hold the write lock for about 20 ms, the commit included', async (t) => {
    assert.deepEqual(await batches(t, 60, 1, 2), [20, 18, 18, 4]);
  });

  test('have at least a row, the first ten, and as many on a slow disk as fit into 10 ms', async (t) => {
    assert.deepEqual(await batches(t, 12, 30, 1), [10, 1, 1]);
    t.mock.reset();
    assert.deepEqual(await batches(t, 40, 1, 80), [20, 10, 10]);
  });
});
