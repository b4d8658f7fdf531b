import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspectData } from '../../../src/operations/inspection/check.ts';
import { refusal } from '../../support/changes.ts';
import { runOn } from '../../support/cli.ts';
import { array, field } from '../../support/client.ts';
import {
  addItems,
  addLink,
  addList,
  addMembers,
  addRestaurants,
  changesOfLists,
  join,
  namesOn,
  signUpAll,
} from '../../support/lists.ts';
import { LOCAL } from '../../support/people.ts';
import { startService, temporaryFolder } from '../../support/service.ts';

describe('lists of the time without accounts', () => {
  test('are adopted with their items, and can be shared', async (t) => {
    const folder = temporaryFolder(t);
    const before = await startService(t, { DATA_DIR: folder });
    await addRestaurants(before.api, 'A', 'B');
    const list = await addList(before.api, 'Lyon');
    await addItems(before.api, list, [2, 1]);
    await addItems(before.api, 'want', [2]);
    await before.stop();
    const service = await startService(t, { ...LOCAL, DATA_DIR: folder });
    const [alice, bob] = await signUpAll(service, 'alice', 'bob');
    assert.ok(alice && bob);
    // Into a list that has a member already.
    const own = await addList(alice.api, 'Paris');
    await addMembers(alice.api, own, bob.api);
    assert.equal((await runOn(folder, 'user', 'adopt', alice.email)).code, 0);
    await addMembers(alice.api, list, bob.api);
    for (const [api, name] of [
      [bob.api, list],
      [alice.api, 'want'],
    ] as const)
      for (const item of array((await api.get(`/lists/${name}/items`)).body))
        assert.deepEqual(field(item, 'added_by'), { id: alice.id, username: 'alice' });
    assert.deepEqual(await namesOn(bob.api, list), ['B', 'A']);
    assert.deepEqual(await changesOfLists(bob.api), []);
    // The log has them from before that, for their owner alone.
    assert.ok((await changesOfLists(alice.api)).some((change) => change['entity_id'] === list));
    assert.deepEqual(
      [...inspectData(folder)].flatMap(({ faults }) => faults),
      [],
    );
  });

  test('have links for reading, with which people join once they are adopted', async (t) => {
    const before = await startService(t);
    const { folder } = before;
    const list = await addList(before.api, 'Lyon');
    const invite = await addLink(before.api, list, { access: 'join' });
    await before.stop();
    const service = await startService(t, { ...LOCAL, DATA_DIR: folder });
    const [alice, bob] = await signUpAll(service, 'alice', 'bob');
    assert.ok(alice && bob);
    assert.equal((await service.api.get(`/shared/${invite.secret}`)).status, 200);
    assert.deepEqual(refusal(await join(bob.api, invite.secret)), [403, 'This link does not let you join']);
    assert.equal((await runOn(folder, 'user', 'adopt', alice.email)).code, 0);
    assert.equal((await join(bob.api, invite.secret)).status, 200);
    assert.equal(field((await alice.api.get(`/lists/${list}`)).body, 'member_count'), 2);
  });
});
