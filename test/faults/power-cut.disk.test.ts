import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomNumbers } from '../support/catalogue.ts';
import { type ServerProcess, startServerProcess } from '../support/cli.ts';
import { SCALE, SEED, rounds } from '../support/size.ts';
import { until } from '../support/until.ts';
import { type Ledger, createLedger } from './ledger.ts';
import { type Disk, createDisk, whyNoDisk } from './rig.ts';
import { faultsOfFolder, untilAtRest } from './sound.ts';
import { WRITTEN, type Writers, createWriters } from './writers.ts';

const CUTS = rounds(10);
const inFull = { skip: SCALE < 1 };
const CUTS_OF_A_DISK = 10;
const CONTROL_CUTS = 5;
// Next to this file, compiled or not.
const NORMAL = import.meta.url.replace('power-cut.disk.test', 'normal-sync');

type Variables = Readonly<Record<string, string>>;

async function kill(server: ServerProcess): Promise<void> {
  server.process.kill('SIGKILL');
  await server.ended;
}

async function cutUnderWrites(
  disk: Disk,
  server: ServerProcess,
  writers: Writers,
  ledger: Ledger,
  random: () => number,
): Promise<void> {
  let isOver = false;
  const cutPower = await disk.prepareCut();
  const before = ledger.acknowledged();
  const work = writers.write(server.url, () => isOver);
  await until(() => ledger.acknowledged() > before);
  await sleep(random() * 200);
  // A flush that is under way while the file system shuts down may end well, which no real cut lets it do.
  ledger.close();
  await cutPower();
  isOver = true;
  await kill(server);
  await work;
  ledger.open();
  disk.unmount();
}

/** Cuts the power of a new disk again and again. Gives what is lost or wrong after the starts that follow, a line each. */
async function wearOut(cuts: number, random: () => number, variables: Variables = {}): Promise<string[]> {
  const disk = createDisk();
  const DATA_DIR = join(disk.folder, 'data');
  // A server is killed when its disk is lost.
  const start = (): Promise<ServerProcess> =>
    startServerProcess({ after: () => undefined }, { ...WRITTEN, ...variables, DATA_DIR });
  const ledger = createLedger();
  const found: string[] = [];
  let server: ServerProcess | undefined;
  try {
    server = await start();
    const writers = await createWriters(server.url, ledger, 'writer');
    for (let cut = 0; cut < cuts; cut += 1) {
      await cutUnderWrites(disk, server, writers, ledger, random);
      disk.mount();
      server = await start();
      await untilAtRest(DATA_DIR);
      found.push(...ledger.lost(DATA_DIR), ...faultsOfFolder(DATA_DIR));
    }
  } finally {
    if (server) await kill(server);
    disk.remove();
  }
  return found;
}

describe('a disk whose power is cut under writes over every route', { skip: whyNoDisk() ?? false }, () => {
  test(`has everything that was acknowledged, whole, after each of ${CUTS} cuts (seed ${SEED})`, async () => {
    const random = randomNumbers(SEED);
    for (let cuts = 0; cuts < CUTS; cuts += CUTS_OF_A_DISK)
      assert.deepEqual(await wearOut(Math.min(CUTS_OF_A_DISK, CUTS - cuts), random), []);
  });

  test(
    'loses some of it where the database does not wait for the disk: this rig would notice',
    inFull,
    async () => {
      const random = randomNumbers(SEED);
      const variables = { NODE_OPTIONS: `--import ${NORMAL}` };
      let found: string[] = [];
      for (let cuts = 0; cuts < CONTROL_CUTS && found.length === 0; cuts += 1)
        found = await wearOut(1, random, variables);
      assert.ok(found.length > 0);
    },
  );
});
