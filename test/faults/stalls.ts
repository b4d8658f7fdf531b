import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openStorage } from '../../src/storage/storage.ts';
import { generateCatalogue } from '../bench/generate.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { runCommand, startServerProcess } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';
import { attackFromOutside } from './attacker.ts';
import { startProbe } from './probe.ts';
import { ATTACKS } from './stall-attacks.ts';
import { type Noticed, ask, hundredths, memoryOf, percentile, report } from './support.ts';

// One client that knows the source asks for what costs most, within the default limits, at 100,000 restaurants; and an
// import, a backup, a rename and deletions run while another client writes. Each prints the longest delay of the event loop
// and what others notice, next to a control without the fault. STALLS_DATA is a folder to store the data in,
// ONLY a part of the name of what to try.

const RESTAURANTS = Number(process.env['RESTAURANTS'] ?? 100_000);
const PHASE_MS = Number(process.env['PHASE_SECONDS'] ?? 15) * 1_000;
const ATTEMPTS = 3;
const MOST_MB = 300;
// What the 99th percentile may be beyond the control's, in milliseconds: of /health, and of another client's own requests.
const ATTACK = { healthMs: 100, othersMs: 100 };
// Next to another process that writes, a write waits for its turn, and for a disk that both of them keep busy.
const OPERATION = { healthMs: 50, othersMs: 1_000 };
const SEED = Number(process.env['FAULT_SEED'] ?? 1);
const ONLY = process.env['ONLY'] ?? '';
const HEALTH = '/health';
const JSON_TYPE = { 'Content-Type': 'application/json' };
// Prints the longest delay since the last time on each SIGUSR2.
const WATCH_LOOP = [
  `import { monitorEventLoopDelay } from 'node:perf_hooks';`,
  'const delays = monitorEventLoopDelay({ resolution: 1 });',
  'delays.enable();',
  `process.on('SIGUSR2', () => { process.stderr.write('loop ' + delays.max / 1e6 + '\\n'); delays.reset(); });`,
].join(' ');

interface Target {
  readonly port: number;
  readonly folder: string;
  /** The longest delay of the event loop since it was asked for last, in milliseconds. */
  readonly loopDelay: () => Promise<number>;
  readonly memory: () => number;
}

type Statuses = Readonly<Record<string, number>>;

interface Phase {
  readonly health: Noticed;
  readonly loopMs: number;
  /** Requests that the attacker made, by status. */
  readonly statuses: Statuses;
  /** Times of another client's own requests, in milliseconds; the 99th percentile and the worst. */
  readonly others: readonly [number, number];
  readonly grewMb: number;
}

let written = 0;

/** One write a second and a few reads, from an address of its own, while `work` goes on. */
async function watch(
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

async function startTarget(t: Cleanup): Promise<Target> {
  const folder = temporaryFolder(t);
  const store = process.env['STALLS_DATA'] ?? temporaryFolder(t);
  const original = join(store, `stalls-${RESTAURANTS}`);
  if (!existsSync(original)) {
    mkdirSync(`${original}.new`, { recursive: true });
    const storage = openStorage(`${original}.new`);
    await generateCatalogue(storage, RESTAURANTS, 1);
    storage.close();
    renameSync(`${original}.new`, original);
  }
  execFileSync('cp', [join(original, 'catalogue.db'), folder]);
  const { url, process: server } = await startServerProcess(t, {
    ...{ DATA_DIR: folder, RATE_LIMIT_BURST: '20' },
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

/** A file of restaurants that are not there yet. */
function importFile(folder: string, attempt: number): string {
  const rows = Array.from({ length: 20_000 }, (_, row) =>
    JSON.stringify({
      name: `Imported ${attempt} ${row}`,
      address: 'Long Lane',
      food_types: ['Pizza', 'Pasta'],
    }),
  );
  const file = join(folder, `new-${attempt}.ndjson`);
  writeFileSync(file, rows.join('\n'));
  return file;
}

async function change(port: number, method: string, path: string, body?: object): Promise<Statuses> {
  const { status } = await ask(port, path, {
    method,
    ...(body && { headers: JSON_TYPE, body: JSON.stringify(body) }),
  });
  // What is left to be done goes on in the background.
  await pause(PHASE_MS);
  return { [status]: 1 };
}

async function command(folder: string, args: readonly string[]): Promise<Statuses> {
  const { code, err } = await runCommand(args, { variables: { DATA_DIR: folder } });
  if (code !== 0) throw new Error(err);
  return { exit: code };
}

interface Fault {
  readonly name: string;
  readonly bounds: typeof ATTACK;
  readonly work: (target: Target, attempt: number) => Promise<Statuses>;
}

const FAULTS: readonly Fault[] = [
  ...ATTACKS.map(([name]) => ({
    ...{ name, bounds: ATTACK },
    work: ({ port }: Target, attempt: number) =>
      attackFromOutside({ name, port, forMs: PHASE_MS, restaurants: RESTAURANTS, seed: SEED + attempt }),
  })),
  {
    ...{ name: 'a renamed category', bounds: OPERATION },
    work: ({ port }, attempt) => change(port, 'PUT', '/api/categories/1', { name: `Italico ${attempt}` }),
  },
  {
    ...{ name: 'a deleted category', bounds: OPERATION },
    work: ({ port }, attempt) => change(port, 'DELETE', `/api/categories/${2 + attempt}`),
  },
  {
    ...{ name: 'a deleted food type', bounds: OPERATION },
    work: ({ port }, attempt) => change(port, 'DELETE', `/api/food-types/${3 + attempt}`),
  },
  {
    ...{ name: 'an import', bounds: OPERATION },
    work: ({ folder }, attempt) => command(folder, ['import', importFile(folder, attempt)]),
  },
  {
    ...{ name: 'a backup', bounds: OPERATION },
    work: ({ folder }, attempt) => command(folder, ['backup', join(folder, `backup-${attempt}`)]),
  },
];

/** A fault and a control right before it; again where it was too much, since the machine may have been busy with others. */
async function tryFault(t: Cleanup, target: Target, { name, bounds, work }: Fault): Promise<boolean> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const control = await watch(t, target, async () => {
      await pause(PHASE_MS / 2);
      return {};
    });
    const phase = await watch(t, target, () => work(target, attempt));
    const isKept =
      phase.health.p99 <= control.health.p99 + bounds.healthMs &&
      phase.others[0] <= control.others[0] + bounds.othersMs;
    const isServed = phase.health.served === phase.health.asked && phase.grewMb <= MOST_MB;
    console.log(
      JSON.stringify({
        fault: name,
        attempt,
        ...phase,
        control: control.health,
        controlLoopMs: control.loopMs,
      }),
    );
    if (isKept && isServed) return true;
  }
  return false;
}

await report(43, 'stalls', async (t) => {
  const target = await startTarget(t);
  const bounds: Record<string, boolean> = {};
  for (const fault of FAULTS.filter(({ name }) => name.includes(ONLY)))
    bounds[fault.name] = await tryFault(t, target, fault);
  return { figures: { restaurants: RESTAURANTS, seconds: PHASE_MS / 1_000 }, bounds };
});
