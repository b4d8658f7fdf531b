import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runCommand, startServerProcess } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';
import { askOverTls, tlsVariables, writePair } from '../support/tls.ts';

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
    const missed = await runCommand(['healthcheck'], { variables: { ...variables, HTTPS_PORT: port } });
    assert.equal(missed.code, 1);
    assert.match(missed.err, /^unhealthy: 127\.0\.0\.1 port \d+: nothing listens there\n$/);
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

  test('refuses one port for both', async (t) => {
    const DATA_DIR = join(temporaryFolder(t), 'data');
    const pair = { TLS_CERT_FILE: 'a', TLS_KEY_FILE: 'b' };
    const { code, err } = await runCommand(['serve'], { variables: { ...pair, DATA_DIR, PORT: '8443' } });
    assert.deepEqual([code, err], [1, 'HTTPS_PORT must not be the same as PORT\n']);
    assert.equal(existsSync(DATA_DIR), false);
  });
});
