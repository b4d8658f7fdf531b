import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Limiter, createLimiter } from '../../src/http/limiter.ts';

/** A limiter on a clock that the test advances, in milliseconds. */
function limiterAt(options: { perMinute?: number; burst?: number; maxBuckets?: number } = {}): {
  limiter: Limiter;
  wait: (ms: number) => void;
} {
  let time = 0;
  const limiter = createLimiter({ perMinute: 100, burst: 20, ...options, now: () => time });
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
    for (let index = 0; index < 600_000; index += 1) limiter.take(`key ${index}`);
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
