import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStorage } from '../../src/storage/storage.ts';
import { startServerProcess } from '../support/cli.ts';
import { alignedTable, quantile } from './figures.ts';
import { generateCatalogue } from './generate.ts';

// What every read costs with 1,000 and with 100,000 restaurants, and the ratio of the two, in one run.
const SMALL = 1_000;
const LARGE = 100_000;
const RATINGS = 8;
const ROUNDS = 300;

const READS: readonly [string, string][] = [
  ['one restaurant', '/api/restaurants/500'],
  ['newest 20', '/api/restaurants?limit=20'],
  ['page of 100, newest', '/api/restaurants/paginated?limit=100'],
  ['page of 20, by name', '/api/restaurants/paginated?sort=name'],
  ['page of 20, by rating', '/api/restaurants/paginated?sort=rating'],
  ['page of 20 of a category', '/api/restaurants/paginated?category_id=3'],
  ['page of 20 of a food type', '/api/restaurants/paginated?food_type_ids=3'],
  ['page of 20 of a category and food types', '/api/restaurants/paginated?category_id=3&food_type_ids=3,5'],
  ['page of 20 by distance', '/api/restaurants/paginated?lat=40.5&lng=-2.5'],
  ['within 10 km', '/api/restaurants?lat=40.5&lng=-2.5&radius=10'],
  ['search: cafe', '/api/search?q=cafe'],
  ['search: two words', '/api/search?q=cafe+golden'],
  ['search: one letter', '/api/search?q=g'],
  ['search: no match', '/api/search?q=xyzzy'],
];

interface Sizes {
  readonly url: string;
  readonly label: string;
}

interface Cost {
  readonly ms: number;
  readonly bytes: number;
}

async function fetchOnce(agent: Agent, url: string): Promise<Cost> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => (bytes += chunk.length));
      response.on('end', () => {
        if (response.statusCode === 200) resolve({ ms: performance.now() - started, bytes });
        else reject(new Error(`${url} answered ${response.statusCode}`));
      });
    }).on('error', reject);
  });
}

const timeOf = (costs: readonly Cost[], share: number): number =>
  quantile(
    costs.map(({ ms }) => ms),
    share,
  );

/** Both services by turns, so that whatever else the machine does hits them alike. */
async function compare(path: string, small: Sizes, large: Sizes, rounds: number): Promise<string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const costs: [Cost[], Cost[]] = [[], []];
  for (let round = -20; round < rounds; round += 1)
    for (const [index, { url }] of [small, large].entries()) {
      const cost = await fetchOnce(agent, url + path);
      if (round >= 0) costs[index]?.push(cost);
    }
  agent.destroy();
  const [smallP50, largeP50] = [timeOf(costs[0], 0.5), timeOf(costs[1], 0.5)];
  const bytes = costs.map((list) => list[0]?.bytes ?? 0);
  return [
    smallP50.toFixed(2),
    largeP50.toFixed(2),
    timeOf(costs[1], 0.99).toFixed(2),
    (largeP50 / smallP50).toFixed(2),
    bytes.join(' / '),
  ];
}

/** The mean cost of a page of 100 while walking all of them. */
async function walk(url: string, sort: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let cursor = '';
  let pages = 0;
  const started = performance.now();
  for (;;) {
    const next: string | null = await new Promise((resolve, reject) => {
      get(`${url}/api/restaurants/paginated?limit=100&sort=${sort}${cursor}`, { agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          resolve(
            /"next_cursor":"([^"]+)"/.exec(Buffer.concat(chunks).subarray(-400).toString())?.[1] ?? null,
          );
        });
      }).on('error', reject);
    });
    pages += 1;
    if (next === null) break;
    cursor = `&cursor=${next}`;
  }
  agent.destroy();
  return (performance.now() - started) / pages;
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
  const stops: (() => void | Promise<void>)[] = [];
  try {
    const sizes: Sizes[] = [];
    for (const count of [SMALL, LARGE]) {
      const data = join(folder, String(count));
      const storage = openStorage(data);
      const started = performance.now();
      await generateCatalogue(storage, count, RATINGS);
      storage.close();
      console.log(
        `${count} restaurants with ${RATINGS} ratings each made in ${((performance.now() - started) / 1_000).toFixed(1)} s`,
      );
      const variables = { DATA_DIR: data, LOG_LEVEL: 'info', HOST: '127.0.0.1' };
      const { url } = await startServerProcess({ after: (stop) => stops.push(stop) }, variables);
      sizes.push({ url, label: String(count) });
    }
    const [small, large] = sizes;
    if (!small || !large) throw new Error('two services are needed');
    const rows: string[][] = [
      ['read, one client', 'p50 ms at 1,000', 'p50 ms at 100,000', 'p99 ms', 'ratio', 'bytes'],
    ];
    for (const [label, path] of READS) rows.push([label, ...(await compare(path, small, large, ROUNDS))]);
    for (const sort of ['newest', 'name', 'rating']) {
      const costs = [await walk(small.url, sort), await walk(large.url, sort)];
      const [before = NaN, after = NaN] = costs;
      rows.push([
        `full walk by ${sort}, a page of 100`,
        before.toFixed(2),
        after.toFixed(2),
        '',
        (after / before).toFixed(2),
        '',
      ]);
    }
    console.log(alignedTable(rows, 1));
  } finally {
    for (const stop of stops) await stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
