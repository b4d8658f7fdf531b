import assert from 'node:assert/strict';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fingerprint, run, startFilled } from '../../support/backups.ts';
import { runCommand } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/service.ts';
import { mountMemory, whyNoMount } from '../../support/small-disk.ts';

const NO_MOUNT = whyNoMount();

describe('a full disk', { skip: NO_MOUNT ?? false }, () => {
  // Too small for the snapshot, and for the archive next to it.
  for (const [kilobytes, name] of [
    [200, 'saved'],
    [500, 'saved.tar'],
  ] as const)
    test(`of ${kilobytes} KB ends a backup in one line, and nothing of ${name} is left`, async (t) => {
      const { folder, api } = await startFilled(t);
      const place = mountMemory(t, `${kilobytes}k`);
      const { code, err } = await runCommand(['backup', join(place, name)], {
        variables: { DATA_DIR: folder },
      });
      assert.deepEqual([code, err], [1, `there is no space left for a backup in ${place}\n`]);
      assert.deepEqual(readdirSync(place), []);
      assert.equal((await api.post('/restaurants', { name: 'Later' })).status, 201);
    });

  test('ends a restore in one line, and the data is as it was', async (t) => {
    const { folder, stop } = await startFilled(t);
    const backup = join(temporaryFolder(t), 'saved.tar');
    await run(folder, 'backup', backup);
    await stop();
    const data = mountMemory(t, '200k');
    writeFileSync(join(data, 'catalogue.db'), 'the old one');
    const variables = { DATA_DIR: data };
    const { code, err } = await runCommand(['restore', backup, '--force'], { variables });
    assert.deepEqual([code, err], [1, `there is no space left in ${data} to unpack the backup\n`]);
    rmSync(join(data, 'server.lock'));
    assert.deepEqual(Object.keys(fingerprint(data)), ['catalogue.db']);
  });
});
