import { Agent } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { WORDS } from '../bench/generate.ts';
import { randomNumbers } from '../support/catalogue.ts';
import { ask } from './support.ts';

/** Attacks a port for some milliseconds; resolves to the number of requests by status. */
export type Attack = (
  port: number,
  forMs: number,
  restaurants: number,
) => Promise<Readonly<Record<string, number>>>;

const ATTACKER = '127.0.0.2';
const LARGE = 10 * 1024 * 1024 - 100;

const SEED = Number(process.env['FAULT_SEED'] ?? 1);
const random = randomNumbers(SEED);
const pick = <Value>(values: readonly Value[]): Value => {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
};
// No other attempt asks for the same.
let asked = SEED * 1_000;

/** Words of which each stands in thousands of texts and all of them in none. */
function commonWords(count: number): string {
  const parts = WORDS.flatMap((word) => [word, word.slice(0, 4), word.slice(1), word.slice(0, 3)]);
  const words = new Set<string>();
  while (words.size < count) words.add(pick(parts).toLowerCase());
  return [...words].join(' ').slice(0, 199);
}

// Each call makes another address, so that nothing that was remembered answers it.
const PATHS: Readonly<Record<string, (restaurants: number) => string>> = {
  'searches of many common words': () =>
    `/api/search?q=${encodeURIComponent(commonWords(12 + (asked % 10)))}`,
  'a long word of common letters': () =>
    `/api/search?q=${`springfield${pick(WORDS)}`.repeat(9).slice(0, 190 + (asked % 9))}`,
  'lists of common words': () =>
    `/api/restaurants/paginated?q=${encodeURIComponent(commonWords(2))}&sort=name`,
  'deep offsets': (restaurants) =>
    `/api/restaurants?sort=name&status=active&limit=1&offset=${Math.floor(restaurants * 1.2) - asked}`,
  'deep offsets without a filter': (restaurants) =>
    `/api/restaurants?sort=rating&limit=1&offset=${restaurants - asked}`,
  'filters that leave nothing': () =>
    `/api/restaurants/paginated?sort=${pick(['name', 'rating', 'newest'])}&category_id=${1 + (asked % 10)}&food_type_ids=${1 + (asked % 9)}&min_rating=${4.9 + asked / 1e6}&status=active`,
  'a wide circle': () =>
    `/api/restaurants/paginated?lat=${40 + asked / 1e4}&lng=-3&radius=${5_000 + asked}&sort=name`,
  'a dense circle': () => `/api/restaurants?lat=${40 + asked / 1e6}&lng=-3&radius=5&limit=20`,
  'far from all of them': () => `/api/restaurants?lat=${-40 + asked / 1e4}&lng=100&limit=20`,
};

/** Attacks by their names. Each asks for paths that were not asked for before. */
export const ATTACKS: readonly (readonly [string, Attack])[] = [
  ...Object.entries(PATHS).map(([name, makePath]): readonly [string, Attack] => [
    name,
    (port, forMs, restaurants) => askAtTheLimit(port, forMs, () => makePath(restaurants)),
  ]),
  ['sorted lists hung up on', hangUp],
  ['bodies of ten megabytes', sendLarge],
];

function askAtTheLimit(port: number, forMs: number, makePath: () => string): Promise<Record<string, number>> {
  return repeat(forMs, (agent) => ask(port, makePath(), { agent, localAddress: ATTACKER }));
}

/** JSON that is as costly to read as any, in one field or in many. */
function sendLarge(port: number, forMs: number): Promise<Record<string, number>> {
  const contents = ['\\"', 'é', '","', ' '].map((part) => part.repeat(LARGE / Buffer.byteLength(part)));
  const bodies = contents.map((content) => Buffer.from(`{"name":["${content}"]}`));
  const headers = { 'Content-Type': 'application/json' };
  return repeat(forMs, (agent) =>
    ask(port, '/api/restaurants', {
      method: 'POST',
      headers,
      body: pick(bodies),
      agent,
      localAddress: ATTACKER,
    }),
  );
}

async function repeat(
  forMs: number,
  askOnce: (agent: Agent) => ReturnType<typeof ask>,
): Promise<Record<string, number>> {
  const until = performance.now() + forMs;
  const statuses: Record<string, number> = {};
  const agent = new Agent({ keepAlive: true, maxSockets: 60 });
  const underWay: Promise<void>[] = [];
  while (performance.now() < until) {
    asked += 1;
    const request = askOnce(agent);
    underWay.push(
      request.then(({ status }) => {
        statuses[status] = (statuses[status] ?? 0) + 1;
      }),
    );
    // Twenty at once, and then as fast as the limit allows.
    if (underWay.length > 20) await pause(500);
  }
  await Promise.all(underWay);
  agent.destroy();
  return statuses;
}

/** Whole lists by distance, of which the client reads nothing before it hangs up. */
async function hangUp(port: number, forMs: number): Promise<Record<string, number>> {
  const until = performance.now() + forMs;
  let count = 0;
  while (performance.now() < until) {
    const sockets = Array.from({ length: 20 }, () => {
      count += 1;
      const socket = connect({ port, host: '127.0.0.1', localAddress: ATTACKER });
      socket.on('error', () => undefined);
      socket.write(`GET /api/restaurants?lat=${count / 1e3}&lng=1 HTTP/1.1\r\nHost: x\r\n\r\n`);
      return socket;
    });
    await pause(200);
    for (const socket of sockets) socket.destroy();
    await pause(1_800);
  }
  return { hungUp: count };
}
