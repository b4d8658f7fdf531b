import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CLOSED, REFUSED, rawGet, rawPost } from '../support/malformed.ts';
import { AT_DOMAIN, DOMAIN, sendRawSecurely } from '../support/edge.ts';
import { NO_NGINX, startNginx } from '../support/nginx.ts';
import { parseAnswers } from '../support/raw.ts';
import { startService } from '../support/service.ts';

const HOST = `Host: ${DOMAIN}\r\n`;
const get = (target: string): string => rawGet(target, HOST);
const post = (headers: string, body: string): string => rawPost(headers, body).replace('Host: x\r\n', HOST);

// What nginx makes a plain request of, or drops from one, before the service sees it.
const MENDED = new Set([
  'HTTP/1.0 without Host',
  'a version of two digits',
  'no version',
  'a header that ends in LF alone',
  'a header name with a quote',
  'a header name that is no ASCII',
  'a header without a colon',
]);
// Of another name than the service's, which nginx answers with nothing.
const SILENT = new Set([
  'an absolute-form target',
  'an absolute-form target of another host',
  'a line that ends in LF alone',
]);

// Each connection has an address of its own for nginx, so that none is refused for the number of them.
const FROM_EVERYWHERE = 'set_real_ip_from 127.0.0.1; real_ip_header X-Test-Client;';

describe('through nginx', { skip: NO_NGINX }, () => {
  test('every malformed or ambiguous request gets one refusal as JSON, and nothing is stored', async (t) => {
    const service = await startService(t, AT_DOMAIN);
    const nginx = await startNginx(t, service.port, FROM_EVERYWHERE);
    const before = await service.api.get('/categories');
    const refused = [...REFUSED, ...CLOSED].filter(([title]) => !MENDED.has(title));
    const outcomes = await Promise.all(
      refused.map(async ([title, bytes], index) => {
        const own = bytes.replaceAll('Host: x\r\n', HOST);
        const named = own.replace('\r\n', `\r\nX-Test-Client: 198.51.100.${index}\r\n`);
        const answers = parseAnswers(await sendRawSecurely(nginx, named));
        const isJson = answers.every(({ body }) => /^\{"error":"[^"]+"\}$/.test(body));
        return { title, statuses: answers.map(({ status }) => status), isJson };
      }),
    );
    const wrong = outcomes.filter(({ title, statuses: [status = 0, ...more], isJson }) => {
      const isRefused = status >= 400 && status < 500 && more.length === 0 && isJson;
      return SILENT.has(title) ? status !== 0 : !isRefused;
    });
    assert.ok(outcomes.length > 60);
    assert.deepEqual(wrong, []);
    assert.deepEqual((await service.api.get('/categories')).body, before.body);
  });

  test('a request behind a broken one on the same connection is not answered as if it were whole', async (t) => {
    const service = await startService(t, AT_DOMAIN);
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
