import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Cleanup } from '../support/cleanup.ts';
import { runCommand } from '../support/cli.ts';
import { attackFromOutside } from './attacker.ts';
import { ATTACKS } from './stall-attacks.ts';
import { HISTORY_FAULTS } from './stall-history.ts';
import { SIZE_FAULTS } from './stall-sizes.ts';
import { CPU_FAULTS } from './stall-cpu.ts';
import {
  ATTACK,
  type Fault,
  JSON_TYPE,
  OPERATION,
  PHASE_MS,
  RESTAURANTS,
  type Statuses,
  type Target,
  startTarget,
  watch,
} from './stall-target.ts';
import { ask, report } from './support.ts';

// One client that knows the source asks for what costs most, within the default limits, at 100,000 restaurants; and an
// import, a backup, a rename and deletions run while another client writes. Each prints the longest delay of the event loop
// and what others notice, next to a control without the fault. ONLY is a part of the name of what to try. With ALONE=1 delays
// fail the run, too; on a machine that others use they say little, and only requests without an answer and memory count.

const ATTEMPTS = 3;
const MOST_MB = 300;
const SEED = Number(process.env['FAULT_SEED'] ?? 1);
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
  ...SIZE_FAULTS,
  ...ATTACKS.map(([name]) => ({
    ...{ name, bounds: ATTACK },
    work: ({ port }: Target, attempt: number) =>
      attackFromOutside({ name, port, forMs: PHASE_MS, restaurants: RESTAURANTS, seed: SEED + attempt }),
  })),
  ...CPU_FAULTS,
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
    console.log(
      JSON.stringify({
        fault: name,
        attempt,
        ...phase,
        control: control.health,
        controlLoopMs: control.loopMs,
        isKept,
      }),
    );
    const isLast = attempt === ATTEMPTS - 1;
    if (isServed && (isKept || (isLast && !ALONE))) return true;
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
