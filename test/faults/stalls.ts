import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openStorage } from '../../src/storage/storage.ts';
import { generateCatalogue } from '../bench/generate.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { runCommand, startServerProcess } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';
import { startProbe } from './probe.ts';
import { ATTACKS } from './stall-attacks.ts';
import { type Noticed, ask, hundredths, memoryOf, percentile, report } from './support.ts';

// One client that knows the source asks for what costs most, within the default limits, at 100,000 restaurants; and an
// import, a backup and a rename run beside one write a second. Each phase prints the delay of the event loop and what
// another client notices, next to a control without the fault.

const RESTAURANTS = Number(process.env['RESTAURANTS'] ?? 100_000);
const PHASE_MS = Number(process.env['PHASE_SECONDS'] ?? 15) * 1_000;
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

interface Phase {
  readonly health: Noticed;
  readonly loopMs: number;
  /** Requests that the attacker made, by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Times of another client's own requests, in milliseconds; the 99th percentile and the worst. */
  readonly others: readonly [number, number];
  readonly grewMb: number;
}

let written = 0;

/** One write a second and a few reads, from an address of its own, while `work` goes on. */
async function watch(
  t: Cleanup,
  { port, loopDelay, memory }: Target,
  work: () => Promise<Readonly<Record<string, number>>>,
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
      await pause(1_000);
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
function importFile(folder: string): string {
  const rows = Array.from({ length: 20_000 }, (_, row) =>
    JSON.stringify({ name: `Imported ${row}`, address: `${row} Long Lane`, food_types: ['Pizza', 'Pasta'] }),
  );
  const file = join(folder, 'new.ndjson');
  writeFileSync(file, rows.join('\n'));
  return file;
}

async function change(
  port: number,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, number>> {
  await pause(2_000);
  const { status } = await ask(port, path, {
    method,
    ...(body && { headers: JSON_TYPE, body: JSON.stringify(body) }),
  });
  await pause(PHASE_MS - 2_000);
  return { [status]: 1 };
}

async function command(folder: string, args: readonly string[]): Promise<Record<string, number>> {
  const { code, err } = await runCommand(args, { variables: { DATA_DIR: folder } });
  if (code !== 0) throw new Error(err);
  return { exit: code };
}

await report(43, 'stalls', async (t) => {
  const target = await startTarget(t);
  const { port, folder } = target;
  const phases: Record<string, Phase> = {};
  const run = async (name: string, work: () => Promise<Readonly<Record<string, number>>>): Promise<void> => {
    phases[name] = await watch(t, target, work);
    console.error(JSON.stringify({ phase: name, ...phases[name] }));
  };
  await run('control', async () => {
    await pause(PHASE_MS);
    return {};
  });
  for (const [name, attack] of ATTACKS) await run(name, () => attack(port, PHASE_MS, RESTAURANTS));
  await run('a rename', () => change(port, 'PUT', '/api/categories/1', { name: 'Italico' }));
  await run('a deletion', () => change(port, 'DELETE', '/api/categories/2'));
  await run('a deleted food type', () => change(port, 'DELETE', '/api/food-types/3'));
  await run('an import', () => command(folder, ['import', importFile(folder)]));
  await run('a backup', () => command(folder, ['backup', join(folder, 'backup')]));
  const { control, ...faults } = phases;
  const quiet = control?.health.p99 ?? 0;
  const all = Object.entries(faults);
  const over = (bound: (phase: Phase) => boolean): string[] =>
    all.filter(([, phase]) => bound(phase)).map(([name]) => name);
  const beside = ['a rename', 'a deletion', 'a deleted food type', 'an import', 'a backup'];
  return {
    figures: { restaurants: RESTAURANTS, phases },
    bounds: {
      health: over(({ health }) => health.p99 > 100 + quiet).length === 0,
      healthBeside: all.every(([name, { health }]) => !beside.includes(name) || health.p99 <= 50 + quiet),
      served: over(({ health }) => health.served < health.asked).length === 0,
      loop: over(({ loopMs }) => loopMs > 100).length === 0,
      memory: over(({ grewMb }) => grewMb > 100).length === 0,
    },
  };
});
