import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DOMAIN, sendRawSecurely } from '../support/edge.ts';
import { NO_NGINX, startNginx } from '../support/nginx.ts';
import { parseAnswers } from '../support/raw.ts';
import { startService } from '../support/service.ts';

const HOST = `Host: ${DOMAIN}\r\n`;
const get = (target: string, headers = HOST): string => `GET ${target} HTTP/1.1\r\n${headers}\r\n`;
const post = (headers: string, body = ''): string =>
  `POST /api/categories HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n${headers}\r\n${body}`;

// What arrives, and the status of the one answer it gets, in JSON; versions of nginx differ about CONNECT.
const REFUSED: readonly (readonly [string, string, ...number[]])[] = [
  ['no Host', get('/api/health', ''), 400],
  ['two Hosts', get('/api/health', HOST + HOST), 400],
  ['two Hosts that differ', get('/api/health', `${HOST}Host: y\r\n`), 400],
  ['a Host that is none', get('/api/health', 'Host: a b\r\n'), 400],
  ['a target without a slash', get('api/health'), 400],
  ['OPTIONS *', `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['TRACE', `TRACE /api/health HTTP/1.1\r\n${HOST}\r\n`, 405],
  ['CONNECT', `CONNECT ${DOMAIN}:443 HTTP/1.1\r\n${HOST}\r\n`, 400, 405],
  ['an unknown method', `BREW /api/health HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['a method in lower case', `get /api/health HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['an unknown version', `GET /api/health HTTP/3.7\r\n${HOST}\r\n`, 400],
  ['a blank in a header name', get('/api/health', `${HOST}X Y: z\r\n`), 400],
  ['a control character in a header', get('/api/health', `${HOST}X: a\x01b\r\n`), 400],
  ['a bare CR in a header', get('/api/health', `${HOST}X: a\rb\r\n`), 400],
  ['a folded header', get('/api/health', `${HOST}X: a\r\n b\r\n`), 400],
  ['headers over 16 KB', get('/api/health', `${HOST}X: ${'a'.repeat(17_000)}\r\n`), 431],
  ['a target over 16 KB', get(`/${'a'.repeat(17_000)}`), 431],
  ['a bad percent-encoding', get('/api/restaurants/%zz'), 400],
  ['an encoding that is no UTF-8', get('/api/restaurants/%ff'), 400],
  ['an overlong encoding', get('/api/restaurants/%c0%af'), 400],
  ['an encoded NUL', get('/api/restaurants/1%00'), 400],
  ['a backslash', get('/api\\restaurants'), 400],
  ['a way out of the root', get('/../../etc/passwd'), 400],
  ['both framings', post('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'), 400],
  ['two lengths that differ', post('Content-Length: 2\r\nContent-Length: 3\r\n', '{}'), 400],
  ['two lengths that agree', post('Content-Length: 2\r\nContent-Length: 2\r\n', '{}'), 400],
  ['a negative length', post('Content-Length: -1\r\n'), 400],
  ['a length that is no number', post('Content-Length: 0x2\r\n', '{}'), 400],
  ['a length with a plus', post('Content-Length: +2\r\n', '{}'), 400],
  ['an unknown transfer coding', post('Transfer-Encoding: gzip\r\n', '{}'), 400],
  ['chunked twice', post('Transfer-Encoding: chunked, chunked\r\n', '0\r\n\r\n'), 400],
  ['two transfer codings', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n', '0\r\n\r\n'), 400],
  [
    'a chunk without a size',
    post('Transfer-Encoding: chunked\r\n', 'zz\r\n{"name":"Smuggled"}\r\n0\r\n\r\n'),
    400,
  ],
];

// Each connection has an address of its own for nginx, so that none is refused for the number of them.
const FROM_EVERYWHERE = 'set_real_ip_from 127.0.0.1; real_ip_header X-Test-Client;';

describe('through nginx', { skip: NO_NGINX }, () => {
  test('every malformed or ambiguous request gets one refusal as JSON, and nothing is stored', async (t) => {
    const service = await startService(t);
    const nginx = await startNginx(t, service.port, FROM_EVERYWHERE);
    const before = await service.api.get('/categories');
    const outcomes = await Promise.all(
      REFUSED.map(async ([title, bytes, ...expected], index) => {
        const named = bytes.replace('\r\n', `\r\nX-Test-Client: 198.51.100.${index}\r\n`);
        const answers = parseAnswers(await sendRawSecurely(nginx, named));
        const isJson = answers.every(({ body }) => /^\{"error":"[^"]+"\}$/.test(body));
        return { title, statuses: answers.map(({ status }) => status), isJson, expected };
      }),
    );
    const wrong = outcomes.filter(({ statuses: [status = 0, ...more], isJson, expected }) => {
      return !isJson || more.length > 0 || !expected.includes(status);
    });
    assert.deepEqual(wrong, []);
    assert.deepEqual((await service.api.get('/categories')).body, before.body);
  });

  test('a request behind a broken one on the same connection is not answered as if it were whole', async (t) => {
    const service = await startService(t);
    const nginx = await startNginx(t, service.port);
    const inner = get('/api/health');
    const hidden = [
      post(`Content-Length: 4\r\nTransfer-Encoding: chunked\r\n`, `0\r\n\r\n${inner}`),
      post('Transfer-Encoding: chunked\r\n', `1;${'a'.repeat(20_000)}\r\n{\r\nx${inner}`),
      post('Content-Length: 2\r\nContent-Length: 60\r\n', `{}${inner}`),
    ];
    for (const bytes of hidden) {
      const answers = parseAnswers(await sendRawSecurely(nginx, bytes));
      assert.ok(
        answers.every(({ status }) => status >= 400 && status < 500),
        JSON.stringify(answers),
      );
    }
    const pipelined = parseAnswers(await sendRawSecurely(nginx, get('/health') + get('/api/no') + inner));
    assert.deepEqual(
      pipelined.map(({ status }) => status),
      [200, 404, 200],
    );
  });
});
