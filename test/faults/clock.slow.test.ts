import assert from 'node:assert/strict';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { type ServerProcess, startServerProcess } from '../support/cli.ts';
import { type Answer, type Client, array, createClient, field, ids, textOf } from '../support/client.ts';
import { LOCAL } from '../support/people.ts';
import { form, photoPart, sendForm } from '../support/photos.ts';
import { temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const LIBRARIES = '/usr/lib';
const PRELOAD = readdirSync(LIBRARIES)
  .map((name) => join(LIBRARIES, name, 'faketime/libfaketime.so.1'))
  .find((path) => existsSync(path));
const skip = PRELOAD === undefined ? 'needs the program faketime' : false;

// What wall clocks do, as libfaketime writes it: by that much off, or that date.
const JUMPS = ['+16m', '+8d', '-1h', '@1970-01-01 12:00:00', '@2106-02-08 12:00:00', '+0'];
const PASSWORD = 'alice and a long password';

interface Clocked extends ServerProcess {
  readonly setClock: (time: string) => void;
}

/** A server whose wall clock is the test's; its monotonic one goes on as ever. */
async function startWithClock(t: TestContext, variables: Readonly<Record<string, string>>): Promise<Clocked> {
  const root = temporaryFolder(t);
  const file = join(root, 'clock');
  const setClock = (time: string): void => {
    writeFileSync(file, `${time}\n`);
  };
  setClock('+0');
  const server = await startServerProcess(t, {
    DATA_DIR: join(root, 'data'),
    LD_PRELOAD: PRELOAD ?? '',
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    DONT_FAKE_MONOTONIC: '1',
    ...variables,
  });
  return { ...server, setClock };
}

const bearer = (tokens: unknown): { Authorization: string } => ({
  Authorization: `Bearer ${textOf(tokens, 'access_token')}`,
});
const status = async (asked: Promise<Answer>): Promise<number> => (await asked).status;

describe('tokens and sessions, by the wall clock', { skip }, () => {
  async function signUp(
    api: Client,
  ): Promise<{ access: { Authorization: string }; refresh: object; script: object }> {
    const person = { email: 'alice@example.com', username: 'alice', password: PASSWORD };
    const tokens = (await api.post('/auth/register', person)).body;
    const access = bearer(tokens);
    const token = (await api.post('/auth/tokens', { name: 'script', expires_in_days: 1 }, access)).body;
    const script = { Authorization: `Bearer ${textOf(token, 'token')}` };
    return { access, refresh: { refresh_token: textOf(tokens, 'refresh_token') }, script };
  }

  // The answers to the access token, the refresh token and the token of a day that were issued before.
  const answers: readonly [string, readonly [number, number, number]][] = [
    ['+0', [200, 200, 200]],
    ['+16m', [401, 200, 200]],
    ['+8d', [401, 401, 401]],
    // Issued in what is now the future.
    ['-1h', [401, 200, 200]],
    ['@1970-01-01 12:00:00', [401, 200, 200]],
    ['@2106-02-08 12:00:00', [401, 401, 401]],
  ];
  for (const [jump, expected] of answers)
    test(`answer ${expected.join(', ')} after a jump of ${jump}, and new ones work`, async (t) => {
      const { api, setClock } = await startWithClock(t, LOCAL);
      const { access, refresh, script } = await signUp(api);
      setClock(jump);
      const found = [
        await status(api.get('/auth/me', access)),
        await status(api.post('/auth/refresh', refresh)),
        await status(api.get('/auth/me', { ...script })),
      ];
      assert.deepEqual(found, expected);
      const login = await api.post('/auth/login', { email: 'alice@example.com', password: PASSWORD });
      assert.equal(login.status, 200);
      assert.equal(await status(api.get('/auth/me', bearer(login.body))), 200);
    });
});

describe('a service whose wall clock jumps', { skip }, () => {
  test('writes, reads and pages on, without a repeat or a gap', async (t) => {
    const { url, setClock, process: child, ended } = await startWithClock(t, {});
    const api = createClient(url);
    const statuses: number[] = [];
    const made: number[] = [];
    const make = async (name: string): Promise<void> => {
      const answer = await api.post('/restaurants', { name });
      statuses.push(answer.status);
      made.push(Number(field(answer.body, 'id')));
    };
    for (let number = 0; number < 3; number += 1) await make(`Before ${number}`);
    for (const jump of JUMPS) {
      const first = (await api.get('/restaurants/paginated?limit=2')).body;
      const before = [...made];
      setClock(jump);
      for (let number = 0; number < 3; number += 1) await make(`${jump} ${number}`);
      const rating = { restaurant_id: 1, food_rating: 1, service_rating: 1, ambiance_rating: 1 };
      for (const write of [api.post('/ratings', rating), sendForm(api, form(photoPart()))])
        statuses.push(await status(write));
      const seen = await readOn(api, first);
      assert.deepEqual(new Set(seen).size, seen.length, jump);
      // A page that was started before the jump shows what was there; what is new stands where its date puts it.
      assert.deepEqual(
        before.filter((id) => !seen.includes(id)),
        [],
        jump,
      );
      const anew = await readOn(api, (await api.get('/restaurants/paginated?limit=2')).body);
      assert.deepEqual(
        anew.sort((one, other) => one - other),
        made,
        jump,
      );
      for (const path of ['/restaurants', '/search?q=before', '/restaurants/1/photos', '/health'])
        assert.equal(await status(api.get(path)), 200, `${jump}: ${path}`);
    }
    assert.deepEqual([...new Set(statuses)], [201]);
    child.kill('SIGTERM');
    assert.equal((await ended).code, 0);
  });

  test('limits requests as before: neither open nor closed for good', async (t) => {
    const limits = { RATE_LIMIT_PER_MINUTE: '60', RATE_LIMIT_BURST: '5' };
    const { url, setClock } = await startWithClock(t, limits);
    const api = createClient(url);
    for (const jump of JUMPS) {
      const drain = async (): Promise<number[]> =>
        Promise.all(Array.from({ length: 6 }, () => status(api.get('/categories'))));
      await drain();
      setClock(jump);
      assert.ok((await drain()).includes(429), `open after ${jump}`);
      await until(async () => (await status(api.get('/categories'))) === 200);
    }
  });
});

/** The ids of a first page and of all that follow it. */
async function readOn(api: Client, first: unknown): Promise<number[]> {
  const found: number[] = [];
  let page = first;
  for (;;) {
    found.push(...ids(array(field(page, 'data'))));
    const cursor = field(page, 'next_cursor');
    if (typeof cursor !== 'string') return found;
    page = (await api.get(`/restaurants/paginated?limit=2&cursor=${cursor}`)).body;
  }
}
