import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openStorage } from '../../src/storage/storage.ts';
import { fingerprint, run, startFilled } from '../support/backups.ts';
import { runCommand, startServerProcess } from '../support/cli.ts';
import { ids } from '../support/client.ts';
import { makeOldDatabase } from '../support/old-database.ts';
import { readStored } from '../support/people.ts';
import { storedFiles } from '../support/photos.ts';
import { startService, temporaryFolder } from '../support/service.ts';

describe('catalogue restore', () => {
  for (const form of ['saved', 'saved.tar'])
    test(`puts ${form} into a folder that is not there yet`, async (t) => {
      const { folder, api } = await startFilled(t);
      const place = temporaryFolder(t);
      const [backup, target] = [join(place, form), join(place, 'deep', 'data')];
      await run(folder, 'backup', backup);
      const { out } = await run(target, 'restore', backup);
      assert.match(out, /^Restored the backup of 20[^\n]+Z with 2 photo files into [^\n]+data\.\n$/);
      assert.deepEqual(readdirSync(target).sort(), ['catalogue.db', 'photos', 'server.lock']);
      assert.deepEqual(storedFiles(target), storedFiles(folder));
      const later = await startService(t, { DATA_DIR: target });
      for (const path of ['/restaurants', '/restaurants/1/photos', '/search?q=sakura'])
        assert.deepEqual((await later.api.get(path)).body, (await api.get(path)).body);
      assert.ok(!(await run(target, 'check')).out.includes('fault'));
    });

  test('refuses to write over a catalogue, and with --force puts it aside', async (t) => {
    const { folder, api, stop } = await startFilled(t);
    const place = temporaryFolder(t);
    await run(folder, 'backup', join(place, 'saved.tar'));
    await api.delete('/restaurants/1');
    await stop();
    mkdirSync(join(folder, 'backups'));
    writeFileSync(join(folder, 'backups', 'mine'), 'mine');
    const before = fingerprint(folder);
    const variables = { DATA_DIR: folder };
    const refused = await runCommand(['restore', join(place, 'saved.tar')], { variables });
    assert.deepEqual(
      [refused.code, refused.err],
      [1, `${folder} holds a catalogue already; with --force it is put aside, and nothing of it is lost\n`],
    );
    assert.deepEqual(fingerprint(folder), before);

    const { out } = await run(folder, 'restore', join(place, 'saved.tar'), '--force');
    const [, aside = ''] = /^The data of before is in (.*)\.$/m.exec(out) ?? [];
    assert.deepEqual(ids(readStored(aside, 'SELECT id FROM restaurants ORDER BY id')), [2, 3]);
    assert.deepEqual(ids(readStored(folder, 'SELECT id FROM restaurants ORDER BY id')), [1, 2, 3]);
    assert.equal(storedFiles(aside).length, 2);
    assert.ok(existsSync(join(folder, 'backups', 'mine')));
  });

  test('refuses a folder that is served or written to', async (t) => {
    const { folder, stop } = await startFilled(t);
    const backup = join(temporaryFolder(t), 'saved');
    await run(folder, 'backup', backup);
    await stop();
    const variables = { DATA_DIR: folder };
    const restore = (): ReturnType<typeof runCommand> =>
      runCommand(['restore', backup, '--force'], { variables });
    const writer = openStorage(folder);
    assert.match(
      (await restore()).err,
      /^another command is using .*catalogue\.db; wait until it has ended\n$/,
    );
    writer.close();
    const server = await startServerProcess(t, variables);
    assert.equal((await restore()).err, `another server is running on the data folder ${folder}\n`);
    assert.equal((await server.api.get('/restaurants/3')).status, 200);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes('restore')),
      [],
    );
  });

  test('puts even a damaged database aside', async (t) => {
    const { folder, stop } = await startFilled(t);
    const backup = join(temporaryFolder(t), 'saved');
    await run(folder, 'backup', backup);
    await stop();
    writeFileSync(join(folder, 'catalogue.db'), 'this was a database once'.repeat(1000));
    await run(folder, 'restore', backup, '--force');
    assert.deepEqual(ids(readStored(folder, 'SELECT id FROM restaurants ORDER BY id')), [1, 2, 3]);
  });

  test('says that an older backup is to be migrated', async (t) => {
    const place = temporaryFolder(t);
    const folder = join(place, 'old');
    makeOldDatabase(folder);
    await run(folder, 'backup', join(place, 'saved'));
    const { out } = await run(join(place, 'data'), 'restore', join(place, 'saved'));
    assert.match(
      out,
      /^It is from an older version; the next start upgrades it, or run: catalogue migrate$/m,
    );
    await run(join(place, 'data'), 'migrate');
    const later = await startService(t, { DATA_DIR: join(place, 'data') });
    assert.deepEqual(ids((await later.api.get('/restaurants/1/ratings')).body), [2, 1]);
  });

  test('that was cut short is never taken for an empty catalogue, and is completed by a start', async (t) => {
    const { folder, stop } = await startFilled(t);
    const place = temporaryFolder(t);
    await run(folder, 'backup', join(place, 'saved'));
    await stop();
    const half = join(place, 'half');
    mkdirSync(half);
    await run(join(half, 'restore.ready', 'new'), 'restore', join(place, 'saved'));
    mkdirSync(join(half, 'restore.ready', 'old'));
    for (const args of [['export', '-', '--format', 'ndjson'], ['check'], ['backup', join(place, 'x')]]) {
      const { code, err } = await runCommand(args, { variables: { DATA_DIR: half } });
      assert.equal(code, 1);
      assert.match(
        err,
        /^a restore into .* was cut short; it is completed by the next start of the service, or /,
      );
    }
    const later = await startService(t, { DATA_DIR: half });
    assert.deepEqual(ids((await later.api.get('/restaurants')).body), [3, 2, 1]);
    assert.deepEqual(
      readdirSync(half).filter((name) => name.includes('restore')),
      [],
    );
  });
});
