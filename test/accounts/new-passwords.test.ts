import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { refusal } from '../support/changes.ts';
import { runCommand } from '../support/cli.ts';
import { LOCAL, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';

const BLANK = 'password must not be blank';
const OWN = 'password must not be your email or username';
const SHORT = 'password must be at least 8 characters';
const ALICE = { email: 'alice.liddell@example.com', username: 'White Rabbit' };

const FAULTS: readonly [string, string][] = [
  ['        ', BLANK],
  ['   ', `${SHORT}; ${BLANK}`],
  ['\t\u00a0\u3000 \u2028\u200b\ufeff\u00ad', BLANK],
  ['\u3164'.repeat(8), BLANK],
  ['\u2800'.repeat(8), BLANK],
  ['alice.liddell@example.com', OWN],
  ['ALICE.LIDDELL@EXAMPLE.COM', OWN],
  ['alice.liddell', OWN],
  ['Alice.Liddell', OWN],
  ['white rabbit', OWN],
  ['ｗｈｉｔｅ ｒａｂｂｉｔ', OWN],
];
const ACCEPTED = ['alice.liddell1', 'alice.liddell@', ' white rabbit', 'example.com', '  x      '];

describe('a new password', () => {
  test('that is blank or a name of its owner is refused', async (t) => {
    const { api } = await startService(t, LOCAL);
    for (const [password, error] of FAULTS) {
      const answer = await api.post('/auth/register', { ...ALICE, password });
      assert.deepEqual(refusal(answer), [400, error], JSON.stringify(password));
    }
  });

  test('is refused for all of its faults, and those of the other fields, at once', async (t) => {
    const { api } = await startService(t, LOCAL);
    const short = { email: 'bob@example.com', username: 'x', password: 'BOB' };
    assert.deepEqual(refusal(await api.post('/auth/register', short)), [400, `${SHORT}; ${OWN}`]);
    const common = { email: 'x', username: 'password1', password: 'password1' };
    assert.deepEqual(refusal(await api.post('/auth/register', common)), [
      400,
      `email must be a valid email address; ${OWN}; password is too common`,
    ]);
  });

  test('that only holds a name, or blanks among others, is accepted as it came', async (t) => {
    const { api } = await startService(t, LOCAL);
    for (const [index, password] of ACCEPTED.entries()) {
      const owner = { ...ALICE, email: `alice.liddell@${index}.example`, username: `White Rabbit ${index}` };
      assert.equal((await api.post('/auth/register', { ...owner, password })).status, 201, password);
      assert.equal((await api.post('/auth/login', { ...owner, password })).status, 200, password);
    }
  });

  test('is held to the same rules on the command line and in ADMIN_PASSWORD', async (t) => {
    const service = await startService(t, LOCAL);
    await signUp(service, 'longusername');
    const errorOf = async (input: string, ...args: readonly string[]): Promise<string> => {
      const variables = { ...LOCAL, DATA_DIR: service.folder };
      const { code, err } = await runCommand(['user', ...args], { variables, input });
      assert.equal(code, 1);
      return err;
    };
    assert.equal(await errorOf('Bob.Builder\n', 'create', 'bob.builder@example.com'), `${OWN}\n`);
    assert.equal(await errorOf('         \n', 'create', 'bob.builder@example.com'), `${BLANK}\n`);
    for (const password of ['LongUserName', 'longusername@example.com'])
      assert.equal(await errorOf(password, 'reset-password', 'longusername@example.com'), `${OWN}\n`);
    assert.equal(
      await errorOf('\u200b'.repeat(9), 'reset-password', 'longusername@example.com'),
      `${BLANK}\n`,
    );
    await service.stop();
    const administrator = { ADMIN_EMAIL: 'head.chef@example.com', ADMIN_PASSWORD: 'Head.Chef' };
    await assert.rejects(startService(t, { ...LOCAL, ...administrator, DATA_DIR: service.folder }), {
      message: `ADMIN_EMAIL and ADMIN_PASSWORD: ${OWN}`,
    });
  });
});
