import { once } from 'node:events';
import { mkdirSync, readFileSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { pathToFileURL } from 'node:url';
import { inspect, parseArgs } from 'node:util';
import { BUILD, buildTests } from './support/build.ts';
import { declaredTests } from './support/declared.ts';

// Runs the tests. The name of a file says what it needs:
//   *.test.ts          quick: one process, memory instead of a disk, little time
//   *.browser.test.ts  a browser
//   *.disk.test.ts     the disk: tests that kill the service, fill its disk or damage its files
//   *.slow.test.ts     many seconds
// `npm test` runs all but the slow ones, with few rounds; --quick the quick ones alone; --full everything; --full --added what
// that adds to `npm test`. Paths choose files and folders, of all kinds.

/** What the runner says of a test that ended. */
interface Event {
  readonly name: string;
  readonly nesting: number;
  readonly file?: string;
  readonly skip?: string | boolean;
  readonly details: { readonly duration_ms: number; readonly type?: 'suite' | 'test' | undefined };
}

type Kind = 'quick' | 'browser' | 'disk' | 'slow';

/** Test files that share a process. */
interface Unit {
  readonly kind: Kind;
  readonly files: readonly string[];
  /** What it took the last time, or is likely to take, in seconds. */
  readonly seconds: number;
}

interface Failure {
  readonly file: string;
  readonly title: string;
  readonly reason: unknown;
}

/** What is known of a file when its process has ended. */
interface Ran {
  tests: number;
  ms: number;
  /** A suite of it was skipped as a whole, so that its tests are not known. */
  isPartlySkipped: boolean;
}

// A process costs half a second and a browser one, which most files need less of than that.
const FILES_PER_PROCESS = { quick: 15, browser: 4, disk: 1, slow: 1 };
const LIKELY_SECONDS = { quick: 1, browser: 20, disk: 30, slow: 30 };
// Tests mostly wait, for timers, the disk and one another. A browser is several processes that compute.
const LANES = 2 * availableParallelism();
const LANES_TAKEN = { quick: 1, browser: 2, disk: 1, slow: 1 };
/** How long a test may take, and a process may go on after its last one. */
const SILENCE_MS = { quick: 120_000, browser: 120_000, disk: 300_000, slow: 300_000 };
/** A quick file that needs more of the processor belongs to the slow ones, or does too much. */
const QUICK_CPU_SECONDS = 10;
const MEMORY_FOLDER = '/dev/shm';
const LEAST_MEMORY = 2 ** 31;
const TIMES = join(BUILD, 'times.json');
const GROUPS = join(BUILD, 'groups');

const { values: chosen, positionals: paths } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    added: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});

const kindOf = (file: string): Kind => {
  const [, kind] = /\.(browser|disk|slow)\.test\.ts$/.exec(file) ?? [];
  return kind === 'browser' || kind === 'disk' || kind === 'slow' ? kind : 'quick';
};

function isChosen(file: string): boolean {
  if (paths.length > 0) return paths.some((path) => file.startsWith(path));
  if (chosen.quick) return kindOf(file) === 'quick';
  if (chosen.added) return kindOf(file) !== 'quick';
  return chosen.full || kindOf(file) !== 'slow';
}

function lastTimes(): Readonly<Record<string, number>> {
  try {
    const times: unknown = JSON.parse(readFileSync(TIMES, 'utf8'));
    return Object.fromEntries(Object.entries(times ?? {}).map(([file, seconds]) => [file, Number(seconds)]));
  } catch {
    return {};
  }
}

/** Files in units, the longest first. Those of a kind that share processes are dealt out, so that each takes as long. */
function unitsOf(files: readonly string[], times: Readonly<Record<string, number>>): Unit[] {
  const units: Unit[] = [];
  for (const kind of ['slow', 'disk', 'browser', 'quick'] as const) {
    const secondsOf = (file: string): number => times[file] ?? LIKELY_SECONDS[kind];
    const own = files
      .filter((file) => kindOf(file) === kind)
      .sort((one, other) => secondsOf(other) - secondsOf(one));
    const count = Math.ceil(own.length / FILES_PER_PROCESS[kind]);
    for (let unit = 0; unit < count; unit += 1) {
      const members = own.filter((_file, index) => index % count === unit);
      const seconds = members.map(secondsOf).reduce((sum, one) => sum + one, 0);
      units.push({ kind, files: members, seconds });
    }
  }
  return units.sort((one, other) => other.seconds - one.seconds);
}

/** A file system in memory for the temporary folders of quick tests: there every flush to the disk is free. */
function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return process.env['TMPDIR'] === undefined && bavail * bsize > LEAST_MEMORY ? MEMORY_FOLDER : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the module that loads the files of a unit, and leaves behind how long it kept the processor busy. */
function writeModule(
  { kind, files }: Unit,
  index: number,
): { readonly module: string; readonly cpu: string } {
  const module = resolve(GROUPS, `${index}.js`);
  const cpu = `${module}.cpu`;
  const memory = kind === 'quick' ? memoryFolder() : undefined;
  const lines = [
    "import { writeFileSync } from 'node:fs';",
    ...(memory === undefined ? [] : [`process.env.TMPDIR = ${JSON.stringify(memory)};`]),
    "process.on('exit', () => {",
    '  const { user, system } = process.cpuUsage();',
    `  writeFileSync(${JSON.stringify(cpu)}, String((user + system) / 1e6));`,
    '});',
    ...files.map((file) => `await import(${JSON.stringify(pathToFileURL(builtOf(file)).href)});`),
  ];
  writeFileSync(module, lines.join('\n'));
  return { module, cpu };
}

const builtOf = (file: string): string => resolve(BUILD, file.replace(/ts$/, 'js'));

/** The file of the checkout that a compiled one is made of. */
const sourceOf = (file: string): string =>
  relative('.', file.replace(/^file:\/\//, '').replace(`${resolve(BUILD)}/`, `${resolve('.')}/`)).replace(
    /js$/,
    'ts',
  );

const failures: Failure[] = [];
const skipped = new Map<string, number>();
const slowest: { readonly title: string; readonly ms: number }[] = [];
const times: Record<string, number> = {};
let passed = 0;

function fail(failure: Failure): void {
  failures.push(failure);
  console.log(`\n✖ ${failure.file}: ${failure.title}\n${inspect(failure.reason)}\n`);
}

/** Runs the files of a unit in a process of their own, and notes what came of each test. */
async function runUnit(unit: Unit, index: number): Promise<void> {
  const { module, cpu } = writeModule(unit, index);
  const ran = new Map<string, Ran>(
    unit.files.map((file) => [file, { tests: 0, ms: 0, isPartlySkipped: false }]),
  );
  const label = unit.files.length === 1 ? String(unit.files[0]) : `${String(unit.files[0])} and others`;
  const titles: string[] = [];
  const output: string[] = [];
  let begun = '';
  let heard = performance.now();
  const ended = new AbortController();
  const watchdog = setInterval(() => {
    if (performance.now() - heard < SILENCE_MS[unit.kind]) return;
    const seconds = SILENCE_MS[unit.kind] / 1_000;
    fail({ file: label, title: begun, reason: `nothing was heard of it for ${seconds} seconds` });
    ended.abort();
  }, 1_000);
  const stream = run({ files: [module], concurrency: 1, signal: ended.signal });
  stream.on('test:dequeue', ({ name }) => (begun = name));
  stream.on('test:stdout', ({ message }) => output.push(message));
  stream.on('test:stderr', ({ message }) => output.push(message));
  stream.on('test:diagnostic', ({ nesting, message }) => {
    if (nesting > 0) console.log(`  ${message}`);
  });
  stream.on('test:start', ({ nesting, name }) => titles.splice(nesting, titles.length, name));
  const note = (data: Event): string | undefined => {
    const { name, nesting, details, skip } = data;
    const file = sourceOf(data.file ?? '');
    const entry = ran.get(file);
    const isSuite = details.type === 'suite';
    if (entry && nesting === 0) entry.ms += details.duration_ms;
    if (entry && isSuite && skip !== undefined) entry.isPartlySkipped = true;
    // The process itself is a test to the runner.
    const isProcess = name === module || name === relative('.', module);
    if (isSuite || isProcess) return undefined;
    if (entry) entry.tests += 1;
    const title = [...titles.slice(0, nesting), name].join(' > ');
    slowest.push({ title: `${file}: ${title}`, ms: details.duration_ms });
    return title;
  };
  stream.on('test:pass', (data) => {
    const title = note(data);
    if (data.skip === undefined) {
      if (title !== undefined) passed += 1;
      return;
    }
    const reason =
      typeof data.skip === 'string' && data.skip !== '' ? data.skip : 'only in npm run test:full';
    skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
  });
  stream.on('test:fail', (data) => {
    const title = note(data) ?? data.name;
    const { error } = data.details;
    // A suite or a process that fails for its tests says nothing that they did not say.
    if (Reflect.get(error, 'failureType') === 'subtestsFailed') return;
    const file = sourceOf(data.file ?? '');
    fail({ file: ran.has(file) ? file : label, title, reason: error.cause });
  });
  stream.on('data', () => (heard = performance.now()));
  await once(stream, 'close');
  clearInterval(watchdog);
  const allMs = [...ran.values()].reduce((sum, { ms }) => sum + ms, 0);
  for (const [file, { tests, ms, isPartlySkipped }] of ran) {
    times[file] = ms / 1_000;
    const declared = declaredTests(readFileSync(file, 'utf8'));
    if (tests < declared && !isPartlySkipped)
      fail({ file, title: `declares ${declared} tests`, reason: `${tests} of them ran` });
    const cpuSeconds = (Number(readIfThere(cpu)) * ms) / allMs;
    if (unit.kind === 'quick' && cpuSeconds > QUICK_CPU_SECONDS)
      fail({
        file,
        title: 'is quick by its name',
        reason: `it took ${cpuSeconds.toFixed(1)} s of the processor`,
      });
  }
  if (failures.some(({ file }) => file === label || unit.files.includes(file))) console.log(output.join(''));
  else console.log(`✔ ${label} (${(allMs / 1_000).toFixed(1)} s)`);
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '0';
  }
}

/** Runs units as long as there are any, so many at a time as there are lanes. */
async function runAll(queue: Unit[]): Promise<void> {
  let free = LANES;
  const running = new Set<Promise<void>>();
  for (let index = 0; queue.length > 0; index += 1) {
    const at = queue.findIndex(({ kind }) => LANES_TAKEN[kind] <= free);
    if (at === -1) {
      await Promise.race(running);
      continue;
    }
    const [unit] = queue.splice(at, 1);
    if (unit === undefined) return;
    free -= LANES_TAKEN[unit.kind];
    const work = runUnit(unit, index).finally(() => {
      free += LANES_TAKEN[unit.kind];
      running.delete(work);
    });
    running.add(work);
  }
  await Promise.all(running);
}

function report(seconds: number): void {
  console.log('\nThe slowest:');
  for (const { title, ms } of slowest.sort((one, other) => other.ms - one.ms).slice(0, 10))
    console.log(`  ${(ms / 1_000).toFixed(1).padStart(6)} s  ${title}`);
  for (const [reason, count] of skipped) console.log(`Skipped: ${count} (${reason})`);
  for (const { file, title } of failures) console.log(`✖ ${file}: ${title}`);
  console.log(`\n${passed} tests passed, ${failures.length} failed, in ${seconds.toFixed(0)} s`);
}

const started = performance.now();
process.env['TEST_SCALE'] ??= chosen.full ? '1' : '0.25';
buildTests();
rmSync(GROUPS, { recursive: true, force: true });
mkdirSync(GROUPS, { recursive: true });
const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => join('test', file))
  .filter(isChosen);
if (files.length === 0) throw new Error('no such tests');
const known = lastTimes();
await runAll(unitsOf(files, known));
writeFileSync(TIMES, JSON.stringify({ ...known, ...times }));
report((performance.now() - started) / 1_000);
// In the checks before a merge, a program that is missing hides a fault.
const missing =
  process.env['CI'] === undefined ? [] : [...skipped.keys()].filter((reason) => reason.startsWith('needs '));
for (const reason of missing) console.log(`✖ not everything could be tested: ${reason}`);
process.exitCode = failures.length + missing.length > 0 ? 1 : 0;
