import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { DOMAIN, ask, askPlainly, shakeHands } from '../support/edge.ts';
import { NO_NGINX, startNginx } from '../support/nginx.ts';

// Nobody listens there: none of this needs the service.
describe('the configuration of nginx', { skip: NO_NGINX }, () => {
  test('is accepted by nginx without a warning', async (t) => {
    const said = (await startNginx(t, 9)).check();
    assert.match(said, /test is successful/);
    assert.doesNotMatch(said, /warn|emerg/);
  });

  test('leads plain HTTP to HTTPS, whatever the method, and lets certificates be renewed', async (t) => {
    const nginx = await startNginx(t, 9);
    for (const method of ['GET', 'POST', 'DELETE']) {
      const { status, headers } = await askPlainly(nginx, '/api/restaurants?q=a%20b', { method });
      assert.deepEqual(
        [status, headers.location],
        [308, `https://${DOMAIN}:${nginx.httpsPort}/api/restaurants?q=a%20b`],
      );
    }
    mkdirSync(join(nginx.folder, 'www/.well-known/acme-challenge'), { recursive: true });
    writeFileSync(join(nginx.folder, 'www/.well-known/acme-challenge/token'), 'proof');
    assert.equal((await askPlainly(nginx, '/.well-known/acme-challenge/token')).text, 'proof');
  });

  test('speaks TLS 1.2 and 1.3 for its own name alone', async (t) => {
    const nginx = await startNginx(t, 9);
    assert.equal(await shakeHands(nginx, { version: 'TLSv1.3' }), 'TLSv1.3');
    assert.equal(await shakeHands(nginx, { version: 'TLSv1.2' }), 'TLSv1.2');
    assert.equal(await shakeHands(nginx, { version: 'TLSv1.1' }), undefined);
    assert.equal(await shakeHands(nginx, { servername: 'other.example' }), undefined);
    assert.equal(await shakeHands(nginx, { servername: '' }), undefined);
    await assert.rejects(askPlainly(nginx, '/', { host: 'other.example' }), /socket hang up/);
    await assert.rejects(ask(nginx, '/', { headers: { Host: 'other.example' } }), /socket hang up/);
  });
});
