import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ids } from '../support/client.ts';
import { SIZES, SLICE_BYTES } from '../support/filled.ts';
import { changeStored } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { startWorld } from '../support/world.ts';

describe('the sizes of answers', () => {
  test('stand in a table for every route, and none is over 256 KB at once without a reason', async (t) => {
    const { routes, webApp } = await startService(t);
    const operations = new Set([...routes, ...webApp].map(({ operationId }) => operationId));
    assert.deepEqual(Object.keys(SIZES).sort(), [...operations].sort());
    const long = Object.entries(SIZES).filter(
      ([, { bound, rowKb, rows, because }]) =>
        bound === 'rows' && rowKb * 1024 * rows > SLICE_BYTES && because === undefined,
    );
    assert.deepEqual(long, []);
  });
});

describe('the sessions of a user', () => {
  test('are listed whole where they are many, and so is the data of that user', async (t) => {
    const { owner, people, service } = await startWorld(t);
    const copies = `INSERT INTO sessions (user_id, ip_address, user_agent, created_at, last_used_at, expires_at)
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
      SELECT ?, '::1', printf('%.512c', 'x'), '2026-01-01T00:00:00.000Z', '2026-01-' || (10 + i % 7) || 'T00:00:00.000Z',
        '2999-01-01T00:00:00.000Z' FROM n`;
    changeStored(service.folder, copies, people.owner.id);
    const sessions = ids((await owner.get('/auth/sessions')).body);
    assert.deepEqual([sessions.length, new Set(sessions).size], [1_000, 1_000]);
    const lines = String((await owner.get('/me/export')).body).split('\n');
    assert.equal(lines.filter((line) => line.startsWith('{"type":"session"')).length, 1_000);
  });
});
