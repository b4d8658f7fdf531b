import { test } from 'node:test';

/** The size of random and repeated tests: 1 is their usual one, `npm test` runs a quarter of it, and a long run many times as much. */
export const SCALE = numberOf('TEST_SCALE');

/** That of `npm run test:quick`. */
export const QUICK_SCALE = 0.1;

/** Declares a test that takes most of a second or more, which `npm run test:quick` leaves out. */
export const longTest: typeof test.skip = SCALE > QUICK_SCALE ? test : test.skip;

/** The seed of everything that is random. A test that fails prints it. */
export const SEED = numberOf('SEED');

/** The number of random runs, of which there are `usual` at the scale 1. */
export function scaled(usual: number): number {
  return Math.max(1, Math.round(usual * SCALE));
}

/** The number of rounds that each kill the service or start it anew, which take seconds: below the scale 1 it is a single one. */
export function rounds(usual: number): number {
  return SCALE < 1 ? 1 : Math.round(usual * SCALE);
}

function numberOf(name: string): number {
  const value = Number(process.env[name] ?? 1);
  // With NaN every loop would end before its first round, and every test pass.
  if (!(value > 0)) throw new Error(`${name} must be a number above 0`);
  return value;
}
