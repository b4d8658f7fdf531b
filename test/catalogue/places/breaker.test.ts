import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Breaker } from '../../../src/catalogue/places/guards.ts';
import type { Verdict } from '../../../src/catalogue/places/provider.ts';

/** A breaker on a clock that the test turns, in milliseconds. */
function breakerAt(): {
  readonly breaker: Breaker;
  readonly wait: (ms: number) => void;
  readonly opened: () => number;
} {
  let time = 0;
  let count = 0;
  const opened = (): void => {
    count += 1;
  };
  const wait = (ms: number): void => {
    time += ms;
  };
  return { breaker: new Breaker(opened, () => time), wait, opened: () => count };
}

/** A call under way, which the test ends. */
interface Call {
  readonly end: (verdict: Verdict) => Promise<void>;
}

/** Begins a call that is let through. Ending it waits until the breaker has heard of it. */
function begin(breaker: Breaker): Call {
  let settle: (verdict: Verdict) => void = () => undefined;
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => {
      settle = (verdict) => {
        if (verdict === 'alive') resolve();
        else reject(new Error(verdict));
      };
    });
  const judge = (error: unknown): Verdict =>
    error instanceof Error && error.message === 'failed' ? 'failed' : 'untried';
  const run = breaker.run(work, judge).catch((error: unknown) => {
    if (!(error instanceof Error) || error.name === 'PlacesError') throw error;
  });
  return {
    end: async (verdict) => {
      settle(verdict);
      await run;
    },
  };
}

async function call(breaker: Breaker, verdict: Verdict, times = 1): Promise<void> {
  for (let index = 0; index < times; index += 1) await begin(breaker).end(verdict);
}

/** That neither `check` nor `run` lets anything through, and when to come again. */
async function refuses(breaker: Breaker, retryAfter: number): Promise<void> {
  const refusal = { name: 'PlacesError', kind: 'unavailable', details: { retryAfter } };
  assert.throws(() => {
    breaker.check();
  }, refusal);
  let calls = 0;
  const work = (): Promise<void> => {
    calls += 1;
    return Promise.resolve();
  };
  await assert.rejects(
    breaker.run(work, () => 'failed'),
    refusal,
  );
  assert.equal(calls, 0);
}

describe('the breaker', () => {
  test('lets everything through, and returns what came of it', async () => {
    const { breaker } = breakerAt();
    breaker.check();
    assert.equal(
      await breaker.run(
        () => Promise.resolve(5),
        () => 'failed',
      ),
      5,
    );
    const error = new Error('its own');
    await assert.rejects(
      breaker.run(
        () => Promise.reject(error),
        () => 'failed',
      ),
      error,
    );
  });

  test('opens at the fifth failure in a row, for 30 seconds', async () => {
    const { breaker, wait, opened } = breakerAt();
    await call(breaker, 'failed', 4);
    breaker.check();
    assert.equal(opened(), 0);
    await call(breaker, 'failed');
    assert.equal(opened(), 1);
    await refuses(breaker, 30);
    wait(29_999);
    await refuses(breaker, 1);
    wait(1);
    breaker.check();
    assert.equal(opened(), 1);
  });

  test('counts afresh after a call that came back alive, and passes over calls that never left', async () => {
    const { breaker, opened } = breakerAt();
    await call(breaker, 'failed', 4);
    await call(breaker, 'alive');
    await call(breaker, 'failed', 4);
    assert.equal(opened(), 0);
    await call(breaker, 'untried', 10);
    assert.equal(opened(), 0);
    await call(breaker, 'failed');
    assert.equal(opened(), 1);
  });

  test('lets exactly one trial through when it was open for long enough', async () => {
    const { breaker, wait } = breakerAt();
    await call(breaker, 'failed', 5);
    wait(30_000);
    const trial = begin(breaker);
    await refuses(breaker, 1);
    wait(4_000);
    await refuses(breaker, 1);
    await trial.end('alive');
    const calls = Array.from({ length: 5 }, () => begin(breaker));
    for (const one of calls) await one.end('alive');
  });

  test('opens again when the trial fails, and asks for five failures after one that does not', async () => {
    const { breaker, wait, opened } = breakerAt();
    await call(breaker, 'failed', 5);
    wait(31_000);
    await call(breaker, 'failed');
    assert.equal(opened(), 2);
    await refuses(breaker, 30);
    wait(30_000);
    await call(breaker, 'alive');
    await call(breaker, 'failed', 4);
    breaker.check();
    await call(breaker, 'failed');
    assert.equal(opened(), 3);
    await refuses(breaker, 30);
  });

  test('lets the next trial through when one never left', async () => {
    const { breaker, wait, opened } = breakerAt();
    await call(breaker, 'failed', 5);
    wait(30_000);
    await call(breaker, 'untried', 3);
    const trial = begin(breaker);
    await refuses(breaker, 1);
    await trial.end('failed');
    assert.equal(opened(), 2);
    await refuses(breaker, 30);
  });

  for (const verdict of ['failed', 'alive'] as const)
    test(`learns nothing from a call of before that ends late: ${verdict}`, async () => {
      const { breaker, wait, opened } = breakerAt();
      const [early, late] = [begin(breaker), begin(breaker)];
      await call(breaker, 'failed', 5);
      wait(10_000);
      await early.end(verdict);
      await refuses(breaker, 20);
      wait(20_000);
      const trial = begin(breaker);
      await late.end(verdict);
      await refuses(breaker, 1);
      await trial.end('alive');
      breaker.check();
      assert.equal(opened(), 1);
    });

  test('opens once for calls that fail together', async () => {
    const { breaker, opened } = breakerAt();
    const calls = Array.from({ length: 12 }, () => begin(breaker));
    for (const one of calls) await one.end('failed');
    assert.equal(opened(), 1);
    await refuses(breaker, 30);
  });
});
