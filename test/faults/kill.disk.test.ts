import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomNumbers } from '../support/catalogue.ts';
import { startServerProcess } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';
import { type Ledger, createLedger } from './ledger.ts';
import { faultsOfLog } from './sound-log.ts';
import { faultsOfDatabase, faultsOfPhotos, untilAtRest } from './sound.ts';
import { WRITTEN, createWriters } from './writers.ts';

const ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? 5);
// Each folder is looked over whole after every start, so that it must not grow without end.
const ROUNDS_OF_A_FOLDER = 50;
// On a busy machine it takes a while until all the writers are at work.
const ACKNOWLEDGED_FIRST = 10;
const SEED = Number(process.env['FAULT_SEED'] ?? 1);

interface Outcome {
  rounds: number;
  acknowledged: number;
  readonly starts: number[];
}

describe('a server that is killed under writes over every route', () => {
  test(`has everything that it acknowledged, whole, after each of ${ROUNDS} starts`, async (t) => {
    const random = randomNumbers(SEED);
    const outcome: Outcome = { rounds: 0, acknowledged: 0, starts: [] };
    while (outcome.rounds < ROUNDS) {
      const folder = temporaryFolder(t);
      const ledger = createLedger();
      const rounds = Math.min(ROUNDS_OF_A_FOLDER, ROUNDS - outcome.rounds);
      await killAgainAndAgain(t, { folder, ledger, rounds, random, outcome });
      outcome.acknowledged += ledger.acknowledged();
    }
    const starts = outcome.starts.sort((one, other) => one - other);
    const figure = {
      fault: 'kill -9',
      rounds: outcome.rounds,
      acknowledged: outcome.acknowledged,
      lost: 0,
      restartMs: { p50: starts[starts.length >> 1], max: starts.at(-1) },
      seed: SEED,
    };
    t.diagnostic(JSON.stringify(figure));
    assert.ok(outcome.acknowledged > ROUNDS * ACKNOWLEDGED_FIRST);
  });
});

interface Killing {
  readonly folder: string;
  readonly ledger: Ledger;
  readonly rounds: number;
  readonly random: () => number;
  readonly outcome: Outcome;
}

type Cleanup = Parameters<typeof startServerProcess>[0];

async function killAgainAndAgain(
  t: Cleanup,
  { folder, ledger, rounds, random, outcome }: Killing,
): Promise<void> {
  const variables = { ...WRITTEN, DATA_DIR: folder };
  let server = await startServerProcess(t, variables);
  const writers = await createWriters(server.url, ledger, 'writer');
  for (let round = 0; round < rounds; round += 1) {
    let isOver = false;
    const before = ledger.acknowledged();
    const work = writers.write(server.url, () => isOver);
    await until(() => ledger.acknowledged() > before + ACKNOWLEDGED_FIRST);
    await sleep(20 + random() * 180);
    isOver = true;
    server.process.kill('SIGKILL');
    await Promise.all([server.ended, work]);

    const started = performance.now();
    server = await startServerProcess(t, variables);
    assert.equal((await server.api.get('/health')).status, 200);
    outcome.starts.push(Math.round(performance.now() - started));
    await untilAtRest(folder);
    const faults = [...faultsOfDatabase(folder), ...faultsOfLog(folder), ...faultsOfPhotos(folder)];
    assert.deepEqual([...ledger.lost(folder), ...faults], []);
    outcome.rounds += 1;
  }
  assert.deepEqual(writers.refusals, []);
  server.process.kill('SIGKILL');
  await server.ended;
}
