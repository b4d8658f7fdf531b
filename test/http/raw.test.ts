import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { parseAnswers, readUntilQuiet, sendRaw } from '../support/raw.ts';
import { startService } from '../support/service.ts';

const HOST = 'Host: x\r\n';
const get = (target: string, headers = HOST): string => `GET ${target} HTTP/1.1\r\n${headers}\r\n`;
const post = (headers: string, body = ''): string =>
  `POST /api/categories HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n${headers}\r\n${body}`;

// What arrives, and the status of the one answer it gets.
const REFUSED: readonly [string, string, number][] = [
  ['no Host', get('/api/health', ''), 400],
  ['two Hosts', get('/api/health', HOST + HOST), 400],
  ['two Hosts that differ', get('/api/health', `${HOST}Host: y\r\n`), 400],
  ['HTTP/1.0 without Host', 'GET /api/health HTTP/1.0\r\n\r\n', 400],
  ['an absolute-form target', get('http://x/api/health'), 400],
  ['an authority-form target', get('x:80'), 400],
  ['a target without a slash', get('api/health'), 400],
  ['OPTIONS *', `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['TRACE', `TRACE /api/health HTTP/1.1\r\n${HOST}\r\n`, 405],
  ['CONNECT', `CONNECT x:80 HTTP/1.1\r\n${HOST}\r\n`, 405],
  ['an unknown method', `BREW /api/health HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['a method in lower case', `get /api/health HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['an unknown version', `GET /api/health HTTP/3.7\r\n${HOST}\r\n`, 400],
  ['no version', `GET /api/health\r\n${HOST}\r\n`, 400],
  ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  ['a blank in a header name', get('/api/health', `${HOST}X Y: z\r\n`), 400],
  ['a header without a colon', get('/api/health', `${HOST}nonsense\r\n`), 400],
  ['a folded header', get('/api/health', `${HOST}X: a\r\n b\r\n`), 400],
  ['a control character in a header', get('/api/health', `${HOST}X: a\x01b\r\n`), 400],
  ['a bare CR in a header', get('/api/health', `${HOST}X: a\rb\r\n`), 400],
  ['headers over 16 KB', get('/api/health', `${HOST}X: ${'a'.repeat(17_000)}\r\n`), 431],
  ['a target over 16 KB', get(`/${'a'.repeat(17_000)}`), 431],
  ['a bad percent-encoding', get('/api/restaurants/%zz'), 400],
  ['an encoding that is no UTF-8', get('/api/restaurants/%ff'), 400],
  ['an overlong encoding', get('/api/restaurants/%c0%af'), 400],
  ['an encoded NUL', get('/api/restaurants/1%00'), 400],
  ['a backslash', get('/api\\restaurants'), 400],
  ['an encoded backslash', get('/api/%5crestaurants'), 400],
  ['both framings', post('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'), 400],
  ['two lengths that differ', post('Content-Length: 2\r\nContent-Length: 3\r\n', '{}'), 400],
  ['a negative length', post('Content-Length: -1\r\n'), 400],
  ['a length that is no number', post('Content-Length: 0x2\r\n', '{}'), 400],
  ['a length with a plus', post('Content-Length: +2\r\n', '{}'), 400],
  ['an unknown transfer coding', post('Transfer-Encoding: identity\r\n', '{}'), 400],
  ['chunked twice', post('Transfer-Encoding: chunked, chunked\r\n', '0\r\n\r\n'), 400],
  ['an unknown expectation', post('Expect: a-pony\r\nContent-Length: 2\r\n', '{}'), 417],
];

const SECURITY = [
  'X-Content-Type-Options: nosniff',
  'Referrer-Policy: no-referrer',
  "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
];

describe('on a raw connection', () => {
  test('every malformed or ambiguous request gets its 4xx as JSON, and no more than that', async (t) => {
    const { port, api } = await startService(t);
    const outcomes = await Promise.all(
      REFUSED.map(async ([title, bytes, status]) => {
        const [answer, ...more] = parseAnswers(await sendRaw(port, Buffer.from(bytes, 'latin1')));
        const isJson = answer !== undefined && /^\{"error":"[^"]+"\}$/.test(answer.body);
        const isSafe = answer !== undefined && SECURITY.every((header) => answer.head.includes(header));
        return { title, status: answer?.status, isJson, isSafe, more: more.length, expected: status };
      }),
    );
    for (const { expected, ...outcome } of outcomes)
      assert.deepEqual(outcome, { ...outcome, status: expected, isJson: true, isSafe: true, more: 0 });
    assert.equal((await api.get('/health')).status, 200);
  });

  test('a broken chunk never leads to a stored record', async (t) => {
    const { port, api } = await startService(t);
    const before = await api.get('/categories');
    const answers = parseAnswers(
      await sendRaw(port, post('Transfer-Encoding: chunked\r\n', 'zz\r\n{"name":"Smuggled"}\r\n0\r\n\r\n')),
    );
    assert.equal(answers[0]?.status, 400);
    assert.deepEqual((await api.get('/categories')).body, before.body);
  });

  test('an Upgrade is not taken up: the request is served and the connection closed', async (t) => {
    const { port } = await startService(t);
    const text = await sendRaw(
      port,
      get('/api/health', `${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\n`),
    );
    const [answer] = parseAnswers(text);
    assert.equal(answer?.status, 200);
    assert.match(answer.head, /^connection: close$/im);
  });

  test('pipelined requests are answered in order, one each', async (t) => {
    const { port } = await startService(t);
    const answers = parseAnswers(await sendRaw(port, get('/health') + get('/nowhere') + get('/api/health')));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 404, 200],
    );
  });

  test('100-continue comes once the body is wanted', async (t) => {
    const { port } = await startService(t);
    const body = '{"name":"Continued"}';
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => socket.write(body));
    socket.write(post(`Expect: 100-continue\r\nContent-Length: ${body.length}\r\n`));
    const answers = parseAnswers(await readUntilQuiet(socket));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [100, 201],
    );
  });

  test('100-continue does not come for a body that is refused unseen, and the connection is closed', async (t) => {
    const { port } = await startService(t);
    const answers = parseAnswers(
      await sendRaw(port, post('Expect: 100-continue\r\nContent-Length: 99999999\r\n')),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [413],
    );
    assert.match(answers[0]?.head ?? '', /^connection: close$/im);
  });
});
