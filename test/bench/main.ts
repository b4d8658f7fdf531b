import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { prepareData } from './data.ts';
import { canPin } from './machine.ts';
import { createLookup, sizeTable, summarise } from './report.ts';
import { type Measured, type Rest, type RunOptions, measureLogins, measureRest, measureRows } from './run.ts';
import { targetTable } from './targets.ts';
import { ROWS } from './workloads.ts';

const HELP = `Measures the service beside a bare node:http server and a plain Fastify + better-sqlite3 app, one after the
other on the same core with the same rows, driven from another core.

npm run bench -- [options]
  --sizes 1000,10000,100000   how many restaurants
  --only TEXT                 only rows whose name contains it; may stand several times
  --seconds 2                 how long each server is measured for each row
  --data DIR                  keeps the generated data there and uses it again
  --json                      a line of JSON for every measurement instead of tables`;
const START_ROW = 'cold start and idle memory';

interface Asked {
  readonly sizes: readonly number[];
  readonly only: readonly string[];
  readonly seconds: number;
  readonly store: string | undefined;
  readonly json: boolean;
}

function readArguments(): Asked | undefined {
  const { values } = parseArgs({
    options: {
      sizes: { type: 'string', default: '1000,10000,100000' },
      only: { type: 'string', multiple: true, default: [] },
      seconds: { type: 'string', default: '2' },
      data: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const sizes = values.sizes.split(',').map(Number);
  const seconds = Number(values.seconds);
  if (sizes.some((size) => !Number.isInteger(size) || size < 500))
    throw new Error('--sizes takes whole numbers from 500 between commas');
  if (!(seconds > 0)) throw new Error('--seconds takes a number above 0');
  const store = values.data === undefined ? undefined : resolve(values.data);
  return {
    sizes: sizes.sort((left, right) => left - right),
    only: values.only,
    seconds,
    store,
    json: values.json,
  };
}

async function run({ sizes, only, seconds, store, json }: Asked, work: string): Promise<void> {
  const pins = canPin();
  const say = (line: string): void => {
    if (!json) console.log(line);
  };
  // Also those that the bench starts, unless they are told otherwise.
  if (pins) spawnSync('taskset', ['-a', '-c', '-p', '1', String(process.pid)]);
  const machine = `${cpus().length} cores of ${cpus()[0]?.model ?? 'unknown make'}, Node ${process.version}`;
  say(`${machine}; ${pins ? 'servers on core 0, all else on core 1' : 'not pinned: no taskset or one core'}`);
  const wants = (row: string): boolean => only.length === 0 || only.some((part) => row.includes(part));
  const tell = (measured: Measured): void => {
    const { size, row, server, figures } = measured;
    // A run takes minutes: whoever waits sees how far it is.
    if (process.stderr.isTTY) process.stderr.write(`${size}: ${row}, ${server}\n`);
    if (json)
      console.log(JSON.stringify({ size, row, server, ...summarise(measured), streams: figures.streams }));
  };
  const cores = { serverCore: pins ? 0 : undefined, generatorCore: pins ? 1 : undefined };
  const options: RunOptions = { seconds, wants, work, ...cores, tell };
  const all: Measured[] = [];
  let rest: Rest | undefined;
  for (const size of sizes) {
    const data = await prepareData(size, store ?? work, work);
    const rows = await measureRows(size, data, options);
    if (wants(START_ROW)) rest = await measureRest(size, data, options);
    if (rest && json) console.log(JSON.stringify({ row: START_ROW, server: 'service', ...rest }));
    if (wants(ROWS.login)) rows.push(...(await measureLogins(size, data, options)));
    say(`\n${sizeTable(size, rows, rest)}`);
    all.push(...rows);
  }
  const [smallest = 0, largest = smallest] = [sizes[0], sizes.at(-1)];
  say(`\n${targetTable(createLookup(all), { smallest, largest }, rest)}`);
}

const asked = readArguments();
if (!asked) console.log(HELP);
else {
  const work = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
  const clear = (): void => {
    rmSync(work, { recursive: true, force: true });
  };
  process.once('SIGINT', () => {
    clear();
    process.exit(130);
  });
  if (asked.store !== undefined) mkdirSync(asked.store, { recursive: true });
  try {
    await run(asked, work);
  } finally {
    clear();
  }
}
