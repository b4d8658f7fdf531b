import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { SEED, scaled } from '../support/size.ts';
import { type Tally, runAlone, runTogether } from './model-run.ts';
import { stepArbitrary } from './model-steps.ts';

const RUNS = scaled(16);
const STEPS = 50;
const CLIENTS = 4;
// One of these is as much work.
const CROWDED_RUNS = Math.ceil(RUNS / CLIENTS);
const SHRINKS_MS = 60_000;

// Without a bias all lengths are as likely, so that the mean is the number of steps.
const steps = fc.noBias(fc.array(stepArbitrary(), { maxLength: 2 * STEPS, size: 'max' }));
const crowd = fc.array(steps, { minLength: CLIENTS, maxLength: CLIENTS });

/** Does so many runs, and finds a short one that fails where one does. */
async function runAll<Plan>(
  numRuns: number,
  plans: fc.Arbitrary<Plan>,
  run: (plan: Plan, tally: Tally) => Promise<void>,
): Promise<void> {
  const tally: Tally = { walks: 0, pages: 0, answers: new Set() };
  let failedAt: number | undefined;
  const property = fc.asyncProperty(plans, async (plan) => {
    fc.pre(failedAt === undefined || performance.now() - failedAt < SHRINKS_MS);
    try {
      await run(plan, tally);
    } catch (error) {
      failedAt ??= performance.now();
      throw error;
    }
  });
  await fc.assert(property, { seed: SEED, numRuns, includeErrorInReport: true });
  assert.ok(tally.pages > tally.walks && tally.answers.size >= 25);
}

describe('a catalogue that is worked on at random', () => {
  test(`is what a plain model of it is, after every step of ${RUNS} runs (seed ${SEED})`, () =>
    runAll(RUNS, steps, runAlone));

  test(`is what ${CLIENTS} at once know of it, after each of ${CROWDED_RUNS} runs (seed ${SEED})`, () =>
    runAll(CROWDED_RUNS, crowd, runTogether));
});
