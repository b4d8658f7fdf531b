import assert from 'node:assert/strict';
import { request } from 'node:http';
import { type TestContext, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { text } from 'node:stream/consumers';
import { databasePath } from '../../src/storage/database.ts';
import { registration, secretOf } from '../support/accounts.ts';
import { type Client, createClient, field, textOf } from '../support/client.ts';
import { filePart, importText } from '../support/imports.ts';
import { LOCAL, type Person, makeAdmin, readStored, signUp } from '../support/people.ts';
import { FORM_TYPE, form, photoPart } from '../support/photos.ts';
import { type Service, startService } from '../support/service.ts';
import { holdWriteLock } from '../support/write-lock.ts';
import { addPhoto, ratingOf } from '../support/world.ts';

// A request may take minutes to arrive, and its write may wait for its turn. These tests end a caller's rights in between: the
// answer must be the one that a new request would get, and nothing may be written.

/** A person with an API token, in a catalogue where others have written something, too. */
interface Caller extends Person {
  readonly tokenId: number;
  readonly token: string;
}

interface Request {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object | Buffer;
}

/** Makes what a request needs, and returns the request; it would succeed if nothing ended. */
type Prepare<Made = Request> = (caller: Caller, service: Service) => Promise<Made>;

let made = 0;
const unique = (word: string): string => `${word} ${(made += 1)}`;

async function create(api: Client, path: string, body: object): Promise<number> {
  const answer = await api.post(path, body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return Number(field(answer.body, 'id'));
}

const restaurant = (api: Client): Promise<number> =>
  create(api, '/restaurants', { name: unique('Place'), category_id: 1 });
const suggestion = (api: Client): Promise<number> =>
  create(api, '/suggestions', { name: unique('Suggestion') });
const stranger = (service: Service): Promise<Person> => signUp(service, unique('guest').replace(' ', ''));
const named = (): object => ({ name: unique('Name') });
const remove = async (_caller: Caller, path: string): Promise<Request> =>
  Promise.resolve({ method: 'DELETE', path });

async function deletion(api: Client): Promise<number> {
  const answer = await api.delete(`/restaurants/${await restaurant(api)}`);
  assert.equal(answer.status, 204);
  return Number(answer.headers.get('change'));
}

async function importedBatch(api: Client): Promise<number> {
  return Number(field((await importText(api, `name\n${unique('Imported')}\n`)).body, 'batch_id'));
}

// By operationId. A route that writes and is not here fails the first test.
const WRITES: Readonly<Record<string, Prepare>> = {
  createRestaurant: async () => Promise.resolve({ method: 'POST', path: '/restaurants', body: named() }),
  updateRestaurant: async ({ api }) => {
    const id = await restaurant(api);
    return { method: 'PUT', path: `/restaurants/${id}`, body: named() };
  },
  deleteRestaurant: async (caller) => remove(caller, `/restaurants/${await restaurant(caller.api)}`),
  createRating: async ({ api }) => {
    const id = await restaurant(api);
    return { method: 'POST', path: '/ratings', body: ratingOf(id) };
  },
  updateRating: async ({ api }) => {
    const place = await restaurant(api);
    const id = await create(api, '/ratings', ratingOf(place));
    return { method: 'PUT', path: `/ratings/${id}`, body: ratingOf(place, 'Bad soup') };
  },
  deleteRating: async (caller) => {
    const id = await create(caller.api, '/ratings', ratingOf(await restaurant(caller.api)));
    return remove(caller, `/ratings/${id}`);
  },
  createCategory: async () => Promise.resolve({ method: 'POST', path: '/categories', body: named() }),
  updateCategory: async ({ api }) => {
    const id = await create(api, '/categories', named());
    return { method: 'PUT', path: `/categories/${id}`, body: named() };
  },
  deleteCategory: async (caller) =>
    remove(caller, `/categories/${await create(caller.api, '/categories', named())}`),
  createFoodType: async () => Promise.resolve({ method: 'POST', path: '/food-types', body: named() }),
  updateFoodType: async ({ api }) => {
    const id = await create(api, '/food-types', named());
    return { method: 'PUT', path: `/food-types/${id}`, body: named() };
  },
  deleteFoodType: async (caller) =>
    remove(caller, `/food-types/${await create(caller.api, '/food-types', named())}`),
  createSuggestion: async () => Promise.resolve({ method: 'POST', path: '/suggestions', body: named() }),
  setSuggestionStatus: async ({ api }) => {
    const id = await suggestion(api);
    return { method: 'PATCH', path: `/suggestions/${id}/status`, body: { status: 'tested' } };
  },
  convertSuggestion: async ({ api }) => {
    const id = await suggestion(api);
    return { method: 'POST', path: `/suggestions/${id}/convert`, body: {} };
  },
  deleteSuggestion: async (caller) => remove(caller, `/suggestions/${await suggestion(caller.api)}`),
  uploadPhoto: async ({ api }) => {
    const id = await restaurant(api);
    return { method: 'POST', path: `/restaurants/${id}/photos`, body: form(photoPart()) };
  },
  setPhotoCaption: async ({ api }) => {
    const id = Number(field(await addPhoto(api, await restaurant(api)), 'id'));
    return { method: 'PATCH', path: `/photos/${id}`, body: { caption: 'Another' } };
  },
  deletePhoto: async (caller) => {
    const id = Number(field(await addPhoto(caller.api, await restaurant(caller.api)), 'id'));
    return remove(caller, `/photos/${id}`);
  },
  revertChange: async ({ api }) => {
    const id = await deletion(api);
    return { method: 'POST', path: `/changes/${id}/revert`, body: {} };
  },
  purgeChange: async ({ api }) => {
    const id = await deletion(api);
    return { method: 'POST', path: `/changes/${id}/purge`, body: {} };
  },
  revertBatch: async ({ api }) => {
    const id = await importedBatch(api);
    return { method: 'POST', path: `/batches/${id}/revert`, body: {} };
  },
  importFile: async () => {
    const body = form(filePart(`name\n${unique('Imported')}\n`));
    return Promise.resolve({ method: 'POST', path: '/imports', body });
  },
  createList: async () => Promise.resolve({ method: 'POST', path: '/lists', body: named() }),
  updateList: async ({ api }) => {
    const id = await create(api, '/lists', named());
    return { method: 'PUT', path: `/lists/${id}`, body: named() };
  },
  deleteList: async (caller) => remove(caller, `/lists/${await create(caller.api, '/lists', named())}`),
  putItem: async ({ api }) => {
    const id = await restaurant(api);
    return { method: 'PUT', path: `/lists/want/items/${id}`, body: { note: 'Friday' } };
  },
  deleteItem: async (caller) => {
    const id = await restaurant(caller.api);
    await caller.api.put(`/lists/want/items/${id}`, {});
    return remove(caller, `/lists/want/items/${id}`);
  },
  createVisit: async ({ api }) => {
    const id = await restaurant(api);
    return { method: 'POST', path: '/visits', body: { restaurant_id: id, note: 'Good soup' } };
  },
  updateVisit: async ({ api }) => {
    const id = await create(api, '/visits', { restaurant_id: await restaurant(api) });
    return { method: 'PUT', path: `/visits/${id}`, body: { note: 'Good soup' } };
  },
  deleteVisit: async (caller) => {
    const id = await create(caller.api, '/visits', { restaurant_id: await restaurant(caller.api) });
    return remove(caller, `/visits/${id}`);
  },
  createApiToken: async () =>
    Promise.resolve({ method: 'POST', path: '/auth/tokens', body: { name: 'another' } }),
  deleteApiToken: async (caller) =>
    remove(caller, `/auth/tokens/${await create(caller.api, '/auth/tokens', { name: 'old' })}`),
  updateCurrentUser: async () =>
    Promise.resolve({ method: 'PATCH', path: '/auth/me', body: { full_name: 'Another Name' } }),
  deleteCurrentUser: async ({ password }) =>
    Promise.resolve({ method: 'DELETE', path: '/auth/me', body: { password } }),
  changePassword: async ({ password }) =>
    Promise.resolve({
      method: 'POST',
      path: '/auth/password',
      body: { current_password: password, new_password: 'another long password' },
    }),
  endSession: async (caller) => {
    const sessions = (await caller.api.get('/auth/sessions')).body;
    const id = Array.isArray(sessions) ? Number(field(sessions[0], 'id')) : 0;
    return remove(caller, `/auth/sessions/${id}`);
  },
  updateUser: async (_, service) => {
    const { id } = await stranger(service);
    return { method: 'PATCH', path: `/users/${id}`, body: { is_active: false } };
  },
  deleteUser: async (_, service) => {
    const { id } = await stranger(service);
    return { method: 'DELETE', path: `/users/${id}`, body: { contributions: 'keep' } };
  },
  endSessionsOfUser: async (caller, service) =>
    remove(caller, `/users/${(await stranger(service)).id}/sessions`),
  createPasswordReset: async (_, service) => {
    const { id } = await stranger(service);
    return { method: 'POST', path: `/users/${id}/password-reset`, body: {} };
  },
  createInvitation: async () => Promise.resolve({ method: 'POST', path: '/invitations', body: {} }),
  deleteInvitation: async (caller) =>
    remove(caller, `/invitations/${await create(caller.api, '/invitations', {})}`),
};

interface PublicWrite extends Request {
  /** Takes away what the request proves itself by. */
  readonly end: string;
}

// Those that anyone may call, by operationId. Whatever proves their caller is in their body, and may end as well.
const PUBLIC_WRITES: Readonly<Record<string, Prepare<PublicWrite>>> = {
  register: async ({ api }) => {
    const invitation = secretOf(await api.post('/invitations', {}));
    const body = registration(unique('dora').replace(' ', ''), { invitation });
    return {
      method: 'POST',
      path: '/auth/register',
      body,
      end: 'DELETE FROM invitations WHERE created_by = :id',
    };
  },
  login: async ({ email, password }) => {
    const end = 'UPDATE users SET is_active = 0 WHERE id = :id';
    return Promise.resolve({ method: 'POST', path: '/auth/login', body: { email, password }, end });
  },
  refreshSession: async ({ refreshToken }) => {
    const end = 'DELETE FROM sessions WHERE user_id = :id';
    const body = { refresh_token: refreshToken };
    return Promise.resolve({ method: 'POST', path: '/auth/refresh', body, end });
  },
  logout: async ({ refreshToken }) => {
    const end = 'DELETE FROM sessions WHERE user_id = :id';
    const body = { refresh_token: refreshToken };
    return Promise.resolve({ method: 'POST', path: '/auth/logout', body, end });
  },
  resetPassword: async ({ api }, service) => {
    const token = secretOf(await api.post(`/users/${(await stranger(service)).id}/password-reset`, {}));
    const body = { token, new_password: 'ten tall ships at sea' };
    // By the trigger that ends the links of an administrator.
    const end = 'UPDATE users SET is_admin = 0 WHERE id = :id';
    return { method: 'POST', path: '/auth/password-reset', body, end };
  },
  checkInvitation: async ({ api }) => {
    const invitation = secretOf(await api.post('/invitations', {}));
    const end = 'UPDATE users SET is_admin = 0 WHERE id = :id';
    return { method: 'POST', path: '/auth/invitation', body: { invitation }, end };
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

// Long enough for a request to reach the queue of writes; a slower one is refused before, which is right as well. Threads
// have to start, and hash passwords.
const QUEUED_MS = 100;
const QUEUED_BY_THREAD_MS = 1_000;
const IN_THREADS = [
  'importFile',
  'revertBatch',
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

interface Outcome {
  readonly status: number;
  readonly body: string;
}

/** Sends a request; `arriving` runs once the service has let the caller in and waits for the body. */
async function send(
  { port }: Service,
  { method, path, body }: Request,
  token: string,
  arriving?: () => void | Promise<void>,
): Promise<Outcome> {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body === undefined ? '' : JSON.stringify(body));
  return new Promise((resolve, reject) => {
    const outgoing = request({
      ...{ host: '127.0.0.1', port, method, path: `/api${path}`, agent: false },
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'Content-Type': Buffer.isBuffer(body) ? FORM_TYPE : 'application/json' }),
        ...(body !== undefined && { 'Content-Length': bytes.length }),
        ...(arriving && { Expect: '100-continue' }),
      },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      text(response).then((body) => {
        resolve({ status: response.statusCode ?? 0, body });
      }, reject);
    });
    if (arriving) {
      outgoing.flushHeaders();
      outgoing.on('continue', () => {
        Promise.resolve(arriving()).then(() => outgoing.end(bytes), reject);
      });
    } else outgoing.end(bytes);
  });
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
  { id, tokenId }: Caller,
  sql: string,
  { operationId, asked, token }: Tried,
): Promise<Late> {
  const other = new Database(databasePath(service.folder));
  try {
    other.pragma('foreign_keys = ON');
    other.exec('BEGIN IMMEDIATE');
    const waiting = send(service, asked, token);
    await pause(IN_THREADS.includes(operationId) ? QUEUED_BY_THREAD_MS : QUEUED_MS);
    other.prepare(sql).run({ id, tokenId });
    other.exec('COMMIT');
    const before = everythingStored(service);
    return { late: await waiting, before };
  } finally {
    other.close();
  }
}

const onlyFor = (sql: string, access: string): boolean => !sql.includes('is_admin') || access !== 'user';

async function startForAdmins(t: TestContext): Promise<Service> {
  return startService(t, { ...LOCAL, WRITE_ACCESS: 'admins' });
}

describe('a caller whose rights end', () => {
  test('is tried at every route that writes', async (t) => {
    const { routes } = await startService(t, LOCAL);
    const writing = routes.filter(({ method }) => method !== 'GET').map(({ operationId }) => operationId);
    assert.deepEqual([...Object.keys(WRITES), ...Object.keys(PUBLIC_WRITES)].sort(), writing.sort());
    for (const { operationId, access } of routes)
      if (operationId in PUBLIC_WRITES) assert.equal(access, 'public', operationId);
  });

  for (const [who, [credential, sql]] of Object.entries(ENDINGS)) {
    const triesOf = (service: Service): [string, Prepare][] =>
      Object.entries(WRITES).filter(([operationId]) => {
        const route = service.routes.find((one) => one.operationId === operationId);
        assert.ok(route);
        const takesTokens = route.needsSession !== true && operationId !== 'createApiToken';
        return onlyFor(sql, route.access) && (credential === 'session' || takesTokens);
      });

    test(`while the body arrives: ${who} gets the answer of a new request, and nothing is written`, async (t) => {
      const service = await startForAdmins(t);
      for (const [operationId, prepare] of triesOf(service)) {
        const caller = await startCaller(service);
        const asked = await prepare(caller, service);
        if (asked.body === undefined) continue;
        const token = credential === 'token' ? caller.token : caller.accessToken;
        const { late, before } = await endWhileArriving(service, caller, sql, { operationId, asked, token });
        assert.deepEqual(late, await send(service, asked, token), operationId);
        assert.ok(late.status === 401 || late.status === 403, `${operationId}: ${late.status} ${late.body}`);
        assert.ok(everythingStored(service) === before, `${operationId} has written something`);
      }
    });

    // The other endings are looked up by the same statement.
    if (!WHILE_WAITING.includes(who)) continue;
    test(`while the write waits: ${who} gets the answer of a new request, and nothing is written`, async (t) => {
      const service = await startForAdmins(t);
      for (const [operationId, prepare] of triesOf(service)) {
        const caller = await startCaller(service);
        const asked = await prepare(caller, service);
        const token = credential === 'token' ? caller.token : caller.accessToken;
        // So that the hour of the token's last use is noted already.
        await createClient(service.url, { Authorization: `Bearer ${token}` }).get('/auth/me');
        const { late, before } = await endWhileWaiting(service, caller, sql, { operationId, asked, token });
        assert.deepEqual(late, await send(service, asked, token), operationId);
        assert.ok(late.status === 401 || late.status === 403, `${operationId}: ${late.status} ${late.body}`);
        assert.ok(everythingStored(service) === before, `${operationId} has written something`);
      }
    });
  }

  for (const [operationId, prepare] of Object.entries(PUBLIC_WRITES))
    test(`gets the answer of a new request where anyone may call, too: ${operationId}`, async (t) => {
      const service = await startService(t, { ...LOCAL, REGISTRATION: 'open' });
      // To look at an invitation waits for no write.
      for (const isWaiting of operationId === 'checkInvitation' ? [false] : [false, true]) {
        const caller = await startCaller(service);
        const { end: sql, ...asked } = await prepare(caller, service);
        const request = { operationId, asked, token: '' };
        const { late, before } = isWaiting
          ? await endWhileWaiting(service, caller, sql, request)
          : await endWhileArriving(service, caller, sql, request);
        assert.deepEqual(late, await send(service, asked, ''));
        assert.equal(late.status === 200, operationId === 'logout', late.body);
        assert.ok(everythingStored(service) === before, 'something was written');
      }
    });

  for (const isFirst of [true, false])
    test(`writes in one transaction with the end of the rights when it was ${isFirst ? 'before' : 'behind'} it`, async (t) => {
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
        await pause(QUEUED_MS);
      }
      release();
      const statuses = (await Promise.all(answers)).map((answer) => field(answer, 'status'));
      assert.deepEqual(statuses, isFirst ? [201, 200, 409] : [200, 401, 409]);
      const stored = readStored(service.folder, 'SELECT id FROM restaurants');
      assert.equal(stored.length, isFirst ? 1 : 0);
    });

  test('does not get a stored answer again', async (t) => {
    const service = await startForAdmins(t);
    const caller = await startCaller(service);
    const body = named();
    const headers = { 'Idempotency-Key': 'once' };
    assert.equal((await caller.api.post('/restaurants', body, headers)).status, 201);
    const answer = await new Promise<Outcome>((resolve, reject) => {
      const outgoing = request({
        ...{ host: '127.0.0.1', port: service.port, method: 'POST', path: '/api/restaurants', agent: false },
        headers: {
          ...headers,
          Authorization: `Bearer ${caller.accessToken}`,
          'Content-Type': 'application/json',
          Expect: '100-continue',
        },
      });
      outgoing.on('error', reject).flushHeaders();
      outgoing.on('continue', () => {
        end(service, caller, 'UPDATE users SET is_admin = 0 WHERE id = :id');
        outgoing.end(JSON.stringify(body));
      });
      outgoing.on('response', (response) => {
        text(response).then((received) => {
          resolve({ status: response.statusCode ?? 0, body: received });
        }, reject);
      });
    });
    assert.deepEqual(answer, { status: 403, body: '{"error":"Admin access required"}' });
  });

  test('ends an import before its next rows', async (t) => {
    const service = await startForAdmins(t);
    const caller = await startCaller(service);
    const rows = Array.from({ length: 40_000 }, (_, index) => `Row ${index},Street ${index}`);
    const body = form(filePart(['name,address', ...rows].join('\n')));
    const answer = send(service, { method: 'POST', path: '/imports', body }, caller.accessToken);
    const count = (): number => {
      const [row] = readStored(service.folder, 'SELECT count(*) AS count FROM restaurants');
      return Number(field(row, 'count'));
    };
    while (count() === 0) await pause(5);
    end(service, caller, 'UPDATE users SET is_active = 0 WHERE id = :id');
    const soon = count();
    assert.equal((await answer).status, 401);
    const imported = count();
    // At most the batch that was being written.
    assert.ok(imported < rows.length, `${imported} rows, ${soon} when the rights ended`);
  });
});
