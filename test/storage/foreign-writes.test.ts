import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { VersionedCache, Versions } from '../../src/storage/versions.ts';
import { atEnd } from '../support/cleanup.ts';
import { openWritten } from '../support/written.ts';
import Database from 'better-sqlite3';

describe('a cache', () => {
  test('is dropped in the first callback after another process has written, in the same phase of the event loop', async (t) => {
    const storage = openWritten(t);
    const versions = new Versions(storage.queries.file('storage'), storage.transactions);
    const cache = new VersionedCache<string>(versions, 10_000);
    const other = new Database(storage.connection.name);
    atEnd(t, () => {
      other.close();
    });
    cache.current().set('question', 'answer', 10);
    const seen: (string | undefined)[] = [];
    // Callbacks of one phase: nothing of the event loop comes between them but the end of each.
    const callbacks = [
      (): unknown => seen.push(cache.current().get('question')),
      (): unknown => other.exec(`UPDATE categories SET name = 'Gallic' WHERE id = 5`),
      (): unknown => seen.push(cache.current().get('question')),
    ];
    await Promise.all(
      callbacks.map(
        (callback) =>
          new Promise<void>((resolve) => {
            setImmediate(() => {
              callback();
              resolve();
            });
          }),
      ),
    );
    assert.deepEqual(seen, ['answer', undefined]);
  });
});
