import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { runCommand, startServerProcess, withOpenFiles } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';

describe('catalogue serve', () => {
  test('makes its data folder and answers', async (t) => {
    const folder = join(temporaryFolder(t), 'deep', 'data');
    const { api } = await startServerProcess(t, { DATA_DIR: folder });
    assert.deepEqual((await api.get('/health')).body, { status: 'ok' });
    assert.ok(existsSync(join(folder, 'catalogue.db')));
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    test(`stops on ${signal}: what is under way finishes, the log is checkpointed, the exit code is 0`, async (t) => {
      const folder = temporaryFolder(t);
      const { url, api, process: server, ended } = await startServerProcess(t, { DATA_DIR: folder });
      const headers = { 'Content-Type': 'application/json', 'Content-Length': '18' };
      const outgoing = request(`${url}/api/categories`, { method: 'POST', headers });
      const answered = new Promise<[number | undefined, string | undefined]>((resolve, reject) => {
        outgoing.on('error', reject);
        outgoing.on('response', (response) => {
          response.resume();
          resolve([response.statusCode, response.headers.connection]);
        });
      });
      outgoing.write('{"name":"');
      // Neither an idle connection nor one that was opened to have it at hand must hold the stop up.
      await api.get('/health');
      await once(connect(Number(new URL(url).port), '127.0.0.1'), 'connect');
      await pause(50);
      server.kill(signal);
      await pause(100);
      outgoing.end('In time"}');
      assert.deepEqual(await answered, [201, 'close']);
      const answeredAt = performance.now();
      const { code, out } = await ended;
      assert.equal(code, 0);
      assert.match(out, /"stopped"/);
      assert.ok(performance.now() - answeredAt < 6_000);
      assert.equal(existsSync(join(folder, 'catalogue.db-wal')), false);
    });

  test('takes no new connections while it stops', async (t) => {
    const { url, process: server, ended } = await startServerProcess(t, { DATA_DIR: temporaryFolder(t) });
    const held = request(`${url}/api/categories`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Content-Length': '9' },
    });
    held.on('error', () => undefined);
    held.write('{');
    await pause(50);
    server.kill('SIGTERM');
    await pause(100);
    await assert.rejects(fetch(`${url}/health`));
    held.destroy();
    assert.equal((await ended).code, 0);
  });

  test('refuses a data folder that another server has, at once and in one line', async (t) => {
    const folder = temporaryFolder(t);
    await startServerProcess(t, { DATA_DIR: folder });
    const { code, err } = await runCommand(['serve'], { variables: { DATA_DIR: folder, PORT: '0' } });
    assert.deepEqual([code, err], [1, `another server is running on the data folder ${folder}\n`]);
  });

  test('starts again after it was killed: neither the lock nor an acknowledged write depends on a clean end', async (t) => {
    const DATA_DIR = temporaryFolder(t);
    const first = await startServerProcess(t, { DATA_DIR });
    const answer = await first.api.post('/categories', { name: 'Kept' });
    first.process.kill('SIGKILL');
    await first.ended;
    const second = await startServerProcess(t, { DATA_DIR });
    assert.deepEqual((await second.api.get('/categories/11')).body, answer.body);
  });

  test('refuses a port that is taken, at once and in one line', async (t) => {
    const { url } = await startServerProcess(t, { DATA_DIR: temporaryFolder(t) });
    const { port } = new URL(url);
    const { code, err } = await runCommand(['serve'], {
      variables: { DATA_DIR: temporaryFolder(t), PORT: port },
    });
    assert.deepEqual([code, err], [1, `port ${port} on 127.0.0.1 is already in use (PORT, HOST)\n`]);
  });

  test('refuses a file that is no database in one line without a stack', async (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, 'catalogue.db'), 'nonsense '.repeat(500));
    const { code, err } = await runCommand(['serve'], { variables: { DATA_DIR: folder, PORT: '0' } });
    assert.equal(code, 1);
    assert.match(
      err,
      /^\S+catalogue\.db is damaged: file is not a database; put a backup in its place [^\n]+\n$/,
    );
  });

  test('refuses a folder of photos that it cannot use in one line', async (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, 'photos'), 'no folder');
    const { code, err } = await runCommand(['serve'], { variables: { DATA_DIR: folder, PORT: '0' } });
    assert.equal(code, 1);
    assert.equal(
      err,
      `cannot use the folder of photos ${join(folder, 'photos')}: a part of this path is a file, not a folder\n`,
    );
  });

  for (const files of [24, 64, 128])
    test(`says in one line what to do when it may open ${files} files alone`, async (t) => {
      const variables = { DATA_DIR: temporaryFolder(t), PORT: '0' };
      const { code, err } = await runCommand(['serve'], { variables, under: withOpenFiles(files) });
      const line =
        'The system lets this process open too few files: raise the limit to 1024 or more (ulimit -n 1024)\n';
      assert.deepEqual([code, err], [1, line]);
    });

  test('is found well by healthcheck when the rate limit is used up', async (t) => {
    const folder = temporaryFolder(t);
    const limits = { RATE_LIMIT_PER_MINUTE: '1', RATE_LIMIT_BURST: '1' };
    const { url, api } = await startServerProcess(t, { DATA_DIR: folder, ...limits });
    assert.deepEqual([(await api.get('/health')).status, (await api.get('/health')).status], [200, 429]);
    const variables = { PORT: new URL(url).port, DATA_DIR: folder };
    for (let index = 0; index < 2; index += 1)
      assert.equal((await runCommand(['healthcheck'], { variables })).out, 'ok\n');
  });

  test('is found well by healthcheck, and missed when it is not there', async (t) => {
    const folder = temporaryFolder(t);
    const { url, process: server, ended } = await startServerProcess(t, { DATA_DIR: folder });
    const variables = { PORT: new URL(url).port, DATA_DIR: folder };
    assert.deepEqual(await runCommand(['healthcheck'], { variables }), { code: 0, out: 'ok\n', err: '' });
    server.kill('SIGTERM');
    await ended;
    const missed = await runCommand(['healthcheck'], { variables });
    assert.equal(missed.code, 1);
    assert.match(missed.err, /^unhealthy: 127\.0\.0\.1 port \d+: nothing listens there\n$/);
  });
});
