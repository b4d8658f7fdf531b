import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apiTokenOf, bearing } from '../../support/accounts.ts';
import { allChanges, changeOf, refusal, reverted } from '../../support/changes.ts';
import { type Answer, type Client, array, bodyOf, createClient, field, ids } from '../../support/client.ts';
import {
  addLink,
  addList,
  addMembers,
  addRestaurants,
  join,
  namesOn,
  putItem,
  signUpAll,
  startListWorld,
} from '../../support/lists.ts';
import type { Person } from '../../support/people.ts';
import { longTest } from '../../support/size.ts';
import { ownViews } from '../../support/world.ts';

// Words that stand in the list of these tests, and nowhere else.
const WORDS = {
  name: 'Zyzzyva trip',
  description: 'Brobdingnag plan',
  note: 'Widdershins note',

  visit: 'Absquatulate evening',
  other: 'Quincunx list',
};
// Of a note that was replaced before anyone joined.
const OLD = 'Syzygy note';
const NOT_FOUND = [404, 'List not found'];
const NOT_OWNER = [403, 'Only its owner may do this'];

type Role = 'owner' | 'member' | 'left' | 'removed' | 'stranger' | 'admin' | 'signed out';

interface Caller {
  readonly role: Role;
  readonly isToken: boolean;
  readonly api: Client;
}

/** What a caller was answered, as it was sent. */
interface Seen {
  readonly caller: Caller;
  readonly text: string;
}

let made = 0;
/** A text that differs from the one before. */
const another = (text: string): string => `${text} ${(made += 1)}`;
const isOfList = ({ role }: Caller): boolean => role === 'owner' || role === 'member';

/** The world with a list that was joined, callers of each sort with their sessions and API tokens, and all that they see. */
async function startMatrix(t: Parameters<typeof startListWorld>[0], variables = {}) {
  const world = await startListWorld(t, variables);
  const { owner, id, service, people } = world;
  for (const note of [OLD, WORDS.note]) await putItem(owner, id, 1, { note });
  await owner.put(`/lists/${id}`, { name: WORDS.name, description: WORDS.description });
  const [member, left, removed] = await signUpAll(service, 'dora', 'erik', 'frida');
  assert.ok(member && left && removed);
  await addMembers(owner, id, member.api, left.api, removed.api);
  for (const { api } of [member, left, removed]) await putItem(api, id, 2, { note: another(WORDS.note) });
  bodyOf(await left.api.delete(`/lists/${id}/members/${left.id}`));
  bodyOf(await owner.delete(`/lists/${id}/members/${removed.id}`));
  // What members must not see either.
  await addList(owner, WORDS.other);
  await owner.post('/visits', { restaurant_id: 1, note: WORDS.visit });

  const persons: readonly (readonly [Role, Person])[] = [
    ['owner', people.owner],
    ['member', member],
    ['left', left],
    ['removed', removed],
    ['stranger', people.other],
    ['admin', people.admin],
  ];
  const seen: Seen[] = [];
  const callers: Caller[] = [];
  const add = (role: Role, isToken: boolean, headers: Readonly<Record<string, string>>): void => {
    const api = createClient(service.url, headers, ({ headers: own, body }) => {
      seen.push({ caller, text: JSON.stringify(own) + String(body) });
    });
    const caller = { role, isToken, api };
    callers.push(caller);
  };
  for (const [role, { api, accessToken }] of persons) {
    add(role, false, bearing(accessToken));
    add(role, true, bearing(await apiTokenOf(api)));
  }
  add('signed out', false, {});
  return { ...world, member, left, removed, callers, seen };
}

type Matrix = Awaited<ReturnType<typeof startMatrix>>;

/** A request, and its status for the owner and for a member; for others it is `others`, signed out 401. */
interface Row {
  readonly title: string;
  readonly prepare?: (matrix: Matrix) => Promise<unknown>;
  readonly send: (api: Client, matrix: Matrix) => Promise<Answer>;
  readonly owner: number;
  readonly member: number;
  readonly others?: readonly [number, string];
  readonly needsSession?: true;
}

let [link, change] = [0, 0];
const ROWS: readonly Row[] = [
  { title: 'read the list', send: (api, { id }) => api.get(`/lists/${id}`), owner: 200, member: 200 },
  {
    title: 'read it with its items',
    send: (api, { id }) => api.get(`/lists/${id}?include=items`),
    owner: 200,
    member: 200,
  },
  {
    title: 'read its items',
    send: (api, { id }) => api.get(`/lists/${id}/items?offset=1`),
    owner: 200,
    member: 200,
  },
  {
    title: 'see its people',
    send: (api, { id }) => api.get(`/lists/${id}/members`),
    owner: 200,
    member: 200,
  },
  {
    title: 'find its restaurants',
    send: (api, { id }) => api.get(`/restaurants?list=${id}`),
    owner: 200,
    member: 200,
  },
  {
    title: 'find a page of them',
    send: (api, { id }) => api.get(`/restaurants/paginated?list=${id}&include=mine`),
    owner: 200,
    member: 200,
  },
  {
    title: 'find them on a map',
    send: (api, { id }) => api.get(`/restaurants/map?bbox=-180,-90,180,90&zoom=1&list=${id}`),
    owner: 200,
    member: 200,
  },
  {
    title: 'describe it',
    send: (api, { id }) => api.put(`/lists/${id}`, { description: another(WORDS.description) }),
    owner: 200,
    member: 200,
  },
  {
    title: 'note something',
    send: (api, { id }) => putItem(api, id, 2, { note: another(WORDS.note), position: 1 }),
    owner: 200,
    member: 200,
  },
  {
    title: 'add a restaurant',
    prepare: ({ owner, id }) => owner.delete(`/lists/${id}/items/4`),
    send: (api, { id }) => putItem(api, id, 4),
    owner: 200,
    member: 200,
  },
  {
    title: 'take one off',
    prepare: ({ owner, id }) => putItem(owner, id, 4),
    send: (api, { id }) => api.delete(`/lists/${id}/items/4`),
    owner: 204,
    member: 204,
  },
  { title: 'see its links', send: (api, { id }) => api.get(`/lists/${id}/links`), owner: 200, member: 403 },
  {
    title: 'make a link',
    prepare: ({ owner, id }) => owner.delete(`/lists/${id}/links/${(link += 1)}`),
    send: (api, { id }) => api.post(`/lists/${id}/links`, { access: 'join' }),
    owner: 201,
    member: 403,
    needsSession: true,
  },
  {
    title: 'end a link',
    prepare: async ({ owner, id }) => (link = (await addLink(owner, id)).id),
    send: (api, { id }) => api.delete(`/lists/${id}/links/${link}`),
    owner: 204,
    member: 403,
    needsSession: true,
  },
  {
    title: 'remove one who is not a member',
    send: (api, { id, people }) => api.delete(`/lists/${id}/members/${people.other.id + 1_000}`),
    owner: 404,
    member: 403,
    needsSession: true,
  },
  {
    title: 'read a change',
    prepare: async ({ owner, id }) =>
      (change = changeOf(await putItem(owner, id, 3, { note: another(WORDS.note) }))),
    send: (api) => api.get(`/changes/${change}`),
    owner: 200,
    member: 200,
    others: [404, 'Change not found'],
  },
  {
    title: 'purge a change',
    send: (api) => api.post(`/changes/${change}/purge`, {}),
    owner: 409,
    member: 409,
    others: [404, 'Change not found'],
  },
  {
    title: 'undo a change',
    prepare: async ({ owner, id }) =>
      (change = changeOf(await putItem(owner, id, 3, { note: another(WORDS.note) }))),
    send: (api) => api.post(`/changes/${change}/revert`, {}),
    owner: 200,
    member: 200,
    others: [404, 'Change not found'],
  },
];

describe('a list with members', () => {
  longTest('is open to them and its owner, and to them alone', async (t) => {
    const matrix = await startMatrix(t);
    const { callers, seen, service, admin } = matrix;
    await addRestaurants(admin, 'D');
    for (const row of ROWS)
      for (const caller of callers) {
        const { role, isToken, api } = caller;
        // They come first, and what others are refused need not be new.
        if (isOfList(caller)) await row.prepare?.(matrix);
        const answer = await row.send(api, matrix);
        const what = `${row.title}: ${role}${isToken ? ' by token' : ''}`;
        if (role === 'signed out') assert.equal(answer.status, 401, what);
        else if (isToken && row.needsSession) assert.equal(answer.status, 403, what);
        else if (role === 'owner' || role === 'member')
          assert.equal(answer.status, row[role], `${what} ${JSON.stringify(answer.body)}`);
        else assert.deepEqual(refusal(answer), row.others ?? NOT_FOUND, what);
        if (answer.status === 403 && !isToken) assert.deepEqual(refusal(answer), NOT_OWNER, what);
        assert.match(answer.headers.get('cache-control') ?? 'private', /private/, what);
      }
    for (const { caller, text } of seen.filter((one) => !isOfList(one.caller)))
      assert.deepEqual(
        Object.values(WORDS).filter((word) => text.includes(word)),
        [],
        `${caller.role}: ${text}`,
      );
    const lines = JSON.stringify(service.logs);
    assert.deepEqual(
      [...Object.values(WORDS), 'alice', 'dora', 'erik'].filter((word) => lines.includes(word)),
      [],
    );
  });

  longTest(
    'leaves no trace in what others read of their own, of the catalogue or of its history',
    async (t) => {
      const { callers, seen, id } = await startMatrix(t);
      const own = [
        '/lists',
        '/visits',
        '/me/marks',
        '/me/export',
        '/changes?since=start',
        '/changes?order=newest',
      ];
      const open = [
        '/restaurants/1',
        '/restaurants/1?include=mine',
        '/restaurants?include=mine',
        '/search?q=A&include=mine',
      ];
      const more = [
        '/changes?kind=list',
        `/changes?entity_id=${id}&kind=list`,
        '/batches',
        '/restaurants/1/history',
      ];
      for (const { api } of callers) for (const path of [...own, ...open, ...more]) await api.get(path);
      for (const { caller, text } of seen) {
        if (caller.role === 'owner') continue;
        // The items are the members' as well, but neither what the log has from before, nor other lists and visits.
        const { visit, other } = WORDS;
        const foreign = caller.role === 'member' ? [visit, other, OLD] : Object.values(WORDS);
        assert.deepEqual(
          foreign.filter((word) => text.includes(word)),
          [],
          `${caller.role}: ${text}`,
        );
      }
      for (const caller of callers) {
        const { role, api } = caller;
        if (role === 'signed out') continue;
        const mine = field((await api.get('/restaurants/2?include=mine')).body, 'mine');
        assert.deepEqual(field(mine, 'lists'), isOfList(caller) ? [id] : [], role);
        const marks = field((await api.get('/me/marks')).body, 'restaurants');
        assert.equal(JSON.stringify(marks).includes(`"lists":[${id}]`), isOfList(caller), role);
        assert.equal(ids((await api.get('/lists')).body).includes(id), isOfList(caller), role);
        const exported = await api.get('/me/export');
        if (caller.isToken) assert.equal(exported.status, 403);
        else assert.equal(String(exported.body).includes(WORDS.name), isOfList(caller), role);
        const changes = await allChanges(api, 'kind=list');
        assert.equal(changes.length > 0, isOfList(caller), role);
      }
    },
  );

  test('is deleted by its owner alone, is gone for all then, and comes back for all', async (t) => {
    const { owner, member, left, removed, id } = await startMatrix(t);
    assert.deepEqual(refusal(await member.api.delete(`/lists/${id}`)), NOT_OWNER);
    for (const { api } of [left, removed])
      assert.deepEqual(refusal(await api.delete(`/lists/${id}`)), NOT_FOUND);
    const before = [await ownViews(member.api), (await owner.get(`/lists/${id}/members`)).body];
    const gone = changeOf(await owner.delete(`/lists/${id}`));
    for (const api of [owner, member.api]) {
      assert.deepEqual(refusal(await api.get(`/lists/${id}`)), NOT_FOUND);
      assert.deepEqual(refusal(await api.get(`/lists/${id}/members`)), NOT_FOUND);
      assert.deepEqual(refusal(await api.get(`/restaurants?list=${id}`)), NOT_FOUND);
      assert.ok(!ids((await api.get('/lists')).body).includes(id));
    }
    for (const { api } of [left, removed])
      assert.deepEqual(refusal(await api.post(`/changes/${gone}/revert`, {})), [404, 'Change not found']);
    for (const what of ['revert', 'purge'])
      assert.deepEqual(refusal(await member.api.post(`/changes/${gone}/${what}`, {})), [
        403,
        'This change is not yours to revert',
      ]);
    await reverted(owner, gone);
    assert.deepEqual([await ownViews(member.api), (await owner.get(`/lists/${id}/members`)).body], before);
  });

  test('that is purged is gone for all, with what the log held of it', async (t) => {
    const { owner, member, id } = await startMatrix(t);
    const gone = changeOf(await owner.delete(`/lists/${id}`));
    assert.equal((await owner.post(`/changes/${gone}/purge`, {})).status, 204);
    for (const api of [owner, member.api]) {
      const text = JSON.stringify(await allChanges(api, `kind=list&entity_id=${id}`));
      assert.ok(!text.includes(WORDS.note) && !text.includes(WORDS.description), text);
    }
  });
});

describe('the people of a list', () => {
  test('are its owner, then its members in the order in which they joined', async (t) => {
    const { owner, other, admin, people, id } = await startListWorld(t);
    const madeAt = field((await owner.get(`/lists/${id}`)).body, 'created_at');
    assert.deepEqual((await owner.get(`/lists/${id}/members`)).body, [
      { user: { id: people.owner.id, username: 'alice' }, role: 'owner', joined_at: madeAt },
    ]);
    await addMembers(owner, id, admin, other);
    const all = array((await other.get(`/lists/${id}/members`)).body);
    assert.deepEqual(
      all.map((one) => [field(field(one, 'user'), 'username'), field(one, 'role')]),
      [
        ['alice', 'owner'],
        ['carol', 'member'],
        ['bob', 'member'],
      ],
    );
    assert.equal(field(all[0], 'joined_at'), madeAt);
    for (const api of [owner, other, admin]) {
      const list = (await api.get(`/lists/${id}`)).body;
      assert.deepEqual(
        [field(list, 'member_count'), field(list, 'owner')],
        [3, { id: people.owner.id, username: 'alice' }],
      );
      assert.equal(field(list, 'role'), api === owner ? 'owner' : 'member');
    }
  });

  test('are removed by its owner, and leave by themselves', async (t) => {
    const { owner, other, admin, people, id } = await startListWorld(t);
    await addMembers(owner, id, admin, other);
    const remove = (api: Client, who: number): Promise<Answer> => api.delete(`/lists/${id}/members/${who}`);
    assert.deepEqual(refusal(await remove(other, people.admin.id)), NOT_OWNER);
    assert.deepEqual(refusal(await remove(other, people.owner.id)), NOT_OWNER);
    assert.deepEqual(refusal(await remove(owner, people.owner.id)), [
      409,
      'The owner of a list cannot leave it',
    ]);
    assert.equal((await remove(other, people.other.id)).status, 204);
    assert.deepEqual(refusal(await remove(other, people.other.id)), NOT_FOUND);
    assert.equal((await remove(owner, people.admin.id)).status, 204);
    assert.deepEqual(refusal(await remove(owner, people.admin.id)), [404, 'Member not found']);
    assert.equal(field((await owner.get(`/lists/${id}`)).body, 'member_count'), 1);
    for (const wrong of ['0', 'me', '1.5', '%2F'])
      assert.deepEqual(refusal(await owner.delete(`/lists/${id}/members/${wrong}`)), [
        400,
        'Invalid user ID',
      ]);
  });

  test('leave their items, which name those who added them for as long as they are its people', async (t) => {
    const { owner, other, admin, people, id } = await startListWorld(t);
    const [d = 0, e = 0] = await addRestaurants(admin, 'D', 'E');
    await addMembers(owner, id, other, admin);
    await putItem(other, id, d, { note: 'Of Bob' });
    await putItem(admin, id, e);
    // A note or a move of another person changes nothing about that.
    await putItem(owner, id, d, { position: 1 });
    const adders = async (api: Client): Promise<unknown[]> =>
      array((await api.get(`/lists/${id}/items`)).body).map((item) => {
        const by = field(item, 'added_by');
        return by === null ? null : field(by, 'username');
      });
    assert.deepEqual(await adders(admin), ['bob', 'alice', 'alice', 'alice', 'carol']);
    await other.delete(`/lists/${id}/members/${people.other.id}`);
    await owner.delete(`/lists/${id}/members/${people.admin.id}`);
    assert.deepEqual(await namesOn(owner, id), ['D', 'A', 'B', 'C', 'E']);
    assert.deepEqual(await adders(owner), [null, 'alice', 'alice', 'alice', null]);
    const { secret } = await addLink(owner, id, { access: 'join' });
    bodyOf(await join(other, secret));
    assert.deepEqual(await adders(other), ['bob', 'alice', 'alice', 'alice', null]);
  });

  test('do not learn from a name that is taken which other lists its owner has', async (t) => {
    const { owner, other, people, id } = await startListWorld(t);
    const secret = await addList(owner, 'Zyzzyva Été');
    await addMembers(owner, id, other);
    const renamed = changeOf(await other.put(`/lists/${id}`, { name: 'zyzzyva été' }));
    // The owner sees both, changes both, and is told of names that are taken.
    assert.equal((await owner.put(`/lists/${secret}`, { description: 'Mine' })).status, 200);
    const taken = [409, `List already exists: "zyzzyva été" (id ${id})`];
    assert.deepEqual(refusal(await owner.post('/lists', { name: 'ZYZZYVA ÉTÉ' })), taken);
    // Undo tells a member no more than a change does.
    await reverted(other, renamed);
    await owner.put(`/lists/${secret}`, { name: 'Bern' });
    const named = changeOf(await other.put(`/lists/${id}`, { name: 'Bern' }));
    await owner.put(`/lists/${secret}`, { name: 'Lyon' });
    await reverted(other, named);
    const deleted = changeOf(await owner.delete(`/lists/${id}`));
    await reverted(owner, deleted);
    const names = array((await owner.get('/lists')).body).map((list) => field(list, 'name'));
    assert.deepEqual(names, ['Want to go', 'Favourites', 'Lyon', 'Lyon']);
    const own = await owner.put(`/lists/${id}`, { name: 'want TO go' });
    assert.deepEqual(refusal(own), [409, 'List already exists: "Want to go" (id 3)']);
    // A member is told of a name that they see.
    await addMembers(owner, secret, other);
    await owner.put(`/lists/${secret}`, { name: 'Oslo' });
    const seen = await other.put(`/lists/${id}`, { name: 'OSLO' });
    assert.deepEqual(refusal(seen), [409, `List already exists: "Oslo" (id ${secret})`]);
    await owner.delete(`/lists/${secret}/members/${people.other.id}`);
    // The name of a list of the member's own is free.
    await addList(other, 'Oslo');
    assert.equal((await other.put(`/lists/${id}`, { name: 'Oslo' })).status, 200);
    assert.deepEqual(
      array((await other.get('/lists')).body).map((list) => [field(list, 'name'), field(list, 'role')]),
      [
        ['Want to go', 'owner'],
        ['Favourites', 'owner'],
        ['Oslo', 'member'],
        ['Oslo', 'owner'],
      ],
    );
  });

  test('have their own built-in lists, and room for their own lists', async (t) => {
    const { owner, other, id } = await startListWorld(t);
    await addMembers(owner, id, other);
    await putItem(owner, 'want', 1);
    assert.deepEqual(await namesOn(other, 'want'), []);
    const mine = field((await other.get('/restaurants/1?include=mine')).body, 'mine');
    assert.deepEqual(mine, {
      lists: [id],
      want: false,
      favourite: false,
      rating_id: null,
      visits: 0,
      last_visited_on: null,
    });
  });
});
