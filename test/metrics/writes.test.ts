import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { exposition } from '../../src/metrics/exposition.ts';
import { createWrites } from '../../src/metrics/writes.ts';
import { openStorage } from '../../src/storage/storage.ts';
import { StorageFailedError, createTransactions } from '../../src/storage/transaction.ts';
import { atEnd } from '../support/cleanup.ts';
import { readScrape, valueOf } from '../support/exposition.ts';
import { temporaryFolder } from '../support/service.ts';

describe('the counters of writes', () => {
  const kinds: readonly [string, string][] = [
    ['full', 'ENOSPC'],
    ['busy', 'SQLITE_BUSY'],
    ['exhausted', 'EMFILE'],
    ['failed', 'SQLITE_IOERR_FSYNC'],
  ];

  test('distinguish the failures of the storage, and pass them on', async (t) => {
    const storage = openStorage(temporaryFolder(t));
    atEnd(t, storage.close);
    const writes = createWrites(createTransactions(storage.connection, { patience: { limitMs: 0 } }));
    const { write } = writes.transactions;
    assert.equal(await write(() => 7), 7);
    for (const [, code] of kinds) {
      const error = Object.assign(new Error('of the system'), { code });
      const failing = write(() => {
        throw error;
      });
      await assert.rejects(failing, error);
    }
    await assert.rejects(
      write(() => 8),
      StorageFailedError,
    );
    const scrape = readScrape(exposition(writes.families()));
    for (const kind of ['full', 'busy', 'exhausted', 'failed', 'refused'])
      assert.equal(valueOf(scrape, 'catalogue_database_write_failures_total', { kind }), 1, kind);
    assert.equal(valueOf(scrape, 'catalogue_database_write_seconds_count'), 6);
  });

  test('distinguish writes from the transactions that they share', async (t) => {
    const storage = openStorage(temporaryFolder(t));
    atEnd(t, storage.close);
    const writes = createWrites(createTransactions(storage.connection, { longestMs: Infinity }));
    const { write } = writes.transactions;
    await write(() => 1);
    await Promise.all([write(() => 2), write(() => 3), write(() => 4)]);
    const scrape = readScrape(exposition(writes.families()));
    assert.equal(valueOf(scrape, 'catalogue_database_write_seconds_count'), 4);
    assert.equal(valueOf(scrape, 'catalogue_database_commits_total'), 2);
  });

  test('count a refusal of what was asked as no failure', async (t) => {
    const storage = openStorage(temporaryFolder(t));
    atEnd(t, storage.close);
    const writes = createWrites(storage.transactions);
    const refused = writes.transactions.write(() => {
      throw new RangeError('no such thing');
    });
    await assert.rejects(refused, RangeError);
    const scrape = readScrape(exposition(writes.families()));
    const { samples } = scrape.get('catalogue_database_write_failures_total') ?? {};
    assert.deepEqual(
      samples?.map(({ value }) => value),
      [0, 0, 0, 0, 0],
    );
  });
});
