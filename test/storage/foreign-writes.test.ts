import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Versions } from '../../src/storage/versions.ts';
import { atEnd } from '../support/cleanup.ts';
import { openWritten } from '../support/written.ts';
import Database from 'better-sqlite3';

describe('the version of the data', () => {
  test('changes in the first callback after another process has written, in the same phase of the event loop', async (t) => {
    const storage = openWritten(t);
    const versions = new Versions(storage.queries.file('storage'), storage.transactions);
    const other = new Database(storage.connection.name);
    atEnd(t, () => {
      other.close();
    });
    const before = versions.text();
    const seen: string[] = [];
    // Callbacks of one phase: nothing of the event loop comes between them but the end of each.
    const callbacks = [
      (): unknown => seen.push(versions.text()),
      (): unknown => other.exec(`UPDATE categories SET name = 'Gallic' WHERE id = 5`),
      (): unknown => seen.push(versions.text()),
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
    assert.equal(seen[0], before);
    assert.notEqual(seen[1], before);
  });
});
