import assert from 'node:assert/strict';
import { join } from 'node:path';
import { rmSync } from 'node:fs';
import { describe, test } from 'node:test';
import { randomNumbers } from '../support/catalogue.ts';
import { type Ended, type ServerProcess, runCommand, startServerProcess } from '../support/cli.ts';
import { createClient } from '../support/client.ts';
import { temporaryFolder } from '../support/service.ts';
import { SEED, scaled } from '../support/size.ts';
import { DAMAGES, bytesOf, copyFolder, harmFile, makeKilledFolder } from './damage.ts';

const COPIES = scaled(20);
const REFUSAL = /^[^\n]*; (put a backup in its place \(catalogue restore\)|use that version)[^\n]*\n$/;

const READS = [
  '/restaurants',
  '/restaurants/paginated?limit=100&sort=rating',
  '/restaurants?sort=name&category_id=3',
  '/restaurants?lat=40&lng=-3&radius=50',
  '/search?q=golden',
  '/search?q=in%20the',
  '/restaurants/7',
  '/restaurants/7/ratings',
  '/restaurants/7/photos',
  '/categories',
  '/food-types',
  '/suggestions',
];

interface Found {
  /** The faults of the service, a line each. */
  readonly faults: readonly string[];
  readonly outcome: 'refused' | 'served' | 'failed';
}

/** The behaviour of a service on a damaged database that it did not refuse. */
async function lookAtService({ url, process: child, ended }: ServerProcess): Promise<Found> {
  const api = createClient(url);
  const faults: string[] = [];
  const failed: unknown[] = [];
  const look = async (path: string, ask: () => Promise<{ status: number }>): Promise<void> => {
    const status: unknown = await ask().then(
      (answer) => answer.status,
      () => 'broken off',
    );
    if (status === 503 || status === 'broken off') failed.push(status);
    else if (![200, 201, 404].includes(Number(status))) faults.push(`${path}: ${String(status)}`);
  };
  for (const path of READS) await look(path, () => api.get(path));
  await look('POST', () => api.post('/restaurants', { name: 'New' }));
  const hasFailed = failed.length > 0;
  const health = (await api.get('/health')).status;
  if (hasFailed !== (health === 503)) faults.push(`health is ${health} after ${failed.join(', ')}`);
  child.kill('SIGTERM');
  const { code, out, err } = await ended;
  if (code !== 0 || err !== '') faults.push(`ended with ${code ?? 'a signal'}: ${err}`);
  faults.push(...out.split('\n').filter((line) => /"(unexpected|uncaught) failure"/.test(line)));
  return { faults, outcome: hasFailed ? 'failed' : 'served' };
}

describe('a damaged database', () => {
  test(`is refused in one line with advice and left as it is, or served without a crash, in ${COPIES} copies (seed ${SEED})`, async (t) => {
    const root = temporaryFolder(t);
    const [whole, copy] = [join(root, 'whole'), join(root, 'copy')];
    await makeKilledFolder(whole, join(root, 'workshop'));
    const random = randomNumbers(SEED);
    const counts = { refused: 0, served: 0, failed: 0 };
    for (let number = 0; number < COPIES; number += 1) {
      copyFolder(whole, copy);
      const damage = DAMAGES[number % DAMAGES.length] ?? DAMAGES[0];
      const inLog = Math.floor(number / DAMAGES.length) % 4 === 3;
      if (damage) harmFile(copy, inLog, damage, random);
      const before = bytesOf(copy);
      const title = `copy ${number}, ${damage?.name ?? ''} in the ${inLog ? 'log' : 'database'}`;
      const variables = { DATA_DIR: copy, PORT: '0', HOST: '127.0.0.1', RATE_LIMIT_PER_MINUTE: '0' };
      await t.test(title, async (one) => {
        const server = await startServerProcess(one, variables).catch(() => undefined);
        const isUntouched = (): boolean =>
          bytesOf(copy).every((bytes, index) => before[index]?.equals(bytes) === true);
        const found = server
          ? await lookAtService(server)
          : lookAtRefusal(await runCommand(['serve'], { variables }), isUntouched());
        counts[found.outcome] += 1;
        assert.deepEqual(found.faults, []);
      });
      rmSync(copy, { recursive: true });
    }
    // A few copies may all come to the same.
    if (COPIES >= 2 * DAMAGES.length) assert.ok(counts.refused > 0 && counts.served > 0 && counts.failed > 0);
  });
});

function lookAtRefusal({ code, err }: Ended, isUntouched: boolean): Found {
  const faults: string[] = [];
  if (code !== 1 || !REFUSAL.test(err)) faults.push(`refused with ${code ?? 'a signal'}: ${err}`);
  if (!isUntouched) faults.push('a refused file was changed');
  return { faults, outcome: 'refused' };
}
