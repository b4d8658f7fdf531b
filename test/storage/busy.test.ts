import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { Cleanup } from '../support/cleanup.ts';
import { field, headerValues } from '../support/client.ts';
import { startServerProcess } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';

/** Keeps others from writing, as another process does in the middle of its transaction; returns the end of that. */
function startWriting(t: Cleanup, folder: string): () => void {
  const other = new Database(join(folder, 'catalogue.db'));
  t.after(() => {
    other.close();
  });
  other.exec('BEGIN IMMEDIATE');
  return () => {
    other.exec('COMMIT');
  };
}

describe('while another process writes', () => {
  test('reads are answered, and writes wait and are stored in the order of their arrival', async (t) => {
    const DATA_DIR = temporaryFolder(t);
    const { api } = await startServerProcess(t, { DATA_DIR, RATE_LIMIT_BURST: '0' });
    const release = startWriting(t, DATA_DIR);
    let isReleased = false;
    const writes = Array.from({ length: 5 }, async (_, index) => {
      await pause(index * 20);
      const { status, body } = await api.post('/categories', { name: `Kind ${index}` });
      return { status, id: Number(field(body, 'id')), isReleased };
    });
    const reads: number[] = [];
    while (reads.length < 20) {
      await pause(20);
      for (const path of ['/health', '/categories', '/search?q=a']) reads.push((await api.get(path)).status);
    }
    isReleased = true;
    release();
    const written = await Promise.all(writes);
    assert.deepEqual([...new Set(reads)], [200]);
    assert.deepEqual(
      written.map(({ status, isReleased: waited }) => [status, waited]),
      Array.from(written, () => [201, true]),
    );
    const made = written.map(({ id }) => id);
    assert.deepEqual(
      made,
      made.toSorted((left, right) => left - right),
    );
  });

  test('a write that has waited for five seconds is 503 with Retry-After, and nothing of it is stored', async (t) => {
    const DATA_DIR = temporaryFolder(t);
    const { api } = await startServerProcess(t, { DATA_DIR, RATE_LIMIT_BURST: '0' });
    const release = startWriting(t, DATA_DIR);
    const late = await api.post('/categories', { name: 'Late' });
    assert.deepEqual([late.status, late.body], [503, { error: 'Storage is busy. Please try again.' }]);
    assert.deepEqual(headerValues(late, 'Retry-After'), ['1']);
    release();
    assert.equal((await api.post('/categories', { name: 'Late' })).status, 201);
  });
});
