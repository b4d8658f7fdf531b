import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { describe, test } from 'node:test';
import Database from 'better-sqlite3';
import { inspectData } from '../../../src/operations/inspection/check.ts';
import { databasePath } from '../../../src/storage/database.ts';
import { startFilled } from '../../support/backups.ts';
import { createSuggestions, rate } from '../../support/catalogue.ts';
import type { Cleanup } from '../../support/cleanup.ts';
import { type Client, headerValues } from '../../support/client.ts';
import { changeStored } from '../../support/people.ts';
import { startService, temporaryFolder } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';

/** What is found in a data folder. */
function faultsIn(folder: string): string[] {
  return [...inspectData(folder)].flatMap(({ subject, faults }) =>
    faults.map((fault) => `${subject}: ${fault}`),
  );
}

/** Writes of every kind, after some of which things are gone. */
async function writeAll(api: Client): Promise<void> {
  await createSuggestions(api, [{ name: 'Le Bac' }, { name: 'La Tour' }]);
  for (const id of [1, 1, 2]) await rate(api, id, 4);
  const done = [
    await api.patch('/photos/1', { caption: 'Lunch' }),
    await api.patch('/suggestions/4/status', { status: 'approved' }),
    await api.post('/suggestions/4/convert', {}),
    await api.put('/categories/6', { name: 'Renamed' }),
    await api.put('/restaurants/2', { phone: '1' }),
    await api.post('/lists', { name: 'Lyon' }),
    await api.put('/lists/want/items/1', { note: 'x' }),
    await api.post('/visits', { restaurant_id: 1 }),
  ];
  for (const { status, body } of done) assert.ok(status < 300, JSON.stringify(body));
  for (const path of ['/ratings/1', '/photos/2', '/suggestions/5', '/categories/5', '/food-types/3'])
    assert.equal((await api.delete(path)).status, 204, path);
}

/** A data folder after writes of every kind. */
async function filledFolder(t: Cleanup): Promise<string> {
  const { api, folder, stop } = await startFilled(t);
  await writeAll(api);
  await stop();
  return folder;
}

/** The faults of a copy of a data folder in which `sql` was run behind the service's back. */
function faultsAfter(t: Cleanup, filled: string, sql: string): string[] {
  const folder = temporaryFolder(t);
  cpSync(filled, folder, { recursive: true });
  const database = new Database(databasePath(folder));
  // Damage like that of a disk is refused otherwise.
  database.unsafeMode(true).exec(sql);
  database.close();
  return faultsIn(folder);
}

describe('a check of the data', () => {
  for (const TRASH_DAYS of ['30', '0'])
    test(`finds nothing wrong after writes, deletions and reverts with TRASH_DAYS=${TRASH_DAYS}`, async (t) => {
      const { api, folder } = await startFilled(t, { TRASH_DAYS });
      await writeAll(api);
      assert.deepEqual(faultsIn(folder), []);
      const [deletion] = headerValues(await api.delete('/restaurants/1'), 'change');
      assert.deepEqual(faultsIn(folder), []);
      const reverted = await api.post(`/changes/${String(deletion)}/revert`, {});
      assert.equal(reverted.status, TRASH_DAYS === '0' ? 409 : 200);
      await api.delete('/restaurants/1');
      assert.deepEqual(faultsIn(folder), []);
    });

  test('finds nothing wrong after a purge and an expiry', async (t) => {
    const { api, folder, stop } = await startFilled(t);
    await writeAll(api);
    const [deletion] = headerValues(await api.delete('/restaurants/1'), 'change');
    assert.equal((await api.post(`/changes/${String(deletion)}/purge`, {})).status, 204);
    assert.deepEqual(faultsIn(folder), []);
    await stop();
    changeStored(folder, `UPDATE changes SET kept_until = NULL, before = NULL WHERE kept_until IS NOT NULL`);
    assert.deepEqual(faultsIn(folder), []);
    const later = await startService(t, { DATA_DIR: folder });
    await later.stop();
    assert.deepEqual(faultsIn(folder), []);
  });

  const damages: readonly (readonly [string, string, RegExp])[] = [
    [
      'a restaurant that went without a change',
      'DELETE FROM restaurants WHERE id = 3',
      /^changes: restaurant 3 is there or gone, unlike after its newest change$/,
    ],
    [
      'a rating that went alone without a change',
      'DELETE FROM ratings WHERE id = 3',
      /^changes: rating 3 is there or gone/,
    ],
    [
      'a category that came back without a change',
      'UPDATE categories SET deleted_at = NULL WHERE id = 5',
      /^changes: category 5 is there or gone/,
    ],
    [
      'a restaurant that was changed without a change',
      `UPDATE restaurants SET updated_at = '2026-01-01T00:00:00.000Z' WHERE id = 2`,
      /^times of changes: the updated_at of restaurant 2 is not that of its newest change$/,
    ],
    [
      'a photo that was changed without a change',
      `UPDATE photos SET updated_at = '2026-01-01T00:00:00.000Z' WHERE id = 1`,
      /^times of changes: the updated_at of photo 1 /,
    ],
    [
      'a file in the trash that no deletion keeps',
      'UPDATE photo_trash SET change_id = 1',
      /^trash: the file [0-9a-f]{32}\.jpg and the deletion that it belongs to do not go together$/,
    ],
    [
      'a deletion whose file is not in the trash',
      'DELETE FROM photo_trash',
      /^trash: the file [0-9a-f]{32}\.jpg and the deletion /,
    ],
    [
      'a list that came without a change',
      "UPDATE changes SET action = 'delete' WHERE kind = 'list' AND action = 'create'",
      /^changes: list 3 is there or gone/,
    ],
    [
      'a visit that went without a change',
      'DELETE FROM visits WHERE id = 1',
      /^changes: visit 1 is there or gone/,
    ],
    [
      'a list whose items are counted wrong',
      'UPDATE lists SET item_count = 7 WHERE id = 1',
      /^lists: the list 1 and the restaurants that are there do not go together$/,
    ],
    [
      'an item of a restaurant that is gone for good',
      "INSERT INTO list_items (list_id, restaurant_id, rank, is_there, created_at) VALUES (1, 99, 1, 0, '2026')",
      /^lists: the list 1 and /,
    ],
    [
      'a visit that does not know that its restaurant is gone',
      'UPDATE visits SET restaurant_id = 99 WHERE id = 1',
      /^visits: visit 1 and its restaurant do not go together$/,
    ],
    [
      'a food type that no deletion keeps',
      'UPDATE food_types SET change_id = 1 WHERE deleted_at IS NOT NULL',
      /^trash: the food type 3 and the deletion /,
    ],
  ];
  longTest('finds what went without a change, or in part', async (t) => {
    const filled = await filledFolder(t);
    for (const [title, sql, expected] of damages) {
      const found = faultsAfter(t, filled, sql);
      assert.equal(found.length, 1, `${title}:\n${found.join('\n')}`);
      assert.match(found[0] ?? '', expected, title);
    }
  });

  const deeper: readonly (readonly [string, string, RegExp])[] = [
    [
      'a text index whose segments are gone',
      'DELETE FROM search_texts_data WHERE id > 10',
      /^database: .*search_texts/,
    ],
    [
      'a reference to nothing',
      'PRAGMA foreign_keys = OFF; UPDATE photos SET restaurant_id = 99',
      /^database: photos \d+ refers to no row of restaurants$/,
    ],
    [
      'wrong rating sums',
      'UPDATE restaurants SET food_sum = 7 WHERE id = 2',
      /^rating sums: .*restaurant 2 /,
    ],
    ['a text that is not found', 'DELETE FROM search_texts WHERE rowid = 3', /^search: place 3 /],
    [
      'a text of nothing',
      `INSERT INTO search_texts (rowid, text) VALUES (77, 'stray')`,
      /^search: place 77 /,
    ],
  ];
  longTest('finds damage of the database itself, and of what follows from the records', async (t) => {
    const filled = await filledFolder(t);
    for (const [title, sql, expected] of deeper)
      assert.match(faultsAfter(t, filled, sql)[0] ?? '', expected, title);
  });
});
