import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { type Ended, runCommand } from '../support/cli.ts';
import { createClient, field, textOf } from '../support/client.ts';
import { LOCAL, type Person, person, signUp } from '../support/people.ts';
import { type Service, startService } from '../support/service.ts';

type Run = (action: string, args?: readonly string[], input?: string) => Promise<Ended>;

/** A running service with alice, and the command line on its data. */
async function running(t: TestContext): Promise<{ service: Service; alice: Person; run: Run }> {
  const service = await startService(t, { ...LOCAL, WRITE_ACCESS: 'admins' });
  const alice = await signUp(service, 'alice');
  const run: Run = (action, args = [], input = '') =>
    runCommand(['user', action, ...args], { variables: { ...LOCAL, DATA_DIR: service.folder }, input });
  return { service, alice, run };
}

const printed = (out: string): Ended => ({ code: 0, out, err: '' });
const refused = (err: string): Ended => ({ code: 1, out: '', err });

describe('catalogue user', () => {
  test('list shows every account', async (t) => {
    const { run } = await running(t);
    const { code, out } = await run('list');
    assert.equal(code, 0);
    const [heading = '', row = '', ...more] = out.trimEnd().split('\n');
    assert.equal(heading, 'ID  EMAIL              USERNAME  PROVIDER  ADMIN  ACTIVE  LAST LOGIN');
    assert.match(row, /^2 {3}alice@example\.com {2}alice {5}local {12}yes {5}\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.deepEqual(more, []);
  });

  test('create makes an account with the password of standard input, on a running service', async (t) => {
    const { service, run } = await running(t);
    const answer = await run(
      'create',
      ['Bob.B@example.com', '--full-name', 'Bob B'],
      'a long password \nmore',
    );
    assert.deepEqual(answer, printed('Created user Bob.B@example.com (Bob.B, id 3).\n'));
    const login = await service.api.post('/auth/login', {
      email: 'bob.b@example.com',
      password: 'a long password ',
    });
    const user = field(login.body, 'user');
    assert.deepEqual(
      [textOf(user, 'full_name'), field(user, 'email_verified'), field(user, 'is_admin')],
      ['Bob B', true, false],
    );
  });

  test('create --admin makes an administrator, and finds a free username', async (t) => {
    const { run } = await running(t);
    assert.deepEqual(
      await run('create', ['alice@other.example', '--admin'], 'a long password'),
      printed('Created administrator alice@other.example (alice-2, id 3).\n'),
    );
  });

  const wrong: readonly [readonly string[], string, string][] = [
    [['nobody'], 'a long password', 'nobody is not a valid email address\n'],
    [['b@example.com'], 'short\n', 'password must be at least 8 characters\n'],
    [['b@example.com'], '', 'no password on standard input\n'],
    [['ALICE@example.com'], 'a long password', 'a user with the email ALICE@example.com already exists\n'],
    [
      ['b@example.com', '--username', 'Alice'],
      'a long password',
      'a user with the username Alice already exists\n',
    ],
  ];
  test('create refuses what no account can have', async (t) => {
    const { run } = await running(t);
    for (const [args, input, err] of wrong)
      assert.deepEqual(await run('create', args, input), refused(err), `${args.join(' ')} with ${input}`);
  });

  test('grant-admin and revoke-admin count from the next request on', async (t) => {
    const { alice, run } = await running(t);
    const create = async (name: string): Promise<number> =>
      (await alice.api.post('/categories', { name })).status;
    assert.equal(await create('A'), 403);
    assert.deepEqual(
      await run('grant-admin', [alice.email]),
      printed('alice@example.com is an administrator now.\n'),
    );
    assert.equal(await create('A'), 201);
    assert.deepEqual(
      await run('revoke-admin', [alice.email]),
      printed('alice@example.com is no longer an administrator.\n'),
    );
    assert.equal(await create('B'), 403);
  });

  test('sessions lists them with address and user agent, harmless for the terminal', async (t) => {
    const { service, alice, run } = await running(t);
    await service.api.post('/auth/login', alice, {
      'User-Agent': 'curl/8\u009b31m',
      'X-Forwarded-For': '192.0.2.1',
    });
    const { out } = await run('sessions', [alice.email]);
    const [heading = '', newest = '', oldest = ''] = out.trimEnd().split('\n');
    assert.match(heading, /^ID +CREATED +LAST USED +EXPIRES +ADDRESS +USER AGENT$/);
    assert.match(newest, /^2 +\S+ +\S+ +\S+ +192\.0\.2\.1 +curl\/8\\u\{9b\}31m$/);
    assert.match(oldest, /^1 +\S+ +\S+ +\S+ +127\.0\.0\.1 +\S+$/);
  });

  test('end-sessions ends those of one user alone, and leaves API tokens', async (t) => {
    const { service, alice, run } = await running(t);
    const bob = await signUp(service, 'bob');
    const token = textOf((await alice.api.post('/auth/tokens', { name: 'x' })).body, 'token');
    const second = person(service.url, (await service.api.post('/auth/login', alice)).body, '');
    assert.deepEqual(
      await run('end-sessions', ['Alice@Example.com']),
      printed('2 sessions of Alice@Example.com ended.\n'),
    );
    for (const { api } of [alice, second]) assert.equal((await api.get('/auth/me')).status, 401);
    const script = createClient(service.url, { Authorization: `Bearer ${token}` });
    for (const api of [bob.api, script]) assert.equal((await api.get('/auth/me')).status, 200);
  });

  test('says so when there is no such user', async (t) => {
    const { run } = await running(t);
    const actions = [
      'grant-admin',
      'activate',
      'reset-password',
      'sessions',
      'end-sessions',
      'end-access',
      'delete',
    ];
    const answers = await Promise.all(
      actions.map((action) => run(action, ['bob@example.com'], 'a long password')),
    );
    for (const answer of answers)
      assert.deepEqual(answer, refused('there is no user with the email bob@example.com\n'));
  });
});
