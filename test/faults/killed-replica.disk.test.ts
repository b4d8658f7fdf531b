import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { randomNumbers } from '../support/catalogue.ts';
import { runCommand } from '../support/cli.ts';
import { createRandomWriters } from '../support/random-writers.ts';
import { startPrimary, startReplica, untilSame } from '../support/replicas.ts';
import { until } from '../support/until.ts';

const KILLS = Number(process.env['REPLICA_KILLS'] ?? 4);
const SEED = Number(process.env['FAULT_SEED'] ?? 1);
const WRITTEN_FIRST = 20;
const MOST_MS = 300;

describe('a replica and its primary that are killed under writes of all kinds', () => {
  test(`are the same again after each of ${KILLS} kills`, async (t) => {
    const random = randomNumbers(SEED);
    let primary = await startPrimary(t);
    const { port } = new URL(primary.url);
    let replica = await startReplica(t, primary.url);
    const writers = createRandomWriters(random, 4);
    const killed = { replica: 0, primary: 0 };
    for (let round = 1; round <= KILLS; round += 1) {
      const over = new AbortController();
      const before = writers.acknowledged();
      // Those who write to a primary that is killed get no answer.
      const work = writers.write(primary.api, () => over.signal.aborted).catch(() => undefined);
      await until(() => writers.acknowledged() > before + WRITTEN_FIRST);
      await pause(random() * MOST_MS);
      const isPrimary = round % 4 === 0;
      const victim = isPrimary ? primary : replica;
      victim.process.kill('SIGKILL');
      killed[isPrimary ? 'primary' : 'replica'] += 1;
      await victim.ended;
      over.abort();
      await work;
      if (isPrimary) primary = await startPrimary(t, { PORT: port }, primary.folder);
      else replica = await startReplica(t, primary.url, {}, replica.folder);
      await untilSame(primary.folder, replica.folder);
      assert.ok(!replica.log().includes('snapshot') || round === 1 || isPrimary);
    }
    const checked = await runCommand(['check'], { variables: { DATA_DIR: replica.folder } });
    assert.deepEqual([checked.code, checked.err], [0, '']);
    t.diagnostic(
      JSON.stringify({ fault: 'kill -9', killed, writes: writers.acknowledged(), apart: 0, seed: SEED }),
    );
  });
});
