import { setTimeout as pause } from 'node:timers/promises';
import { openStorage } from '../../src/storage/storage.ts';
import { generateCatalogue } from '../bench/generate.ts';
import { ask, memoryOf } from '../faults/support.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { startServerProcess } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';
import { type Noticed, startProbe } from './probe.ts';
import { hundredths, percentile } from './report.ts';
import { JSON_TYPE, type Statuses } from './stall-attacks.ts';

// A service with many restaurants under attack, and what other clients notice of it. RESTAURANTS is their number,
// PHASE_SECONDS how long an attack lasts.

export const RESTAURANTS = Number(process.env['RESTAURANTS'] ?? 100_000);
export const PHASE_MS = Number(process.env['PHASE_SECONDS'] ?? 15) * 1_000;
const HEALTH = '/health';
// Prints the longest delay since the last time on each SIGUSR2.
const WATCH_LOOP = [
  `import { monitorEventLoopDelay } from 'node:perf_hooks';`,
  'const delays = monitorEventLoopDelay({ resolution: 1 });',
  'delays.enable();',
  `process.on('SIGUSR2', () => { process.stderr.write('loop ' + delays.max / 1e6 + '\\n'); delays.reset(); });`,
].join(' ');

/** A running service, and how to measure it. */
export interface Target {
  readonly port: number;
  readonly folder: string;
  /** The longest delay of the event loop since it was asked for last, in milliseconds. */
  readonly loopDelay: () => Promise<number>;
  readonly memory: () => number;
}

/** What was measured while an attack went on. */
export interface Phase {
  readonly health: Noticed;
  readonly loopMs: number;
  /** Requests that the attacker made, by status. */
  readonly statuses: Statuses;
  /** Times of another client's own requests, in milliseconds; the 99th percentile and the worst. */
  readonly others: readonly [number, number];
  readonly grewMb: number;
}

/** How much others may notice, in milliseconds beyond the control's 99th percentile. */
export interface Bounds {
  readonly healthMs: number;
  readonly othersMs: number;
}

/** An attack, or an operation that others may notice. */
export interface Fault {
  readonly name: string;
  readonly bounds: Bounds;
  /** Done before anything is measured. */
  readonly prepare?: ((target: Target, attempt: number) => Promise<void>) | undefined;
  readonly work: (target: Target, attempt: number) => Promise<Statuses>;
}

// What the 99th percentile may be beyond the control's, in milliseconds: of /health, and of another client's own requests.
export const ATTACK: Bounds = { healthMs: 100, othersMs: 100 };
// Next to another process that writes, a write waits for its turn, and for a disk that both of them keep busy.
export const OPERATION: Bounds = { healthMs: 50, othersMs: 1_000 };

let written = 0;

/** One write a second and a few reads, from an address of its own, while `work` goes on. */
export async function watch(
  t: Cleanup,
  { port, loopDelay, memory }: Target,
  work: () => Promise<Statuses>,
): Promise<Phase> {
  await loopDelay();
  const before = memory();
  const stop = await startProbe(t, port, HEALTH);
  const times: number[] = [];
  const ended = new AbortController();
  const others = (async (): Promise<void> => {
    while (!ended.signal.aborted) {
      written += 1;
      const body = JSON.stringify({ name: `Honest ${written}` });
      const write = ask(port, '/api/restaurants', { method: 'POST', headers: JSON_TYPE, body });
      const read = ask(port, `/api/restaurants/${1 + ((written * 7919) % RESTAURANTS)}`);
      for (const { status, ms } of await Promise.all([write, read])) {
        if (status !== 201 && status !== 200) throw new Error(`an honest request was answered ${status}`);
        times.push(ms);
      }
      // Together with what is asked for here, less than the limit of 100 a minute.
      await pause(1_300);
    }
  })();
  const statuses = await work();
  ended.abort();
  await others;
  const health = await stop();
  const grewMb = memory() - before;
  return {
    health,
    loopMs: hundredths(await loopDelay()),
    statuses,
    others: [percentile(times, 0.99), percentile(times, 1)],
    grewMb,
  };
}

/** Starts a service in mode none with all the restaurants. */
export async function startTarget(t: Cleanup): Promise<Target> {
  const folder = temporaryFolder(t);
  const storage = openStorage(folder);
  await generateCatalogue(storage, RESTAURANTS, 1);
  storage.close();
  const { url, process: server } = await startServerProcess(t, {
    DATA_DIR: folder,
    RATE_LIMIT_BURST: '20',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(WATCH_LOOP)}`,
  });
  const loopDelay = (): Promise<number> =>
    new Promise((resolve) => {
      server.stderr.once('data', (chunk: Buffer) => {
        resolve(Number(/loop ([\d.]+)/.exec(chunk.toString())?.[1] ?? 0));
      });
      server.kill('SIGUSR2');
    });
  return { port: Number(new URL(url).port), folder, loopDelay, memory: () => memoryOf(server.pid) };
}
