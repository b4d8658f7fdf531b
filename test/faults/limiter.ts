import { startServerProcess } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';
import { ask, hundredths, report } from './support.ts';

// The limiter by the clock: how many requests of an address get through in a minute, however its
// X-Forwarded-For reads.

const FORGED = 10_000;
const MINUTE_MS = 60_000;
const HEALTH = '/api/health';
const FORMS: readonly ((index: number) => string)[] = [
  (index) => `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`,
  (index) => `2001:db8:${(index >> 8).toString(16)}:${(index & 255).toString(16)}::1`,
  (index) => `127.0.0.1, 198.51.100.${index & 255}`,
  (index) => `[::ffff:203.0.113.${index & 255}]:${index & 65535}`,
  (index) => `${'9.9.9.9, '.repeat(index % 50)}unknown`,
  (index) => `"192.0.2.${index & 255}"`,
  (index) => `${index}, , ,127.0.0.${index & 255}`,
];

const forged = (index: number): string => FORMS[index % FORMS.length]?.(index) ?? '';

/** Counts what an untrusted address gets through in a minute while it claims to be others. */
async function countThrough(port: number, localAddress: string): Promise<number> {
  const until = performance.now() + MINUTE_MS;
  let through = 0;
  for (let index = 0; performance.now() < until; index += 1) {
    const { status } = await ask(port, HEALTH, {
      localAddress,
      headers: { 'X-Forwarded-For': forged(index), Connection: 'close' },
    });
    if (status === 200) through += 1;
  }
  return through;
}

await report(17, 'the limit by the clock, and forged addresses', async (t) => {
  const limits = { RATE_LIMIT_PER_MINUTE: '100', RATE_LIMIT_BURST: '20' };
  const start = async (trusted: string): Promise<number> => {
    const variables = { DATA_DIR: temporaryFolder(t), TRUSTED_PROXIES: trusted, ...limits };
    return Number(new URL((await startServerProcess(t, variables)).url).port);
  };
  const open = await start('none');
  const behindProxy = await start('127.0.0.1');
  const crowd = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];
  const through = await Promise.all(crowd.map((address) => countThrough(open, address)));

  // What the client itself wrote stands left of what the proxy adds: it must neither open a bucket nor drain one.
  const victim = '198.51.100.77';
  let passed = 0;
  const began = performance.now();
  for (let index = 0; index < FORGED; index += 1) {
    const claims = index % 2 === 0 ? victim : forged(index);
    const headers = { 'X-Forwarded-For': `${claims}, 203.0.113.9`, Connection: 'close' };
    if ((await ask(behindProxy, HEALTH, { headers })).status === 200) passed += 1;
  }
  const allowed = 20 + ((performance.now() - began) / MINUTE_MS) * 100;
  const asVictim = { headers: { 'X-Forwarded-For': victim, Connection: 'close' } };
  const statuses: number[] = [];
  for (let index = 0; index < 20; index += 1)
    statuses.push((await ask(behindProxy, HEALTH, asVictim)).status);
  return {
    figures: { throughInAMinute: through, forged: FORGED, passed, allowed: hundredths(allowed) },
    bounds: {
      exact: through.every((count) => Math.abs(count - 120) <= 1),
      noBypass: Math.abs(passed - allowed) <= 2,
      victim: statuses.every((status) => status === 200),
    },
  };
});
