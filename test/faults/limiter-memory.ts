import { addressKey } from '../../src/http/address.ts';
import { createLimiter } from '../../src/http/limiter.ts';
import { hundredths, report } from './support.ts';

// What two million addresses cost the limiter. The clock stands still, so that no bucket is ever full again.
// Run it with --expose-gc.

const ADDRESSES = 2_000_000;

const addressOf = (index: number): string =>
  index % 2 === 0
    ? `${10 + (index >> 24)}.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`
    : `2001:db8:${(index >> 16).toString(16)}:${(index & 65_535).toString(16)}::1`;

await report(18, 'memory of the limiter', () => {
  const collect = globalThis.gc;
  if (!collect) throw new Error('run it with --expose-gc');
  const memory = (): number => {
    collect();
    return process.memoryUsage().rss / 1024 / 1024;
  };
  // What is thrown away on the way makes the heap grow too: that is had before the first look.
  const small = createLimiter({ perMinute: 100, burst: 20, maxBuckets: 100 });
  for (let index = 0; index < ADDRESSES / 4; index += 1) small.take(addressKey(addressOf(index)));
  const limiter = createLimiter({ perMinute: 100, burst: 20, now: () => 0 });
  for (let tries = 0; tries < 20; tries += 1) limiter.take('active');
  const before = memory();
  let reset = 0;
  for (let index = 0; index < ADDRESSES; index += 1) {
    limiter.take(addressKey(addressOf(index)));
    if (index % 1_000 === 0 && limiter.take('active').remaining > 1) reset += 1;
  }
  const moreMb = hundredths(memory() - before);
  const heapMb = hundredths(process.memoryUsage().heapUsed / 1024 / 1024);
  return Promise.resolve({
    figures: { addresses: ADDRESSES, held: limiter.size(), moreMb, heapMb, reset },
    bounds: { memory: moreMb <= 32, held: limiter.size() <= 100_000, active: reset === 0 },
  });
});
