import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until something holds, for as long as a busy machine may need. Throws when it does not come to hold. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 2_400; tries += 1) {
    if (await holds()) return;
    await sleep(25);
  }
  throw new Error(`waited in vain for ${String(holds)}`);
}
