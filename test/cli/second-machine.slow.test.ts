import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, renameSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { databasePath } from '../../src/storage/database.ts';
import { CHECKOUT } from '../support/checkout.ts';
import { type Cleanup, atEnd } from '../support/cleanup.ts';
import { runOn, startServerProcess } from '../support/cli.ts';
import { array, createClient, textOf } from '../support/client.ts';
import { codeBlocks, pageText } from '../support/manual.ts';
import { LOCAL, signUp } from '../support/people.ts';
import { upload } from '../support/photos.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const PROGRAMS = fileURLToPath(new URL('test/support/programs', CHECKOUT));

/** The loop of the manual, with a short pause and another data folder. */
function loopIn(folder: string): string {
  const [loop = ''] = codeBlocks(pageText('replicas.md'), 'bash');
  const parts = loop.split(/cd \/var\/lib\/catalogue |sleep 60/);
  assert.equal(parts.length, 3, loop);
  return `${parts[0] ?? ''}cd '${folder}' ${parts[1] ?? ''}/bin/sleep 0.2${parts[2] ?? ''}`;
}

/** The settings that the manual adds on the second machine. */
function settingsOfCopy(): Readonly<Record<string, string>> {
  const [settings = ''] = codeBlocks(pageText('replicas.md'), 'ini');
  return Object.fromEntries(
    settings
      .split('\n')
      .flatMap((line) =>
        [...line.matchAll(/^(\w+)=(.*)$/g)].map(([, name = '', value = '']) => [name, value]),
      ),
  );
}

/** Runs the loop; resolves to its end. */
function startLoop(t: Cleanup, primary: string, copy: string): () => Promise<void> {
  const env = {
    PATH: [PROGRAMS, process.env['PATH'] ?? ''].join(delimiter),
    PRIMARY: primary,
    NODE: process.execPath,
    CHECKOUT: fileURLToPath(CHECKOUT),
  };
  const loop = spawn('/bin/sh', ['-c', loopIn(copy)], { env, stdio: 'ignore', detached: true });
  const ended = once(loop, 'close');
  const stop = async (): Promise<void> => {
    if (loop.exitCode === null && loop.signalCode === null) process.kill(-(loop.pid ?? NaN), 'SIGKILL');
    await ended;
  };
  atEnd(t, stop);
  return stop;
}

describe('a second machine, set up as the manual says', () => {
  test('answers reads from a copy that the loop refreshes, and takes over', async (t) => {
    const primary = await startService(t, LOCAL);
    const alice = await signUp(primary, 'alice');
    await alice.api.post('/restaurants', { name: 'Chez Nous' });
    await upload(alice.api);
    const folder = temporaryFolder(t);
    const stopLoop = startLoop(t, primary.folder, folder);
    await until(() => existsSync(databasePath(folder)));

    const settings = { ...LOCAL, DATA_DIR: folder };
    const copy = await startServerProcess(t, { ...settings, ...settingsOfCopy() });
    const countOf = async (path: string): Promise<number> => array((await copy.api.get(path)).body).length;
    const [photo] = array((await copy.api.get('/restaurants/1/photos')).body);
    assert.equal((await fetch(copy.url + textOf(photo, 'url'))).status, 200);
    const signedIn = createClient(copy.url, { Authorization: `Bearer ${alice.accessToken}` });
    assert.equal((await signedIn.get('/auth/me')).status, 200);
    const refused = await signedIn.post('/restaurants', { name: 'Chez Vous' });
    assert.deepEqual(
      [refused.status, refused.body],
      [503, { error: 'This is a read-only replica; ask the primary at https://food.example' }],
    );

    await alice.api.post('/restaurants', { name: 'Chez Vous' });
    await upload(alice.api);
    await until(
      async () => (await countOf('/restaurants')) === 2 && (await countOf('/restaurants/1/photos')) === 2,
    );
    for (const one of array((await copy.api.get('/restaurants/1/photos')).body))
      assert.equal((await fetch(copy.url + textOf(one, 'url'))).status, 200);

    // The first machine is lost, and what was on it cannot be restored any more.
    await primary.stop();
    renameSync(databasePath(primary.folder), join(primary.folder, 'lost'));
    await until(() => !existsSync(join(folder, 'fresh.db')));
    assert.equal(await countOf('/restaurants'), 2);

    await stopLoop();
    copy.process.kill('SIGTERM');
    assert.equal((await copy.ended).code, 0);
    const { code, out } = await runOn(folder, 'check');
    assert.equal(code, 0, out);
    const successor = await startServerProcess(t, settings);
    const again = createClient(successor.url, { Authorization: `Bearer ${alice.accessToken}` });
    assert.equal((await again.post('/restaurants', { name: 'Chez Elle' })).status, 201);
    assert.equal(array((await again.get('/restaurants')).body).length, 3);
  });
});
