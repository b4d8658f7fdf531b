import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { hash } from '@node-rs/argon2';
import { LoginAttempts } from '../../../src/people/accounts/attempts.ts';
import { Passwords } from '../../../src/people/accounts/passwords.ts';
import { startWithAlice } from '../../support/accounts.ts';
import { refusal } from '../../support/changes.ts';
import { type Answer, createClient, field, textOf } from '../../support/client.ts';
import { LOCAL, changeStored, readStored, signUp } from '../../support/people.ts';
import { type Service, startService } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';

describe('POST /auth/login', () => {
  test('answers 200 with tokens and the user, by email without case', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const { status, body } = await service.api.post('/auth/login', {
      email: ' ALICE@Example.com ',
      password: alice.password,
    });
    assert.equal(status, 200);
    assert.deepEqual(
      [field(body, 'token_type'), field(body, 'expires_in'), field(field(body, 'user'), 'id')],
      ['Bearer', 900, alice.id],
    );
    assert.notEqual(textOf(body, 'refresh_token'), alice.refreshToken);
    assert.ok(textOf(field(body, 'user'), 'last_login_at') >= textOf(field(body, 'user'), 'created_at'));
  });

  test('signs an access token as documented', async (t) => {
    const { accessToken, id } = (await startWithAlice(t)).alice;
    const [header, payload] = accessToken
      .split('.')
      .slice(0, 2)
      .map((part): unknown => JSON.parse(Buffer.from(part, 'base64url').toString()));
    assert.deepEqual(header, { alg: 'HS256', typ: 'at+jwt' });
    const [issued, expires] = [Number(field(payload, 'iat')), Number(field(payload, 'exp'))];
    assert.equal(expires - issued, 15 * 60);
    assert.ok(Math.abs(issued - Date.now() / 1000) < 5);
    assert.match(textOf(payload, 'sid'), /^[0-9a-f]{32}$/);
    assert.deepEqual(payload, {
      iss: 'restaurant-catalogue',
      aud: 'restaurant-catalogue',
      sub: String(id),
      sid: field(payload, 'sid'),
      iat: issued,
      exp: expires,
    });
  });

  test('answers an unknown email, a wrong password, an account of a provider and an inactive one alike', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const [bob, carol] = [await signUp(service, 'bob'), await signUp(service, 'carol')];
    const joined = "UPDATE users SET password_hash = NULL, provider = 'idp' WHERE id = ?";
    changeStored(service.folder, joined, bob.id);
    changeStored(service.folder, 'UPDATE users SET is_active = 0 WHERE id = ?', carol.id);
    const tries = [
      { email: 'unknown@example.com', password: 'a long password' },
      { email: 'no email at all', password: 'x' },
      { email: alice.email, password: 'a wrong password' },
      { email: alice.email, password: alice.password.toUpperCase() },
      { email: alice.email, password: alice.password + 'x'.repeat(300) },
      { email: bob.email, password: bob.password },
      { email: bob.email, password: ' ' },
      { email: carol.email, password: carol.password },
    ];
    for (const body of tries) {
      const answer = await service.api.post('/auth/login', body);
      assert.deepEqual(refusal(answer), [401, 'Invalid credentials'], body.email);
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
      assert.equal(answer.headers.get('cache-control'), 'private, no-store');
    }
  });

  const refusals: readonly [object, string][] = [
    [{}, 'email is required; password is required'],
    [{ email: 'a@example.com' }, 'password is required'],
    [{ email: 5, password: ['x'] }, 'email must be a string; password must be a string'],
  ];
  test('refuses a body without email and password', async (t) => {
    const { api } = await startService(t, LOCAL);
    for (const [body, error] of refusals)
      assert.deepEqual(refusal(await api.post('/auth/login', body)), [400, error]);
  });

  longTest('strengthens a hash that was made with weaker parameters, and none other', async (t) => {
    const { service, alice } = await startWithAlice(t, {}, { passwords: new Passwords() });
    const weak = await hash(alice.password, { memoryCost: 8_192, timeCost: 1, parallelism: 1 });
    const stored = (): string =>
      textOf(readStored(service.folder, 'SELECT password_hash FROM users')[0], 'password_hash');
    changeStored(service.folder, 'UPDATE users SET password_hash = ?', weak);
    const wrong = { ...alice, password: 'a wrong password' };
    assert.equal((await service.api.post('/auth/login', wrong)).status, 401);
    assert.equal(stored(), weak);
    assert.equal((await service.api.post('/auth/login', alice)).status, 200);
    const strong = stored();
    assert.match(strong, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    assert.equal((await service.api.post('/auth/login', alice)).status, 200);
    assert.equal(stored(), strong);
  });

  test('records address and user agent with the session, cut to their columns', async (t) => {
    const { service, alice } = await startWithAlice(t);
    await service.api.post('/auth/login', alice, {
      'User-Agent': 'x'.repeat(2_000),
      'X-Forwarded-For': '2001:db8:1:2:3:4:5:6',
    });
    const [, row] = readStored(service.folder, 'SELECT ip_address, user_agent FROM sessions ORDER BY id');
    assert.deepEqual(row, { ip_address: '2001:db8:1:2:3:4:5:6', user_agent: 'x'.repeat(512) });
  });

  test('remembers the last fifty addresses of an account', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const more = `INSERT INTO login_addresses (user_id, address_key, last_login_at)
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
      SELECT ?, 'address ' || i, printf('2020-01-01T00:%02d:00.000Z', i) FROM n`;
    changeStored(service.folder, more, alice.id);
    await service.api.post('/auth/login', alice);
    const kept = readStored(service.folder, 'SELECT address_key FROM login_addresses ORDER BY last_login_at');
    assert.equal(kept.length, 50);
    assert.equal(textOf(kept[0], 'address_key'), 'address 2');
  });

  test('sweeps sessions that have expired', async (t) => {
    const { service, alice } = await startWithAlice(t);
    changeStored(service.folder, "UPDATE sessions SET expires_at = '2020-01-01T00:00:00.000Z'");
    await service.api.post('/auth/login', alice);
    assert.deepEqual(readStored(service.folder, 'SELECT id FROM sessions'), [{ id: 2 }]);
    assert.equal(readStored(service.folder, 'SELECT session_id FROM refresh_tokens').length, 1);
  });
});

const INVALID = [401, 'Invalid credentials'];
// One character that compatibility normalisation (NFKC) makes eighteen of.
const SWELLING = '\ufdfa';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

function withClock(maxEntries?: number): { attempts: LoginAttempts; clock: { now: number } } {
  const clock = { now: 5 * MINUTE };
  const now = (): number => clock.now;
  return { attempts: new LoginAttempts({ now, ...(maxEntries !== undefined && { maxEntries }) }), clock };
}

const unknown = (): boolean => false;
const known = (): boolean => true;

/** The bytes of the heap that are in use after a collection. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('the heap cannot be collected');
  Reflect.apply(collect, undefined, []);
  return process.memoryUsage().heapUsed;
}

describe('the count of failed logins', () => {
  test('lets ten fail for one account and address in fifteen minutes, then waits for the oldest to age', () => {
    const { attempts, clock } = withClock();
    for (let count = 0; count < 10; count += 1) {
      assert.equal(attempts.wait('a', 'x', known), 0, `after ${count}`);
      attempts.failed('a', 'x');
      clock.now += MINUTE;
    }
    assert.equal(attempts.wait('a', 'x', known), 5 * 60);
    clock.now += 5 * MINUTE - 1;
    assert.equal(attempts.wait('a', 'x', known), 1);
    clock.now += 1;
    assert.equal(attempts.wait('a', 'x', known), 0);
    attempts.failed('a', 'x');
    assert.equal(attempts.wait('a', 'x', known), 60);
  });

  test('is of the pair: neither another address nor another account waits', () => {
    const { attempts } = withClock();
    for (let count = 0; count < 10; count += 1) attempts.failed('a', 'x');
    assert.ok(attempts.wait('a', 'x', unknown) > 0);
    assert.equal(attempts.wait('a', 'y', unknown), 0);
    assert.equal(attempts.wait('b', 'x', unknown), 0);
  });

  test('begins anew after a success', () => {
    const { attempts } = withClock();
    for (let count = 0; count < 9; count += 1) attempts.failed('a', 'x');
    attempts.succeeded('a', 'x');
    for (let count = 0; count < 9; count += 1) attempts.failed('a', 'x');
    assert.equal(attempts.wait('a', 'x', unknown), 0);
  });

  test('delays addresses that the account was never signed in from, ever longer, after a hundred in a row', () => {
    const { attempts, clock } = withClock();
    for (let count = 0; count < 100; count += 1) attempts.failed('a', `x${count}`);
    for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]) {
      assert.equal(attempts.wait('a', 'y', unknown), seconds);
      assert.equal(attempts.wait('a', 'y', known), 0);
      clock.now += seconds * SECOND;
      assert.equal(attempts.wait('a', 'y', unknown), 0);
      attempts.failed('a', `y${seconds}`);
    }
    attempts.succeeded('a', 'z');
    assert.equal(attempts.wait('a', 'y', unknown), 0);
  });

  test('asks for the address only where that decides', () => {
    const { attempts } = withClock();
    const never = (): boolean => assert.fail('asked');
    for (let count = 0; count < 99; count += 1) attempts.failed('a', `x${count}`);
    assert.equal(attempts.wait('a', 'y', never), 0);
  });

  test('stores a bounded number of entries, the youngest', () => {
    const { attempts } = withClock(100);
    for (let count = 0; count < 10; count += 1) attempts.failed('victim', 'x');
    for (let count = 0; count < 49; count += 1) attempts.failed(`a${count}`, 'x');
    assert.ok(attempts.wait('victim', 'x', unknown) > 0);
    for (let count = 0; count < 1_000; count += 1) {
      attempts.failed(`b${count}`, 'x');
      assert.ok(attempts.size() <= 200);
    }
    assert.equal(attempts.wait('victim', 'x', unknown), 0);
  });

  longTest('takes no more memory for long accounts than for short ones', () => {
    const attempts = new LoginAttempts();
    const before = heapUsed();
    for (let count = 0; count < 50; count += 1)
      attempts.failed(`${count} ${'x'.repeat(200_000)}`, '192.0.2.1');
    const more = (heapUsed() - before) / 1024 / 1024;
    assert.equal(attempts.size(), 100);
    assert.ok(more < 2, `${more} MB`);
  });
});

const TOO_MANY = [429, 'Too many failed logins. Please try again later.'];

function login({ url }: Service, email: string, password: string, address = '192.0.2.1'): Promise<Answer> {
  return createClient(url, { 'X-Forwarded-For': address }).post('/auth/login', { email, password });
}

describe('logins that fail', () => {
  test('answer 429 after ten, though the password is right now, and count without the case of the email', async (t) => {
    const { service, alice } = await startWithAlice(t);
    for (let count = 0; count < 10; count += 1) {
      const email = count % 2 === 0 ? alice.email : alice.email.toUpperCase();
      assert.equal((await login(service, email, 'a wrong password')).status, 401);
    }
    for (const password of ['a wrong password', alice.password]) {
      const answer = await login(service, alice.email, password);
      assert.deepEqual(refusal(answer), TOO_MANY);
      const wait = Number(answer.headers.get('retry-after'));
      assert.ok(wait > 800 && wait <= 900, `${wait} s`);
    }
    assert.equal((await login(service, alice.email, alice.password, '192.0.2.2')).status, 200);
  });

  longTest('are ten though many are sent at once, and the rest learn nothing', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const passwords = Array.from({ length: 30 }, (_, index) =>
      index < 29 ? 'a wrong password' : alice.password,
    );
    const answers = await Promise.all(passwords.map((password) => login(service, alice.email, password)));
    const statuses = answers.map(({ status }) => status);
    assert.ok(statuses.every((status) => [401, 429, 503].includes(status)));
    // On a busy machine some are turned away before they count: those that are left to try make up for them.
    while (statuses.at(-1) !== 429)
      statuses.push((await login(service, alice.email, 'a wrong password')).status);
    assert.equal(statuses.filter((status) => status === 401).length, 10);
  });

  test('are counted by /64 for IPv6', async (t) => {
    const { service, alice } = await startWithAlice(t);
    for (let count = 0; count < 10; count += 1)
      await login(service, alice.email, 'a wrong password', `2001:db8:0:1::${count + 1}`);
    assert.equal((await login(service, alice.email, alice.password, '2001:db8:0:1::99')).status, 429);
    assert.equal((await login(service, alice.email, alice.password, '2001:db8:0:2::1')).status, 200);
  });

  longTest(
    'from anywhere delay strangers after a hundred, not those who were signed in from their address before',
    async (t) => {
      const { service, alice } = await startWithAlice(t);
      assert.equal((await login(service, alice.email, alice.password, '192.0.2.77')).status, 200);
      changeStored(service.folder, 'DELETE FROM sessions');
      for (let count = 0; count < 100; count += 1)
        await login(service, alice.email, 'a wrong password', `198.51.100.${count}`);
      const stranger = await login(service, alice.email, alice.password, '203.0.113.1');
      assert.deepEqual(refusal(stranger), TOO_MANY);
      assert.equal(stranger.headers.get('retry-after'), '1');
      assert.equal((await login(service, alice.email, alice.password, '192.0.2.77')).status, 200);
      assert.equal((await login(service, alice.email, alice.password, '203.0.113.1')).status, 200);
    },
  );

  longTest('with an over-long text are refused like those of an unknown account, and counted', async (t) => {
    const { service, alice } = await startWithAlice(t);
    const tries = [
      { email: `${'a'.repeat(300)}@example.com`, password: alice.password },
      { email: `${alice.email}${' '.repeat(600)}`, password: alice.password },
      { email: `${' '.repeat(600)}${alice.email}`, password: alice.password },
      { email: `\ud83c${SWELLING.repeat(2_000)}`, password: alice.password },
      { email: alice.email, password: alice.password + 'x'.repeat(20_000) },
      { email: alice.email, password: SWELLING.repeat(20_000) },
    ];
    for (const body of tries) {
      const answer = await service.api.post('/auth/login', body);
      assert.deepEqual(refusal(answer), INVALID, body.email.slice(0, 30));
    }
    assert.equal((await service.api.post('/auth/login', alice)).status, 200);
    for (const body of tries.slice(0, 5)) {
      const statuses = new Set<number>();
      for (let count = 0; count < 11; count += 1)
        statuses.add((await service.api.post('/auth/login', body)).status);
      assert.deepEqual([...statuses], [401, 429], body.email.slice(0, 30));
    }
  });
});
