import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { type Socket, connect } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
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
      const { url, process: server, ended } = await startServerProcess(t, { DATA_DIR: folder });
      const headers = { 'Content-Type': 'application/json', 'Content-Length': '18', Expect: '100-continue' };
      const outgoing = request(`${url}/api/categories`, { method: 'POST', headers });
      const answered = new Promise<[number | undefined, string | undefined]>((resolve, reject) => {
        outgoing.on('error', reject);
        outgoing.on('response', (response) => {
          response.resume();
          resolve([response.statusCode, response.headers.connection]);
        });
      });
      outgoing.flushHeaders();
      await once(outgoing, 'continue');
      // Neither an idle connection nor one that was opened to have it at hand holds the stop up.
      const open = (): Socket => connect(Number(new URL(url).port), '127.0.0.1').resume();
      const [used, unused] = [open(), open()];
      await Promise.all([used, unused].map((socket) => once(socket, 'connect')));
      used.write('GET /api/health HTTP/1.1\r\nHost: x\r\n\r\n');
      await once(used, 'data');
      const closed = Promise.all([used, unused].map((socket) => once(socket, 'close')));
      server.kill(signal);
      await closed;
      await assert.rejects(fetch(`${url}/api/health`), 'takes no new connections');
      outgoing.end('{"name":"In time"}');
      assert.deepEqual(await answered, [201, 'close']);
      const { code, out } = await ended;
      assert.equal(code, 0);
      assert.match(out, /"stopped"/);
      assert.equal(existsSync(join(folder, 'catalogue.db-wal')), false);
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

  test('is found well by healthcheck when the rate limit is used up, and missed when it is not there', async (t) => {
    const DATA_DIR = temporaryFolder(t);
    const limits = { RATE_LIMIT_PER_MINUTE: '1', RATE_LIMIT_BURST: '1' };
    const { url, api, process: server, ended } = await startServerProcess(t, { DATA_DIR, ...limits });
    assert.deepEqual([(await api.get('/health')).status, (await api.get('/health')).status], [200, 429]);
    const variables = { PORT: new URL(url).port, DATA_DIR };
    for (let index = 0; index < 2; index += 1)
      assert.deepEqual(await runCommand(['healthcheck'], { variables }), { code: 0, out: 'ok\n', err: '' });
    server.kill('SIGTERM');
    await ended;
    const missed = await runCommand(['healthcheck'], { variables });
    assert.equal(missed.code, 1);
    assert.match(missed.err, /^unhealthy: 127\.0\.0\.1 port \d+: nothing listens there\n$/);
  });
});
