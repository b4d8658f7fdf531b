import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ask } from '../faults/support.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { runCommand } from '../support/cli.ts';
import { filePart } from '../support/imports.ts';
import { FORM_TYPE, form } from '../support/photos.ts';
import { SEED } from '../support/size.ts';
import { report } from './report.ts';
import { ATTACKER, ATTACKS, JSON_TYPE, type Statuses, attackFromOutside } from './stall-attacks.ts';
import { HISTORY_FAULTS, fillIn } from './stall-history.ts';
import {
  ATTACK,
  type Fault,
  OPERATION,
  PHASE_MS,
  RESTAURANTS,
  type Target,
  startTarget,
  watch,
} from './stall-target.ts';

// One client that knows the source asks for what costs most, within the default limits, at 100,000 restaurants; and an
// import, a backup, a rename and deletions run while another client writes. Each prints the longest delay of the event loop
// and what others notice, next to a control without the fault. ONLY is a part of the name of what to try. With ALONE=1 delays
// fail the run, too; on a machine that others use they say little, and only requests without an answer and memory count.

const ATTEMPTS = 3;
const MOST_MB = 300;
const HOSTILE_PLACES = 600;
const ONLY = process.env['ONLY'] ?? '';
const ALONE = process.env['ALONE'] === '1';

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

/** Opening hours with so many rules that each closes a minute; more than 23 are not understood. */
function costlyHours(rules: number): string {
  const clock = (minutes: number): string =>
    `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
  const closed = Array.from({ length: rules }, (_, at) => `${clock(21 * at)}-${clock(21 * at + 1)} off`);
  return `Jan-Nov 00:00-24:00;${closed.join(';')}`;
}

async function importHours({ port }: Target, attempt: number, hours: string): Promise<void> {
  const lines = Array.from({ length: HOSTILE_PLACES }, (_, index) =>
    JSON.stringify({
      name: `Hours ${hours.length} ${attempt} ${index}`,
      opening_hours: hours,
      time_zone: 'Europe/Paris',
    }),
  );
  const { status, body } = await ask(port, '/api/imports', {
    method: 'POST',
    headers: { 'Content-Type': FORM_TYPE },
    body: form(filePart(lines.join('\n'), 'hours.ndjson')),
    localAddress: ATTACKER,
  });
  if (status >= 300) throw new Error(`the import was answered ${status} ${body}`);
}

/** What attacks need beforehand. */
const PREPARATIONS: Readonly<Record<string, Fault['prepare']>> = {
  'lists by hostile opening hours': (target, attempt) => importHours(target, attempt, costlyHours(62)),
  'lists by the longest opening hours that are understood': (target, attempt) =>
    importHours(target, attempt, costlyHours(23)),
  'pages of long visits': fillIn,
  'long ratings': fillIn,
  'exports that stop reading': fillIn,
};

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

const FAULTS: readonly Fault[] = [
  ...HISTORY_FAULTS,
  ...Object.keys(ATTACKS).map((name): Fault => {
    const rest = { forMs: PHASE_MS, restaurants: RESTAURANTS };
    return {
      name,
      bounds: ATTACK,
      prepare: PREPARATIONS[name],
      work: ({ port }, attempt) => attackFromOutside(name, { ...rest, port, seed: SEED + attempt }),
    };
  }),
  {
    name: 'a renamed category',
    bounds: OPERATION,
    work: ({ port }, attempt) => change(port, 'PUT', '/api/categories/1', { name: `Italico ${attempt}` }),
  },
  {
    name: 'a deleted category',
    bounds: OPERATION,
    work: ({ port }, attempt) => change(port, 'DELETE', `/api/categories/${2 + attempt}`),
  },
  {
    name: 'a deleted food type',
    bounds: OPERATION,
    work: ({ port }, attempt) => change(port, 'DELETE', `/api/food-types/${3 + attempt}`),
  },
  {
    name: 'an import',
    bounds: OPERATION,
    work: ({ folder }, attempt) => command(folder, ['import', importFile(folder, attempt)]),
  },
  {
    name: 'a backup',
    bounds: OPERATION,
    work: ({ folder }, attempt) => command(folder, ['backup', join(folder, `backup-${attempt}`)]),
  },
];

/** A fault and a control right before it; again where it was too much, since the machine may have been busy with others. */
async function tryFault(
  t: Cleanup,
  target: Target,
  { name, bounds, prepare, work }: Fault,
): Promise<boolean> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    await prepare?.(target, attempt);
    const control = await watch(t, target, async () => {
      await pause(PHASE_MS / 2);
      return {};
    });
    const phase = await watch(t, target, () => work(target, attempt));
    const isKept =
      phase.health.p99 <= control.health.p99 + bounds.healthMs &&
      phase.others[0] <= control.others[0] + bounds.othersMs;
    const isServed = phase.health.served === phase.health.asked && phase.grewMb <= MOST_MB;
    const controls = { control: control.health, controlLoopMs: control.loopMs };
    console.log(JSON.stringify({ fault: name, attempt, ...phase, ...controls, isKept }));
    const isLast = attempt === ATTEMPTS - 1;
    if (isServed && (isKept || (isLast && !ALONE))) return true;
  }
  return false;
}

await report('stalls', async (t) => {
  const target = await startTarget(t);
  const bounds: Record<string, boolean> = {};
  for (const fault of FAULTS.filter(({ name }) => name.includes(ONLY)))
    bounds[fault.name] = await tryFault(t, target, fault);
  return { figures: { restaurants: RESTAURANTS, seconds: PHASE_MS / 1_000 }, bounds };
});
