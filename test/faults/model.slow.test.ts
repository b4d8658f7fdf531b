import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { SEED, scaled } from '../support/size.ts';
import { type Tally, runAlone, runTogether } from './model-run.ts';
import { type Step, stepArbitrary } from './model-steps.ts';

const RUNS = scaled(16);
const STEPS = 50;
const CLIENTS = 4;
// One of these is as much work.
const CROWDED_RUNS = Math.ceil(RUNS / CLIENTS);
const SHRINKS_MS = 60_000;

// Without a bias all lengths are as likely, so that the mean is the number of steps.
const steps = fc.noBias(fc.array(stepArbitrary(), { maxLength: 2 * STEPS, size: 'max' }));

/** Does so many runs, and finds a short one that fails where one does. */
async function runAll<Plan>(
  numRuns: number,
  plans: fc.Arbitrary<Plan>,
  run: (plan: Plan, tally: Tally) => Promise<void>,
): Promise<Tally> {
  const tally: Tally = { runs: 0, steps: 0, walks: 0, pages: 0, statuses: new Map() };
  let failedAt: number | undefined;
  const property = fc.asyncProperty(plans, async (plan) => {
    fc.pre(failedAt === undefined || performance.now() - failedAt < SHRINKS_MS);
    try {
      await run(plan, tally);
      tally.runs += 1;
    } catch (error) {
      failedAt ??= performance.now();
      throw error;
    }
  });
  await fc.assert(property, { seed: SEED, numRuns, includeErrorInReport: true });
  return tally;
}

const told = ({ statuses, ...counts }: Tally): string =>
  JSON.stringify({ row: 23, ...counts, seed: SEED, statuses: Object.fromEntries([...statuses].sort()) });

describe('a catalogue that is worked on at random', () => {
  test(`is what a plain model of it is, after every step of ${RUNS} runs (seed ${SEED})`, async (t) => {
    const tally = await runAll(RUNS, steps, runAlone);
    t.diagnostic(told(tally));
    assert.ok(tally.pages > tally.walks && tally.statuses.size >= 25);
  });

  test(`is what ${CLIENTS} at once know of it, after each of ${CROWDED_RUNS} runs (seed ${SEED})`, async (t) => {
    const crowd: fc.Arbitrary<Step[][]> = fc.array(steps, { minLength: CLIENTS, maxLength: CLIENTS });
    const tally = await runAll(CROWDED_RUNS, crowd, runTogether);
    t.diagnostic(told(tally));
    assert.ok(tally.pages > tally.walks && tally.statuses.size >= 25);
  });
});
