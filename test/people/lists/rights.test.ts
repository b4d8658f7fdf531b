import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import Database from 'better-sqlite3';
import { databasePath } from '../../../src/storage/database.ts';
import { changeOf } from '../../support/changes.ts';
import { array, bodyOf, field } from '../../support/client.ts';
import { type Outcome, type Request, send } from '../../support/late.ts';
import {
  addLink,
  addMembers,
  changesOfLists,
  putItem,
  signUpAll,
  startListWorld,
} from '../../support/lists.ts';
import { readStored } from '../../support/people.ts';
import { letPass } from '../../support/write-lock.ts';

// Between the moment at which a request is let in and its write, a list may end for its caller: the answer is the one that a new
// request would get, and nothing is written.

const NO_LIST: Outcome = { status: 404, body: '{"error":"List not found"}' };
const NO_CHANGE: Outcome = { status: 404, body: '{"error":"Change not found"}' };
const NO_LINK: Outcome = { status: 404, body: '{"error":"Link is unknown or expired"}' };

/** A list with two members, a change of one of them, and a link to join it. */
async function start(t: TestContext) {
  const world = await startListWorld(t);
  const { owner, other, admin, id } = world;
  await addMembers(owner, id, other, admin);
  const change = changeOf(await putItem(other, id, 1, { note: 'Mine' }));
  return { ...world, change, link: await addLink(owner, id, { access: 'join' }) };
}

type Started = Awaited<ReturnType<typeof start>>;

// The first of these have a body that may arrive late.
const WITH_BODY = 4;
const OF_MEMBERS: readonly (readonly [string, (world: Started) => Request, Outcome])[] = [
  [
    'notes something',
    ({ id }) => ({ method: 'PUT', path: `/lists/${id}/items/2`, body: { note: 'Late' } }),
    NO_LIST,
  ],
  [
    'moves something',
    ({ id }) => ({ method: 'PUT', path: `/lists/${id}/items/3`, body: { position: 1 } }),
    NO_LIST,
  ],
  ['renames it', ({ id }) => ({ method: 'PUT', path: `/lists/${id}`, body: { name: 'Late' } }), NO_LIST],
  [
    'undoes a change',
    ({ change }) => ({ method: 'POST', path: `/changes/${change}/revert`, body: {} }),
    NO_CHANGE,
  ],
  ['takes something off', ({ id }) => ({ method: 'DELETE', path: `/lists/${id}/items/2` }), NO_LIST],
  [
    'removes another member',
    ({ id, people }) => ({ method: 'DELETE', path: `/lists/${id}/members/${people.admin.id}` }),
    NO_LIST,
  ],
];

/** The list, its items and people, and its part of the log. */
async function contents({ owner, id }: Started): Promise<unknown[]> {
  const paths = [`/lists/${id}?include=items`, `/lists/${id}/members`, `/lists/${id}/links`];
  const read = await Promise.all(paths.map(async (path) => bodyOf(await owner.get(path))));
  return [...read, await changesOfLists(owner)];
}

/** Sends a request whose write has to wait until `sql` has changed what it depends on. */
async function sendWaiting(
  { service, people }: Started,
  request: Request,
  token: string,
  sql: string,
): Promise<Outcome> {
  const database = new Database(databasePath(service.folder));
  try {
    database.exec('BEGIN IMMEDIATE');
    const waiting = send(service, request, token);
    await letPass(service, people.admin.accessToken);
    database.exec(sql);
    database.exec('COMMIT');
    return await waiting;
  } finally {
    database.close();
  }
}

describe('a member who is removed', () => {
  for (const [what, requestOf, refused] of OF_MEMBERS) {
    test(`while the write waits that ${what} gets the answer of others, and nothing is written`, async (t) => {
      const world = await start(t);
      const before = await contents(world);
      const { id, people } = world;
      const leave = `DELETE FROM list_members WHERE list_id = ${id} AND user_id = ${people.other.id}`;
      const { accessToken } = people.other;
      assert.deepEqual(await sendWaiting(world, requestOf(world), accessToken, leave), refused);
      const [list, members, ...rest] = await contents(world);
      assert.equal(array(members).length, 2);
      assert.equal(field(list, 'name'), 'Lyon');
      assert.deepEqual(rest, before.slice(2));
      assert.equal(field(array(field(list, 'items'))[1], 'note'), null);
    });
  }

  for (const [what, requestOf, refused] of OF_MEMBERS.slice(0, WITH_BODY)) {
    test(`while the body arrives that ${what} gets the answer of others, and nothing is written`, async (t) => {
      const world = await start(t);
      const { service, owner, people, id } = world;
      let before: unknown[] = [];
      const late = await send(service, requestOf(world), people.other.accessToken, async () => {
        await owner.delete(`/lists/${id}/members/${people.other.id}`);
        before = await contents(world);
      });
      assert.deepEqual(late, refused);
      assert.deepEqual(await contents(world), before);
    });
  }
});

describe('a link that ends', () => {
  const endings: readonly (readonly [string, (world: Started) => string])[] = [
    ['is removed', ({ link }) => `DELETE FROM links WHERE id = ${link.id}`],
    [
      'expires',
      ({ link }) => `UPDATE links SET expires_at = '2026-01-01T00:00:00.000Z' WHERE id = ${link.id}`,
    ],
    ['belongs to a list that is deleted', ({ id }) => `DELETE FROM lists WHERE id = ${id}`],
    [
      'is of an owner who is deactivated',
      ({ people }) => `UPDATE users SET is_active = 0 WHERE id = ${people.owner.id}`,
    ],
  ];
  for (const [what, sqlOf] of endings)
    test(`lets no one join who is under way when it ${what}`, async (t) => {
      const world = await start(t);
      const { service, link } = world;
      const [guest] = await signUpAll(service, 'dora');
      assert.ok(guest);
      const request: Request = { method: 'POST', path: `/shared/${link.secret}/join`, body: {} };
      const late = await sendWaiting(world, request, guest.accessToken, sqlOf(world));
      assert.deepEqual(late, NO_LINK);
      const stored = readStored(service.folder, 'SELECT 1 FROM list_members WHERE user_id = ?', guest.id);
      assert.deepEqual(stored, []);
    });

  test('lets no one join whose body arrives later', async (t) => {
    const { service, owner, id, link } = await start(t);
    const [guest] = await signUpAll(service, 'dora');
    assert.ok(guest);
    const request: Request = { method: 'POST', path: `/shared/${link.secret}/join`, body: {} };
    const late = await send(service, request, guest.accessToken, async () => {
      bodyOf(await owner.delete(`/lists/${id}/links/${link.id}`));
    });
    assert.deepEqual(late, NO_LINK);
    assert.equal(array((await owner.get(`/lists/${id}/members`)).body).length, 3);
  });
});

describe('an owner whose account ends', () => {
  test('while a link is made gets no link', async (t) => {
    const world = await start(t);
    const { service, admin, people, id } = world;
    const request: Request = { method: 'POST', path: `/lists/${id}/links`, body: { access: 'read' } };
    const late = await send(service, request, people.owner.accessToken, async () => {
      bodyOf(await admin.patch(`/users/${people.owner.id}`, { is_active: false }));
    });
    assert.equal(late.status, 401);
    assert.ok(!late.body.includes('/l/'));
    assert.equal(readStored(service.folder, 'SELECT id FROM links').length, 1);
  });
});
