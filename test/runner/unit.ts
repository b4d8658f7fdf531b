import { once } from 'node:events';
import { readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { run } from 'node:test';
import { inspect } from 'node:util';

/** The compiled copy of the checkout. */
export const BUILD = '.test-build';

/** Test files that share a process, by their paths in the checkout. */
export interface Unit {
  readonly isQuick: boolean;
  readonly files: readonly string[];
  /** How long nothing may be heard of it: how long one test may take, and the process go on after the last one. */
  readonly silenceSeconds: number;
}

/** What came of the tests so far. */
export interface Results {
  passed: number;
  readonly failures: { readonly file: string; readonly title: string }[];
  /** How many tests were skipped, by the reason. */
  readonly skipped: Map<string, number>;
  readonly durations: { readonly title: string; readonly ms: number }[];
  /** What each file took, in seconds. */
  readonly seconds: Map<string, number>;
}

/** What the runner of Node says of a test or suite that ended. */
interface Ended {
  readonly name: string;
  readonly nesting: number;
  readonly file?: string;
  readonly skip?: string | boolean;
  readonly details: { readonly duration_ms: number; readonly type?: 'suite' | 'test' | undefined };
}

/** A call that declares a test. One in a loop counts once, so that there may be more tests, but not fewer. */
const DECLARATION = /^ *(?:await )?(?:t\.)?(?:test|longTest|mainPath)\(/gm;
/** Text of several lines, such as that of a test file which a test writes. */
const TEXT = /= `\n[\s\S]*?\n`;/g;
const MEMORY_FOLDER = '/dev/shm';
const MEMORY_NEEDED = 2 ** 31;

/** Runs the files of a unit in a process of their own, prints what fails, and adds to the results. */
export async function runUnit(unit: Unit, index: number, results: Results): Promise<void> {
  const module = resolve(BUILD, `unit-${index}.js`);
  writeFileSync(module, moduleOf(unit));
  const label = unit.files.length === 1 ? String(unit.files[0]) : `${String(unit.files[0])} and others`;
  const ran = new Map(unit.files.map((file) => [file, { tests: 0, ms: 0, hasSkippedSuite: false }]));
  const output: string[] = [];
  const titles: string[] = [];
  let last = '';
  let heard = performance.now();
  let failed = 0;

  const fail = (file: string, title: string, reason: unknown): void => {
    failed += 1;
    results.failures.push({ file, title });
    console.log(`\n✖ ${file}: ${title}\n${inspect(reason)}\n`);
  };

  /** The title of a test with those of its suites; undefined for a suite, and for the process, which is a test to Node. */
  const note = ({ name, nesting, file: compiled, skip, details }: Ended): string | undefined => {
    const file = sourceOf(compiled ?? '');
    const entry = ran.get(file);
    if (!entry) return undefined;
    if (nesting === 0) entry.ms += details.duration_ms;
    if (details.type === 'suite') {
      // Nothing is heard of its tests.
      entry.hasSkippedSuite ||= skip !== undefined;
      return undefined;
    }
    entry.tests += 1;
    const title = [...titles.slice(0, nesting), name].join(' > ');
    results.durations.push({ title: `${file}: ${title}`, ms: details.duration_ms });
    return title;
  };

  const abort = new AbortController();
  const watchdog = setInterval(() => {
    if (performance.now() - heard < unit.silenceSeconds * 1_000) return;
    fail(label, last, `nothing was heard of it for ${unit.silenceSeconds} seconds`);
    abort.abort();
  }, 1_000);
  const stream = run({ files: [module], concurrency: 1, signal: abort.signal });
  stream.on('data', () => (heard = performance.now()));
  stream.on('test:stdout', ({ message }) => output.push(message));
  stream.on('test:stderr', ({ message }) => output.push(message));
  stream.on('test:diagnostic', ({ nesting, message }) => {
    if (nesting > 0) console.log(`  ${message}`);
  });
  stream.on('test:dequeue', ({ name }) => (last = name));
  stream.on('test:start', ({ nesting, name }) => titles.splice(nesting, titles.length, name));
  stream.on('test:pass', (data) => {
    const title = note(data);
    const { skip } = data;
    if (skip === undefined) results.passed += title === undefined ? 0 : 1;
    else {
      const reason = typeof skip === 'string' && skip !== '' ? skip : 'left out of this command';
      results.skipped.set(reason, (results.skipped.get(reason) ?? 0) + 1);
    }
  });
  stream.on('test:fail', (data) => {
    const title = note(data) ?? data.name;
    const { error } = data.details;
    // A suite or a process that fails for its tests says nothing that they did not say.
    if (Reflect.get(error, 'failureType') === 'subtestsFailed') return;
    const file = sourceOf(data.file ?? '');
    fail(ran.has(file) ? file : label, title, error.cause);
  });
  await once(stream, 'close');
  clearInterval(watchdog);

  const allMs = [...ran.values()].reduce((sum, { ms }) => sum + ms, 0);
  for (const [file, { tests, ms, hasSkippedSuite }] of ran) {
    results.seconds.set(file, ms / 1_000);
    const declared = readFileSync(file, 'utf8').replace(TEXT, '').match(DECLARATION)?.length ?? 0;
    if (tests < declared && !hasSkippedSuite)
      fail(file, `declares ${declared} tests`, `${tests} of them ran`);
  }
  if (failed > 0) console.log(output.join(''));
  else console.log(`✔ ${label} (${(allMs / 1_000).toFixed(1)} s)`);
}

/** The module that loads the files of a unit. */
function moduleOf({ isQuick, files }: Unit): string {
  const lines = files.map((file) => `await import(${JSON.stringify(`./${file.replace(/ts$/, 'js')}`)});`);
  if (isQuick && hasMemoryFolder()) lines.unshift(`process.env.TMPDIR = '${MEMORY_FOLDER}';`);
  return lines.join('\n');
}

/** Whether quick tests can have their temporary folders in memory: there every flush to the disk is free. */
function hasMemoryFolder(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return process.env['TMPDIR'] === undefined && bavail * bsize > MEMORY_NEEDED;
  } catch {
    return false;
  }
}

/** The file of the checkout that a compiled one is made of. */
function sourceOf(compiled: string): string {
  return relative(BUILD, compiled.replace(/^file:\/\//, '')).replace(/js$/, 'ts');
}
