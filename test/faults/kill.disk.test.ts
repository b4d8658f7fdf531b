import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomNumbers } from '../support/catalogue.ts';
import { startServerProcess } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';
import { SEED, rounds } from '../support/size.ts';
import { until } from '../support/until.ts';
import { createLedger } from './ledger.ts';
import { faultsOfFolder, untilAtRest } from './sound.ts';
import { WRITTEN, createWriters } from './writers.ts';

const ROUNDS = rounds(5);
// Each folder is looked over whole after every start, so that it must not grow without end.
const ROUNDS_OF_A_FOLDER = 50;
// On a busy machine it takes a while until all the writers are at work.
const ACKNOWLEDGED_FIRST = 10;

describe('a server that is killed under writes over every route', () => {
  for (let first = 0; first < ROUNDS; first += ROUNDS_OF_A_FOLDER) {
    const last = Math.min(first + ROUNDS_OF_A_FOLDER, ROUNDS);
    test(`has everything that it acknowledged, whole, after each of starts ${first + 1} to ${last} (seed ${SEED})`, async (t) => {
      const random = randomNumbers(SEED + first);
      const folder = temporaryFolder(t);
      const variables = { ...WRITTEN, DATA_DIR: folder };
      const ledger = createLedger();
      let server = await startServerProcess(t, variables);
      const writers = await createWriters(server.url, ledger, 'writer');
      for (let round = first; round < last; round += 1) {
        let isOver = false;
        const before = ledger.acknowledged();
        const work = writers.write(server.url, () => isOver);
        await until(() => ledger.acknowledged() > before + ACKNOWLEDGED_FIRST);
        await sleep(random() * 200);
        isOver = true;
        server.process.kill('SIGKILL');
        await Promise.all([server.ended, work]);

        server = await startServerProcess(t, variables);
        assert.equal((await server.api.get('/health')).status, 200);
        await untilAtRest(folder);
        assert.deepEqual([...ledger.lost(folder), ...faultsOfFolder(folder)], []);
      }
      assert.deepEqual(writers.refusals, []);
    });
  }
});
