import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hash } from '@node-rs/argon2';
import { Passwords, passwordFaults } from '../../../src/people/accounts/passwords.ts';
import { OverloadedError } from '../../../src/kit/queue.ts';
import { LOCAL, signUp } from '../../support/people.ts';
import { startService } from '../../support/service.ts';

const CHEAP = { memoryCost: 64, timeCost: 1, parallelism: 1 };
// Long enough that others have to wait.
const SLOW = { memoryCost: 65_536, timeCost: 24, parallelism: 1 };

const ALICE = { email: 'alice@example.com', username: 'alice' };

const failures = (results: readonly PromiseSettledResult<unknown>[]): unknown[] =>
  results.flatMap((result): unknown[] => (result.status === 'rejected' ? [result.reason] : []));

describe('passwords', () => {
  test('are right with their own hash alone', async () => {
    const passwords = new Passwords(CHEAP);
    const made = await passwords.hash('a long password');
    assert.notEqual(made, await passwords.hash('a long password'));
    assert.equal(await passwords.verify(made, 'a long password'), true);
    for (const wrong of ['a long passwore', 'a long password ', '', 'a long password'.repeat(20)])
      assert.equal(await passwords.verify(made, wrong), false);
    for (const any of ['', ' ', 'a long password'])
      assert.equal(await passwords.verify(undefined, any), false);
  });

  test('are made anew when memory or passes have grown', async () => {
    const passwords = new Passwords({ memoryCost: 128, timeCost: 2, parallelism: 1 });
    const isWeak = async (memoryCost: number, timeCost: number): Promise<boolean> =>
      passwords.isWeak(await hash('x', { memoryCost, timeCost, parallelism: 1 }));
    assert.deepEqual(
      [await isWeak(64, 2), await isWeak(128, 1), await isWeak(128, 2), await isWeak(256, 3)],
      [true, true, false, false],
    );
  });

  test('are hashed two at once while 32 wait; more are turned away at once', async () => {
    const passwords = new Passwords(CHEAP);
    const all = Array.from({ length: 50 }, (_, index) => passwords.hash(`password ${index}`));
    assert.deepEqual(passwords.load(), { running: 2, waiting: 32 });
    const turnedAway = failures(await Promise.allSettled(all));
    assert.equal(turnedAway.length, 50 - 34);
    assert.ok(turnedAway.every((error) => error instanceof OverloadedError));
    assert.match(await passwords.hash('afterwards'), /^\$argon2id\$/);
  });

  test('are not waited for longer than two seconds, and the queue goes on', async () => {
    const passwords = new Passwords(SLOW);
    const results = await Promise.allSettled(
      Array.from({ length: 30 }, () => passwords.hash('a long password')),
    );
    const turnedAway = failures(results);
    assert.ok(turnedAway.length > 0 && turnedAway.length < 30, `${turnedAway.length} of 30`);
    assert.ok(turnedAway.every((error) => error instanceof OverloadedError));
    assert.match(await passwords.hash('afterwards'), /^\$argon2id\$/);
  });

  test('that are common are refused in any case, from a list of thousands', () => {
    for (const common of [
      'password',
      'PASSWORD1',
      'Qwertyuiop',
      '1q2w3e4r5t',
      'iloveyou',
      'trustno1',
      '11111111',
    ])
      assert.deepEqual(passwordFaults(common, ALICE), ['password is too common'], common);
    assert.deepEqual(passwordFaults('correct horse battery staple', ALICE), []);
  });
});

describe('two hundred logins at once', () => {
  test('are answered 200 or turned away with 503 and Retry-After, while others are served', async (t) => {
    const service = await startService(t, LOCAL);
    const alice = await signUp(service, 'alice');
    const storm = Array.from({ length: 200 }, () => service.api.post('/auth/login', alice));
    const health = await service.api.get('/health');
    assert.equal(health.status, 200);
    const answers = await Promise.all(storm);
    const refused = answers.filter(({ status }) => status !== 200);
    assert.ok(refused.length < answers.length, 'no one got in');
    for (const { status, headers, body } of refused) {
      assert.deepEqual([status, body], [503, { error: 'Too many logins at once. Please try again.' }]);
      assert.ok(Number(headers.get('retry-after')) >= 1);
    }
    assert.equal((await service.api.post('/auth/login', alice)).status, 200);
  });
});
