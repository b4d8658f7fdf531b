import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { databasePath } from '../../../src/storage/database.ts';
import { bearing, registration, secretOf } from '../../support/accounts.ts';
import { type Client, array, bodyOf, field, textOf } from '../../support/client.ts';
import { TOKEN_HEADER, claimsOf, signed } from '../../support/forge.ts';
import { filePart, importText } from '../../support/imports.ts';
import { type Outcome, type Request, send } from '../../support/late.ts';
import { type Link, addLink, join } from '../../support/lists.ts';
import { addOuting, ballot, inDays, voteByLink } from '../../support/outings.ts';
import { LOCAL, type Person, makeAdmin, readStored, signUp } from '../../support/people.ts';
import { form, photoPart } from '../../support/photos.ts';
import { type Service, startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { holdWriteLock, letPass } from '../../support/write-lock.ts';
import { addPhoto, ratingOf } from '../../support/world.ts';

// A request may take minutes to arrive, and its write may wait for its turn. These tests end a caller's rights in between: the
// answer must be the one that a new request would get, and nothing may be written.

/** A person with an API token, in a catalogue where others have written something, too. */
interface Caller extends Person {
  readonly tokenId: number;
  readonly token: string;
}

/** Makes what a request needs, and returns the request; it would succeed if nothing ended. */
type Prepare<Made = Request> = (caller: Caller, service: Service) => Made | Promise<Made>;

let made = 0;
const unique = (word: string): string => `${word} ${(made += 1)}`;

async function create(api: Client, path: string, body: object): Promise<number> {
  const answer = await api.post(path, body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return Number(field(answer.body, 'id'));
}

const named = (): object => ({ name: unique('Name') });
const restaurant = (api: Client): Promise<number> => create(api, '/restaurants', named());
const rating = async (api: Client): Promise<number> =>
  create(api, '/ratings', ratingOf(await restaurant(api)));
const visit = async (api: Client): Promise<number> =>
  create(api, '/visits', { restaurant_id: await restaurant(api) });
const photo = async (api: Client): Promise<number> =>
  Number(field(await addPhoto(api, await restaurant(api)), 'id'));
const sharedList = async (api: Client): Promise<Link & { readonly list: number }> => {
  const list = await create(api, '/lists', named());
  return { list, ...(await addLink(api, list, { access: 'join' })) };
};
const outing = async (api: Client): ReturnType<typeof addOuting> =>
  addOuting(api, [await restaurant(api), await restaurant(api)]);
const stranger = async (service: Service): Promise<number> =>
  (await signUp(service, unique('guest').replace(' ', ''))).id;

async function deletion(api: Client): Promise<number> {
  const answer = await api.delete(`/restaurants/${await restaurant(api)}`);
  assert.equal(answer.status, 204);
  return Number(answer.headers.get('change'));
}

const file = (): string => `name\n${unique('Imported')}\n`;

const post = (path: string, body: object | Buffer = {}): Request => ({ method: 'POST', path, body });
const put = (path: string, body: object): Request => ({ method: 'PUT', path, body });
const patch = (path: string, body: object): Request => ({ method: 'PATCH', path, body });
const remove = (path: string, body?: object): Request => ({ method: 'DELETE', path, ...(body && { body }) });

// By operationId. A route that writes and is not here fails the first test.
const WRITES: Readonly<Record<string, Prepare>> = {
  createRestaurant: () => post('/restaurants', named()),
  updateRestaurant: async ({ api }) => put(`/restaurants/${await restaurant(api)}`, named()),
  deleteRestaurant: async ({ api }) => remove(`/restaurants/${await restaurant(api)}`),
  mergeRestaurants: async ({ api }) =>
    post(`/restaurants/${await restaurant(api)}/merge`, { from: [await restaurant(api)] }),
  dismissDuplicate: async ({ api }) =>
    post('/duplicates/dismiss', { a: await restaurant(api), b: await restaurant(api) }),
  forgetDismissal: async ({ api }) => {
    const [a, b] = [await restaurant(api), await restaurant(api)];
    await api.post('/duplicates/dismiss', { a, b });
    return remove(`/duplicates/dismissed/${a}/${b}`);
  },
  createRating: async ({ api }) => post('/ratings', ratingOf(await restaurant(api))),
  updateRating: async ({ api }) => put(`/ratings/${await rating(api)}`, { comment: 'Bad soup' }),
  deleteRating: async ({ api }) => remove(`/ratings/${await rating(api)}`),
  createCategory: () => post('/categories', named()),
  updateCategory: async ({ api }) => put(`/categories/${await create(api, '/categories', named())}`, named()),
  deleteCategory: async ({ api }) => remove(`/categories/${await create(api, '/categories', named())}`),
  createFoodType: () => post('/food-types', named()),
  updateFoodType: async ({ api }) => put(`/food-types/${await create(api, '/food-types', named())}`, named()),
  deleteFoodType: async ({ api }) => remove(`/food-types/${await create(api, '/food-types', named())}`),
  createSuggestion: () => post('/suggestions', named()),
  setSuggestionStatus: async ({ api }) => {
    const id = await create(api, '/suggestions', named());
    return patch(`/suggestions/${id}/status`, { status: 'tested' });
  },
  convertSuggestion: async ({ api }) =>
    post(`/suggestions/${await create(api, '/suggestions', named())}/convert`),
  deleteSuggestion: async ({ api }) => remove(`/suggestions/${await create(api, '/suggestions', named())}`),
  uploadPhoto: async ({ api }) => post(`/restaurants/${await restaurant(api)}/photos`, form(photoPart())),
  setPhotoCaption: async ({ api }) => patch(`/photos/${await photo(api)}`, { caption: 'Another' }),
  deletePhoto: async ({ api }) => remove(`/photos/${await photo(api)}`),
  revertChange: async ({ api }) => post(`/changes/${await deletion(api)}/revert`),
  purgeChange: async ({ api }) => post(`/changes/${await deletion(api)}/purge`),
  revertBatch: async ({ api }) => {
    const { body } = await importText(api, file());
    return post(`/batches/${Number(field(body, 'batch_id'))}/revert`);
  },
  importFile: () => post('/imports', form(filePart(file()))),
  createList: () => post('/lists', named()),
  updateList: async ({ api }) => put(`/lists/${await create(api, '/lists', named())}`, named()),
  deleteList: async ({ api }) => remove(`/lists/${await create(api, '/lists', named())}`),
  putItem: async ({ api }) => put(`/lists/want/items/${await restaurant(api)}`, { note: 'Friday' }),
  deleteItem: async ({ api }) => {
    const path = `/lists/want/items/${await restaurant(api)}`;
    await api.put(path, {});
    return remove(path);
  },
  removeMember: async ({ api }, service) => {
    const { list, secret } = await sharedList(api);
    const member = await signUp(service, unique('member').replace(' ', ''));
    await join(member.api, secret);
    return remove(`/lists/${list}/members/${member.id}`);
  },
  createLink: async ({ api }) => post(`/lists/${(await sharedList(api)).list}/links`, { access: 'read' }),
  deleteLink: async ({ api }) => {
    const { list, id } = await sharedList(api);
    return remove(`/lists/${list}/links/${id}`);
  },
  joinShared: async (_, service) => {
    const owner = await signUp(service, unique('owner').replace(' ', ''));
    return post(`/shared/${(await sharedList(owner.api)).secret}/join`);
  },
  createVisit: async ({ api }) => post('/visits', { restaurant_id: await restaurant(api) }),
  updateVisit: async ({ api }) => put(`/visits/${await visit(api)}`, { note: 'Good soup' }),
  deleteVisit: async ({ api }) => remove(`/visits/${await visit(api)}`),
  createApiToken: () => post('/auth/tokens', { name: 'another' }),
  deleteApiToken: async ({ api }) =>
    remove(`/auth/tokens/${await create(api, '/auth/tokens', { name: 'old' })}`),
  createFeed: () => post('/feeds', { kind: 'visits' }),
  deleteFeed: async ({ api }) => remove(`/feeds/${await create(api, '/feeds', { kind: 'visits' })}`),
  createOuting: async ({ api }) =>
    post('/outings', { at: inDays(1), options: [await restaurant(api), await restaurant(api)] }),
  cancelOuting: async ({ api }) => remove(`/outings/${(await outing(api)).id}`),
  closeOuting: async ({ api }) => post(`/outings/${(await outing(api)).id}/close`),
  removeParticipant: async ({ api }, service) => {
    const made = await outing(api);
    bodyOf(await voteByLink(service.api, made, { name: 'Zoe', ...ballot({}) }));
    const [, zoe] = array(field((await api.get(`/outings/${made.id}`)).body, 'participants'));
    return remove(`/outings/${made.id}/participants/${Number(field(zoe, 'id'))}`);
  },
  vote: async ({ api }) => put(`/outings/${(await outing(api)).id}/ballot`, { coming: true }),
  updateCurrentUser: () => patch('/auth/me', { full_name: 'Another Name' }),
  deleteCurrentUser: ({ password }) => remove('/auth/me', { password }),
  changePassword: ({ password }) =>
    post('/auth/password', { current_password: password, new_password: 'another long password' }),
  endAccess: () => remove('/auth/access'),
  endSession: async ({ api }) => {
    const [session] = array((await api.get('/auth/sessions')).body);
    return remove(`/auth/sessions/${Number(field(session, 'id'))}`);
  },
  updateUser: async (_, service) => patch(`/users/${await stranger(service)}`, { is_active: false }),
  deleteUser: async (_, service) => remove(`/users/${await stranger(service)}`, { contributions: 'keep' }),
  endSessionsOfUser: async (_, service) => remove(`/users/${await stranger(service)}/sessions`),
  endAccessOfUser: async (_, service) => remove(`/users/${await stranger(service)}/access`),
  createPasswordReset: async (_, service) => post(`/users/${await stranger(service)}/password-reset`),
  createInvitation: () => post('/invitations'),
  deleteInvitation: async ({ api }) => remove(`/invitations/${await create(api, '/invitations', {})}`),
};

interface PublicWrite extends Request {
  /** Each takes away what the request proves itself by. */
  readonly ends: readonly string[];
}

const LOGGED_OUT = 'DELETE FROM sessions WHERE user_id = :id';
// The trigger that ends the links of an administrator does the rest.
const NO_ADMIN = 'UPDATE users SET is_admin = 0 WHERE id = :id';

// Those that anyone may call, by operationId. What proves their caller is in their body, and may end as well.
const PUBLIC_WRITES: Readonly<Record<string, Prepare<PublicWrite>>> = {
  register: async ({ api }) => {
    const invitation = secretOf(await api.post('/invitations', {}));
    const body = registration(unique('dora').replace(' ', ''), { invitation });
    return { ...post('/auth/register', body), ends: ['DELETE FROM invitations WHERE created_by = :id'] };
  },
  login: ({ email, password }) => ({
    ...post('/auth/login', { email, password }),
    ends: [
      'UPDATE users SET is_active = 0 WHERE id = :id',
      'UPDATE users SET password_hash = NULL WHERE id = :id',
    ],
  }),
  refreshSession: ({ refreshToken }) => ({
    ...post('/auth/refresh', { refresh_token: refreshToken }),
    ends: [LOGGED_OUT],
  }),
  logout: ({ refreshToken }) => ({
    ...post('/auth/logout', { refresh_token: refreshToken }),
    ends: [LOGGED_OUT],
  }),
  resetPassword: async ({ api }, service) => {
    const token = secretOf(await api.post(`/users/${await stranger(service)}/password-reset`, {}));
    return {
      ...post('/auth/password-reset', { token, new_password: 'ten tall ships at sea' }),
      ends: [NO_ADMIN],
    };
  },
  voteByLink: async ({ api }) => {
    const { token } = await outing(api);
    const ends = ['UPDATE users SET is_active = 0 WHERE id = :id'];
    return { ...put(`/shared/${token}/ballot`, { coming: true, name: 'Grace' }), ends };
  },
  checkInvitation: async ({ api }) => {
    const invitation = secretOf(await api.post('/invitations', {}));
    return { ...post('/auth/invitation', { invitation }), ends: [NO_ADMIN] };
  },
};

/** How rights end, as statements on the database, which an operator or another request may run at any time. */
const ENDINGS: Readonly<Record<string, readonly [credential: 'session' | 'token', sql: string]>> = {
  'an account that is deactivated': ['session', 'UPDATE users SET is_active = 0 WHERE id = :id'],
  'an account that is deleted': ['session', 'DELETE FROM users WHERE id = :id'],
  'a session that ends': ['session', 'DELETE FROM sessions WHERE user_id = :id'],
  'an administrator who becomes a user': ['session', 'UPDATE users SET is_admin = 0 WHERE id = :id'],
  'an API token that is removed': ['token', 'DELETE FROM api_tokens WHERE id = :tokenId'],
  'the user of an API token who is deactivated': ['token', 'UPDATE users SET is_active = 0 WHERE id = :id'],
};

// Threads have to start, hash passwords and read files before these come to the queue of writes.
const BY_THREAD_MS = 1_000;
const IN_THREADS = [
  'importFile',
  'revertBatch',
  'uploadPhoto',
  'changePassword',
  'deleteCurrentUser',
  'register',
  'login',
  'resetPassword',
];

const WHILE_WAITING = [
  'an account that is deactivated',
  'an administrator who becomes a user',
  'an API token that is removed',
];

async function startCaller(service: Service): Promise<Caller> {
  const person = await signUp(service, unique('caller').replace(' ', ''));
  makeAdmin(service, person);
  const { body } = await person.api.post('/auth/tokens', { name: 'script' });
  return { ...person, tokenId: Number(field(body, 'id')), token: textOf(body, 'token') };
}

// The background removes the lists of a deleted account, at a time of its own. Writes to items are in the change log as well.
const SWEPT = ['deleted_lists', 'list_items'];

/** Every row of every table that only requests change, apart from the words of the search index. */
function everythingStored({ folder }: Service): string {
  const database = new Database(databasePath(folder), { readonly: true });
  try {
    const tables = database
      .prepare<[], string>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'",
      )
      .pluck()
      .all();
    const kept = tables.filter((name) => !/^(?:sqlite|search)_/.test(name) && !SWEPT.includes(name));
    return JSON.stringify(
      kept.map((name) => [name, database.prepare(`SELECT * FROM "${name}"`).raw().all()]),
    );
  } finally {
    database.close();
  }
}

function end({ folder }: Service, { id, tokenId }: Caller, sql: string): void {
  const database = new Database(databasePath(folder));
  try {
    // As the service has it: otherwise the sessions of a deleted account would stay.
    database.pragma('foreign_keys = ON');
    database.prepare(sql).run({ id, tokenId });
  } finally {
    database.close();
  }
}

interface Tried {
  readonly operationId: string;
  readonly asked: Request;
  readonly token: string;
}

/** An answer, and all that was stored when the rights had ended. */
interface Late {
  readonly late: Outcome;
  readonly before: string;
}

/** Sends a request whose body arrives once the caller's rights have ended. */
async function endWhileArriving(
  service: Service,
  caller: Caller,
  sql: string,
  { asked, token }: Tried,
): Promise<Late> {
  let before = '';
  const late = await send(service, asked, token, () => {
    end(service, caller, sql);
    before = everythingStored(service);
  });
  return { late, before };
}

/** Sends a request whose write has to wait until the caller's rights have ended. */
async function endWhileWaiting(
  service: Service,
  { id, tokenId, accessToken }: Caller,
  sql: string,
  { operationId, asked, token }: Tried,
): Promise<Late> {
  const other = new Database(databasePath(service.folder));
  try {
    other.pragma('foreign_keys = ON');
    other.exec('BEGIN IMMEDIATE');
    const waiting = send(service, asked, token);
    if (IN_THREADS.includes(operationId)) await pause(BY_THREAD_MS);
    else await letPass(service, accessToken);
    other.prepare(sql).run({ id, tokenId });
    other.exec('COMMIT');
    const before = everythingStored(service);
    return { late: await waiting, before };
  } finally {
    other.close();
  }
}

const WHILE = { arrives: 'the body arrives', waits: 'the write waits' };
const ENDED = { arrives: endWhileArriving, waits: endWhileWaiting };

const onlyFor = (sql: string, access: string): boolean => !sql.includes('is_admin') || access !== 'user';

async function startForAdmins(t: TestContext): Promise<Service> {
  return startService(t, { ...LOCAL, WRITE_ACCESS: 'admins' });
}

describe('a caller whose rights end', () => {
  test('is tried at every route that writes', async (t) => {
    const { routes } = await startService(t, LOCAL);
    // A link is sent as a body, since it may be long, and nothing is written.
    const writing = routes
      .filter(({ method, operationId }) => method !== 'GET' && operationId !== 'readMapLink')
      .map(({ operationId }) => operationId);
    assert.deepEqual([...Object.keys(WRITES), ...Object.keys(PUBLIC_WRITES)].sort(), writing.sort());
    for (const { operationId, access } of routes)
      if (operationId in PUBLIC_WRITES) assert.equal(access, 'public', operationId);
  });

  test('has answers stored for an Idempotency-Key where the row allows it, and no secret in any', async (t) => {
    const service = await startForAdmins(t);
    for (const { operationId, method, answers } of service.routes) {
      const prepare = WRITES[operationId];
      if (method !== 'POST' || !prepare) continue;
      const caller = await startCaller(service);
      const asked = await prepare(caller, service);
      const headers = { 'Idempotency-Key': operationId };
      const { status, body } = await send(service, { ...asked, headers }, caller.accessToken);
      assert.ok(status < 300, `${operationId}: ${status} ${body}`);
      const sql = 'SELECT location, CAST(body AS TEXT) AS body FROM idempotency_keys WHERE key = ?';
      const stored = readStored(service.folder, sql, operationId);
      assert.equal(stored.length, answers === 'secret' ? 0 : 1, operationId);
      assert.doesNotMatch(JSON.stringify(stored), /[\w-]{43}/, operationId);
    }
  });

  for (const [who, [credential, sql]] of Object.entries(ENDINGS)) {
    const isTried = (service: Service, operationId: string): boolean => {
      const route = service.routes.find((one) => one.operationId === operationId);
      assert.ok(route);
      return (
        onlyFor(sql, route.access) && (credential === 'session' || route.credentials.includes('apiToken'))
      );
    };
    // The other endings are looked up by the same statement.
    const moments = WHILE_WAITING.includes(who) ? (['arrives', 'waits'] as const) : (['arrives'] as const);
    for (const moment of moments)
      test(`while ${WHILE[moment]}: ${who} gets the answer of a new request, and nothing is written`, async (t) => {
        const service = await startForAdmins(t);
        for (const [operationId, prepare] of Object.entries(WRITES)) {
          if (!isTried(service, operationId)) continue;
          const caller = await startCaller(service);
          const asked = await prepare(caller, service);
          if (moment === 'arrives' && asked.body === undefined) continue;
          const token = credential === 'token' ? caller.token : caller.accessToken;
          // So that the hour of the token's last use is noted already.
          await service.api.get('/auth/me', bearing(token));
          const tried = { operationId, asked, token };
          const { late, before } = await ENDED[moment](service, caller, sql, tried);
          assert.deepEqual(late, await send(service, asked, token), operationId);
          assert.ok(
            late.status === 401 || late.status === 403,
            `${operationId}: ${late.status} ${late.body}`,
          );
          assert.ok(everythingStored(service) === before, `${operationId} has written something`);
        }
      });
  }

  for (const [operationId, prepare] of Object.entries(PUBLIC_WRITES))
    test(`gets the answer of a new request where anyone may call, too: ${operationId}`, async (t) => {
      const service = await startService(t, { ...LOCAL, REGISTRATION: 'open' });
      const { ends: all } = await prepare(await startCaller(service), service);
      // To look at an invitation waits for no write.
      const moments =
        operationId === 'checkInvitation' ? (['arrives'] as const) : (['arrives', 'waits'] as const);
      for (const sql of all)
        for (const moment of moments) {
          const caller = await startCaller(service);
          const { ends: _all, ...asked } = await prepare(caller, service);
          const { late, before } = await ENDED[moment](service, caller, sql, {
            operationId,
            asked,
            token: '',
          });
          assert.deepEqual(late, await send(service, asked, ''));
          assert.equal(late.status === 200, operationId === 'logout', late.body);
          assert.ok(everythingStored(service) === before, 'something was written');
        }
    });

  test('gets the answer of a new request when the access token has expired while the body arrived', async (t) => {
    const service = await startForAdmins(t);
    const caller = await startCaller(service);
    const expiry = Math.floor(Date.now() / 1000) + 3;
    const claims = { ...claimsOf(caller.accessToken), iat: expiry - 900, exp: expiry };
    const late = await send(service, post('/restaurants', named()), signed(TOKEN_HEADER, claims), () =>
      until(() => Date.now() >= expiry * 1000),
    );
    assert.deepEqual(late, { status: 401, body: '{"error":"Token has expired"}' });
    assert.deepEqual(readStored(service.folder, 'SELECT id FROM restaurants'), []);
  });

  for (const isFirst of [true, false])
    test(`writes in one transaction with the end of the rights when it was ${isFirst ? 'before' : 'behind'} it`, async (t) => {
      const attempt = async (): Promise<{ readonly statuses: unknown[]; readonly stored: number }> => {
        const service = await startForAdmins(t);
        const [caller, chef] = [await startCaller(service), await startCaller(service)];
        await chef.api.post('/categories', { name: 'Bistro' });
        const release = holdWriteLock(t, service.folder);
        const ends = (): unknown => chef.api.patch(`/users/${caller.id}`, { is_active: false });
        const writes = (): unknown => caller.api.post('/restaurants', { name: 'Chez Nous' });
        // A write that is refused has all of the transaction run once more.
        const refused = (): unknown => chef.api.post('/categories', { name: 'Bistro' });
        const answers: unknown[] = [];
        for (const ask of isFirst ? [writes, ends, refused] : [ends, writes, refused]) {
          answers.push(ask());
          await letPass(service, chef.accessToken);
        }
        release();
        const statuses = (await Promise.all(answers)).map((answer) => field(answer, 'status'));
        return { statuses, stored: readStored(service.folder, 'SELECT id FROM restaurants').length };
      };
      let found = await attempt();
      // On a busy machine the lock may be held for longer than a write waits for it.
      while (found.statuses.includes(503)) found = await attempt();
      assert.deepEqual(found, {
        statuses: isFirst ? [201, 200, 409] : [200, 401, 409],
        stored: isFirst ? 1 : 0,
      });
    });

  test('does not get a stored answer again', async (t) => {
    const service = await startForAdmins(t);
    const caller = await startCaller(service);
    const asked = { ...post('/restaurants', named()), headers: { 'Idempotency-Key': 'once' } };
    assert.equal((await send(service, asked, caller.accessToken)).status, 201);
    const answer = await send(service, asked, caller.accessToken, () => {
      end(service, caller, NO_ADMIN);
    });
    assert.deepEqual(answer, { status: 403, body: '{"error":"Admin access required"}' });
  });

  test('ends an import before its next rows', async (t) => {
    const service = await startForAdmins(t);
    const caller = await startCaller(service);
    const rows = Array.from({ length: 40_000 }, (_, index) => `Row ${index},Street ${index}`);
    const body = form(filePart(['name,address', ...rows].join('\n')));
    const answer = send(service, post('/imports', body), caller.accessToken);
    const count = (): number => {
      const [row] = readStored(service.folder, 'SELECT count(*) AS count FROM restaurants');
      return Number(field(row, 'count'));
    };
    await until(() => count() > 0);
    end(service, caller, 'UPDATE users SET is_active = 0 WHERE id = :id');
    const soon = count();
    assert.equal((await answer).status, 401);
    const imported = count();
    // At most the batch that was being written.
    assert.ok(imported < rows.length, `${imported} rows, ${soon} when the rights ended`);
  });
});
