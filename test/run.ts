import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { QUICK_SCALE } from './support/size.ts';
import { BUILD, type Results, runUnit } from './runner/unit.ts';

// Runs the compiled tests. The name of a file says what it needs:
//   *.test.ts          quick: little time, and memory instead of a disk
//   *.browser.test.ts  a browser
//   *.disk.test.ts     the program as a process of its own, or the disk: commands, kills, full disks, damaged files
//   *.slow.test.ts     many seconds
// All but the slow ones run, with few rounds; with --quick the quick ones alone, without the longest; with --full everything; with
// --full --added what that adds. Paths choose files and folders of all kinds. A process of which nothing is heard for some
// minutes, or for as many seconds as --silence has, is ended.

type Kind = 'quick' | 'browser' | 'disk' | 'slow';

// A process takes half a second to start, and a browser one, which is more than most of these files need.
const FILES_PER_PROCESS = { quick: 25, browser: 4, disk: 1, slow: 1 };
const LIKELY_SECONDS = { quick: 1, browser: 20, disk: 30, slow: 30 };
const SILENCE_SECONDS = { quick: 120, browser: 120, disk: 300, slow: 300 };
// Tests mostly wait, for timers, the disk and one another. A browser is several processes that compute.
const LANES = 2 * availableParallelism();
const LANES_TAKEN = { quick: 1, browser: 2, disk: 1, slow: 1 };
const TIMES = join(BUILD, 'times.json');

const started = performance.now();
const { values: options, positionals: paths } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    full: { type: 'boolean' },
    added: { type: 'boolean' },
    silence: { type: 'string' },
  },
  allowPositionals: true,
});
// A file that is asked for runs whole.
const scale = options.full === true || paths.length > 0 ? 1 : options.quick === true ? QUICK_SCALE : 0.25;
process.env['TEST_SCALE'] ??= String(scale);
if (options.added === true) process.env['TEST_ADDED'] = 'true';
const results: Results = {
  passed: 0,
  failures: [],
  skipped: new Map(),
  durations: [],
  seconds: new Map(Object.entries(lastTimes())),
};
const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => join('test', file))
  .filter(isChosen);
if (files.length === 0) throw new Error('no such tests');
await runAll(files);
writeFileSync(TIMES, JSON.stringify(Object.fromEntries(results.seconds)));
report();

function kindOf(file: string): Kind {
  const kind = /\.(browser|disk|slow)\.test\.ts$/.exec(file)?.[1];
  return kind === 'browser' || kind === 'disk' || kind === 'slow' ? kind : 'quick';
}

function isChosen(file: string): boolean {
  if (paths.length > 0) return paths.some((path) => file.startsWith(path));
  if (options.quick === true) return kindOf(file) === 'quick';
  if (options.added === true) return kindOf(file) !== 'quick';
  return options.full === true || kindOf(file) !== 'slow';
}

/** What each file took when it ran last, in seconds. */
function lastTimes(): Readonly<Record<string, number>> {
  try {
    const times: unknown = JSON.parse(readFileSync(TIMES, 'utf8'));
    return Object.fromEntries(Object.entries(times ?? {}).map(([file, seconds]) => [file, Number(seconds)]));
  } catch {
    return {};
  }
}

/** Groups of files that share a process, the longest first. */
function groupsOf(chosen: readonly string[]): { kind: Kind; files: string[]; seconds: number }[] {
  const secondsOf = (file: string): number => results.seconds.get(file) ?? LIKELY_SECONDS[kindOf(file)];
  const longestFirst = chosen.toSorted((one, other) => secondsOf(other) - secondsOf(one));
  return (['slow', 'disk', 'browser', 'quick'] as const)
    .flatMap((kind) => {
      const own = longestFirst.filter((file) => kindOf(file) === kind);
      const count = Math.ceil(own.length / FILES_PER_PROCESS[kind]);
      // Dealt out like cards, so that each group takes as long.
      return Array.from({ length: count }, (_, group) => {
        const members = own.filter((_file, index) => index % count === group);
        return { kind, files: members, seconds: members.reduce((sum, file) => sum + secondsOf(file), 0) };
      });
    })
    .sort((one, other) => other.seconds - one.seconds);
}

/** Runs groups as long as there are any, so many at a time as there are lanes. */
async function runAll(chosen: readonly string[]): Promise<void> {
  const queue = groupsOf(chosen);
  const running = new Set<Promise<void>>();
  let free = LANES;
  for (let index = 0; queue.length > 0; index += 1) {
    let next = queue.findIndex(({ kind }) => LANES_TAKEN[kind] <= free);
    while (next === -1) {
      await Promise.race(running);
      next = queue.findIndex(({ kind }) => LANES_TAKEN[kind] <= free);
    }
    for (const { kind, files: members } of queue.splice(next, 1)) {
      free -= LANES_TAKEN[kind];
      const silenceSeconds = Number(options.silence ?? SILENCE_SECONDS[kind]);
      const unit = { isQuick: kind === 'quick', files: members, silenceSeconds };
      const work = runUnit(unit, index, results).finally(() => {
        free += LANES_TAKEN[kind];
        running.delete(work);
      });
      running.add(work);
    }
  }
  await Promise.all(running);
}

function report(): void {
  const { passed, failures, skipped, durations } = results;
  console.log('\nThe slowest:');
  for (const { title, ms } of durations.sort((one, other) => other.ms - one.ms).slice(0, 10))
    console.log(`  ${(ms / 1_000).toFixed(1).padStart(6)} s  ${title}`);
  for (const [reason, count] of skipped) console.log(`Skipped: ${count} (${reason})`);
  for (const { file, title } of failures) console.log(`✖ ${file}: ${title}`);
  const seconds = ((performance.now() - started) / 1_000).toFixed(0);
  console.log(`\n${passed} tests passed, ${failures.length} failed, in ${seconds} s`);
  // In the checks before a merge, a program that is missing would hide a fault.
  const missing = [...skipped.keys()].filter((reason) => reason.startsWith('needs the program '));
  if (process.env['CI'] !== undefined)
    for (const reason of missing) console.log(`✖ not everything could be tested: ${reason}`);
  if (failures.length > 0 || (process.env['CI'] !== undefined && missing.length > 0)) process.exitCode = 1;
}
