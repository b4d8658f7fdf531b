import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { runCommand } from '../../support/cli.ts';
import { allChanges, changeOf, refusal, revert, reverted } from '../../support/changes.ts';
import { type Client, array, bodyOf, field, ids, record } from '../../support/client.ts';
import { addItems, addList, addRestaurants, namesOn, putItem } from '../../support/lists.ts';
import {
  type OutingSeen,
  addOuting,
  ballot,
  closed,
  participantsOf,
  resultOf,
  voteByLink,
} from '../../support/outings.ts';
import { LOCAL, type Person, changeStored, readStored, signUp } from '../../support/people.ts';
import { startService, temporaryFolder } from '../../support/service.ts';

const EMAIL = 'alice@example.com';

interface Moved {
  readonly folder: string;
  readonly alice: Person;
  readonly bob: Person;
  readonly adopt: () => ReturnType<typeof runCommand>;
}

/** A folder that was used in mode none, as `write` does, and serves accounts now. */
async function used(t: TestContext, write: (api: Client) => Promise<unknown>): Promise<Moved> {
  const folder = temporaryFolder(t);
  const before = await startService(t, { DATA_DIR: folder });
  await addRestaurants(before.api, 'A', 'B', 'C');
  await write(before.api);
  await before.stop();
  const service = await startService(t, { ...LOCAL, DATA_DIR: folder });
  const [alice, bob] = [await signUp(service, 'alice'), await signUp(service, 'bob')];
  const adopt = (): ReturnType<typeof runCommand> =>
    runCommand(['user', 'adopt', EMAIL], { variables: { DATA_DIR: folder } });
  return { folder, alice, bob, adopt };
}

const checked = async (folder: string): Promise<void> => {
  const { code, out } = await runCommand(['check'], { variables: { DATA_DIR: folder } });
  assert.equal(code, 0, out);
};

describe('catalogue user adopt', () => {
  test('moves the lists, visits and outings from the time without accounts to a user', async (t) => {
    const outings: OutingSeen[] = [];
    const { alice, bob, adopt, folder } = await used(t, async (api) => {
      for (const title of ['Thursday', 'Friday']) outings.push(await addOuting(api, [1, 2], { title }));
      const id = await addList(api, 'Lyon');
      await addItems(api, id, [2, 1]);
      await addItems(api, 'want', [3]);
      await api.post('/visits', { restaurant_id: 1, note: 'Cold' }, { 'Idempotency-Key': 'once' });
    });
    assert.equal(field((await alice.api.get('/visits')).body, 'total'), 0);
    const [thursday] = outings;
    assert.ok(thursday);
    for (const { api } of [alice, bob]) bodyOf(await voteByLink(api, thursday, ballot({ 1: 'yes' })));
    assert.deepEqual(await adopt(), {
      code: 0,
      err: '',
      out: `${EMAIL} now has 1 list, 1 item of lists that ${EMAIL} had, 1 visit, and 2 outings more.\n`,
    });
    const names = array((await alice.api.get('/lists')).body).map((list) => field(list, 'name'));
    assert.deepEqual(names, ['Want to go', 'Favourites', 'Lyon']);
    assert.deepEqual([await namesOn(alice.api, 'want'), await namesOn(alice.api, 3)], [['C'], ['B', 'A']]);
    assert.equal(field((await alice.api.get('/visits/1')).body, 'note'), 'Cold');
    assert.equal((await bob.api.get('/lists/3')).status, 404);
    const own = array(field((await alice.api.get('/outings')).body, 'data'));
    assert.deepEqual(
      own.map((outing) => [field(outing, 'title'), field(field(outing, 'created_by'), 'username')]),
      [
        ['Friday', 'alice'],
        ['Thursday', 'alice'],
      ],
    );
    assert.deepEqual(own.map((outing) => participantsOf(outing).map(([name]) => name)).flat(), [
      'alice',
      'alice',
      'bob',
    ]);
    assert.deepEqual(resultOf(await closed(alice.api, thursday)), [1, 'votes']);
    assert.equal(
      (await adopt()).out,
      `${EMAIL} now has 0 lists, 0 items of lists that ${EMAIL} had, 0 visits, and 0 outings more.\n`,
    );
    // Answers that could be had again would show the visit to all callers of mode none.
    assert.deepEqual(readStored(folder, 'SELECT 1 FROM idempotency_keys'), []);
    await checked(folder);
  });

  test('merges lists that the user has, whose notes stay', async (t) => {
    const { alice, adopt, folder } = await used(t, async (api) => {
      const id = await addList(api, 'LYON');
      for (const restaurant of [1, 2]) await putItem(api, id, restaurant, { note: 'from before' });
    });
    const own = await addList(alice.api, 'Lyon');
    await putItem(alice.api, own, 1, { note: 'mine' });
    assert.equal((await adopt()).code, 0);
    const items = array((await alice.api.get(`/lists/${own}/items`)).body);
    assert.deepEqual(
      items.map((item) => field(item, 'note')),
      ['mine', 'from before'],
    );
    assert.equal(array((await alice.api.get('/lists')).body).length, 3);
    await checked(folder);
  });

  test('makes their changes in the log those of the user, who can undo them', async (t) => {
    const { alice, bob, adopt, folder } = await used(t, async (api) => {
      await addList(api, 'Lyon');
      await api.put('/lists/3/items/1', { note: 'x' });
      await api.delete('/lists/3');
      await api.post('/visits', { restaurant_id: 1 });
      await api.delete('/visits/1');
    });
    await adopt();
    const own = await allChanges(alice.api, 'kind=list,visit');
    assert.equal(own.length, 5);
    assert.equal((await allChanges(bob.api, 'kind=list,visit')).length, 0);
    for (const { action, id } of own) if (action === 'delete') await reverted(alice.api, Number(id));
    assert.deepEqual(await namesOn(alice.api, 3), ['A']);
    assert.deepEqual(ids(field((await alice.api.get('/visits')).body, 'data')), [1]);
    await checked(folder);
  });

  test('leaves the built-in lists of the placeholder empty, and no way to fill them again', async (t) => {
    const { alice, adopt, folder } = await used(t, async (api) => {
      await putItem(api, 'want', 1, { note: 'x' });
      await api.delete('/lists/want/items/1');
      await putItem(api, 'want', 2, { note: 'y' });
    });
    await adopt();
    const [change] = await allChanges(alice.api, 'kind=list&entity_id=1');
    const [status] = refusal(await revert(alice.api, Number(change?.['id'])));
    assert.deepEqual([status, change?.['after']], [409, null]);
    assert.deepEqual(readStored(folder, 'SELECT * FROM list_items WHERE user_id IS NULL'), []);
    assert.deepEqual(await namesOn(alice.api, 'want'), ['B']);
  });

  test('moves items of a deleted restaurant, which come back with it', async (t) => {
    let deletion = 0;
    const { alice, adopt } = await used(t, async (api) => {
      await addItems(api, 'want', [1, 2]);
      await api.post('/visits', { restaurant_id: 1 });
      deletion = changeOf(await api.delete('/restaurants/1'));
    });
    await adopt();
    await reverted(alice.api, deletion);
    assert.deepEqual(await namesOn(alice.api, 'want'), ['B', 'A']);
    assert.deepEqual(record((await alice.api.get('/visits/1')).body)['restaurant'], { id: 1, name: 'A' });
  });

  test('moves nothing where the user would have too many lists', async (t) => {
    const { alice, adopt, folder } = await used(t, (api) => addList(api, 'Lyon'));
    changeStored(
      folder,
      `INSERT INTO lists (user_id, kind, name, name_key, created_at, updated_at)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
       SELECT ?, 'own', 'List ' || i, 'list ' || i, '2026-01-31T19:30:00.000Z', '2026-01-31T19:30:00.000Z' FROM n`,
      alice.id,
    );
    const { code, err } = await adopt();
    assert.deepEqual([code, err], [1, 'At most 200 lists\n']);
    assert.equal(array((await alice.api.get('/lists')).body).length, 202);
  });

  test('moves nothing where a list of the user would have too many items', async (t) => {
    const { alice, adopt, folder } = await used(t, async (api) => {
      await addItems(api, 'want', [1]);
      await api.post('/visits', { restaurant_id: 1 });
    });
    changeStored(folder, "UPDATE lists SET item_count = 5000 WHERE user_id = ? AND kind = 'want'", alice.id);
    const { code, err } = await adopt();
    assert.deepEqual([code, err], [1, 'A list has at most 5000 items: Want to go\n']);
    assert.deepEqual(await namesOn(alice.api, 'want'), []);
    assert.equal(field((await alice.api.get('/visits')).body, 'total'), 0);
  });

  test('needs a user', async (t) => {
    const { folder } = await startService(t);
    const variables = { DATA_DIR: folder };
    const { code, err } = await runCommand(['user', 'adopt', 'x@example.com'], { variables });
    assert.deepEqual([code, err], [1, 'there is no user with the email x@example.com\n']);
  });
});
