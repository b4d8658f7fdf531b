import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Cleanup } from '../support/cleanup.ts';
import { field } from '../support/client.ts';
import { AT_DOMAIN, type EdgeAnswer, SECURITY, ask, askPlainly } from '../support/edge.ts';
import { sendJson, startFakeServer } from '../support/fake-server.ts';
import { NO_NGINX, type Nginx, startNginx } from '../support/nginx.ts';
import { FORM_TYPE, form, photoPart } from '../support/photos.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { filesAddress } from '../support/web-app-files.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };

async function start(t: Cleanup): Promise<{ readonly service: Service; readonly nginx: Nginx }> {
  const service = await startService(t, AT_DOMAIN);
  return { service, nginx: await startNginx(t, service.port) };
}

/** What nginx answers by itself has all that answers of the service have. */
function assertOwnAnswer(answer: EdgeAnswer, status: number, error: string): void {
  assert.deepEqual([answer.status, answer.text], [status, JSON.stringify({ error })]);
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  for (const [name, value] of Object.entries(SECURITY)) assert.equal(answer.headers[name], value);
  assert.match(String(answer.headers['x-request-id']), /^[0-9a-f]{32}$/);
  assert.match(String(answer.headers['strict-transport-security']), /^max-age=\d+$/);
}

/** An answer but for what names the moment and the connection. */
function essence({ status, headers, text }: EdgeAnswer): unknown {
  const { date, connection, server, ...rest } = headers;
  return { status, text, headers: { ...rest, 'strict-transport-security': undefined } };
}

describe('nginx', { skip: NO_NGINX }, () => {
  test('answers /health itself, with the service or without', async (t) => {
    const { service, nginx } = await start(t);
    const up = await ask(nginx, '/health');
    const direct = await askPlainly({ httpPort: service.port }, '/health');
    assert.deepEqual([up.status, up.text], [direct.status, direct.text]);
    assert.equal(up.headers['content-type'], direct.headers['content-type']);
    for (const [name, value] of Object.entries(SECURITY)) assert.equal(up.headers[name], value);
    await service.stop();
    assert.equal((await ask(nginx, '/health')).text, 'healthy');
  });

  test('hands on requests and answers as they are, preflights of browsers too', async (t) => {
    const { service, nginx } = await start(t);
    const headers = {
      'X-Request-Id': 'told-by.the_client-1',
      'Accept-Encoding': 'gzip',
      Origin: 'http://localhost:3000',
      'Access-Control-Request-Method': 'PUT',
    };
    const app = new URL(await filesAddress(service)).pathname;
    for (const path of [
      '/api/categories',
      '/api/restaurants/1',
      '/api/nowhere',
      '/',
      '/api/docs',
      '/manual?q=secret',
      '/favicon.ico',
      '/restaurants/12?sel=1',
      '/sw.js',
      '/manifest.webmanifest',
      `${app}/start/main.js`,
      `${app}/app.css`,
      `${app}/vendor/lit-html/directives/ref.js`,
      `${app}/gone.js`,
    ])
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'PATCH']) {
        const [through, direct] = [
          await ask(nginx, path, { method, headers }),
          await askPlainly({ httpPort: service.port }, path, { method, headers }),
        ];
        assert.deepEqual(essence(through), essence(direct), `${method} ${path}`);
      }
  });

  test('takes photos of 9 MB, and refuses bodies over 10 MB in the words of the service', async (t) => {
    const { service, nginx } = await start(t);
    await service.api.post('/restaurants', { name: 'Chez Nous' });
    const photo = photoPart();
    const upload = (size: number): Promise<EdgeAnswer> => {
      const body = form(photo, { name: 'more', content: Buffer.alloc(size * 1024 * 1024, 'x') });
      return ask(nginx, '/api/restaurants/1/photos', {
        method: 'POST',
        headers: { 'Content-Type': FORM_TYPE },
        body,
      });
    };
    const taken = await upload(9);
    assert.equal(taken.status, 201, taken.text);
    const seen = await ask(nginx, String(field(JSON.parse(taken.text), 'url')));
    assert.equal(seen.headers['content-type'], 'image/jpeg');
    const direct = await service.api.send('/api/categories', {
      method: 'POST',
      headers: JSON_TYPE,
      body: 'x'.repeat(11 * 1024 * 1024),
    });
    assertOwnAnswer(await upload(11), 413, String(field(direct.body, 'error')));
  });

  test('answers for a service that is down in the form of its errors', async (t) => {
    const { service, nginx } = await start(t);
    await service.stop();
    for (const path of ['/api/health', '/api/uploads/photo.jpg', '/']) {
      const answer = await ask(nginx, path);
      assertOwnAnswer(answer, 503, 'Service unavailable');
      assert.equal(answer.headers['retry-after'], '5');
    }
  });

  test('sends a write once, even where the service goes away in the middle of it', async (t) => {
    const upstream = await startFakeServer(t, (response, { method }) => {
      if (method === 'GET') sendJson(response, 200, {});
      else response.destroy();
    });
    const nginx = await startNginx(t, upstream.port);
    for (const method of ['PUT', 'DELETE', 'POST', 'PATCH']) {
      // A connection that was of use before is one that nginx would try again on.
      assert.equal((await ask(nginx, '/api/restaurants')).status, 200);
      assertOwnAnswer(await ask(nginx, '/api/restaurants/1', { method }), 503, 'Service unavailable');
    }
    assert.deepEqual(
      upstream.asked.map(({ method }) => method),
      ['GET', 'PUT', 'GET', 'DELETE', 'GET', 'POST', 'GET', 'PATCH'],
    );
  });

  test('keeps queries out of its logs where they hold codes', async (t) => {
    const { service, nginx } = await start(t);
    await ask(nginx, '/api/auth/idp/callback?code=first-secret');
    await service.stop();
    await ask(nginx, '/api/auth/oidc/callback?code=second-secret');
    await ask(nginx, '/api/health?mark');
    await askPlainly(nginx, '/api/auth/oidc/callback?code=third-secret');
    // A line is written once its answer is out.
    const callbacks = /"path":"\/api\/auth\/(idp|oidc)\/callback"/g;
    await until(() => nginx.logs().match(callbacks)?.length === 3);
    assert.doesNotMatch(nginx.logs(), /secret/);
  });

  test('names a request in its log as the service does', async (t) => {
    const { service, nginx } = await start(t);
    const id = String((await ask(nginx, '/api/health')).headers['x-request-id']);
    await until(() => nginx.logs().includes(`"id":"${id}"`));
    assert.equal(field(service.logs.at(-1), 'id'), id);
  });
});
