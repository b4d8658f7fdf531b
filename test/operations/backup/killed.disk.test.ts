import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspectData } from '../../../src/operations/inspection/check.ts';
import { fingerprint, run, startFilled } from '../../support/backups.ts';
import { randomNumbers } from '../../support/catalogue.ts';
import { runCommand } from '../../support/cli.ts';
import { ids } from '../../support/client.ts';
import { upload } from '../../support/photos.ts';
import { startService, temporaryFolder } from '../../support/service.ts';
import { SEED, rounds } from '../../support/size.ts';

const ROUNDS = rounds(4);
const PHOTOS = 30;

/** Kills a command a moment after `sign` is seen. Gives whether it was killed before its end. */
async function runAndKill(
  args: readonly string[],
  folder: string,
  sign: () => boolean,
  delay: number,
): Promise<boolean> {
  const controller = new AbortController();
  let over = false;
  const ended = runCommand(args, { variables: { DATA_DIR: folder }, killSignal: controller.signal });
  void ended.then(() => (over = true));
  const isOver = (): boolean => over;
  while (!isOver() && !sign()) await sleep(1);
  await sleep(delay);
  controller.abort();
  return (await ended).code === null;
}

const startingWith = (folder: string, prefix: string): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith(prefix)) : [];

describe('a backup that is killed', () => {
  test(`leaves the data alone and nothing that passes for a backup, ${ROUNDS} times`, async (t) => {
    const { folder, api, stop } = await startFilled(t);
    for (let number = 0; number < PHOTOS; number += 1) await upload(api);
    await stop();
    const place = temporaryFolder(t);
    const random = randomNumbers(SEED);
    const before = fingerprint(join(folder, 'photos'));
    let killed = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const target = join(place, round % 2 === 0 ? `${round}` : `${round}.tar`);
      const sign = (): boolean => startingWith(place, `${round}`).length > 0;
      if (await runAndKill(['backup', target], folder, sign, random() * 150)) killed += 1;
      if (existsSync(target)) await run(folder, 'check', target);
      assert.deepEqual(fingerprint(join(folder, 'photos')), before);
      assert.deepEqual(
        [...inspectData(folder)].flatMap(({ faults }) => faults),
        [],
      );
    }
    assert.ok(killed > 0);
  });
});

describe('a restore that is killed', () => {
  test(`leaves the old data or the new, never neither, ${ROUNDS} times`, async (t) => {
    const { folder, api, stop } = await startFilled(t);
    for (let number = 0; number < PHOTOS; number += 1) await upload(api);
    const place = temporaryFolder(t);
    await run(folder, 'backup', join(place, 'three.tar'));
    await api.post('/restaurants', { name: 'The fourth' });
    await run(folder, 'backup', join(place, 'four.tar'));
    await stop();
    const random = randomNumbers(SEED);
    for (let round = 0; round < ROUNDS; round += 1) {
      const backup = join(place, round % 2 === 0 ? 'three.tar' : 'four.tar');
      // In every other round only once the swap has started.
      const prefix = round % 2 === 0 ? 'restore.' : 'restore.ready';
      const sign = (): boolean => startingWith(folder, prefix).length > 0;
      await runAndKill(
        ['restore', backup, '--force'],
        folder,
        sign,
        prefix === 'restore.' ? random() * 200 : 0,
      );
      const later = await startService(t, { DATA_DIR: folder });
      const names = ids((await later.api.get('/restaurants')).body).join();
      await later.stop();
      assert.match(names, /^(\d+,)?3,2,1$/);
      assert.deepEqual(
        [...inspectData(folder)].flatMap(({ faults }) => faults),
        [],
      );
      assert.deepEqual(startingWith(folder, 'restore.ready'), []);
    }
    await run(folder, 'restore', join(place, 'three.tar'), '--force');
    assert.deepEqual(startingWith(folder, 'restore.'), []);
  });
});
