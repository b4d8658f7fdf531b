import Database from 'better-sqlite3';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LOADER } from '../support/checkout.ts';
import { record } from '../support/client.ts';
import { ATTACK, type Fault, PHASE_MS, type Statuses } from './stall-target.ts';

// Rows as long as they may be, which one address asks for as often as it may, at once and without reading the answers.

const ATTACKER = '127.0.0.2';
const RATINGS = 2_000;
const VISITS = 300;
// Every limit counts characters; these have four bytes.
const NOTE = `'${'🍝'.repeat(5_000)}'`;
const DISHES = JSON.stringify(Array.from({ length: 11 }, () => ({ name: '🍝', note: '🍝'.repeat(1_000) })));
const NUMBERS = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)';
const MOMENT = `'2026-01-01T00:00:00.000Z'`;

type Attack = (port: number, forMs: number) => Promise<Statuses>;

const ATTACKS: Readonly<Record<string, Attack>> = {
  'exports that stop reading': stopReading,
  'pages of long visits': (port, forMs) => askTogether(port, '/api/visits?limit=100', forMs),
  'long ratings': (port, forMs) => askTogether(port, '/api/restaurants/7/ratings?limit=1000', forMs),
};

export const SIZE_FAULTS: readonly Fault[] = Object.keys(ATTACKS).map((name) => ({
  ...{ name: `sizes: ${name}`, bounds: ATTACK },
  // To write so much holds the writes of others up, and is no part of the attack.
  prepare: ({ folder }) => {
    fillIn(folder);
    return pause(1_000);
  },
  work: ({ port }) => attackFromOutside(name, port),
}));

/** Long rows of the placeholder, once for all attempts. */
function fillIn(folder: string): void {
  const database = new Database(join(folder, 'catalogue.db'));
  try {
    database.pragma('busy_timeout = 10000');
    const found = database.prepare('SELECT 1 FROM visits LIMIT 1').get();
    if (found !== undefined) return;
    database
      .prepare(
        `INSERT INTO visits (restaurant_id, visited_on, note, dishes, created_at, updated_at)
         ${NUMBERS} SELECT 7, '2026-01-01', ${NOTE}, '${DISHES}', ${MOMENT}, ${MOMENT} FROM n`,
      )
      .run(VISITS);
    database
      .prepare(
        `INSERT INTO ratings (restaurant_id, food_rating, service_rating, ambiance_rating, comment, created_at, updated_at)
         ${NUMBERS} SELECT 7, 5, 5, 5, ${NOTE}, ${MOMENT}, ${MOMENT} FROM n`,
      )
      .run(RATINGS);
  } finally {
    database.close();
  }
}

/** In a process of its own, so that what others notice is the service's doing. */
async function attackFromOutside(name: string, port: number): Promise<Statuses> {
  const args = [...LOADER, fileURLToPath(import.meta.url), name, String(port)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [told] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const statuses = Object.entries(record(JSON.parse(told)));
  return Object.fromEntries(statuses.map(([status, count]) => [status, Number(count)]));
}

/** Sixty, of which the client reads no more than the beginning. */
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

/** Twenty at once, and then as fast as the limit allows. */
async function askTogether(port: number, path: string, forMs: number): Promise<Statuses> {
  const until = performance.now() + forMs;
  const statuses: Record<string, number> = {};
  const agent = new Agent({ keepAlive: true });
  const ask = (): Promise<void> =>
    new Promise((resolve) => {
      const settle = (status: number): void => {
        statuses[status] = (statuses[status] ?? 0) + 1;
        resolve();
      };
      get({ host: '127.0.0.1', port, path, agent, localAddress: ATTACKER }, (response) => {
        response.resume().on('close', () => {
          settle(response.complete ? (response.statusCode ?? 0) : -1);
        });
      }).on('error', () => {
        settle(0);
      });
    });
  const underWay = Array.from({ length: 19 }, ask);
  while (performance.now() < until) {
    await pause(650);
    underWay.push(ask());
  }
  await Promise.all(underWay);
  agent.destroy();
  return statuses;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name = '', port] = process.argv.slice(2);
  console.log(JSON.stringify(await ATTACKS[name]?.(Number(port), PHASE_MS)));
}
