import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { type Reply, content, json, ok, stream } from '../../src/http/reply.ts';
import { askBytes, decodedBody } from '../support/bytes.ts';
import { createRestaurants } from '../support/catalogue.ts';
import type { Client } from '../support/client.ts';
import { LOCAL, signUp } from '../support/people.ts';
import { startRoute } from '../support/route.ts';
import { type Service, startService } from '../support/service.ts';

const LONG = 'All work and no play. '.repeat(60);
const TEXTS = [
  '/docs',
  '/docs/swagger.json',
  '/swagger.yaml',
  '/categories',
  '/restaurants?limit=5',
  '/restaurants',
];

/** A service with a list of restaurants that is too long to be answered as a whole. */
async function startFilled(t: TestContext): Promise<Service> {
  const service = await startService(t);
  await fill(service.api);
  return service;
}

async function fill(api: Client): Promise<void> {
  const long = Array.from({ length: 25 }, (_, index) => ({
    name: `Chez ${index}`,
    description: 'é 🍝 '.repeat(1_250),
  }));
  await createRestaurants(api, [{ name: 'Chez Nous' }, ...long]);
}

// What is sent as it is, whatever the client would take.
const AS_IT_IS: readonly [string, Reply][] = [
  ['1 KB and less', json(200, 'x'.repeat(1_022))],
  ['what no proxy may change', json(200, LONG, { 'Cache-Control': 'no-transform' })],
  ['what has a coding already', json(200, LONG, { 'Content-Encoding': 'zstd' })],
  ['pictures', content('image/jpeg', Buffer.from(LONG), {})],
  ['bytes of any kind', content('application/octet-stream', Buffer.from(LONG), {})],
  ['a type that only begins alike', content('application/jsonish', Buffer.from(LONG), {})],
  ['a part', { ...json(200, LONG), status: 206 }],
  ['a refusal', json(400, { error: LONG })],
  [
    'a file',
    stream(200, { 'Content-Type': 'text/plain', 'Content-Length': String(LONG.length) }, async function* () {
      yield await Promise.resolve(LONG);
    }),
  ],
];

describe('an answer of more than 1 KB', () => {
  test('is compressed for who asks, and is the same inside', async (t) => {
    const { url } = await startFilled(t);
    for (const path of TEXTS) {
      const plain = await askBytes(`${url}/api${path}`);
      assert.ok(plain.body.length > 1_024 && plain.headers['content-encoding'] === undefined, path);
      for (const coding of ['br', 'gzip']) {
        const packed = await askBytes(`${url}/api${path}`, { 'Accept-Encoding': coding });
        assert.equal(packed.headers['content-encoding'], coding, path);
        assert.ok(packed.body.length < plain.body.length / 1.5, path);
        assert.ok(decodedBody(packed).equals(plain.body), path);
        assert.equal(packed.headers['content-type'], plain.headers['content-type']);
        const length = packed.headers['content-length'];
        assert.equal(length, path === '/restaurants' ? undefined : String(packed.body.length), path);
      }
    }
  });

  test('says in one line what it varies by, compressed or not', async (t) => {
    const { url } = await startFilled(t);
    for (const [path, vary] of [
      ['/docs', 'Accept, Origin, Accept-Encoding'],
      ['/categories', 'Origin, Accept-Encoding'],
      ['/restaurants', 'Origin, Accept-Encoding'],
      ['/restaurants/1', 'Origin'],
    ])
      for (const coding of ['br', 'identity'])
        for (const method of ['GET', 'HEAD']) {
          const asked = { 'Accept-Encoding': coding };
          const known = { ...asked, 'If-None-Match': '*' };
          const whole = await askBytes(`${url}/api${path ?? ''}`, asked, method);
          const again = await askBytes(`${url}/api${path ?? ''}`, known, method);
          assert.deepEqual([whole.status, whole.headers.vary], [200, vary], path);
          assert.deepEqual([again.status, again.headers.vary], [304, vary], path);
        }
  });

  test('has a tag that stands for each form of it', async (t) => {
    const { url } = await startService(t);
    for (const path of ['/swagger.yaml', '/categories']) {
      const tags = new Set<string | undefined>();
      for (const coding of ['br', 'gzip', 'identity']) {
        const { headers } = await askBytes(`${url}/api${path}`, { 'Accept-Encoding': coding });
        assert.equal(headers.etag?.startsWith('W/'), coding !== 'identity' || path === '/categories', path);
        tags.add(headers.etag);
      }
      for (const tag of tags)
        for (const coding of ['br', 'identity']) {
          const headers = { 'Accept-Encoding': coding, 'If-None-Match': tag ?? '' };
          const again = await askBytes(`${url}/api${path}`, headers);
          assert.deepEqual([again.status, again.body.length], [304, 0]);
          assert.equal(again.headers['content-encoding'], undefined);
          assert.match(String(again.headers.vary), /Accept-Encoding/);
        }
    }
  });

  test('has the same headers for HEAD, but for a length that is not known yet', async (t) => {
    const { url } = await startFilled(t);
    for (const path of ['/categories', '/restaurants', '/docs']) {
      const [get, head] = [
        await askBytes(`${url}/api${path}`, { 'Accept-Encoding': 'br' }),
        await askBytes(`${url}/api${path}`, { 'Accept-Encoding': 'br' }, 'HEAD'),
      ];
      assert.deepEqual([head.status, head.body.length], [200, 0]);
      for (const name of ['content-encoding', 'etag', 'vary', 'content-type'])
        assert.equal(head.headers[name], get.headers[name], `${path} ${name}`);
      assert.ok([undefined, get.headers['content-length']].includes(head.headers['content-length']));
    }
  });

  for (const [title, reply] of AS_IT_IS)
    test(`is sent as it is: ${title}`, async (t) => {
      const { url } = await startRoute(t, () => reply);
      const [plain, asked] = [
        await askBytes(`${url}/api/x`),
        await askBytes(`${url}/api/x`, { 'Accept-Encoding': 'br, gzip' }),
      ];
      assert.ok(asked.body.equals(plain.body));
      const encoding = reply.headers['Content-Encoding'];
      assert.deepEqual([asked.headers['content-encoding'], asked.headers.vary], [encoding, undefined]);
    });

  test('is never compressed where it may hold a secret', async (t) => {
    const service = await startService(t, LOCAL);
    const alice = await signUp(service, 'alice');
    const authorization = `Bearer ${alice.accessToken}`;
    for (let count = 0; count < 12; count += 1)
      await alice.api.post('/auth/tokens', { name: `token ${count} ${'x'.repeat(50)}`, expires_in_days: 1 });
    const headers = { Authorization: authorization, 'Accept-Encoding': 'br' };
    const { status, body, headers: told } = await askBytes(`${service.url}/api/auth/tokens`, headers);
    assert.deepEqual([status, told['content-encoding'], told.etag], [200, undefined, undefined]);
    assert.ok(body.length > 1_024);
  });

  test('is compressed, without a tag, where it shows what the caller has noted', async (t) => {
    const service = await startService(t, LOCAL);
    const { accessToken, api } = await signUp(service, 'alice');
    await fill(api);
    const headers = { Authorization: `Bearer ${accessToken}`, 'Accept-Encoding': 'br' };
    const { headers: told } = await askBytes(
      `${service.url}/api/restaurants/paginated?include=mine`,
      headers,
    );
    assert.deepEqual(
      [told['cache-control'], told['content-encoding'], told.etag],
      ['private, no-store', 'br', undefined],
    );
  });

  test('is compressed once where it is cached', async (t) => {
    const cached = ok(LONG);
    const { url } = await startRoute(t, () => cached);
    const ask = (method: string): ReturnType<typeof askBytes> =>
      askBytes(`${url}/api/x`, { 'Accept-Encoding': 'br' }, method);
    // What has been compressed is known to HEAD as well.
    assert.equal((await ask('HEAD')).headers['content-length'], undefined);
    const { body } = await ask('GET');
    assert.equal((await ask('HEAD')).headers['content-length'], String(body.length));
    assert.ok((await ask('GET')).body.equals(body));
  });
});
