import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until something holds, for as long as a busy machine may need. Throws when it does not come to hold. */
export async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 400 && !holds(); tries += 1) await sleep(25);
  if (!holds()) throw new Error(`waited in vain for ${String(holds)}`);
}
