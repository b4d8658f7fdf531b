import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { type Socket, connect } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runCommand, startServerProcess, withOpenFiles } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';
import { askOverTls, tlsVariables, writePair } from '../support/tls.ts';

describe('catalogue serve', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    test(`stops on ${signal}: what is under way finishes, the log is checkpointed, the exit code is 0`, async (t) => {
      const folder = join(temporaryFolder(t), 'deep', 'data');
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
      assert.ok(existsSync(join(folder, 'catalogue.db')));
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

  for (const files of [24, 40])
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

describe('catalogue serve with a certificate', () => {
  test('logs where it is, and is found well by healthcheck', async (t) => {
    const variables = tlsVariables(writePair(temporaryFolder(t), 'first'));
    const {
      url,
      process: server,
      ended,
    } = await startServerProcess(t, {
      ...variables,
      DATA_DIR: temporaryFolder(t),
      HTTPS_PORT: '0',
    });
    assert.match(url, /^https:\/\/127\.0\.0\.1:\d+$/);
    const { port } = new URL(url);
    const answer = await askOverTls(Number(port), '/api/health');
    assert.deepEqual([answer.status, answer.shownBy], [200, 'first']);
    const asked = await runCommand(['healthcheck'], { variables: { ...variables, HTTPS_PORT: port } });
    assert.deepEqual(asked, { code: 0, out: 'ok\n', err: '' });
    server.kill('SIGTERM');
    const { code, out } = await ended;
    assert.equal(code, 0);
    assert.match(out, /"redirects":"http:\/\/127\.0\.0\.1:\d+"/);
    assert.match(
      out,
      /"certificate loaded","names":"DNS:localhost, DNS:food.example, IP Address:127\.0\.0\.1"/,
    );
  });

  test('refuses a pair that does not belong together in one line', async (t) => {
    const folder = temporaryFolder(t);
    const pair = { ...writePair(folder, 'first'), keyFile: writePair(folder, 'second').keyFile };
    const variables = { ...tlsVariables(pair), DATA_DIR: join(folder, 'data'), PORT: '0', HTTPS_PORT: '0' };
    const { code, err } = await runCommand(['serve'], { variables });
    assert.equal(code, 1);
    assert.match(
      err,
      /^TLS_KEY_FILE \S+second\.key does not belong to the first certificate of TLS_CERT_FILE \S+first\.crt\n$/,
    );
  });

  test('refuses a taken port by the name of its variable', async (t) => {
    const pair = tlsVariables(writePair(temporaryFolder(t), 'first'));
    const first = await startServerProcess(t, { ...pair, DATA_DIR: temporaryFolder(t), HTTPS_PORT: '0' });
    const { port } = new URL(first.url);
    const ports = [
      { ...pair, PORT: '0', HTTPS_PORT: port },
      { ...pair, PORT: port, HTTPS_PORT: '0' },
      { PORT: port },
    ];
    const ended = await Promise.all(
      ports.map((one) => runCommand(['serve'], { variables: { DATA_DIR: temporaryFolder(t), ...one } })),
    );
    assert.deepEqual(
      ended.map(({ code, err }) => [code, err]),
      ['HTTPS_PORT', 'PORT', 'PORT'].map((name) => [
        1,
        `port ${port} on 127.0.0.1 is already in use (${name}, HOST)\n`,
      ]),
    );
  });
});
