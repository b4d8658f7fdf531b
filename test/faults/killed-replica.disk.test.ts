import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { randomNumbers } from '../support/catalogue.ts';
import { runCommand } from '../support/cli.ts';
import { startPrimary, startReplica, untilSame } from '../support/replicas.ts';
import { SEED, rounds } from '../support/size.ts';
import { until } from '../support/until.ts';
import { createRandomWriters } from './random-writers.ts';

const ROUNDS = rounds(2);
const WRITTEN_FIRST = 20;
const MOST_MS = 300;

describe('a replica and its primary that are killed under writes of all kinds', () => {
  test(`are the same again after each of ${ROUNDS} kills of either (seed ${SEED})`, async (t) => {
    const random = randomNumbers(SEED);
    let primary = await startPrimary(t);
    const { port } = new URL(primary.url);
    let replica = await startReplica(t, primary.url);
    const writers = createRandomWriters(SEED, 4);
    const killUnderWrites = async (victim: typeof primary): Promise<void> => {
      let isOver = false;
      const before = writers.acknowledged();
      // Those who write to a primary that is killed get no answer.
      const work = writers.write(primary, () => isOver).catch(() => undefined);
      await until(() => writers.acknowledged() > before + WRITTEN_FIRST);
      await pause(random() * MOST_MS);
      victim.process.kill('SIGKILL');
      await victim.ended;
      isOver = true;
      await work;
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      await killUnderWrites(replica);
      replica = await startReplica(t, primary.url, {}, replica.folder);
      await untilSame(primary.folder, replica.folder);
      // The first one may have been killed before its snapshot was whole.
      if (round > 0) assert.ok(!replica.log().includes('snapshot'));
      await killUnderWrites(primary);
      primary = await startPrimary(t, { PORT: port }, primary.folder);
      await untilSame(primary.folder, replica.folder);
    }
    const checked = await runCommand(['check'], { variables: { DATA_DIR: replica.folder } });
    assert.deepEqual([checked.code, checked.err], [0, '']);
  });
});
