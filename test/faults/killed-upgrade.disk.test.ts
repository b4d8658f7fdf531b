import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { runCommand, startServerProcess } from '../support/cli.ts';
import { ids } from '../support/client.ts';
import { makeOldDatabase } from '../support/old-database.ts';
import { temporaryFolder } from '../support/service.ts';
import { rounds } from '../support/size.ts';
import { injected, whyNoInjection } from './inject.ts';
import { faultsOfDatabase } from './sound.ts';

// Calls that change files, and at which of each the process is killed: before, within and behind the backup, and within
// the migration.
const CALLS: Readonly<Record<string, readonly number[]>> = {
  'mkdir,mkdirat': [1],
  'rename,renameat,renameat2': [1, 2],
  'fsync,fdatasync': [2, 5, 9],
  pwrite64: [10, 40, 150],
  'unlink,unlinkat': [1, 2],
};
const ROUNDS = Object.entries(CALLS).flatMap(([calls, whens]) =>
  whens.slice(0, rounds(whens.length)).map((when) => ({ calls, when })),
);

/** Starts a server on an old database and kills it at that call; returns whether the call was reached. */
async function killWithin(t: TestContext, folder: string, calls: string, when: number): Promise<boolean> {
  const under = injected({ calls, effect: 'signal=SIGKILL', when });
  const server = await startServerProcess(t, { DATA_DIR: folder }, { under }).catch(() => undefined);
  server?.process.kill('SIGTERM');
  await server?.ended;
  return server === undefined;
}

describe('a start that is killed within an upgrade', { skip: whyNoInjection() ?? false }, () => {
  test('leaves the old database or the new one with its backup, and the next start has it upgraded', async (t) => {
    let killed = 0;
    for (const { calls, when } of ROUNDS)
      await t.test(`at ${calls} ${when}`, async (round) => {
        const folder = temporaryFolder(round);
        makeOldDatabase(folder);
        if (await killWithin(round, folder, calls, when)) killed += 1;
        const { api, process: server, ended } = await startServerProcess(round, { DATA_DIR: folder });
        assert.deepEqual(ids((await api.get('/restaurants/1/ratings')).body), [2, 1]);
        server.kill('SIGTERM');
        await ended;
        assert.deepEqual(faultsOfDatabase(folder), []);
        const backups = readdirSync(folder).filter((name) => /^(before-upgrade|upgrading)-/.test(name));
        assert.deepEqual(
          backups.map((name) => name.replace(/\d{8}T\d{6}Z/, 'time')),
          ['before-upgrade-time'],
        );
        assert.equal((await runCommand(['check', join(folder, backups[0] ?? '')])).code, 0);
      });
    assert.ok(killed > ROUNDS.length / 2);
  });
});
