// Cuts the power under writes over every route, and looks for what was acknowledged after each cut:
//
//     POWER_CUTS=100 node --import tsx test/faults/power-cut.ts
//
// Wants root, loop devices, mkfs.ext4 and python3; exits with 2 where it cannot run. It ends with a control: the same
// with synchronous=NORMAL, which has to lose something, or else the rig would prove nothing.
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { randomNumbers } from '../support/catalogue.ts';
import { LOADER, moduleAt } from '../support/checkout.ts';
import { startServerProcess } from '../support/cli.ts';
import { until } from '../support/until.ts';
import { type Ledger, createLedger } from './ledger.ts';
import { has, whyNoMount } from '../support/small-disk.ts';
import { type Disk, createDisk } from './rig.ts';
import { faultsOfLog } from './sound-log.ts';
import { faultsOfDatabase, faultsOfPhotos, untilAtRest } from './sound.ts';
import { WRITTEN, type Writers, createWriters } from './writers.ts';

const CUTS = Number(process.env['POWER_CUTS'] ?? 100);
const CONTROL_CUTS = Number(process.env['CONTROL_CUTS'] ?? 10);
const CUTS_OF_A_DISK = 10;
const random = randomNumbers(Number(process.env['FAULT_SEED'] ?? 1));
const NORMAL = moduleAt('normal-sync.ts', import.meta.url).href;

interface Outcome {
  cuts: number;
  acknowledged: number;
  lost: number;
  faults: number;
}

type Server = Awaited<ReturnType<typeof startServerProcess>>;
type Variables = Readonly<Record<string, string>>;

const running = new Set<Server>();

async function start(disk: Disk, variables: Variables): Promise<Server> {
  const DATA_DIR = join(disk.folder, 'data');
  // Killed when its disk is lost.
  const server = await startServerProcess({ after: () => undefined }, { ...WRITTEN, ...variables, DATA_DIR });
  running.add(server);
  return server;
}

async function kill(server: Server): Promise<void> {
  server.process.kill('SIGKILL');
  await server.ended;
  running.delete(server);
}

async function cutUnderWrites(disk: Disk, server: Server, writers: Writers, ledger: Ledger): Promise<void> {
  let isOver = false;
  const cutPower = await disk.prepareCut();
  const before = ledger.acknowledged();
  const work = writers.write(server.url, () => isOver);
  await until(() => ledger.acknowledged() > before);
  await sleep(20 + random() * 180);
  // A flush that is under way while the file system shuts down may end well, which no real cut lets it do.
  ledger.close();
  await cutPower();
  isOver = true;
  await kill(server);
  await work;
  ledger.open();
  disk.unmount();
}

/** The findings on one disk over a number of cuts, a start after each. */
async function wearOut(disk: Disk, cuts: number, variables: Variables, outcome: Outcome): Promise<void> {
  const folder = join(disk.folder, 'data');
  const ledger = createLedger();
  disk.format();
  disk.mount();
  let server = await start(disk, variables);
  const writers = await createWriters(server.url, ledger, 'writer');
  for (let cut = 0; cut < cuts; cut += 1) {
    await cutUnderWrites(disk, server, writers, ledger);
    disk.mount();
    server = await start(disk, variables);
    await untilAtRest(folder);
    const lost = ledger.lost(folder);
    const faults = [...faultsOfDatabase(folder), ...faultsOfLog(folder), ...faultsOfPhotos(folder)];
    if (lost.length + faults.length > 0) console.error([...lost.slice(0, 3), ...faults].join('\n'));
    outcome.cuts += 1;
    outcome.lost += lost.length;
    outcome.faults += faults.length;
  }
  outcome.acknowledged += ledger.acknowledged();
  await kill(server);
  disk.unmount();
}

async function cutPowerOften(cuts: number, cutsOfADisk: number, variables: Variables): Promise<Outcome> {
  const outcome = { cuts: 0, acknowledged: 0, lost: 0, faults: 0 };
  const disk = createDisk();
  try {
    while (outcome.cuts < cuts)
      await wearOut(disk, Math.min(cutsOfADisk, cuts - outcome.cuts), variables, outcome);
  } finally {
    for (const server of running) await kill(server);
    disk.remove();
  }
  return outcome;
}

async function main(): Promise<number> {
  const missing = ['mkfs.ext4', 'python3'].find((tool) => !has(tool));
  const reason = whyNoMount() ?? (missing && `there is no ${missing} on this machine`);
  if (reason !== undefined) {
    console.error(`The power cannot be cut here: ${reason}.`);
    return 2;
  }
  const real = await cutPowerOften(CUTS, CUTS_OF_A_DISK, {});
  console.log(JSON.stringify({ fault: 'power cut', ...real }));
  // One cut a disk: what was lost would be taken for lost again at the next one.
  const normal = { NODE_OPTIONS: [...LOADER, '--import', NORMAL].join(' ') };
  const control = await cutPowerOften(CONTROL_CUTS, 1, normal);
  console.log(JSON.stringify({ fault: 'power cut, control with synchronous=NORMAL', ...control }));
  return real.lost + real.faults === 0 && control.lost > 0 ? 0 : 1;
}

process.exitCode = await main();
