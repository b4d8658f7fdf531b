import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { inspectData } from '../../../src/operations/inspection/check.ts';
import { migrateFolder } from '../../../src/storage/storage.ts';
import { bearing } from '../../support/accounts.ts';
import { reverted } from '../../support/changes.ts';
import { array, createClient, field } from '../../support/client.ts';
import { namesOn } from '../../support/lists.ts';
import { makeDatabaseBefore } from '../../support/old-database.ts';
import { LOCAL } from '../../support/people.ts';
import { startService, temporaryFolder } from '../../support/service.ts';

const NOW = '2026-01-31T19:30:00.000Z';
const TOKEN = 'rct_'.padEnd(47, 'x');

describe('lists from before they could be shared', () => {
  test('are as they were, with all items added by their owner, and can be shared', async (t) => {
    const folder = temporaryFolder(t);
    makeDatabaseBefore(folder, 'shared_lists', (connection) => {
      connection.exec(`
        INSERT INTO users (id, email, email_key, username, username_key, search_key, created_at, updated_at)
        VALUES (2, 'alice@example.com', 'alice@example.com', 'alice', 'alice', 'alice', '${NOW}', '${NOW}');
        INSERT INTO restaurants (id, name, status, identity_key, search_name, search_text, created_at, updated_at)
        VALUES (1, 'A', 'active', 'a', 'a', 'a', '${NOW}', '${NOW}'), (2, 'B', 'active', 'b', 'b', 'b', '${NOW}', '${NOW}');
        INSERT INTO lists (id, user_id, kind, name, name_key, created_at, updated_at)
        VALUES (7, 2, 'own', 'Lyon', 'lyon', '${NOW}', '${NOW}');
        INSERT INTO list_items (list_id, restaurant_id, user_id, rank, note, created_at)
        VALUES (7, 2, 2, 1048576, 'Late', '${NOW}'), (7, 1, 2, 2097152, NULL, '${NOW}'), (1, 1, NULL, 1048576, NULL, '${NOW}');
        INSERT INTO changes (id, at, kind, entity_id, action, name, fields, before, after, owner_id, actor_id, via)
        VALUES (1, '${NOW}', 'list', 7, 'update', 'Lyon', '["items"]',
          '{"items":[{"restaurant_id":2,"position":1,"note":null,"created_at":"${NOW}"}],"updated_at":"${NOW}"}',
          '{"items":[{"restaurant_id":2,"position":1,"note":"Late","created_at":"${NOW}"}],"updated_at":"${NOW}"}',
          2, 2, 'api');
      `);
      connection
        .prepare('INSERT INTO api_tokens (user_id, name, token_hash, created_at) VALUES (2, ?, ?, ?)')
        .run('script', createHash('sha256').update(TOKEN).digest(), NOW);
    });
    migrateFolder(folder);
    const service = await startService(t, { ...LOCAL, DATA_DIR: folder });
    const alice = createClient(service.url, bearing(TOKEN));
    const owner = { id: 2, username: 'alice' };
    const list = (await alice.get('/lists/7')).body;
    assert.deepEqual(
      ['name', 'item_count', 'role', 'owner', 'member_count', 'updated_at'].map((name) => field(list, name)),
      ['Lyon', 2, 'owner', owner, 1, NOW],
    );
    assert.deepEqual(await namesOn(alice, 7), ['B', 'A']);
    for (const item of array((await alice.get('/lists/7/items')).body))
      assert.deepEqual(field(item, 'added_by'), owner);
    await reverted(alice, 1);
    const [first] = array((await alice.get('/lists/7/items')).body);
    assert.deepEqual([field(first, 'note'), field(first, 'added_by')], [null, owner]);
    assert.deepEqual(
      [...inspectData(folder)].flatMap(({ faults }) => faults),
      [],
    );
  });
});
