import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { describe, test } from 'node:test';
import { array } from '../support/client.ts';
import { LOCAL } from '../support/people.ts';
import { FORM_TYPE, form, photoPart } from '../support/photos.ts';
import { type RawAnswer, askOnce } from '../support/raw.ts';
import { startService } from '../support/service.ts';
import { longTest } from '../support/size.ts';

const ORIGIN = 'https://app.example.com';
const CONFIGURED = { ALLOWED_ORIGINS: `${ORIGIN},https://other.example.com` };

describe('cross-origin access', () => {
  test('is granted to a configured origin, by echo, with the headers that it may read', async (t) => {
    const { api } = await startService(t, CONFIGURED);
    const { headers } = await api.get('/health', { Origin: ORIGIN });
    assert.equal(headers.get('access-control-allow-origin'), ORIGIN);
    assert.equal(headers.get('vary'), 'Origin');
    assert.equal(
      headers.get('access-control-expose-headers'),
      'Location, ETag, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id, Change, Catalogue-Warning, Idempotent-Replay, Link',
    );
    assert.equal(headers.get('access-control-allow-credentials'), null);
  });

  test('is granted on errors too, so that a page can read them', async (t) => {
    const { api } = await startService(t, {
      ...CONFIGURED,
      RATE_LIMIT_PER_MINUTE: '1',
      RATE_LIMIT_BURST: '1',
    });
    for (const status of [404, 429]) {
      const answer = await api.get('/nowhere', { Origin: ORIGIN });
      assert.deepEqual([answer.status, answer.headers.get('access-control-allow-origin')], [status, ORIGIN]);
    }
  });

  const strangers = [
    'null',
    'http://app.example.com',
    'https://app.example.com.evil.com',
    'https://evil-app.example.com',
    'https://app.example.com:8443',
    'HTTPS://APP.EXAMPLE.COM',
    'https://app.example.com/',
    '*',
  ];
  test('is granted to no other origin', async (t) => {
    const { api } = await startService(t, CONFIGURED);
    for (const origin of strangers) {
      const { headers } = await api.get('/health', { Origin: origin });
      assert.deepEqual(
        [headers.get('access-control-allow-origin'), headers.get('vary')],
        [null, 'Origin'],
        origin,
      );
    }
  });

  test('is asked for by a preflight, which names the methods of the path', async (t) => {
    const { api } = await startService(t, CONFIGURED);
    const headers = {
      Origin: ORIGIN,
      'Access-Control-Request-Method': 'PUT',
      'Access-Control-Request-Headers': 'content-type',
    };
    const answer = await api.send('/api/restaurants/1', { method: 'OPTIONS', headers });
    assert.equal(answer.status, 204);
    assert.equal(answer.headers.get('access-control-allow-methods'), 'GET, PUT, DELETE');
    assert.equal(
      answer.headers.get('access-control-allow-headers'),
      'Authorization, Content-Type, X-Request-Id, Idempotency-Key, Last-Event-ID, Prefer',
    );
    assert.equal(answer.headers.get('access-control-max-age'), '600');
  });

  test('is refused to a stranger’s preflight by leaving its headers out', async (t) => {
    const { api } = await startService(t, CONFIGURED);
    const headers = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'PUT' };
    const answer = await api.send('/api/restaurants/1', { method: 'OPTIONS', headers });
    assert.deepEqual([answer.status, answer.headers.get('access-control-allow-methods')], [204, null]);
  });

  test('is granted in development to ports 3000 and 5173 on localhost', async (t) => {
    const { api } = await startService(t);
    for (const origin of ['http://localhost:3000', 'http://localhost:5173'])
      assert.equal(
        (await api.get('/health', { Origin: origin })).headers.get('access-control-allow-origin'),
        origin,
      );
  });
});

const HOST = { status: 421, body: '{"error":"Host is not allowed; see ALLOWED_HOSTS"}' };

describe('a Host of a service without accounts', () => {
  const known = [
    '127.0.0.1',
    '127.0.0.1:8080',
    '192.0.2.1',
    '[::1]:8080',
    '[2001:db8::1]',
    'x',
    '',
    'localhost',
    'LOCALHOST:8080',
    'localhost.',
    'food.localhost:8080',
    'Food.LocalHost.',
    'catalogue',
    'catalogue:80',
    'app.example:99',
    'food.example',
    'FOOD.Example.:443',
    'other.example',
    'nas.local',
    'NAS.Local.:8080',
    'host.docker.internal',
    'nas.home.arpa',
  ];
  const strange = [
    'evil.example',
    'evil.example:8080',
    'EVIL.EXAMPLE.',
    'localhost.evil.example',
    '127.1',
    '[]',
    '127.0.0.1.evil.example',
    'food.example.evil.example',
    'sub.food.example',
    '[evil.example]',
    '127.0.0.1@evil.example',
    '[::1',
    '::1',
    'food.example:80:80',
    '0x7f.0.0.1',
    'nas.lan',
    'evil.localhost.example',
    'nas.local.evil.example',
    'notlocal.example',
    'home.arpa.example',
  ];
  const variables = { ALLOWED_ORIGINS: 'http://app.example', ALLOWED_HOSTS: 'food.example, Other.Example.' };

  longTest('must be a name that is known', async (t) => {
    const { port } = await startService(t, variables);
    for (const host of known)
      assert.equal((await askOnce(port, 'GET /api/health', [`Host: ${host}`])).status, 200, host);
    const lines = ['GET /api/health', 'GET /health', 'POST /api/nowhere', 'GET /', 'OPTIONS /api/docs'];
    for (const host of strange)
      for (const line of lines) {
        const { status, body } = await askOnce(port, line, [`Host: ${host}`]);
        assert.deepEqual({ status, body }, HOST, `${line} ${host}`);
      }
  });

  test('uses up no call of the API when it is refused', async (t) => {
    const { port } = await startService(t, { RATE_LIMIT_PER_MINUTE: '1', RATE_LIMIT_BURST: '1' });
    for (let index = 0; index < 3; index += 1)
      assert.equal((await askOnce(port, 'GET /api/health', ['Host: evil.example'])).status, 421);
    assert.equal((await askOnce(port, 'GET /api/health', ['Host: localhost'])).status, 200);
  });

  test('must be known on every address, and behind a proxy as well', async (t) => {
    const outer = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => address);
    const { port } = await startService(t, { HOST: '0.0.0.0', TRUSTED_PROXIES: 'loopback' });
    for (const address of ['127.0.0.1', '127.9.9.9', ...outer])
      for (const more of [[], ['X-Forwarded-For: 192.0.2.1', 'X-Forwarded-Proto: https']]) {
        const ask = (host: string): Promise<RawAnswer> =>
          askOnce(port, 'GET /api/health', [`Host: ${host}`, ...more], undefined, address);
        const { status, body } = await ask('evil.example');
        assert.deepEqual({ status, body }, HOST, address);
        assert.equal((await ask(`${address}:${port}`)).status, 200, address);
      }
  });

  test('may be any with accounts', async (t) => {
    const { port } = await startService(t, LOCAL);
    assert.equal((await askOnce(port, 'GET /api/health', ['Host: evil.example'])).status, 200);
  });
});

const BODY = '{"name":"Written"}';
const FOREIGN = { status: 403, body: '{"error":"Origin is not allowed; see ALLOWED_ORIGINS"}' };

const refusal = ({ status, body }: RawAnswer): unknown => ({ status, body });

function write(port: number, headers: readonly string[], host = `127.0.0.1:${port}`): Promise<RawAnswer> {
  const own = [`Host: ${host}`, 'Content-Type: application/json'];
  return askOnce(port, 'POST /api/categories', [...own, ...headers], BODY);
}

describe('a write without accounts', () => {
  const foreign: readonly (readonly string[])[] = [
    ...[
      'http://evil.example',
      'https://evil.example:8080',
      'null',
      '',
      'http://127.0.0.1',
      'file://',
      'http://127.0.0.1:PORT@evil.example',
      'http://127.0.0.1:PORT.evil.example',
      'ws://127.0.0.1:PORT',
    ].map((origin) => [`Origin: ${origin}`]),
    ['Origin: http://127.0.0.1:PORT', 'Origin: http://evil.example'],
    ['Origin: http://localhost:PORT'],
    ['Origin: HTTP://APP.EXAMPLE'],
    ['Origin: null', 'Sec-Fetch-Site: same-origin'],
    ['Sec-Fetch-Site: cross-site'],
  ];
  test('is refused with 403 to pages of other origins, whatever its method and path', async (t) => {
    const { port, api } = await startService(t, { ALLOWED_ORIGINS: 'http://app.example' });
    const before = array((await api.get('/categories')).body).length;
    for (const headers of foreign) {
      const sent = headers.map((header) => header.replaceAll('PORT', String(port)));
      assert.deepEqual(refusal(await write(port, sent)), FOREIGN, sent.join());
    }
    const evil = [`Host: 127.0.0.1:${port}`, 'Origin: http://evil.example'];
    for (const line of [
      'PUT /api/restaurants/1',
      'PATCH /api/photos/1',
      'DELETE /api/categories/1',
      'POST /api/auth/register',
      'POST /api/restaurants/1/photos',
    ])
      assert.deepEqual(refusal(await askOnce(port, line, evil)), FOREIGN, line);
    assert.equal(array((await api.get('/categories')).body).length, before);
  });

  test('is refused before its body is read', async (t) => {
    const { port } = await startService(t);
    const waiting = [`Host: 127.0.0.1:${port}`, 'Origin: null', 'Expect: 100-continue', 'Content-Length: 9'];
    assert.deepEqual(refusal(await askOnce(port, 'POST /api/categories', waiting)), FOREIGN);
  });

  test('is open to own pages, to allowed origins and to programs', async (t) => {
    const { port, api } = await startService(t, { ALLOWED_ORIGINS: 'http://app.example' });
    for (const [index, [headers, host]] of (
      [
        [['Origin: http://127.0.0.1:PORT'], '127.0.0.1:PORT'],
        [['Origin: https://127.0.0.1:PORT'], '127.0.0.1:PORT'],
        [['Origin: http://LOCALHOST:PORT'], 'localhost:PORT'],
        [['Origin: http://[::1]:PORT'], '[::1]:PORT'],
        [['Origin: http://localhost'], 'localhost:80'],
        [['Origin: https://localhost', 'Sec-Fetch-Site: same-origin'], 'localhost'],
        [['Origin: http://app.example', 'Sec-Fetch-Site: cross-site'], '127.0.0.1:PORT'],
        [['Sec-Fetch-Site: none'], '127.0.0.1:PORT'],
        [[], '127.0.0.1:PORT'],
      ] as const
    ).entries()) {
      const named = (text: string): string => text.replaceAll('PORT', String(port));
      const answer = await write(port, headers.map(named), named(host));
      assert.equal(answer.status, index === 0 ? 201 : 409, `${headers.join()} ${host}`);
    }
    await api.post('/restaurants', { name: 'Chez Nous' });
    const headers = { 'Content-Type': FORM_TYPE, Origin: `http://127.0.0.1:${port}` };
    const init = { method: 'POST', headers, body: new Uint8Array(form(photoPart())) };
    assert.equal((await api.send('/api/restaurants/1/photos', init)).status, 201);
  });

  test('is not what reads and preflights are, nor writes with accounts', async (t) => {
    const { port } = await startService(t);
    const evil = [`Host: 127.0.0.1:${port}`, 'Origin: http://evil.example', 'Sec-Fetch-Site: cross-site'];
    for (const [line, status] of [
      ['GET /api/categories', 200],
      ['HEAD /api/categories', 200],
      ['OPTIONS /api/categories', 204],
      ['POST /api/nowhere', 404],
    ] as const)
      assert.equal((await askOnce(port, line, evil)).status, status, line);
    const local = await startService(t, LOCAL);
    assert.equal((await write(local.port, ['Origin: http://evil.example'])).status, 401);
  });
});
