import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Cleanup } from '../support/cleanup.ts';
import { startServerProcess } from '../support/cli.ts';
import { LOCAL, changeStored } from '../support/people.ts';
import { temporaryFolder } from '../support/service.ts';
import { quantile } from './figures.ts';
import { memoryMb } from './machine.ts';

// Two questions about logins, answered with a line of JSON each. Does the time of a refusal tell why? And are others
// served while very many log in at once?

const ROUNDS = Number(process.env['ROUNDS'] ?? 5_000);
const FLOOD_MS = Number(process.env['FLOOD_SECONDS'] ?? 30) * 1_000;
const CROWD = 200;
// So many accounts of each kind that none has a hundred failures in a row.
const ACCOUNTS = 400;
const PASSWORD = 'the right password';
const WRONG = 'some wrong password';

interface Timed {
  readonly status: number;
  readonly ms: number;
}

type Send = (method: string, path: string, body?: object) => Promise<Timed>;

/** A client on few or many connections; each request comes from another address, so that no limit is in the way. */
function createSender(url: string, maxSockets: number): Send {
  const agent = new Agent({ keepAlive: true, maxSockets });
  let count = 0;
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const started = performance.now();
      count += 1;
      const address = `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`;
      const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': address };
      const outgoing = request(`${url}/api${path}`, { method, agent, headers }, (response) => {
        response.resume();
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, ms: performance.now() - started });
        });
      });
      outgoing.on('error', reject);
      outgoing.end(body && JSON.stringify(body));
    });
}

const percentile = (values: readonly number[], share: number): number =>
  Number(quantile(values, share).toFixed(3));

/** Welch's t of two samples: beyond 4.5 they differ for certain. */
function welch(a: readonly number[], b: readonly number[]): number {
  const [first, second] = [a, b].map((values) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
    return { mean, error: square / values.length };
  });
  if (!first || !second) return 0;
  return Number(((first.mean - second.mean) / Math.sqrt(first.error + second.error)).toFixed(2));
}

/** Whether unknown, wrong, of a provider and inactive take the same time. */
async function measureRefusals(url: string, folder: string): Promise<void> {
  const send = createSender(url, 1);
  for (let index = 0; index < ACCOUNTS; index += 1)
    for (const kind of ['wrong', 'provider', 'inactive']) {
      const name = `${kind}${index}`;
      await send('POST', '/auth/register', {
        email: `${name}@example.com`,
        username: name,
        password: PASSWORD,
      });
    }
  changeStored(
    folder,
    "UPDATE users SET password_hash = NULL, provider = 'idp' WHERE email LIKE 'provider%'",
  );
  changeStored(folder, "UPDATE users SET is_active = 0 WHERE email LIKE 'inactive%'");
  const kinds = ['unknown', 'wrong', 'provider', 'inactive'] as const;
  const times = new Map<string, number[]>(kinds.map((kind) => [kind, []]));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const kind of kinds.toSorted(() => Math.random() - 0.5)) {
      const email = `${kind}${round % ACCOUNTS}@example.com`;
      const { status, ms } = await send('POST', '/auth/login', {
        email,
        password: kind === 'inactive' ? PASSWORD : WRONG,
      });
      if (status !== 401) throw new Error(`a refusal answered ${status}`);
      times.get(kind)?.push(ms);
    }
  const unknown = times.get('unknown') ?? [];
  for (const [kind, own] of times) {
    const gap = Number((percentile(own, 0.5) - percentile(unknown, 0.5)).toFixed(3));
    console.log(
      JSON.stringify({
        bench: 'refusal',
        kind,
        rounds: own.length,
        medianMs: percentile(own, 0.5),
        gapMs: gap,
        t: welch(unknown, own),
      }),
    );
  }
}

/** The waits of other clients while `CROWD` clients log in again and again. */
async function measureFlood(url: string, pid: number): Promise<void> {
  const [send, probe] = [createSender(url, CROWD), createSender(url, 1)];
  const account = { email: 'crowd@example.com', username: 'crowd', password: PASSWORD };
  await send('POST', '/auth/register', account);
  const before = Math.round(memoryMb(pid, 'VmRSS'));
  const until = performance.now() + FLOOD_MS;
  const statuses = new Map<number, number>();
  const health: number[] = [];
  const login = async (): Promise<void> => {
    while (performance.now() < until) {
      const { status } = await send('POST', '/auth/login', account);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status !== 200) await pause(100);
    }
  };
  const look = async (): Promise<void> => {
    while (performance.now() < until) {
      const { status, ms } = await probe('GET', '/health');
      if (status !== 200) throw new Error(`health answered ${status}`);
      health.push(ms);
      await pause(5);
    }
  };
  await Promise.all([look(), ...Array.from({ length: CROWD }, login)]);
  const memory = { beforeMb: before, peakMb: Math.round(memoryMb(pid, 'VmHWM')) };
  const healthMs = { p50: percentile(health, 0.5), p99: percentile(health, 0.99) };
  console.log(
    JSON.stringify({
      bench: 'flood',
      clients: CROWD,
      statuses: Object.fromEntries(statuses),
      healthMs,
      ...memory,
    }),
  );
}

/** Measures both and prints what was found. */
export async function run(t: Cleanup): Promise<void> {
  const folder = temporaryFolder(t);
  const variables = {
    ...LOCAL,
    DATA_DIR: folder,
    HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
    MAX_CONNECTIONS_PER_ADDRESS: '1000',
  };
  const { url, process: child } = await startServerProcess(t, variables);
  await measureRefusals(url, folder);
  await measureFlood(url, child.pid ?? 0);
}
