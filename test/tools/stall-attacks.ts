import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WORDS } from '../bench/generate.ts';
import { ask } from '../faults/support.ts';
import { randomNumbers } from '../support/catalogue.ts';
import { LOADER } from '../support/checkout.ts';
import { record } from '../support/client.ts';
import { SEED } from '../support/size.ts';

/** Requests by status. */
export type Statuses = Readonly<Record<string, number>>;

/** Attacks a port for some milliseconds. */
type Attack = (port: number, forMs: number, restaurants: number) => Promise<Statuses>;

export const ATTACKER = '127.0.0.2';
export const JSON_TYPE = { 'Content-Type': 'application/json' };
/** The restaurant with long visits and ratings. */
export const FILLED = 7;
const LARGE = 10 * 1024 * 1024 - 100;
const AT_ONCE = 20;
// As fast as the limit of 100 a minute allows.
const EVERY_MS = 600;

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

const openAt = (): string => {
  const minute = String(asked % 60).padStart(2, '0');
  return `/api/restaurants?open_at=2026-10-25T0${asked % 2}:${minute}Z&limit=1`;
};

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
  'lists by hostile opening hours': openAt,
  'lists by the longest opening hours that are understood': openAt,
  'pages of long visits': () => '/api/visits?limit=100',
  'long ratings': () => `/api/restaurants/${FILLED}/ratings?limit=1000`,
};

const SORTED: readonly (() => string)[] = [
  () => `lat=${asked / 1e3}&lng=1`,
  () => 'sort=name&status=active',
  () => `sort=rating&lat=${asked / 1e3}&lng=1`,
  () => `lat=${asked / 1e3}&lng=1&radius=19000&sort=name`,
];

/** Attacks by their names. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  ...Object.fromEntries(
    Object.entries(PATHS).map(([name, makePath]): [string, Attack] => [
      name,
      (port, forMs, restaurants) =>
        repeat(forMs, (agent) => ask(port, makePath(restaurants), { agent, localAddress: ATTACKER })),
    ]),
  ),
  'sorted lists hung up on': hangUp,
  'bodies of ten megabytes': sendLarge,
  'exports that stop reading': stopReading,
};

/** Asks twenty times at once, and then as fast as the limit allows. */
async function repeat(forMs: number, askOnce: (agent: Agent) => ReturnType<typeof ask>): Promise<Statuses> {
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
    if (underWay.length >= AT_ONCE) await pause(EVERY_MS);
  }
  await Promise.all(underWay);
  agent.destroy();
  return statuses;
}

/** JSON that is as costly to read as any, in one field or in many. */
function sendLarge(port: number, forMs: number): Promise<Statuses> {
  const contents = ['\\"', 'é', '","', ' '].map((part) => part.repeat(LARGE / Buffer.byteLength(part)));
  const bodies = contents.map((content) => Buffer.from(`{"name":["${content}"]}`));
  const sent = { method: 'POST', headers: JSON_TYPE, localAddress: ATTACKER };
  return repeat(forMs, (agent) => ask(port, '/api/restaurants', { ...sent, body: pick(bodies), agent }));
}

/** Whole lists, of which the client reads nothing before it hangs up, while they are sorted or before. */
async function hangUp(port: number, forMs: number): Promise<Statuses> {
  const until = performance.now() + forMs;
  const first = asked;
  while (performance.now() < until) {
    const sockets = Array.from({ length: AT_ONCE }, () => {
      asked += 1;
      const socket = connect({ port, host: '127.0.0.1', localAddress: ATTACKER });
      socket.on('error', () => undefined);
      const query = SORTED[asked % SORTED.length]?.() ?? '';
      socket.write(`GET /api/restaurants?${query} HTTP/1.1\r\nHost: x\r\n\r\n`);
      return socket;
    });
    await pause(300);
    for (const socket of sockets) socket.destroy();
    await pause(1_700);
  }
  return { hungUp: asked - first };
}

/** Sixty exports, of which the client reads no more than the beginning. */
async function stopReading(port: number, forMs: number): Promise<Statuses> {
  const statuses: Record<string, number> = {};
  const sockets = Array.from({ length: 60 }, () => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: ATTACKER });
    socket.on('error', () => undefined);
    socket.once('data', (chunk: Buffer) => {
      socket.pause();
      const status = chunk.toString('latin1', 9, 12);
      statuses[status] = (statuses[status] ?? 0) + 1;
    });
    socket.write('GET /api/me/export HTTP/1.1\r\nHost: localhost\r\n\r\n');
    return socket;
  });
  await pause(forMs);
  for (const socket of sockets) socket.destroy();
  return statuses;
}

/** What is attacked, for how long, and with which course of chance. */
export interface AttackOptions {
  readonly port: number;
  readonly forMs: number;
  readonly restaurants: number;
  readonly seed: number;
}

/**
 * Makes an attack in a process of its own, so that what others notice is the service's doing: a client that sends 200 MB
 * is late for all else.
 */
export async function attackFromOutside(name: string, options: AttackOptions): Promise<Statuses> {
  const { port, forMs, restaurants, seed } = options;
  const args = [name, port, forMs, restaurants].map(String);
  const child = spawn(process.execPath, [...LOADER, fileURLToPath(import.meta.url), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, SEED: String(seed) },
  });
  const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (child.exitCode !== 0) throw new Error(`the attack ended with ${String(child.exitCode)}`);
  const statuses = Object.entries(record(JSON.parse(printed)));
  return Object.fromEntries(statuses.map(([status, count]) => [status, Number(count)]));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name = '', port, forMs, restaurants] = process.argv.slice(2);
  const attack = ATTACKS[name];
  if (!attack) throw new Error(`there is no attack ${name}`);
  console.log(JSON.stringify(await attack(Number(port), Number(forMs), Number(restaurants))));
}
