import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { remove } from '../../support/accounts.ts';
import { runOn, startServerProcess } from '../../support/cli.ts';
import { array, bodyOf, field } from '../../support/client.ts';
import { importText } from '../../support/imports.ts';
import { addList, addMembers, putItem, signUpAll } from '../../support/lists.ts';
import { LOCAL, changeStored, makeAdmin, person, readStored } from '../../support/people.ts';
import { startService, temporaryFolder } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const PLACES = 3_000;

describe('a server that is killed while a long list passes to another person', () => {
  test('completes that with its next start', async (t) => {
    const folder = temporaryFolder(t);
    const service = await startService(t, { ...LOCAL, DATA_DIR: folder });
    const [alice, bob, carol] = await signUpAll(service, 'alice', 'bob', 'carol');
    assert.ok(alice && bob && carol);
    makeAdmin(service, carol);
    const rows = Array.from({ length: PLACES }, (_, index) => `Place ${index}`);
    assert.equal((await importText(carol.api, ['name', ...rows].join('\n'))).status, 200);
    const list = await addList(alice.api, 'Lyon');
    await addMembers(alice.api, list, bob.api, carol.api);
    await putItem(bob.api, list, 1, { note: 'Of Bob' });
    changeStored(
      folder,
      `INSERT INTO list_items (list_id, restaurant_id, user_id, added_by, rank, created_at)
       SELECT ?, id, ?, ?, id * 1048576, '2026-01-31T19:30:00.000Z' FROM restaurants WHERE id > 1`,
      list,
      alice.id,
      alice.id,
    );
    await service.stop();

    const server = await startServerProcess(t, { ...LOCAL, DATA_DIR: folder });
    // Whatever the speed of the machine, the erasure comes no further than to the middle of the list.
    const passed = `SELECT count(*) FROM list_items WHERE list_id = ${list} AND user_id = ${bob.id}`;
    changeStored(
      folder,
      `CREATE TRIGGER brake BEFORE UPDATE OF user_id ON list_items WHEN (${passed}) >= ${PLACES / 2} BEGIN
         SELECT raise(ABORT, 'no further');
       END`,
    );
    const again = async (who: typeof bob): Promise<typeof bob> =>
      person(server.url, bodyOf(await server.api.post('/auth/login', who)), who.password);
    const body = { password: alice.password, contributions: 'keep' };
    assert.equal((await remove((await again(alice)).api, '/auth/me', body)).status, 500);
    assert.deepEqual(readStored(folder, passed), [{ 'count(*)': PLACES / 2 }]);
    // The account has no access any more, and the members go on.
    assert.equal((await server.api.post('/auth/login', alice)).status, 401);
    const { api } = await again(bob);
    assert.equal(field((await api.get(`/lists/${list}`)).body, 'item_count'), PLACES);
    assert.equal((await putItem(api, list, PLACES, { position: 1, note: 'Meanwhile' })).status, 200);
    server.process.kill('SIGKILL');
    await server.ended;
    changeStored(folder, 'DROP TRIGGER brake');

    const next = await startServerProcess(t, { ...LOCAL, DATA_DIR: folder });
    await until(() => readStored(folder, 'SELECT 1 FROM erasures').length === 0);
    const owner = person(next.url, bodyOf(await next.api.post('/auth/login', bob)), '').api;
    const now = bodyOf(await owner.get(`/lists/${list}`));
    assert.deepEqual(
      [field(now, 'role'), field(now, 'item_count'), field(now, 'member_count')],
      ['owner', PLACES, 2],
    );
    const [first] = array((await owner.get(`/lists/${list}/items?limit=1`)).body);
    assert.equal(field(first, 'note'), 'Meanwhile');
    assert.deepEqual(
      readStored(folder, 'SELECT DISTINCT user_id, added_by FROM list_items ORDER BY added_by'),
      [
        { user_id: bob.id, added_by: null },
        { user_id: bob.id, added_by: bob.id },
      ],
    );
    next.process.kill('SIGTERM');
    await next.ended;
    const { code, out } = await runOn(folder, 'check');
    assert.equal(code, 0, out);
  });
});
