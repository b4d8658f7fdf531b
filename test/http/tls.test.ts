import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { field } from '../support/client.ts';
import { rawGet } from '../support/malformed.ts';
import { askOnce, openFrom, parseAnswers, readUntilQuiet, sendRaw } from '../support/raw.ts';
import { longTest } from '../support/size.ts';
import { authority, openOverTls, startSecureService } from '../support/tls.ts';
import { until } from '../support/until.ts';

const HSTS = 'max-age=31536000';

describe('a service that ends TLS', () => {
  test('is the whole service under https, and makes browsers stay there', async (t) => {
    const { ask, pair } = await startSecureService(t);
    const ca = authority(pair);
    const trusting = { ca, rejectUnauthorized: true };
    const json = { 'Content-Type': 'application/json' };
    const made = await ask(
      '/api/categories',
      { ...trusting, method: 'POST', headers: json },
      '{"name":"Secure"}',
    );
    assert.equal(made.status, 201);
    for (const [path, status] of [
      ['/api/health', 200],
      ['/health', 200],
      ['/api/docs', 200],
      ['/api/nowhere', 404],
      ['/', 200],
    ] as const) {
      const answer = await ask(path, trusting);
      assert.deepEqual([answer.status, answer.headers['strict-transport-security']], [status, HSTS], path);
    }
  });

  test('says so in the answer to a broken request too', async (t) => {
    const { port } = await startSecureService(t);
    const socket = await openOverTls(port);
    socket.write('nonsense\r\n\r\n');
    const [answer] = parseAnswers(await readUntilQuiet(socket));
    assert.deepEqual([answer?.status, answer?.body], [400, '{"error":"Malformed HTTP request"}']);
    assert.match(answer?.head ?? '', /^Strict-Transport-Security: max-age=31536000$/m);
  });

  for (const [version, expected] of [
    ['TLSv1.1', 'refused'],
    ['TLSv1.2', 'TLSv1.2'],
    ['TLSv1.3', 'TLSv1.3'],
  ] as const)
    test(`answers ${version}: ${expected}`, async (t) => {
      const { port } = await startSecureService(t);
      const only = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' } as const;
      const spoken = await openOverTls(port, only).then(
        (socket) => {
          const protocol = socket.getProtocol();
          socket.destroy();
          return protocol;
        },
        () => 'refused',
      );
      assert.equal(spoken, expected);
    });

  test('enforces the limits of the edge without being told to', async (t) => {
    const { ask } = await startSecureService(t);
    const answers: number[] = [];
    for (let index = 0; index < 6; index += 1) answers.push((await ask('/api/auth/me')).status);
    assert.deepEqual(answers, [200, 200, 200, 200, 200, 429]);
  });

  test('takes the address of the socket for that of the client', async (t) => {
    const { ask, logs } = await startSecureService(t, { TRUSTED_PROXIES: 'none' });
    await ask('/health', { headers: { 'X-Forwarded-For': '198.51.100.1' }, localAddress: '127.0.0.5' });
    await until(() => logs.some((line) => field(line, 'message') === 'request'));
    const line = logs.find((one) => field(one, 'message') === 'request');
    assert.equal(field(line, 'client'), '127.0.0.5');
  });

  test('caps the connections of one address on both ports together', async (t) => {
    const variables = { TRUSTED_PROXIES: 'none', MAX_CONNECTIONS_PER_ADDRESS: '3' };
    const { port, redirectPort, ask } = await startSecureService(t, variables);
    const from = { localAddress: '127.0.0.2' };
    const held = [
      await openOverTls(port, from),
      await openFrom(from.localAddress, port),
      await openFrom(from.localAddress, redirectPort),
    ];
    await assert.rejects(openOverTls(port, from), /ECONNRESET|EPIPE|disconnected/);
    const [refused] = parseAnswers(await readUntilQuiet(await openFrom(from.localAddress, redirectPort)));
    assert.equal(refused?.status, 503);
    assert.equal((await ask('/health')).status, 200);
    for (const socket of held) socket.destroy();
    await until(() =>
      ask('/health', from).then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
  });
});

const NO_HOST = 'Host header must be a host name or address, with or without a port';

// The Host header, and the authority it is led to; PORT stands for that of HTTPS.
const LED: readonly [string, string][] = [
  ['food.example', 'food.example'],
  ['food.example:80', 'food.example'],
  ['food.example:', 'food.example'],
  ['food.example:8080', 'food.example:PORT'],
  ['FOOD.example.', 'FOOD.example.'],
  ['my_service:8080', 'my_service:PORT'],
  ['127.0.0.1:8080', '127.0.0.1:PORT'],
  ['[::1]:8080', '[::1]:PORT'],
  ['[2001:db8::1]', '[2001:db8::1]'],
];

const HOSTILE = [
  '',
  ':80',
  '-x',
  'user@food.example',
  'food.example/evil',
  'food.example?x',
  'food.example#x',
  'a b',
  'food.example:99999',
  'food.example:8a',
  'food.example:80:80',
  '[::1',
  '[x]',
  '::1',
  '%2f',
  '[fe80::1%25eth0]',
  'é.example',
  'food.example\\evil',
  '"><script>',
  'a'.repeat(300),
];

const TARGETS = [
  '/',
  '/api/restaurants?limit=1&x=%C3%A9',
  '//evil.example/',
  '/https://evil.example',
  '/a//b/?',
  '/api/health',
  '/api/auth/idp/callback?code=1',
  '/health/x',
  '/healthy',
];

describe('the plain port of a service that ends TLS', () => {
  test('leads every method and target to https, and never speaks of HSTS', async (t) => {
    const { redirectPort, port } = await startSecureService(t);
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      for (const target of TARGETS) {
        const text = await sendRaw(
          redirectPort,
          `${method} ${target} HTTP/1.1\r\nHost: food.example:8080\r\nConnection: close\r\n\r\n`,
        );
        const [answer, ...more] = parseAnswers(text);
        assert.deepEqual([answer?.status, answer?.body, more], [308, '', []], `${method} ${target}`);
        assert.ok(
          answer?.head.split('\r\n').includes(`Location: https://food.example:${port}${target}`),
          answer?.head,
        );
        assert.doesNotMatch(answer?.head ?? '', /strict-transport/i);
      }
  });

  test('names the port of HTTPS where the client named one, and none where it did not', async (t) => {
    const { redirectPort, port } = await startSecureService(t);
    for (const [host, authority] of LED) {
      const { head } = await askOnce(redirectPort, 'GET /x', [`Host: ${host}`]);
      const location = /^Location: (.*)$/im.exec(head)?.[1];
      assert.equal(location, `https://${authority.replace('PORT', String(port))}/x`, host);
    }
  });

  test('refuses a Host that is none with 400, and does not repeat it', async (t) => {
    const { redirectPort } = await startSecureService(t);
    const expected = { status: 400, body: JSON.stringify({ error: NO_HOST }) };
    await Promise.all(
      HOSTILE.map(async (host) => {
        const bytes = Buffer.from(rawGet('/', `Host: ${host}\r\nConnection: close\r\n`), 'latin1');
        const [answer] = parseAnswers(await sendRaw(redirectPort, bytes));
        assert.deepEqual({ status: answer?.status, body: answer?.body }, expected, host);
        assert.doesNotMatch(answer?.head ?? '', /^location/im);
      }),
    );
  });

  const broken: readonly [string, string, number][] = [
    ['no Host', 'GET / HTTP/1.1\r\n', 400],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n', 400],
    ['an absolute-form target', 'GET http://evil.example/ HTTP/1.1\r\nHost: x\r\n', 400],
    ['a backslash', 'GET /\\evil.example HTTP/1.1\r\nHost: x\r\n', 400],
    ['a line break that is encoded', 'GET /%0d%0aX:%20y HTTP/1.1\r\nHost: x\r\n', 308],
    ['an encoding that is none', 'GET /%zz HTTP/1.1\r\nHost: x\r\n', 400],
    ['a NUL that is encoded', 'GET /%00 HTTP/1.1\r\nHost: x\r\n', 400],
    ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: x\r\n', 400],
    ['CONNECT', 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n', 405],
    ['a greeting of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  ];
  test('answers what is broken with its status and no header of the client’s making', async (t) => {
    const { redirectPort } = await startSecureService(t);
    await Promise.all(
      broken.map(async ([title, head, status]) => {
        const [answer] = parseAnswers(await sendRaw(redirectPort, Buffer.from(`${head}\r\n`, 'latin1')));
        assert.equal(answer?.status, status, title);
        assert.doesNotMatch(answer.head, /^X: ?y/im, title);
        assert.match(answer.head, /^X-Content-Type-Options: nosniff$/m, title);
      }),
    );
  });

  longTest('takes any byte in a target for what it is', async (t) => {
    const { redirectPort } = await startSecureService(t);
    const bytes = Array.from({ length: 256 }, (_, byte) => byte);
    const statuses = await Promise.all(
      bytes.map(async (byte) => {
        const target = `/a${String.fromCharCode(byte)}b`;
        const request = rawGet(target, 'Host: x\r\nConnection: close\r\n');
        const text = await sendRaw(redirectPort, Buffer.from(request, 'latin1'), 60_000);
        return parseAnswers(text)[0]?.status;
      }),
    );
    for (const [byte, status] of statuses.entries())
      assert.ok(status === 308 || status === 400, String(byte));
    assert.equal(statuses[0x62], 308);
  });

  test('answers the plain health check, which load balancers ask', async (t) => {
    const { redirectPort, logs, closeStorage } = await startSecureService(t);
    const well = await askOnce(redirectPort, 'GET /health', ['Host: x']);
    assert.deepEqual([well.status, well.body], [200, 'healthy']);
    assert.equal((await askOnce(redirectPort, 'POST /health', ['Host: x'])).status, 308);
    await until(() => logs.some((line) => field(line, 'message') === 'request'));
    closeStorage();
    const failed = await askOnce(redirectPort, 'GET /health', ['Host: x']);
    assert.deepEqual([failed.status, failed.body], [503, 'unavailable']);
  });

  test('answers a body that it does not want, and reads on behind it', async (t) => {
    const { redirectPort } = await startSecureService(t);
    const post = 'POST /api/categories HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nGET /';
    const last = 'GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const answers = parseAnswers(await sendRaw(redirectPort, post + last));
    assert.deepEqual(
      answers.map(({ head }) => /^Location: (.*)$/m.exec(head)?.[1]),
      ['https://x/api/categories', 'https://x/last'],
    );
  });
});
