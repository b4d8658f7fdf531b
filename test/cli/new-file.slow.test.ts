import assert from 'node:assert/strict';
import { cpSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { databasePath } from '../../src/storage/database.ts';
import { takeSnapshot } from '../../src/storage/snapshot.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { type ServerProcess, startServerProcess } from '../support/cli.ts';
import { array } from '../support/client.ts';
import { makeDatabaseBefore } from '../support/old-database.ts';
import { changeStored } from '../support/people.ts';
import { type Service, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

interface Pair {
  readonly primary: Service;
  readonly replica: ServerProcess;
  readonly folder: string;
}

/** A replica on a copy of a primary's file. */
async function startPair(t: Cleanup): Promise<Pair> {
  const primary = await startService(t);
  const folder = temporaryFolder(t);
  await takeSnapshot(primary.folder, databasePath(folder));
  const replica = await startServerProcess(t, { DATA_DIR: folder, READ_ONLY: 'true' });
  return { primary, replica, folder };
}

/** Puts the primary's database as it is now into the replica's place, as a restore by other tools does. */
async function putInPlace({ primary, folder }: Pair): Promise<void> {
  const fresh = join(folder, 'fresh');
  await takeSnapshot(primary.folder, fresh);
  renameSync(fresh, databasePath(folder));
}

async function count({ replica }: Pick<Pair, 'replica'>): Promise<number> {
  const { status, body } = await replica.api.get('/restaurants');
  assert.equal(status, 200);
  return array(body).length;
}

const REFUSED = 'the new database cannot be used, the old one stays in use';

describe('a replica whose database file is replaced', () => {
  test('answers from each new file without a restart, and every request meanwhile', async (t) => {
    const pair = await startPair(t);
    const over = new AbortController();
    let asked = 0;
    const asking = (async () => {
      for (let seen = 0; !over.signal.aborted; asked += 1) {
        const now = await count(pair);
        assert.ok(now >= seen, `${now} restaurants after ${seen}`);
        seen = now;
        await pair.replica.api.get('/search?q=chez');
      }
    })();
    for (let number = 1; number <= 10; number += 1) {
      await pair.primary.api.post('/restaurants', { name: `Chez ${number}` });
      await putInPlace(pair);
      // Half of them follow each other faster than the replica opens them.
      if (number % 2 === 0) await until(async () => (await count(pair)) === number);
    }
    over.abort();
    await asking;
    assert.ok(asked > 10);
    assert.equal(await count(pair), 10);
    pair.replica.process.kill('SIGTERM');
    assert.deepEqual(await pair.replica.ended.then(({ code, err }) => [code, err]), [0, '']);
  });

  test('never applies the log of the old file to the new one', async (t) => {
    const primary = await startService(t);
    await primary.api.post('/restaurants', { name: 'Chez Nous' });
    const folder = temporaryFolder(t);
    for (const ending of ['', '-wal'])
      cpSync(databasePath(primary.folder) + ending, databasePath(folder) + ending);
    const replica = await startServerProcess(t, { DATA_DIR: folder, READ_ONLY: 'true' });
    assert.equal(await count({ replica }), 1);
    await primary.api.post('/restaurants', { name: 'Chez Zoë' });
    await primary.stop();
    cpSync(databasePath(primary.folder), join(folder, 'fresh'));
    renameSync(join(folder, 'fresh'), databasePath(folder));
    await until(async () => (await count({ replica })) === 2);
  });

  test('goes on with the old one where the new one cannot be used, and takes the next one', async (t) => {
    const pair = await startPair(t);
    const old = temporaryFolder(t);
    makeDatabaseBefore(old, 'lists', () => undefined);
    const foreign = temporaryFolder(t);
    await takeSnapshot(pair.primary.folder, databasePath(foreign));
    changeStored(foreign, 'CREATE TRIGGER later AFTER INSERT ON ratings BEGIN SELECT 1; END');
    const unusable: readonly [string | Buffer, RegExp][] = [
      ['nonsense '.repeat(500), /is damaged/],
      ['', /is empty/],
      [readFileSync(databasePath(old)), /is from an older version; bring the primary up to this version/],
      [readFileSync(databasePath(foreign)), /trigger \\"later\\" was added/],
    ];
    for (const [index, [content, reason]] of unusable.entries()) {
      const fresh = join(pair.folder, 'fresh');
      writeFileSync(fresh, content);
      renameSync(fresh, databasePath(pair.folder));
      await until(() => reason.test(pair.replica.log()));
      assert.equal(await count(pair), index);
      await pair.primary.api.post('/restaurants', { name: `Chez ${index}` });
      await putInPlace(pair);
      await until(async () => (await count(pair)) === index + 1);
      assert.equal(pair.replica.log().split(REFUSED).length, index + 2, 'each is reported once');
    }
  });
});
