import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { asHtml } from '../../../src/kit/static-files.ts';
import { bearing } from '../../support/accounts.ts';
import { askBytes, decodedBody } from '../../support/bytes.ts';
import { createRestaurants, createSuggestions, randomNumbers, rate } from '../../support/catalogue.ts';
import { field, headerValues, record, textOf } from '../../support/client.ts';
import { carriedIn, documentAt } from '../../support/documents.ts';
import { addItems } from '../../support/lists.ts';
import { changeStored } from '../../support/people.ts';
import { uploadWithThumbnail } from '../../support/photos.ts';
import { addPlace } from '../../support/random-places.ts';
import { type Service, startService } from '../../support/service.ts';
import { SEED, scaled } from '../../support/size.ts';
import { PATTERNS } from '../../support/web-app-screens.ts';
import { addPhoto, ratingOf, startWorld } from '../../support/world.ts';

const LOOKUPS = ['/app-config', '/categories', '/food-types'];
const PLACE = 'open_at=now&include=cover,photos,ratings';
const PARIS = { latitude: 48.8566, longitude: 2.3522 };
const TOKYO = { latitude: 35.6762, longitude: 139.6503 };
const at = (latitude: number, longitude: number, index = 0): object => {
  return {
    name: `Place ${index}`,
    address: `${index} Street at ${latitude}, ${longitude}`,
    latitude,
    longitude,
  };
};

/** Checks that each answer that a page carries is that of the API, byte for byte, and returns their addresses. */
async function requireSame({ url }: Pick<Service, 'url'>, path: string): Promise<string[]> {
  const { html, answers } = await documentAt({ url }, path);
  const [, json = ''] = /id="data">(.*?)<\/script>/.exec(html) ?? [];
  const text = json
    .replaceAll('\\u003c', '<')
    .replaceAll('\\u2028', '\u2028')
    .replaceAll('\\u2029', '\u2029');
  for (const address of Object.keys(answers)) {
    const body = await (await fetch(`${url}/api${address}`)).text();
    assert.ok(text.includes(`${JSON.stringify(address)}:${body}`), `${path}: ${address}`);
  }
  return Object.keys(answers);
}

const exploreOf = (bbox: string | undefined, sort: string): string =>
  `/restaurants/paginated?limit=100${bbox === undefined ? '' : `&bbox=${bbox}`}&sort=${sort}&include=opening,cover`;

/** The middle of the box at which Explore begins. */
function middleOf(start: unknown): readonly [latitude: number, longitude: number] {
  const bbox = String(field(start, 'bbox'));
  assert.match(bbox, /^(?:-?\d+\.\d{4},){3}-?\d+\.\d{4}$/);
  const [west = NaN, south = NaN, east = NaN, north = NaN] = bbox.split(',').map(Number);
  const width = west < east ? east - west : east + 360 - west;
  assert.ok(Math.abs(width - 0.3) < 0.001 && Math.abs(north - south - 0.3) < 0.001, bbox);
  return [(south + north) / 2, ((west + width / 2 + 540) % 360) - 180];
}

describe('the data that a page carries', () => {
  test('are the settings, categories and food types everywhere, and the rows of Explore and the place on theirs', async (t) => {
    const service = await startService(t);
    await createRestaurants(service.api, [{ name: 'Anna', ...PARIS }]);
    for (let index = 0; index < 3; index += 1) await service.api.post('/ratings', ratingOf(1));
    const addresses = async (path: string): Promise<string[]> =>
      Object.keys((await documentAt(service, path)).answers);
    assert.deepEqual(await addresses('/'), [...LOOKUPS, exploreOf(undefined, 'newest')]);
    assert.deepEqual(await addresses('/restaurants/1'), [...LOOKUPS, `/restaurants/1?${PLACE}`]);
    const others = PATTERNS.filter(
      (pattern) => !['/', '/restaurants/:id', '/l/:token', '/o/:token'].includes(pattern),
    );
    for (const path of [
      ...others.map((pattern) => pattern.replaceAll(/:\w+/g, '1')),
      '/?q=soup',
      '/?x',
      '/restaurants/1?x=1',
      '/restaurants/2',
      '/restaurants/abc',
      '/restaurants/01',
      '/restaurants/9007199254740993',
    ])
      assert.deepEqual(await addresses(path), LOOKUPS, path);
    // A link that opens nothing is answered with 404.
    for (const path of ['/l/1', '/o/1']) {
      const missing = await askBytes(service.url + path);
      assert.deepEqual([missing.status, Object.keys(carriedIn(missing.body).answers)], [404, LOOKUPS]);
    }
    // The service worker stores this one.
    const shell = await documentAt(service, '/?shell');
    assert.deepEqual([shell.answers, shell.at, shell.start], [{}, 0, null]);
  });

  test('are what the API answers, byte for byte, for random catalogues', async (t) => {
    const random = randomNumbers(SEED);
    const below = (count: number): number => Math.floor(random() * count);
    for (let round = 0; round < scaled(4); round += 1) {
      const service = await startService(t);
      const count = below(40);
      for (let index = 0; index < count; index += 1) {
        const far = below(3) === 0 && { latitude: below(160) - 80, longitude: below(360) - 180 };
        await addPlace(service.api, index, below, {
          description: 'a < b & c\u2028"d"\u2029</script>',
          ...far,
        });
      }
      if (count > 0) await uploadWithThumbnail(service.api);
      await createSuggestions(service.api, [{ name: 'Not yet' }]);
      const [explore = ''] = (await requireSame(service, '/')).slice(LOOKUPS.length);
      const { start } = await documentAt(service, '/');
      const begins = start === null ? [] : Object.keys(record(start));
      const bbox = begins.includes('bbox') ? textOf(start, 'bbox') : undefined;
      const expected = exploreOf(bbox, begins.includes('sort') ? 'newest' : 'rating');
      assert.equal(explore, expected, `seed ${SEED}, round ${round}`);
      for (let id = 1; id <= count + 1; id += 1) await requireSame(service, `/restaurants/${id}`);
    }
  });

  test('are those for a stranger, with whatever token they are asked for', async (t) => {
    const { service, people, owner, admin } = await startWorld(t);
    await createRestaurants(owner, [{ name: 'Anna', ...PARIS }]);
    await owner.post('/ratings', ratingOf(1));
    await addPhoto(owner, 1);
    await addItems(owner, 'want', [1]);
    await admin.post('/suggestions', { name: 'Secret suggestion' });
    const login = await fetch(`${service.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' },
      body: JSON.stringify({ email: people.owner.email, password: people.owner.password, session: 'cookie' }),
    });
    const [cookie = ''] = login.headers.getSetCookie()[0]?.split(';') ?? [];
    assert.match(cookie, /refresh=./);
    for (const path of ['/', '/restaurants/1', '/lists', '/settings/tokens']) {
      const plain = await documentAt(service, path);
      for (const person of [people.owner, people.admin]) {
        const headers = { Cookie: cookie, ...bearing(person.accessToken) };
        const { body, headers: sent } = await documentAt(service, path, headers);
        assert.ok(body.equals(plain.body), path);
        assert.equal(sent['set-cookie'], undefined);
      }
      assert.equal((await askBytes(service.url + path, bearing('nonsense'))).status, 200);
      for (const text of ['Secret suggestion', '"mine"', people.owner.email])
        assert.ok(!plain.html.includes(text));
    }
  });

  test('are as new as the last write, and named by another tag after it', async (t) => {
    const { url, api } = await startService(t);
    await createRestaurants(api, [{ name: 'Anna', ...PARIS }]);
    const writes: readonly (() => Promise<unknown>)[] = [
      () => api.put('/restaurants/1', { name: 'Berta' }),
      () => api.post('/ratings', ratingOf(1)),
      () => addPhoto(api, 1),
      () => api.put('/categories/1', { name: 'Renamed' }),
      () => api.delete('/restaurants/1'),
    ];
    for (const path of ['/', '/restaurants/1', '/lists'])
      for (const coding of ['identity', 'gzip', 'br']) {
        const [one, other] = [
          await askBytes(url + path, { 'Accept-Encoding': coding }),
          await askBytes(url + path),
        ];
        assert.ok(decodedBody(one).equals(other.body));
        const tag = one.headers.etag ?? '';
        const asked = { 'Accept-Encoding': coding, 'If-None-Match': tag };
        const again = await askBytes(url + path, asked);
        assert.deepEqual([again.status, again.body.length, again.headers.etag], [304, 0, tag]);
      }
    for (const write of writes) {
      const before = await Promise.all(['/', '/restaurants/1'].map((path) => askBytes(url + path)));
      await write();
      for (const [index, path] of ['/', '/restaurants/1'].entries()) {
        const tag = before[index]?.headers.etag ?? '';
        const after = await askBytes(url + path, { 'If-None-Match': tag });
        assert.deepEqual([after.status, after.headers.etag === tag], [200, false]);
        await requireSame({ url }, path);
      }
    }
    assert.equal((await documentAt({ url }, '/restaurants/1')).title, 'Not here any more - Catalogue');
  });

  test('are made once for a version, and kept within a bound', async (t) => {
    const service = await startService(t);
    await createRestaurants(
      service.api,
      Array.from({ length: 40 }, (_, index) => ({ name: `Place ${index}` })),
    );
    // About 400 KB of them in each document, of which some 25 have room.
    changeStored(
      service.folder,
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2000)
       INSERT INTO categories (name, name_key, search_name, created_at, updated_at)
       SELECT name, name, name, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'
       FROM (SELECT printf('%.90d', n) AS name FROM numbers)`,
    );
    const made = async (id: number): Promise<number> => (await documentAt(service, `/restaurants/${id}`)).at;
    const first = await Promise.all([made(1), made(1), made(1)]);
    assert.equal(new Set(first).size, 1);
    for (let id = 2; id <= 40; id += 1) assert.equal(await made(id), await made(id));
    assert.ok((await made(1)) > Math.max(...first));
  });

  test('count as files for the limits, on every page', async (t) => {
    const { api } = await startService(t, {
      RATE_LIMIT_PER_MINUTE: '1',
      FILES_RATE_LIMIT_PER_MINUTE: '1',
      FILES_RATE_LIMIT_BURST: '3',
    });
    for (const [index, path] of ['/', '/restaurants/1', '/settings?x=1'].entries()) {
      const answer = await api.send(path, {});
      const limits = headerValues(answer, 'ratelimit-limit', 'ratelimit-remaining');
      assert.deepEqual([answer.status, ...limits], [200, '3', String(2 - index)], path);
    }
    assert.deepEqual((await api.send('/', {})).status, 429);
    assert.equal((await api.get('/health')).headers.get('ratelimit-remaining'), '19');
    assert.equal((await api.send('/sw.js', {})).status, 200);
  });

  test('are missing, and the page is not, where the database cannot be read', async (t) => {
    const service = await startService(t);
    const { answers } = await documentAt(service, '/');
    assert.ok('/categories' in answers);
    service.closeStorage();
    for (const path of ['/', '/restaurants/1', '/lists']) {
      const bare = await documentAt(service, path);
      assert.deepEqual([bare.answers, bare.at, bare.start], [{}, 0, null], path);
    }
    assert.ok(service.logs.some((line) => field(line, 'message') === 'page without its data'));
  });

  test('are those of a replica on a replica', async (t) => {
    const primary = await startService(t);
    await createRestaurants(primary.api, [{ name: 'Anna', ...PARIS }]);
    await primary.stop();
    const replica = await startService(t, { DATA_DIR: primary.folder, READ_ONLY: 'true' });
    assert.deepEqual(await requireSame(replica, '/restaurants/1'), [...LOOKUPS, `/restaurants/1?${PLACE}`]);
  });
});

describe('the head of the page of a place', () => {
  const names = [
    'Anna & Berta',
    `</title></script><script>alert(1)</script>"'&amp;{{base}}$&`,
    '<!--<script>',
    'Ödön 🍜',
  ];

  test('names it in its title and description, as text whatever it holds', async (t) => {
    const settings = { CATALOGUE_NAME: 'Chez <b>nous</b>' };
    const first = await startService(t, settings);
    const text = `About ${'🍜'.repeat(400)}`;
    await createRestaurants(
      first.api,
      names.map((_, index) => ({ name: `Place ${index}`, address: '1 "Rue"', description: text })),
    );
    await first.stop();
    // The service removes markup from what it is sent, but other programs may write.
    for (const [index, name] of names.entries())
      changeStored(first.folder, 'UPDATE restaurants SET name = ? WHERE id = ?', name, index + 1);
    const service = await startService(t, { ...settings, DATA_DIR: first.folder });
    for (const [index, name] of names.entries()) {
      const { html, title, answers } = await documentAt(service, `/restaurants/${index + 1}`);
      assert.equal(textOf(answers[`/restaurants/${index + 1}?${PLACE}`], 'name'), name);
      assert.equal(title, `${asHtml(name)} - Chez &lt;b&gt;nous&lt;/b&gt;`);
      const [, content = ''] = /<meta name="description" content="([^"]*)" \/>/.exec(html) ?? [];
      const head = `${name}. 1 "Rue". About `;
      assert.equal(content, asHtml(head + '🍜'.repeat(300 - Array.from(head).length)));
      assert.equal(html.match(/<\/?script/g)?.length, html.match(/<script [^>]+>|<\/script>/g)?.length);
      assert.ok(!html.includes('alert(1)</script>'));
    }
    const other = await documentAt(service, '/lists');
    assert.deepEqual(
      [other.title, other.html.includes('name="description"')],
      ['Chez &lt;b&gt;nous&lt;/b&gt;', false],
    );
  });

  test('says where there is none that it is not here any more', async (t) => {
    const service = await startService(t);
    for (const path of ['/restaurants/1', '/restaurants/abc'])
      assert.equal((await documentAt(service, path)).title, 'Not here any more - Catalogue');
  });
});

describe('the area at which Explore begins', () => {
  const many = (count: number, latitude: number, longitude: number): object[] =>
    Array.from({ length: count }, (_, index) => at(latitude + index / 10_000, longitude, index));

  async function startOf(
    t: TestContext,
    places: readonly object[],
    rated: readonly number[] = [],
  ): Promise<unknown> {
    const service = await startService(t);
    await createRestaurants(service.api, places);
    for (const id of rated) await rate(service.api, id, 4);
    await requireSame(service, '/');
    const { start, answers } = await documentAt(service, '/');
    assert.ok(Object.keys(answers).length === LOOKUPS.length + 1);
    // All pages carry it: Explore may be opened from them.
    assert.deepEqual((await documentAt(service, '/restaurants/1')).start, start);
    return start;
  }

  test('is everything in a catalogue of few places', async (t) => {
    const places = [at(0, 0), ...many(29, PARIS.latitude, PARIS.longitude)];
    assert.deepEqual(await startOf(t, places), { sort: 'newest' });
    assert.deepEqual(Object.keys(record(await startOf(t, [...places, at(0, 1)]))), ['bbox', 'sort']);
  });

  test('is everything where all places lie in one region, the best rated first once three are rated', async (t) => {
    const newest = { sort: 'newest' };
    assert.deepEqual(await startOf(t, []), newest);
    assert.deepEqual(await startOf(t, [{ name: 'Nowhere' }]), newest);
    assert.deepEqual(await startOf(t, [at(48, 2), at(50.9, 4.9), { name: 'Nowhere' }]), newest);
    assert.deepEqual(await startOf(t, [at(-18, 179), at(-17, -179)]), newest);
    assert.deepEqual(await startOf(t, many(3, 48, 2), [1, 2, 2]), newest);
    assert.equal(await startOf(t, many(3, 48, 2), [1, 2, 3]), null);
  });

  test('is around the median of the densest area where they are spread over the world', async (t) => {
    const start = await startOf(t, [
      ...many(20, PARIS.latitude, PARIS.longitude),
      ...many(30, TOKYO.latitude, TOKYO.longitude),
    ]);
    const [latitude, longitude] = middleOf(start);
    assert.ok(
      Math.abs(latitude - TOKYO.latitude - 0.0015) < 0.001 && Math.abs(longitude - TOKYO.longitude) < 0.001,
    );
    assert.equal(field(start, 'sort'), 'newest');
  });

  test('is by rating where three places of that area are rated, not others', async (t) => {
    const places = [
      ...many(14, PARIS.latitude, PARIS.longitude),
      ...many(20, TOKYO.latitude, TOKYO.longitude),
    ];
    const elsewhere = record(await startOf(t, places, [1, 2, 3]));
    assert.deepEqual(Object.keys(elsewhere), ['bbox', 'sort']);
    assert.deepEqual(Object.keys(record(await startOf(t, places, [15, 16, 17]))), ['bbox']);
  });

  test('lies across the antimeridian, and at a pole, where the places do', async (t) => {
    const across = middleOf(await startOf(t, [at(0, 0), ...many(30, -17, 179.95)]));
    assert.ok(Math.abs(across[1] - 179.95) < 0.001);
    const bbox = String(field(await startOf(t, [at(0, 0), ...many(30, 89.99, 20)]), 'bbox'));
    assert.equal(bbox.split(',')[3], '90.0000');
  });

  test('leaves out suggestions', async (t) => {
    const service = await startService(t);
    await createRestaurants(service.api, [at(10, 10), ...many(30, 50, 50)]);
    await createSuggestions(service.api, many(40, -30, 20));
    const [latitude] = middleOf((await documentAt(service, '/')).start);
    assert.ok(Math.abs(latitude - 50) < 0.01);
  });

  test('follows what is written', async (t) => {
    const service = await startService(t);
    await createRestaurants(service.api, [at(10, 10), ...many(30, 50, 50)]);
    assert.ok(Math.abs(middleOf((await documentAt(service, '/')).start)[0] - 50) < 0.01);
    await createRestaurants(service.api, many(31, 10, 10.001));
    assert.ok(Math.abs(middleOf((await documentAt(service, '/')).start)[0] - 10) < 0.01);
    for (let id = 2; id <= 31; id += 1) await service.api.delete(`/restaurants/${id}`);
    assert.deepEqual((await documentAt(service, '/')).start, { sort: 'newest' });
  });
});
