import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Cleanup, withCleanup } from '../support/cleanup.ts';
import { prepareData } from './data.ts';
import { canPin } from './machine.ts';
import { jsonLines, reportOf } from './report.ts';
import { createRequests } from './requests.ts';
import { MILLION_PLAN, usualPlan } from './rows.ts';
import { type Rest, type RunOptions, measureRest, measureRows } from './run.ts';

const HELP = `Measures the service next to a bare node:http server and a plain Fastify + better-sqlite3 app, one after the
other on the same core with the same rows, driven from another core. The table is Markdown.

npm run bench -- [options]
  --size 100000        how many restaurants
  --only TEXT          only rows whose name contains it, "start" for the start; may stand several times
  --seconds 4          how long each server is measured for each row
  --data DIR           stores the generated data there and uses it again
  --profile DIR        writes a processor profile of the service there
  --json               a line of JSON for every measurement instead of the table
  --suite NAME         another suite: login, personal or million`;
const SUITES: Readonly<Record<string, () => Promise<{ readonly run: (t: Cleanup) => Promise<void> }>>> = {
  login: () => import('./login.ts'),
  personal: () => import('./personal.ts'),
};
const REST_ROW = 'start and memory at rest';
const MILLION = 'million';

interface Asked {
  readonly size: number;
  readonly only: readonly string[];
  readonly seconds: number;
  readonly store: string | undefined;
  readonly profiles: string | undefined;
  readonly json: boolean;
  readonly suite: string | undefined;
}

function readArguments(): Asked | undefined {
  const { values } = parseArgs({
    options: {
      size: { type: 'string', default: '100000' },
      only: { type: 'string', multiple: true, default: [] },
      seconds: { type: 'string', default: '4' },
      data: { type: 'string' },
      profile: { type: 'string' },
      json: { type: 'boolean', default: false },
      suite: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const [size, seconds] = [Number(values.size), Number(values.seconds)];
  if (!Number.isInteger(size) || size < 500) throw new Error('--size takes a whole number from 500');
  if (!(seconds > 0)) throw new Error('--seconds takes a number above 0');
  const { only, json, suite } = values;
  const [store, profiles] = [values.data, values.profile].map((path) =>
    path === undefined ? path : resolve(path),
  );
  return { size, only, seconds, store, profiles, json, suite };
}

async function run({ only, seconds, store, profiles, json, ...asked }: Asked, work: string): Promise<void> {
  const {
    size,
    ratings,
    rest: targets,
    ...plan
  } = asked.suite === MILLION ? MILLION_PLAN : usualPlan(asked.size);
  const pins = canPin();
  // The processes that it starts inherit it, unless they are given another core.
  if (pins) spawnSync('taskset', ['-a', '-c', '-p', '1', String(process.pid)]);
  const wants = (row: string): boolean => only.length === 0 || only.some((part) => row.includes(part));
  const report: RunOptions['report'] = (measured) => {
    if (json) for (const line of jsonLines(measured)) console.log(line);
    else process.stderr.write(`measured: ${measured.row.name}\n`);
  };
  const options: RunOptions = { seconds, work, profiles, core: pins ? 0 : undefined, report };
  const rows = plan.rows(createRequests(size)).filter(({ name }) => wants(name));
  const data = await prepareData(size, { store: store ?? work, work, ratings });
  const rest: Rest | undefined = wants(REST_ROW) ? await measureRest(data, options) : undefined;
  const measured = await measureRows(rows, data, options);
  if (json) {
    if (rest) console.log(JSON.stringify({ row: REST_ROW, ...rest }));
    return;
  }
  const machine = `${cpus().length} cores of ${cpus()[0]?.model ?? 'unknown make'}, Node ${process.version}`;
  const pinned = pins ? 'servers on core 0, all else on core 1' : 'not pinned: no taskset or one core';
  console.log(
    `${size.toLocaleString('en')} restaurants; ${machine}; ${pinned}\n\n${reportOf(measured, rest, targets)}`,
  );
}

async function runSuite(name: string): Promise<void> {
  const suite = SUITES[name];
  if (!suite)
    throw new Error(`no suite "${name}": there are ${[...Object.keys(SUITES), MILLION].join(', ')}`);
  const { run: measure } = await suite();
  await withCleanup(measure);
}

async function runRows(asked: Asked): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
  process.once('exit', () => {
    rmSync(work, { recursive: true, force: true });
  });
  process.once('SIGINT', () => process.exit(130));
  for (const folder of [asked.store, asked.profiles])
    if (folder !== undefined) mkdirSync(folder, { recursive: true });
  await run(asked, work);
}

const chosen = readArguments();
if (!chosen) console.log(HELP);
else if (chosen.suite === undefined || chosen.suite === MILLION) await runRows(chosen);
else await runSuite(chosen.suite);
