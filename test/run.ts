import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

// Runs the tests: all of them, with --quick those that end soon, or those in folders and files that are named. A file is
// quick unless it is listed here or needs a browser. To start a process and to load the service takes longer than most quick tests do, so
// several quick files share a process; each long one has its own.

/** Folders and files that take many seconds, or that need a proxy or a disk of their own. */
const LONG = [
  'test/faults/',
  ...['commands', 'fuzz', 'generated-client'].map((name) => `test/documentation/${name}.test.ts`),
  ...['cookie-sign-in', 'hostile', 'joining', 'sign-in', 'tabs', 'trouble'].map(
    (name) => `test/identity/${name}.test.ts`,
  ),
  'test/proxy/',
  'test/packaging/',
  ...['full-disk', 'killed', 'tampered'].map((name) => `test/backup/${name}.test.ts`),
  'test/metrics/load.test.ts',
  ...[
    'command-line',
    'data-folder',
    'export-people',
    'import-batches',
    'import-encodings',
    'import-facts',
    'import-faults',
    'import-map',
    'import-proposal',
    'npm-start',
    'revert',
    'serve',
    'takeout',
    'transfer',
    'user',
    'user-delete',
  ].map((name) => `test/cli/${name}.test.ts`),
  ...['batches', 'killed-followers', 'replay', 'every-write'].map((name) => `test/changes/${name}.test.ts`),
  ...['generator', 'rivals'].map((name) => `test/bench/${name}.test.ts`),
  ...['mutated-uploads', 'crash'].map((name) => `test/photos/${name}.test.ts`),
  ...['test/places/trouble.test.ts', 'test/http/handshakes.test.ts', 'test/images/blocks.test.ts'],
  ...['test/search/oracle.test.ts', 'test/restaurants/oracle.test.ts'],
  ...['oracle-long', 'process-zone', 'timetables'].map((name) => `test/hours/${name}.test.ts`),
  ...[
    'test/accounts/access.test.ts',
    'test/accounts/rights-at-write.test.ts',
    'test/accounts/passwords.test.ts',
    'test/http/connections.test.ts',
    'test/http/files-limit.test.ts',
  ],
  ...['test/input/stored-markup.test.ts', 'test/input/everywhere.test.ts', 'test/input/sanitise.test.ts'],
  ...[
    'test/lookups/deletion.test.ts',
    'test/people/privacy.test.ts',
    'test/replication/follow.test.ts',
    'test/restaurants/two-writers.test.ts',
    'test/storage/upgrade.test.ts',
  ],
];
// A browser is several processes that compute all the time; other tests mostly wait for one another.
const WITH_BROWSER = /\bNO_BROWSER\b/;
const BROWSERS = availableParallelism();
const OTHERS = 2 * BROWSERS;
const FILES_PER_PROCESS = 15;
const MEMORY_FOLDER = '/dev/shm';
const LEAST_MEMORY = 2 ** 31;

/** All test files, in order. Throws when a long one is listed that is not there. */
function testFiles(): string[] {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join('test', file))
    .sort();
  for (const long of LONG)
    if (!files.some((file) => file.startsWith(long)))
      throw new Error(`test/run.ts lists ${long}, which is not there`);
  return files;
}

const needsBrowser = (file: string): boolean => WITH_BROWSER.test(readFileSync(file, 'utf8'));

const isLong = (file: string): boolean => LONG.some((long) => file.startsWith(long)) || needsBrowser(file);

/** Whether a file can share its process: one that sets hooks outside a suite would set them for the others, too. */
const canShare = (file: string): boolean =>
  !isLong(file) && !/^(?:before|after)(?:Each)?\(/m.test(readFileSync(file, 'utf8'));

/**
 * Writes modules into `folder` that load the files, so many each, dealt out so that those of one folder are spread. A test
 * that lasts until they are loaded comes first: the runner ends a process when all tests that it knows of have ended, and a
 * module that waits for something makes its tests known late.
 */
function writeGroups(files: readonly string[], folder: string, size: number): string[] {
  const count = Math.ceil(files.length / size);
  const width = String(count).length;
  return Array.from({ length: count }, (_, group) => {
    const members = files.filter((_file, index) => index % count === group);
    const module = join(folder, `group-of-${size}-${String(group + 1).padStart(width, '0')}.mts`);
    const lines = [
      "import { test } from 'node:test';",
      'let done;',
      'const loaded = new Promise((resolve) => (done = resolve));',
      `test(${JSON.stringify(`load ${members.join(', ')}`)}, () => loaded);`,
      ...members.map((file) => `await import('${pathToFileURL(file).href}');`),
      'done();',
    ];
    writeFileSync(module, lines.join('\n'));
    return module;
  });
}

/** A file system in memory for temporary folders where there is enough of it: there every flush to the disk is free. */
function inMemory(): Readonly<Record<string, string>> {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return process.env['TMPDIR'] === undefined && bavail * bsize > LEAST_MEMORY
      ? { TMPDIR: MEMORY_FOLDER }
      : {};
  } catch {
    return {};
  }
}

/** Runs files, each in a process, so many at a time. The exit code is that of the test runner. */
function run(
  files: readonly string[],
  concurrency: number,
  variables: Readonly<Record<string, string>>,
): number {
  if (files.length === 0) return 0;
  const reporter = process.env['TEST_REPORTER'] ?? 'spec';
  const options = [
    '--import',
    'tsx',
    '--test',
    // A hook that fails keeps those behind it from closing their servers, which would keep the process for ever.
    '--test-force-exit',
    `--test-concurrency=${concurrency}`,
    `--test-reporter=${reporter}`,
  ];
  const env = { ...process.env, ...variables };
  return spawnSync(process.execPath, [...options, ...files], { stdio: 'inherit', env }).status ?? 1;
}

/** Runs the quick files first, several to a process, then the long ones as users' machines would: on the disk. */
function runAll(files: readonly string[]): number {
  const folder = mkdtempSync(join(tmpdir(), 'catalogue-tests-'));
  try {
    const [shared, own] = [files.filter(canShare), files.filter((file) => !canShare(file))];
    const [browsers, others] = [own.filter(needsBrowser), own.filter((file) => !needsBrowser(file))];
    return Math.max(
      run(writeGroups(shared, folder, FILES_PER_PROCESS), OTHERS, inMemory()),
      run(writeGroups(others, folder, 1), OTHERS, {}),
      run(writeGroups(browsers, folder, 1), BROWSERS, {}),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const chosen = testFiles()
  .filter((file) => positionals.length === 0 || positionals.some((path) => file.startsWith(path)))
  .filter((file) => !values.quick || !isLong(file));
if (chosen.length === 0) throw new Error('no such tests');
process.exitCode = runAll(chosen);
