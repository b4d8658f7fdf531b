import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { array } from '../support/client.ts';
import { LOCAL } from '../support/people.ts';
import { FORM_TYPE, form, photoPart } from '../support/photos.ts';
import { type RawAnswer, askOnce } from '../support/raw.ts';
import { startService } from '../support/service.ts';

const BODY = '{"name":"Written"}';
const ORIGIN = { status: 403, body: '{"error":"Origin is not allowed; see ALLOWED_ORIGINS"}' };

const refusal = ({ status, body }: RawAnswer): unknown => ({ status, body });

function write(port: number, headers: readonly string[], host = `127.0.0.1:${port}`): Promise<RawAnswer> {
  const own = [`Host: ${host}`, 'Content-Type: application/json'];
  return askOnce(port, 'POST /api/categories', [...own, ...headers], BODY);
}

describe('a write without accounts', () => {
  const foreign: readonly (readonly string[])[] = [
    ...[
      ...['http://evil.example', 'https://evil.example:8080', 'null', '', 'http://127.0.0.1', 'file://'],
      ...['http://127.0.0.1:PORT@evil.example', 'http://127.0.0.1:PORT.evil.example', 'ws://127.0.0.1:PORT'],
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
      assert.deepEqual(refusal(await write(port, sent)), ORIGIN, sent.join());
    }
    const evil = [`Host: 127.0.0.1:${port}`, 'Origin: http://evil.example'];
    for (const line of [
      ...['PUT /api/restaurants/1', 'PATCH /api/photos/1', 'DELETE /api/categories/1'],
      ...['POST /api/auth/register', 'POST /api/restaurants/1/photos'],
    ])
      assert.deepEqual(refusal(await askOnce(port, line, evil)), ORIGIN, line);
    assert.equal(array((await api.get('/categories')).body).length, before);
  });

  test('is refused before its body is read', async (t) => {
    const { port } = await startService(t);
    const waiting = [`Host: 127.0.0.1:${port}`, 'Origin: null', 'Expect: 100-continue', 'Content-Length: 9'];
    assert.deepEqual(refusal(await askOnce(port, 'POST /api/categories', waiting)), ORIGIN);
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
