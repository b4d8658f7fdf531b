import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { field } from '../../support/client.ts';
import { LOCAL, signUp } from '../../support/people.ts';
import { type RawAnswer, parseAnswers, readUntilQuiet } from '../../support/raw.ts';
import { startService } from '../../support/service.ts';

const TOKEN = 'a-token-of-the-tests';
const CLOSED = {
  status: 403,
  error: 'Metrics are for programs on this machine; others need METRICS_TOKEN to be set',
};
const TOKEN_WANTED = { status: 401, error: 'Metrics need the token of METRICS_TOKEN' };

interface Asking {
  /** Lines of the head besides Host. */
  readonly headers?: readonly string[];
  readonly host?: string;
  readonly version?: string;
  readonly to?: string;
  readonly from?: string;
}

async function ask(port: number, asking: Asking): Promise<RawAnswer> {
  const { headers = [], host = `127.0.0.1:${port}`, version = '1.1', to = '127.0.0.1', from } = asking;
  const socket = connect({ port, host: to, ...(from !== undefined && { localAddress: from }) });
  await once(socket, 'connect');
  const head = [`GET /api/metrics HTTP/${version}`, `Host: ${host}`, 'Connection: close', ...headers];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const [answer] = parseAnswers(await readUntilQuiet(socket));
  assert.ok(answer);
  return answer;
}

function refusal({ status, body }: RawAnswer): { status: number; error: unknown } {
  return { status, error: status === 200 ? undefined : field(JSON.parse(body), 'error') };
}

const OWN: readonly [string, Asking][] = [
  ['127.0.0.1', {}],
  ['another loopback address', { from: '127.0.0.2' }],
  ['localhost', { host: 'localhost:8080' }],
  ['LOCALHOST', { host: 'LOCALHOST' }],
  ['an IPv4 loopback address in the form of IPv6', { host: '[::ffff:7f00:1]:8080' }],
  ['an IPv6 loopback address', { to: '::1', host: '[::1]:8080' }],
  [
    'with a user agent and other headers of its own',
    { headers: ['User-Agent: Prometheus/3.0', 'Accept: */*'] },
  ],
  ['with some token', { headers: ['Authorization: Bearer something'] }],
];

const FORWARDED: readonly string[] = [
  'X-Forwarded-For: 127.0.0.1',
  'X-Forwarded-For:',
  'x-forwarded-host: localhost',
  'X-Forwarded-Proto: https',
  'X-Forwarded: for=::1',
  'Forwarded: for=127.0.0.1',
  'Via: 1.1 proxy',
  'X-Real-IP: 127.0.0.1',
  'X-Client-IP: 127.0.0.1',
  'Client-IP: 127.0.0.1',
  'CF-Connecting-IP: ::1',
  'X-Cluster-Client-IP: 127.0.0.1',
  'True-Client-IP: 127.0.0.1',
  'Fastly-Client-IP: ::1',
  'X-Envoy-External-Address: ::1',
  'X-Original-URL: /',
  'Fly-Client-IP: ::1',
  'CDN-Loop: x',
  'X-Amzn-Trace-Id: x',
  'X-ARR-LOG-ID: x',
  'Max-Forwards: 9',
];

const STRANGE_HOSTS: readonly string[] = [
  'food.example',
  'localhost.food.example',
  '127.0.0.1.food.example',
  '127.0.0.1@food.example',
  '192.0.2.1',
  '[2001:db8::1]',
  '0.0.0.0',
  'localhost:8080:1',
  '[::1',
  '2130706433',
  '',
];

describe('the metrics without a token', () => {
  test('are shown to programs on this machine', async (t) => {
    const { port } = await startService(t, { HOST: '::' });
    for (const [title, asking] of OWN) assert.equal((await ask(port, asking)).status, 200, title);
  });

  test('are not shown to clients that a proxy on this machine passes on, whatever header says so', async (t) => {
    const { port } = await startService(t);
    for (const header of FORWARDED)
      assert.deepEqual(refusal(await ask(port, { headers: [header] })), CLOSED, header);
  });

  test('are not shown to a proxy that says nothing, which speaks HTTP/1.0', async (t) => {
    const { port } = await startService(t);
    assert.deepEqual(refusal(await ask(port, { version: '1.0' })), CLOSED);
  });

  test('are not shown to a browser whose page has a name that leads here', async (t) => {
    // Without accounts such a name is refused before.
    const { port } = await startService(t, LOCAL);
    for (const host of STRANGE_HOSTS) assert.deepEqual(refusal(await ask(port, { host })), CLOSED, host);
  });

  test('are not shown by the address that a trusted proxy names', async (t) => {
    const { port } = await startService(t, { TRUSTED_PROXIES: 'loopback,private' });
    const headers = ['X-Forwarded-For: 127.0.0.1, 127.0.0.1'];
    assert.deepEqual(refusal(await ask(port, { headers })), CLOSED);
  });

  test('are not shown to users, administrators of mode none included', async (t) => {
    const service = await startService(t, LOCAL);
    const { accessToken } = await signUp(service, 'alice');
    const headers = [`Authorization: Bearer ${accessToken}`, 'X-Forwarded-For: 192.0.2.1'];
    assert.deepEqual(refusal(await ask(service.port, { headers })), CLOSED);
    const open = await startService(t);
    assert.deepEqual(refusal(await ask(open.port, { headers })), CLOSED);
  });
});

describe('the metrics with a token', () => {
  const proxied = ['X-Forwarded-For: 192.0.2.1'];
  const host = 'food.example';

  test('are shown to the client that shows it, from anywhere', async (t) => {
    for (const mode of [{ ALLOWED_HOSTS: host }, LOCAL]) {
      const { port } = await startService(t, { ...mode, METRICS_TOKEN: TOKEN });
      for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
        const headers = [...proxied, `Authorization: ${scheme} ${TOKEN}`];
        assert.equal((await ask(port, { headers, host, version: '1.0' })).status, 200, scheme);
      }
    }
  });

  const wrong: readonly [string, readonly string[]][] = [
    ['nothing', []],
    ['another', ['Authorization: Bearer another-token-of-tests']],
    ['a part of it', [`Authorization: Bearer ${TOKEN.slice(0, -1)}`]],
    ['more than it', [`Authorization: Bearer ${TOKEN}x`]],
    ['it in capitals', [`Authorization: Bearer ${TOKEN.toUpperCase()}`]],
    ['an empty one', ['Authorization: Bearer ']],
    ['it without a scheme', [`Authorization: ${TOKEN}`]],
    ['it with another scheme', [`Authorization: Basic ${TOKEN}`]],
    ['it in two headers', [`Authorization: Bearer ${TOKEN}`, `Authorization: Bearer ${TOKEN}`]],
    ['it elsewhere', [`X-Metrics-Token: ${TOKEN}`, `Cookie: token=${TOKEN}`]],
  ];
  test('are refused to others', async (t) => {
    const { port } = await startService(t, { ALLOWED_HOSTS: host, METRICS_TOKEN: TOKEN });
    for (const [title, headers] of wrong) {
      const answer = await ask(port, { headers: [...proxied, ...headers], host });
      assert.deepEqual(refusal(answer), TOKEN_WANTED, title);
      assert.match(answer.head, /^www-authenticate: Bearer$/im);
    }
  });

  test('are still shown to programs on this machine without it', async (t) => {
    const { port } = await startService(t, { METRICS_TOKEN: TOKEN });
    assert.equal((await ask(port, {})).status, 200);
  });
});
