import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

const TRIES = 2_400;

/** Waits until something holds, for as long as a busy machine may need. Throws when it does not come to hold. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (await holds()) return;
    await sleep(25);
  }
  throw new Error(`waited in vain for ${String(holds)}`);
}

/** Waits as long until what is read equals this. Fails with the last reading when it does not come to. */
export async function becomes(read: () => unknown, expected: unknown): Promise<void> {
  let last = await read();
  for (let tries = 0; tries < TRIES && !isDeepStrictEqual(last, expected); tries += 1) {
    await sleep(25);
    last = await read();
  }
  assert.deepEqual(last, expected);
}
