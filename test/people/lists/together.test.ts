import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join as pathOf } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { inspectData } from '../../../src/operations/inspection/check.ts';
import { bearing, remove } from '../../support/accounts.ts';
import {
  type Change,
  allChanges,
  changeAt,
  changeOf,
  cursorForNow,
  idsOf,
  refusal,
  revert,
  reverted,
} from '../../support/changes.ts';
import { type Client, array, bodyOf, field, record } from '../../support/client.ts';
import {
  addItems,
  addLink,
  addList,
  addMembers,
  addRestaurants,
  changesOfLists,
  join,
  namesOn,
  putItem,
  signUpAll,
  startListWorld,
} from '../../support/lists.ts';
import { type Person, changeStored, readStored } from '../../support/people.ts';
import { longTest, scaled } from '../../support/size.ts';
import { follow } from '../../support/streams.ts';
import { until } from '../../support/until.ts';

type ListWorld = Awaited<ReturnType<typeof startListWorld>>;

const allOf = (api: Client): Promise<Change[]> => allChanges(api, 'kind=list');

/** Who added each item of a list, as one of its people sees it. */
async function adders(api: Client, list: number): Promise<unknown[]> {
  const items = array((await api.get(`/lists/${list}/items`)).body);
  return items.map((item) => record(field(item, 'added_by') ?? {})['username'] ?? null);
}

const checked = (folder: string): void => {
  assert.deepEqual(
    [...inspectData(folder)].flatMap(({ faults }) => faults),
    [],
  );
};

describe('the changes of a list with members', () => {
  test('are those of all its people since it was first joined; earlier ones stay the owner’s', async (t) => {
    const { owner, other, admin, token, id } = await startListWorld(t);
    const before = idsOf(await allOf(owner));
    await addMembers(owner, id, other);
    await putItem(other, id, 1, { note: 'Of Bob' });
    await putItem(token, id, 3, { position: 1 });
    await addMembers(owner, id, admin);
    await admin.put(`/lists/${id}`, { name: 'Marseille' });
    await other.delete(`/lists/${id}/items/2`);
    const shared = (await allOf(other)).map(({ token: _token, ...change }) => change);
    assert.deepEqual(
      shared.map(({ actor }) => field(actor, 'username')),
      ['bob', 'alice', 'carol', 'bob'],
    );
    for (const api of [owner, admin]) {
      const all = (await allOf(api)).map(({ token: _token, ...change }) => change);
      assert.deepEqual(
        api === owner ? all.slice(before.length) : all.filter((one) => one['request_id'] === null),
        api === owner ? shared : [],
      );
      assert.deepEqual(idsOf(all), [...(api === owner ? before : []), ...idsOf(shared)]);
    }
    // The name of an API token is its user's.
    for (const [api, name] of [
      [owner, 'script'],
      [other, null],
    ] as const) {
      const made = (await allOf(api)).find((one) => one['id'] === shared[1]?.['id']);
      assert.equal(made?.['token'] === null ? null : field(made?.['token'], 'name'), name);
    }
    for (const change of before)
      assert.deepEqual(refusal(await revert(other, change)), [404, 'Change not found']);
  });

  test('are not those of people who have left, whose cursors go on', async (t) => {
    const { owner, other, people, id } = await startListWorld(t);
    await addMembers(owner, id, other);
    await putItem(other, id, 1, { note: 'Of Bob' });
    const cursor = await cursorForNow(other);
    const [own] = idsOf(await allOf(other));
    const back = String(field((await other.get('/changes?order=newest&limit=1')).body, 'next'));
    await other.delete(`/lists/${id}/members/${people.other.id}`);
    await putItem(owner, id, 1, { note: 'Of Alice' });
    assert.deepEqual(await allOf(other), []);
    assert.deepEqual(refusal(await other.get(`/changes/${String(own)}`)), [404, 'Change not found']);
    assert.deepEqual(refusal(await revert(other, own ?? 0)), [404, 'Change not found']);
    await owner.post('/categories', { name: 'Nordic' });
    const since = await allChanges(other, '', { from: cursor });
    assert.deepEqual(
      since.map(({ kind, name }) => [kind, name]),
      [['category', 'Nordic']],
    );
    assert.equal((await other.get(`/changes?order=newest&since=${back}`)).status, 200);
    // Who joins again reads all of it again.
    await addMembers(owner, id, other);
    assert.equal((await allOf(other)).length, 2);
  });

  test('reach the streams of its people, and of no one else, from the moment of joining to that of leaving', async (t) => {
    const { service, owner, other, admin, people, id } = await startListWorld(t);
    await addMembers(owner, id, other);
    const [bob, carol] = await Promise.all(
      [people.other, people.admin].map(({ accessToken }) =>
        follow(t, service.url, { headers: bearing(accessToken) }),
      ),
    );
    assert.ok(bob && carol);
    const seenBy = ({ events }: typeof bob): unknown[] =>
      events.filter(({ event }) => event === 'change').map(({ data }) => data['name']);
    let rounds = 0;
    /** A change of the list, and one that all see, which comes behind it. */
    const write = async (): Promise<string> => {
      const name = `Public ${(rounds += 1)}`;
      bodyOf(await putItem(owner, id, 1, { note: `Private ${rounds}` }));
      await owner.post('/categories', { name });
      await until(() => [bob, carol].every((one) => seenBy(one).includes(name)));
      return name;
    };
    const first = await write();
    assert.deepEqual([seenBy(bob), seenBy(carol)], [['Lyon', first], [first]]);
    await owner.delete(`/lists/${id}/members/${people.other.id}`);
    await addMembers(owner, id, admin);
    const second = await write();
    assert.deepEqual(
      [seenBy(bob), seenBy(carol)],
      [
        ['Lyon', first, second],
        [first, 'Lyon', second],
      ],
    );
    assert.ok(!JSON.stringify(bob.events).includes('Private 2'));
  });

  test('are undone by any of its people, whose own change it becomes', async (t) => {
    const { owner, other, admin, id } = await startListWorld(t);
    await addMembers(owner, id, other, admin);
    const change = changeOf(await putItem(other, id, 3, { position: 1, note: 'Of Bob' }));
    const undoing = await reverted(admin, change);
    assert.deepEqual(await namesOn(owner, id), ['A', 'B', 'C']);
    const { actor, reverts } = await changeAt(other, undoing);
    assert.deepEqual([field(actor, 'username'), reverts], ['carol', change]);
    await reverted(owner, undoing);
    assert.deepEqual(await namesOn(other, id), ['C', 'A', 'B']);
    const renamed = changeOf(await other.put(`/lists/${id}`, { name: 'Marseille' }));
    await reverted(admin, renamed);
    assert.equal(field((await owner.get(`/lists/${id}`)).body, 'name'), 'Lyon');
  });

  test('bring an item back as that of the person who had added it', async (t) => {
    const { owner, other, admin, id } = await startListWorld(t);
    await addMembers(owner, id, other, admin);
    const [d = 0] = await addRestaurants(admin, 'D');
    await putItem(other, id, d, { note: 'Of Bob' });
    const before = (await owner.get(`/lists/${id}/items`)).body;
    const taken = changeOf(await owner.delete(`/lists/${id}/items/${d}`));
    await reverted(admin, taken);
    assert.deepEqual((await owner.get(`/lists/${id}/items`)).body, before);
    assert.deepEqual(await adders(owner, id), ['alice', 'alice', 'alice', 'bob']);
    // A deleted list comes back with them as well.
    await reverted(owner, changeOf(await owner.delete(`/lists/${id}`)));
    assert.deepEqual((await other.get(`/lists/${id}/items`)).body, before);
  });

  const deeds: readonly (readonly [
    string,
    (api: Client, id: number) => ReturnType<Client['put']>,
    readonly string[],
  ])[] = [
    ['added', (api, id) => putItem(api, id, 4, { position: 1 }), ['D', 'A', 'B', 'C']],
    ['taken off', (api, id) => api.delete(`/lists/${id}/items/2`), ['A', 'C']],
    ['moved', (api, id) => putItem(api, id, 3, { position: 1 }), ['C', 'A', 'B']],
    ['noted', (api, id) => putItem(api, id, 1, { note: 'x' }), ['A', 'B', 'C']],
  ];
  test('that do not say who added an item, as before this version, are undone like others', async (t) => {
    const { service, owner, admin, id } = await startListWorld(t);
    await addRestaurants(admin, 'D');
    for (const [what, write, then] of deeds) {
      const change = changeOf(await write(owner, id));
      changeStored(
        service.folder,
        `UPDATE changes SET before = json_remove(before, '$.items[0].author_id'),
           after = json_remove(after, '$.items[0].author_id') WHERE id = ?`,
        change,
      );
      assert.ok(!JSON.stringify(await changeAt(owner, change)).includes('"author_id"'), what);
      const undoing = await reverted(owner, change);
      assert.deepEqual(await namesOn(owner, id), ['A', 'B', 'C'], what);
      await reverted(owner, undoing);
      assert.deepEqual(await namesOn(owner, id), then, what);
      assert.equal((await changeAt(owner, change))['reverted_by'], null);
      await reverted(owner, change);
    }
    assert.deepEqual(await namesOn(owner, id), ['A', 'B', 'C']);
  });

  longTest('are filtered and paged like a plain look at everything that a reader may see', async (t) => {
    const { service, owner, other, admin, people, id } = await startListWorld(t);
    const [dora, erik] = await signUpAll(service, 'dora', 'erik');
    assert.ok(dora && erik);
    const lists = [id, await addList(admin, 'Oslo'), await addList(dora.api, 'Rome')];
    const owners = [owner, admin, dora.api];
    for (const [index, list] of lists.entries())
      await addMembers(owners[index] ?? owner, list, other, erik.api);
    const foreign = await addList(erik.api, 'Foreign');
    await addMembers(erik.api, foreign, dora.api);
    let made = 0;
    // A plain generator, so that a failure can be repeated.
    const pick = (count: number): number => (made = (made * 48_271 + 11) % 2_147_483_647) % count;
    const writers = [owner, other, admin, dora.api, erik.api];
    for (let round = 0; round < scaled(60); round += 1) {
      const api = writers[pick(writers.length)] ?? owner;
      const list = [...lists, foreign, 'want'][pick(5)] ?? 'want';
      const way = pick(4);
      if (way === 0) await api.post('/visits', { restaurant_id: 1, note: `Visit ${round}` });
      else if (way === 1) await api.post('/categories', { name: `Category ${round}` });
      else await putItem(api, list, 1 + pick(3), { note: `Note ${round}`, position: 1 + pick(3) });
    }
    // Two batches with changes of several lists and of the catalogue.
    for (const batch of [1, 2]) {
      changeStored(
        service.folder,
        "INSERT INTO batches (at, file, actor_id) VALUES ('2026-01-31T19:30:00.000Z', 'x', ?)",
        people.owner.id,
      );
      changeStored(service.folder, 'UPDATE changes SET batch_id = ? WHERE id % 5 = ?', batch, batch);
    }
    const readers: readonly (readonly [Client, Person])[] = [
      [other, people.other],
      [owner, people.owner],
      [erik.api, erik],
      [admin, people.admin],
    ];
    for (const [api, { id: userId }] of readers) {
      const rows = readStored(
        service.folder,
        `SELECT changes.id, kind, action, batch_id, users.id AS actor_id FROM changes LEFT JOIN users ON users.id = actor_id
         WHERE kind NOT IN ('list', 'visit') OR owner_id = ?
           OR (owner_id < 0 AND EXISTS (SELECT 1 FROM list_members WHERE list_id = -owner_id AND user_id = ?))
         ORDER BY changes.id`,
        userId,
        userId,
      );
      const queries: readonly (readonly [string, string, string | number])[] = [
        ['', '', 0],
        ['kind=list', 'kind', 'list'],
        ['kind=category', 'kind', 'category'],
        ['kind=visit', 'kind', 'visit'],
        [`actor=${people.owner.id}`, 'actor_id', people.owner.id],
        [`actor=${erik.id}`, 'actor_id', erik.id],
        ['action=create', 'action', 'create'],
        ['batch_id=2', 'batch_id', 2],
      ];
      for (const [query, column, value] of queries) {
        const expected = rows
          .filter((row) => column === '' || field(row, column) === value)
          .map((row) => Number(field(row, 'id')));
        for (const limit of [7, 1000]) {
          assert.deepEqual(idsOf(await allChanges(api, query, { limit })), expected, query);
          const back = await allChanges(api, query, { from: 'newest', limit });
          assert.deepEqual(idsOf(back), expected.toReversed(), `${query} newest`);
        }
        const newest = new Map<unknown, number>();
        for (const row of rows.filter((one) => expected.includes(Number(field(one, 'id')))))
          newest.set(field(row, 'batch_id'), Number(field(row, 'id')));
        const collapsed = rows.filter((row) => {
          const [change, batch] = [Number(field(row, 'id')), field(row, 'batch_id')];
          return expected.includes(change) && (batch === null || newest.get(batch) === change);
        });
        const seen = await allChanges(api, `${query}&batches=collapsed`, { from: 'newest', limit: 6 });
        if (!query.startsWith('actor'))
          assert.deepEqual(
            idsOf(seen),
            collapsed.map((row) => Number(field(row, 'id'))).toReversed(),
            `${query} collapsed`,
          );
      }
    }
  });
});

// Words that stand nowhere but in the account of a person, and in the list as it was before it was joined.
const WORDS = ['zyzzyva', 'Syzygy', 'Quincunx'];

/** The words that stand in the files of a database, whose service has stopped. */
function wordsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith('catalogue.db'))
    .flatMap((name) => {
      const bytes = readFileSync(pathOf(folder, name));
      return WORDS.filter((word) => bytes.includes(word)).map((word) => `${name}: ${word}`);
    });
}

/** The changes in the log that name a person. */
function naming(folder: string, { id }: Person): unknown[] {
  return readStored(
    folder,
    `SELECT id FROM changes
     WHERE ? IN (actor_id, owner_id, purged_by) OR instr(coalesce(before, '') || coalesce(after, ''), ?) > 0`,
    id,
    `"author_id":${id}`,
  );
}

async function erase({ api, password }: Person, contributions = 'keep'): Promise<void> {
  assert.equal((await remove(api, '/auth/me', { password, contributions })).status, 204);
}

/** A list of a person of the name zyzzyva, with two members. */
async function startHeirs(
  t: TestContext,
): Promise<ListWorld & { readonly leaver: Person; readonly list: number }> {
  const world = await startListWorld(t);
  const { service, other, admin } = world;
  const [leaver] = await signUpAll(service, 'zyzzyva');
  assert.ok(leaver);
  const list = await addList(leaver.api, 'Oslo');
  await addItems(leaver.api, list, [1, 2]);
  for (const note of ['Syzygy', null]) await putItem(leaver.api, list, 1, { note });
  await addMembers(leaver.api, list, admin, other);
  await putItem(other, list, 3, { position: 1, note: 'Of Bob' });
  await putItem(leaver.api, list, 2, { note: 'Stays' });
  return { ...world, leaver, list };
}

describe('the account of an owner that ends', () => {
  longTest('passes the list to the member who joined first, with its items but not its links', async (t) => {
    const { service, other, admin, leaver, list, people } = await startHeirs(t);
    const { secret } = await addLink(leaver.api, list, { access: 'read', notes: true });
    const invite = await addLink(leaver.api, list, { access: 'join' });
    const own = idsOf(await allOf(leaver.api));
    const shared = idsOf(await allOf(other));
    await erase(leaver);
    const now = (await admin.get(`/lists/${list}`)).body;
    assert.deepEqual(
      ['name', 'role', 'owner', 'member_count', 'item_count'].map((name) => field(now, name)),
      ['Oslo', 'owner', { id: people.admin.id, username: 'carol' }, 2, 3],
    );
    assert.equal(field((await other.get(`/lists/${list}`)).body, 'role'), 'member');
    assert.deepEqual(await namesOn(other, list), ['C', 'A', 'B']);
    assert.deepEqual(await adders(other, list), ['bob', null, null]);
    assert.equal((await service.api.get(`/shared/${secret}`)).status, 404);
    assert.equal((await join(people.owner.api, invite.secret)).status, 404);
    assert.equal((await admin.post(`/lists/${list}/links`, { access: 'read' })).status, 201);
    // What the log has since it was joined stays, without the person; what is older is hollow.
    assert.deepEqual(idsOf(await allOf(other)), shared);
    assert.deepEqual(idsOf(await allOf(admin)), shared);
    const old = own.filter((one) => !shared.includes(one));
    assert.equal(old.length > 0, true);
    for (const one of old) assert.equal((await other.get(`/changes/${one}`)).status, 404);
    checked(service.folder);
    await service.stop();
    assert.deepEqual(naming(service.folder, leaver), []);
    assert.deepEqual(wordsIn(service.folder), []);
  });

  for (const [title, change, username] of [
    ['the lower id of two who joined at once', "UPDATE list_members SET joined_at = '2026-01-31'", 'bob'],
    [
      'an active one before one who is inactive',
      "UPDATE users SET is_active = 0 WHERE username = 'carol'",
      'bob',
    ],
    [
      'an inactive one where there is no other',
      "UPDATE users SET is_active = 0 WHERE username <> 'zyzzyva'",
      'carol',
    ],
  ] as const)
    test(`passes it to ${title}`, async (t) => {
      const { service, leaver, list } = await startHeirs(t);
      changeStored(service.folder, change);
      await erase(leaver);
      const owner = 'SELECT username FROM lists JOIN users ON users.id = user_id WHERE lists.id = ?';
      assert.deepEqual(readStored(service.folder, owner, list), [{ username }]);
    });

  test('passes it under its name, although the heir has one of that name', async (t) => {
    const { admin, other, leaver, list, service } = await startHeirs(t);
    await addList(admin, 'OSLO');
    await erase(leaver);
    const names = array((await admin.get('/lists')).body).map((one) => field(one, 'name'));
    assert.deepEqual(names.slice(2), ['Oslo', 'OSLO']);
    assert.equal(field((await other.get(`/lists/${list}`)).body, 'name'), 'Oslo');
    checked(service.folder);
  });

  test('passes a list on from heir to heir, and at last takes it along', async (t) => {
    const { service, other, admin, people, leaver, list } = await startHeirs(t);
    await erase(leaver);
    await admin.post('/visits', { restaurant_id: 1 });
    changeStored(service.folder, 'UPDATE users SET is_admin = 1 WHERE id = ?', people.owner.id);
    await erase({ ...people.admin, api: admin });
    assert.deepEqual(await adders(other, list), ['bob', null, null]);
    await erase({ ...people.other, api: other });
    for (const table of ['lists', 'list_members', 'links', 'deleted_lists'])
      assert.deepEqual(
        readStored(
          service.folder,
          `SELECT * FROM ${table} WHERE ${table === 'lists' || table === 'deleted_lists' ? 'id' : 'list_id'} = ?`,
          list,
        ),
        [],
        table,
      );
    assert.deepEqual(readStored(service.folder, 'SELECT * FROM list_items WHERE list_id = ?', list), []);
    const rest =
      "SELECT * FROM changes WHERE kind = 'list' AND entity_id = ? AND coalesce(owner_id, before, after) IS NOT NULL";
    assert.deepEqual(readStored(service.folder, rest, list), []);
    checked(service.folder);
  });

  longTest('takes along a list in the trash, even one with members', async (t) => {
    const { service, other, leaver, list } = await startHeirs(t);
    await addLink(leaver.api, list);
    const gone = changeOf(await leaver.api.delete(`/lists/${list}`));
    await erase(leaver, 'delete');
    assert.deepEqual(await allOf(other), []);
    assert.deepEqual(refusal(await revert(other, gone)), [404, 'Change not found']);
    for (const table of ['list_items', 'links', 'deleted_lists'])
      assert.deepEqual(
        readStored(
          service.folder,
          `SELECT * FROM ${table} WHERE ${table === 'deleted_lists' ? 'id' : 'list_id'} = ?`,
          list,
        ),
        [],
        table,
      );
    const rest =
      "SELECT * FROM changes WHERE kind = 'list' AND entity_id = ? AND (name <> '' OR coalesce(owner_id, before, after, actor_id) IS NOT NULL)";
    assert.deepEqual(readStored(service.folder, rest, list), []);
    checked(service.folder);
    await service.stop();
    assert.deepEqual(wordsIn(service.folder), []);
  });

  test('takes along a list whose members have all left, with its part of the log', async (t) => {
    const { service, other, admin, people, leaver, list } = await startHeirs(t);
    await other.delete(`/lists/${list}/members/${people.other.id}`);
    await leaver.api.delete(`/lists/${list}/members/${people.admin.id}`);
    await erase(leaver);
    assert.equal((await admin.get(`/lists/${list}`)).status, 404);
    const rest =
      "SELECT * FROM changes WHERE kind = 'list' AND entity_id = ? AND coalesce(owner_id, before, after) IS NOT NULL";
    assert.deepEqual(readStored(service.folder, rest, list), []);
    assert.deepEqual(readStored(service.folder, 'SELECT * FROM list_members WHERE list_id = ?', list), []);
    checked(service.folder);
  });
});

describe('the account of a member that ends', () => {
  for (const contributions of ['keep', 'delete'])
    longTest(
      `leaves the items to the list, and nothing of the person: contributions ${contributions}`,
      async (t) => {
        const { service, owner, other, admin, id } = await startListWorld(t);
        const [leaver] = await signUpAll(service, 'zyzzyva');
        assert.ok(leaver);
        const [d = 0] = await addRestaurants(admin, 'D');
        await addMembers(owner, id, leaver.api, other);
        await putItem(leaver.api, id, d, { position: 1, note: 'Stays' });
        const hidden = changeOf(await leaver.api.delete(`/lists/${id}/items/2`));
        await reverted(leaver.api, hidden);
        await leaver.api.put(`/lists/${id}`, { description: 'Stays too' });
        const taken = changeOf(await owner.delete(`/lists/${id}/items/${d}`));
        await addList(leaver.api, 'Quincunx');
        // In the trash of the owner there is a list with items of the person.
        const trash = await addList(owner, 'Trash');
        await addMembers(owner, trash, leaver.api);
        await putItem(leaver.api, trash, 1);
        const gone = changeOf(await owner.delete(`/lists/${trash}`));
        await erase(leaver, contributions);
        await reverted(other, taken);
        assert.deepEqual(await namesOn(other, id), ['D', 'A', 'B', 'C']);
        assert.deepEqual((await adders(other, id))[0], null);
        assert.equal(field((await owner.get(`/lists/${id}`)).body, 'member_count'), 2);
        await reverted(owner, gone);
        assert.deepEqual(await adders(owner, trash), [null]);
        const actors = (await changesOfLists(other)).map(({ actor }) => actor && field(actor, 'username'));
        assert.ok(actors.includes(null) && !actors.includes('zyzzyva'));
        checked(service.folder);
        await service.stop();
        assert.deepEqual(wordsIn(service.folder), []);
        assert.deepEqual(naming(service.folder, leaver), []);
        assert.deepEqual(
          readStored(service.folder, 'SELECT 1 FROM list_items WHERE added_by = ?', leaver.id),
          [],
        );
        assert.deepEqual(
          readStored(service.folder, 'SELECT 1 FROM list_members WHERE user_id = ?', leaver.id),
          [],
        );
      },
    );
});
