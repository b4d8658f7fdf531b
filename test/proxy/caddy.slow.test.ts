import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NO_CADDY, checkCaddyfile, startCaddy } from '../support/caddy.ts';
import { field } from '../support/client.ts';
import {
  AT_DOMAIN,
  DOMAIN,
  type EdgeAnswer,
  type EdgeRequest,
  SECURITY,
  ask,
  askPlainly,
  sendRawSecurely,
  shakeHands,
} from '../support/edge.ts';
import { FORM_TYPE, form, photoPart } from '../support/photos.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { filesAddress } from '../support/web-app-files.ts';

const MEGABYTE = 1024 * 1024;

function assertSecured({ headers }: EdgeAnswer): void {
  for (const [name, value] of Object.entries(SECURITY)) assert.equal(headers[name], value);
  assert.match(String(headers['strict-transport-security']), /^max-age=\d+$/);
}

describe('the configuration of Caddy', { skip: NO_CADDY }, () => {
  test('is accepted by Caddy without a warning, in the form that caddy fmt prints', (t) => {
    const said = checkCaddyfile(t);
    assert.match(said, /Valid configuration/);
    assert.doesNotMatch(said, /not formatted|Unnecessary|deprecated/);
  });

  test('leads plain HTTP to HTTPS, and speaks TLS 1.2 and 1.3 for its own name alone', async (t) => {
    const caddy = await startCaddy(t, 9);
    const { status, headers } = await askPlainly(caddy, '/api/restaurants?q=a%20b', { method: 'POST' });
    assert.equal(status, 308);
    assert.equal(headers.location, `https://${DOMAIN}:${caddy.httpsPort}/api/restaurants?q=a%20b`);
    await assert.rejects(askPlainly(caddy, '/', { host: 'other.example' }));
    assert.equal(await shakeHands(caddy, { version: 'TLSv1.2' }), 'TLSv1.2');
    assert.equal(await shakeHands(caddy, { version: 'TLSv1.1' }), undefined);
    assert.equal(await shakeHands(caddy, { servername: 'other.example' }), undefined);
  });

  test('answers /health itself, and for a service that is down in the form of its errors', async (t) => {
    const caddy = await startCaddy(t, 9);
    const health = await ask(caddy, '/health');
    assert.deepEqual([health.status, health.text], [200, 'healthy']);
    assert.equal(health.headers['content-type'], 'text/plain; charset=utf-8');
    assertSecured(health);
    const answer = await ask(caddy, '/api/auth/oidc/callback?code=secret', {
      headers: { Cookie: 'a=secret' },
    });
    assert.deepEqual([answer.status, answer.text], [503, '{"error":"Service unavailable"}']);
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    assert.equal(answer.headers['retry-after'], '5');
    assertSecured(answer);
    // A line is written once its answer is out.
    await until(() => caddy.logs().includes(`"uri":"/api/auth/oidc/callback"`));
    assert.doesNotMatch(caddy.logs(), /secret/);
  });

  test('logs of private paths only the beginning, as the service does', async (t) => {
    const caddy = await startCaddy(t, 9);
    const paths = [
      '/api/lists/want/items/7',
      '/api/Users/secret?q=secret',
      '/l/secret',
      '/api/lists?q=secret',
    ];
    for (const path of paths) await ask(caddy, path);
    for (const shown of ['/api/lists/', '/api/Users/', '/l/', '/api/lists'])
      await until(() => caddy.logs().includes(`"uri":"${shown}"`));
    assert.doesNotMatch(caddy.logs(), /secret|want/);
  });

  test('hands on requests and answers as they are', async (t) => {
    const service = await startService(t, AT_DOMAIN);
    const caddy = await startCaddy(t, service.port);
    const app = new URL(await filesAddress(service)).pathname;
    for (const path of [
      '/api/categories',
      '/api/restaurants/1',
      '/api/nowhere',
      '/',
      '/restaurants/12?sel=1',
      '/sw.js',
      '/manifest.webmanifest',
      '/manual?q=secret',
      `${app}/start/main.js`,
      `${app}/gone.js`,
    ])
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'PATCH']) {
        const through = await ask(caddy, path, { method });
        const direct = await askPlainly({ httpPort: service.port }, path, { method });
        assert.deepEqual([through.status, through.text], [direct.status, direct.text], `${method} ${path}`);
        for (const name of ['content-type', 'location', 'allow', 'vary', ...Object.keys(SECURITY)])
          assert.equal(through.headers[name], direct.headers[name]);
        assert.match(String(through.headers['strict-transport-security']), /^max-age=\d+$/);
      }
  });

  test('takes photos of 9 MB, and refuses bodies over 10 MB in the words of the service', async (t) => {
    const service = await startService(t, AT_DOMAIN);
    await service.api.post('/restaurants', { name: 'Chez Nous' });
    const caddy = await startCaddy(t, service.port);
    const upload = (size: number, options: Partial<EdgeRequest> = {}): Promise<EdgeAnswer> => {
      const body = form(photoPart(), { name: 'more', content: Buffer.alloc(size * MEGABYTE, 'x') });
      const headers = {
        'Content-Type': FORM_TYPE,
        'Content-Length': String(body.length),
        ...options.headers,
      };
      return ask(caddy, '/api/restaurants/1/photos', { method: 'POST', body, ...options, headers });
    };
    const taken = await upload(9);
    assert.equal(taken.status, 201, taken.text);
    const chunked = { 'Transfer-Encoding': 'chunked' };
    // Of a body without a known length, Caddy wants 256 KB beyond its limit before it answers.
    for (const options of [{ heldAt: 1024 }, { heldAt: 10.5 * MEGABYTE, headers: chunked }]) {
      const refused = await upload(11, options);
      assert.deepEqual(
        [refused.status, refused.text],
        [413, '{"error":"Request body is larger than 10 MB"}'],
      );
      assertSecured(refused);
    }
  });

  test('leaves the limits to the service, which counts the true client whatever it claims', async (t) => {
    const service = await startService(t, { ...AT_DOMAIN, EDGE_LIMITS: 'true' });
    const caddy = await startCaddy(t, service.port);
    const forged = {
      'X-Forwarded-For': '198.51.100.1',
      'X-Real-IP': '198.51.100.2',
      Forwarded: 'for=1.2.3.4',
    };
    for (const from of ['127.0.0.2', '127.0.0.3']) {
      const answers: number[] = [];
      for (let index = 0; index < 6; index += 1)
        answers.push((await ask(caddy, '/api/auth/me', { from, headers: forged })).status);
      assert.deepEqual(answers, [200, 200, 200, 200, 200, 429]);
    }
    const clients = service.logs
      .filter((line) => field(line, 'message') === 'request')
      .map((line) => field(line, 'client'));
    assert.deepEqual(new Set(clients), new Set(['127.0.0.2', '127.0.0.3']));
  });

  const host = `Host: ${DOMAIN}\r\n`;
  const post = (headers: string, body: string): string =>
    `POST /api/categories HTTP/1.1\r\n${host}Content-Type: application/json\r\n${headers}\r\n${body}`;
  const ambiguous: readonly [string, string][] = [
    ['no Host', 'GET /api/health HTTP/1.1\r\n\r\n'],
    ['two Hosts', `GET /api/health HTTP/1.1\r\n${host}Host: y\r\n\r\n`],
    ['a blank in a header name', `GET /api/health HTTP/1.1\r\n${host}X Y: z\r\n\r\n`],
    ['an unknown version', `GET /api/health HTTP/3.7\r\n${host}\r\n`],
    ['two lengths that differ', post('Content-Length: 2\r\nContent-Length: 3\r\n', '{}')],
    ['a negative length', post('Content-Length: -1\r\n', '')],
    ['a length with a plus', post('Content-Length: +2\r\n', '{}')],
    ['an unknown transfer coding', post('Transfer-Encoding: gzip\r\n', '{}')],
    ['chunked twice', post('Transfer-Encoding: chunked, chunked\r\n', '0\r\n\r\n')],
    [
      'a chunk without a size',
      post('Transfer-Encoding: chunked\r\n', 'zz\r\n{"name":"Smuggled"}\r\n0\r\n\r\n'),
    ],
    ['both framings', post('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n')],
  ];
  test('lets no ambiguous request through to a stored record', async (t) => {
    const service = await startService(t, AT_DOMAIN);
    const caddy = await startCaddy(t, service.port);
    const before = await service.api.get('/categories');
    for (const [title, bytes] of ambiguous) {
      const answer = await sendRawSecurely(caddy, bytes);
      assert.match(answer, /^HTTP\/1\.\d [45]\d\d /, title);
      assert.equal(answer.match(/^HTTP\//gm)?.length, 1, `${title}: ${answer}`);
    }
    assert.deepEqual((await service.api.get('/categories')).body, before.body);
  });
});
