import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Limiter } from '../../src/http/limits.ts';
import { type Client, field } from '../support/client.ts';
import { startService } from '../support/service.ts';

const ON = { RATE_LIMIT_PER_MINUTE: '100' };
const REFUSAL = { error: 'Rate limit exceeded. Please try again later.' };

async function statuses(
  api: Client,
  count: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<number[]> {
  const answers: number[] = [];
  for (let index = 0; index < count; index += 1) answers.push((await api.get('/health', headers)).status);
  return answers;
}

describe('the rate limit', () => {
  test('lets 20 requests through at once and refuses the next with 429', async (t) => {
    const { api } = await startService(t, { ...ON, RATE_LIMIT_PER_MINUTE: '1' });
    assert.deepEqual(await statuses(api, 20), Array(20).fill(200));
    const refused = await api.get('/restaurants');
    assert.equal(refused.status, 429);
    assert.deepEqual(refused.body, REFUSAL);
    // A minute, less what the requests took.
    const seconds = Number(refused.headers.get('retry-after'));
    assert.ok(seconds >= 1 && seconds <= 60, `${seconds} s`);
    assert.equal(refused.headers.get('ratelimit-remaining'), '0');
  });

  test('stands in every answer of the API, errors included', async (t) => {
    const { api } = await startService(t, ON);
    const [first, second] = [await api.get('/health'), await api.get('/nowhere')];
    assert.equal(first.headers.get('ratelimit-limit'), '20');
    assert.equal(first.headers.get('ratelimit-remaining'), '19');
    assert.equal(first.headers.get('ratelimit-reset'), '1');
    assert.equal(second.status, 404);
    assert.equal(second.headers.get('ratelimit-remaining'), '18');
  });

  test('leaves the plain health check aside', async (t) => {
    const { api } = await startService(t, { ...ON, RATE_LIMIT_BURST: '1' });
    await api.get('/health');
    const plain = await api.send('/health', {});
    assert.equal(plain.status, 200);
    assert.equal(plain.headers.get('ratelimit-limit'), null);
  });

  test('counts the client behind a trusted proxy', async (t) => {
    const { api } = await startService(t, { RATE_LIMIT_PER_MINUTE: '1', RATE_LIMIT_BURST: '2' });
    assert.deepEqual(await statuses(api, 3, { 'X-Forwarded-For': '198.51.100.1' }), [200, 200, 429]);
    assert.deepEqual(await statuses(api, 2, { 'X-Forwarded-For': '198.51.100.2' }), [200, 200]);
    assert.deepEqual(await statuses(api, 1, { 'X-Forwarded-For': '198.51.100.2, 198.51.100.1' }), [429]);
  });

  test('counts an IPv6 client by its /64', async (t) => {
    const { api } = await startService(t, { RATE_LIMIT_PER_MINUTE: '1', RATE_LIMIT_BURST: '1' });
    assert.deepEqual(await statuses(api, 1, { 'X-Forwarded-For': '2001:db8::1' }), [200]);
    assert.deepEqual(await statuses(api, 1, { 'X-Forwarded-For': '2001:db8::ffff:0:1' }), [429]);
    assert.deepEqual(await statuses(api, 1, { 'X-Forwarded-For': '2001:db8:0:1::1' }), [200]);
  });

  test('cannot be escaped by a client that claims other addresses', async (t) => {
    const { api } = await startService(t, {
      RATE_LIMIT_PER_MINUTE: '1',
      RATE_LIMIT_BURST: '2',
      TRUSTED_PROXIES: 'none',
    });
    const answers: number[] = [];
    for (const forged of ['1.1.1.1', '2.2.2.2', '3.3.3.3'])
      answers.push(
        ...(await statuses(api, 1, {
          'X-Forwarded-For': forged,
          Forwarded: `for=${forged}`,
          'X-Real-IP': forged,
        })),
      );
    assert.deepEqual(answers, [200, 200, 429]);
  });

  test('cannot be escaped by a path in another spelling', async (t) => {
    const { api } = await startService(t, { RATE_LIMIT_PER_MINUTE: '1', RATE_LIMIT_BURST: '1' });
    assert.equal((await api.send('/%61pi/health', {})).status, 200);
    assert.equal((await api.send('/api/h%65alth/', {})).status, 429);
  });

  test('warns once of a neighbour that forwards without being trusted', async (t) => {
    const { api, logs } = await startService(t, { TRUSTED_PROXIES: 'none' });
    await statuses(api, 3, { 'X-Forwarded-For': '198.51.100.1' });
    const warnings = logs.filter((line) => field(line, 'level') === 'warn');
    assert.equal(warnings.length, 1);
    assert.match(String(field(warnings[0], 'message')), /TRUSTED_PROXIES/);
  });

  for (const name of ['RATE_LIMIT_PER_MINUTE', 'RATE_LIMIT_BURST'])
    test(`is off with ${name}=0, and no header speaks of it`, async (t) => {
      const { api } = await startService(t, { ...ON, [name]: '0' });
      assert.deepEqual(await statuses(api, 30), Array(30).fill(200));
      assert.equal((await api.get('/health')).headers.get('ratelimit-limit'), null);
    });

  test('at the edge is 5 a minute for /api/auth/ and a burst of 20 for /api, when EDGE_LIMITS is true', async (t) => {
    const { api } = await startService(t, { EDGE_LIMITS: 'true' });
    const answers: number[] = [];
    for (let index = 0; index < 6; index += 1) answers.push((await api.get('/auth/me')).status);
    assert.deepEqual(answers, [200, 200, 200, 200, 200, 429]);
    assert.equal((await api.get('/health')).status, 200);
  });
});

/** A limiter on a clock that the test advances, in milliseconds. */
function limiterAt(options: { perMinute?: number; burst?: number; maxBuckets?: number } = {}): {
  limiter: Limiter;
  wait: (ms: number) => void;
} {
  let time = 0;
  const limiter = new Limiter({ perMinute: 100, burst: 20, ...options, now: () => time });
  const wait = (ms: number): void => {
    time += ms;
  };
  return { limiter, wait };
}

function countAllowed(limiter: Limiter, key: string, tries: number): number {
  return Array.from({ length: tries }, () => limiter.take(key)).filter(({ allowed }) => allowed).length;
}

describe('the limiter', () => {
  test('lets exactly the burst through at once', () => {
    const { limiter } = limiterAt();
    assert.equal(countAllowed(limiter, 'a', 50), 20);
  });

  test('lets exactly the rate through after the burst: 100 in a minute', () => {
    const { limiter, wait } = limiterAt();
    countAllowed(limiter, 'a', 20);
    let allowed = 0;
    for (let step = 0; step < 600; step += 1) {
      wait(100);
      allowed += countAllowed(limiter, 'a', 3);
    }
    assert.equal(allowed, 100);
  });

  test('never gathers more than the burst', () => {
    const { limiter, wait } = limiterAt();
    countAllowed(limiter, 'a', 20);
    for (const ms of [3_600_000, 11_900]) {
      wait(ms);
      assert.equal(countAllowed(limiter, 'a', 1), 1);
      wait(11_900);
      assert.equal(countAllowed(limiter, 'a', 50), 20);
    }
  });

  test('counts each key by itself', () => {
    const { limiter } = limiterAt();
    countAllowed(limiter, 'a', 20);
    assert.equal(countAllowed(limiter, 'b', 20), 20);
  });

  test('reports what is left, when it is full again, and when to come back', () => {
    const { limiter, wait } = limiterAt();
    assert.deepEqual(limiter.take('a'), { allowed: true, remaining: 19, reset: 1, retryAfter: 0 });
    countAllowed(limiter, 'a', 19);
    assert.deepEqual(limiter.take('a'), { allowed: false, remaining: 0, reset: 12, retryAfter: 1 });
    wait(599);
    assert.equal(limiter.take('a').allowed, false);
    wait(1);
    assert.equal(limiter.take('a').allowed, true);
  });

  test('reports a slow limit’s wait in whole seconds', () => {
    const { limiter } = limiterAt({ perMinute: 5, burst: 5 });
    countAllowed(limiter, 'a', 5);
    assert.equal(limiter.take('a').retryAfter, 12);
  });

  // At the bound a request must not cost more than below it: it took minutes when that was so.
  test('stores no more buckets than its bound, whatever comes', { timeout: 60_000 }, () => {
    const { limiter } = limiterAt();
    for (let index = 0; index < 200_000; index += 1) limiter.take(`key ${index}`);
    assert.ok(limiter.size() > 49_000 && limiter.size() <= 100_000, `${limiter.size()} buckets`);
  });

  test('does not reset a drained bucket of an active client while others come and go', () => {
    const { limiter } = limiterAt({ maxBuckets: 1_000 });
    countAllowed(limiter, 'active', 20);
    let allowed = 0;
    for (let index = 0; index < 50_000; index += 1) {
      limiter.take(`key ${index}`);
      if (index % 500 === 0) allowed += countAllowed(limiter, 'active', 1);
    }
    assert.equal(allowed, 0);
  });

  test('forgets buckets that have refilled', () => {
    const { limiter, wait } = limiterAt();
    for (let index = 0; index < 1_000; index += 1) limiter.take(`key ${index}`);
    wait(60_000);
    limiter.take('a');
    assert.ok(limiter.size() < 10, `${limiter.size()} buckets`);
  });
});
