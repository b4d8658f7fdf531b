import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nextLink } from '../../src/http/target.ts';
import { FULL_SUGGESTION, createRestaurants } from '../support/catalogue.ts';
import {
  type Answer,
  type Client,
  createClient,
  field,
  headerValues,
  ids,
  record,
} from '../support/client.ts';
import { phonePhoto } from '../support/image-metadata.ts';
import { addRestaurants, putItem } from '../support/lists.ts';
import { upload } from '../support/photos.ts';
import { startService } from '../support/service.ts';
import { longTest } from '../support/size.ts';
import { startWorld } from '../support/world.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

describe('every answer', () => {
  test('lets browsers neither sniff, nor refer, nor run or frame anything', async (t) => {
    const { api } = await startService(t);
    for (const path of ['/api/health', '/api/nowhere', '/health', '/api/restaurants']) {
      const { headers } = await api.send(path, {});
      assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
      assert.equal(headers.get('referrer-policy'), 'no-referrer', path);
      assert.equal(
        headers.get('content-security-policy'),
        "default-src 'none'; frame-ancestors 'none'",
        path,
      );
      assert.equal(headers.get('x-powered-by'), null);
      assert.equal(headers.get('server'), null);
    }
  });

  test('carries an id of its own for the request', async (t) => {
    const { api } = await startService(t);
    const [first, second] = [await api.get('/health'), await api.get('/nowhere')];
    assert.match(first.headers.get('x-request-id') ?? '', UUID);
    assert.match(second.headers.get('x-request-id') ?? '', UUID);
    assert.notEqual(first.headers.get('x-request-id'), second.headers.get('x-request-id'));
  });

  test('carries the id that the request brought when it is short and clean, and logs it', async (t) => {
    const { api, logs } = await startService(t);
    const answer = await api.get('/health', { 'X-Request-Id': 'trace-1.A_9' });
    assert.equal(answer.headers.get('x-request-id'), 'trace-1.A_9');
    assert.equal(field(logs.at(-1), 'offered'), 'trace-1.A_9');
    assert.match(String(field(logs.at(-1), 'id')), UUID);
  });

  test('and all that is logged carry an id that the request brought when it looks generated', async (t) => {
    const { api, logs } = await startService(t);
    for (const id of ['0B9f3a1e-6a57-4a54-9d0e-3f3c5d0d8a11', '0b9f3a1e6a574a549d0e3f3c5d0d8a11']) {
      const answer = await api.get('/health', { 'X-Request-Id': id });
      assert.equal(answer.headers.get('x-request-id'), id);
      assert.deepEqual([field(logs.at(-1), 'id'), record(logs.at(-1))['offered']], [id, undefined]);
    }
  });

  test('carries its own id instead of one that is long or not clean', async (t) => {
    const { api } = await startService(t);
    for (const id of ['', 'a'.repeat(65), 'a b', '<script>', 'a"b', 'é', 'a,b'])
      assert.match(
        (await api.get('/health', { 'X-Request-Id': id })).headers.get('x-request-id') ?? '',
        UUID,
        id,
      );
  });
});

describe('the health check', () => {
  test('is status ok as JSON under /api, and the word healthy as text outside', async (t) => {
    const { api } = await startService(t);
    assert.deepEqual((await api.get('/health')).body, { status: 'ok' });
    const plain = await api.send('/health', {});
    assert.deepEqual(
      [plain.headers.get('content-type'), plain.body],
      ['text/plain; charset=utf-8', 'healthy'],
    );
  });
});

const RATING = { restaurant_id: 1, food_rating: 5, service_rating: 4, ambiance_rating: 3 };

// What is created, in this order, and what the answer has beyond the thing itself.
const CREATIONS: readonly (readonly [string, (api: Client) => Promise<Answer>, readonly string[]])[] = [
  ['a restaurant', (api) => api.post('/restaurants', { name: 'Chez Nous' }), []],
  ['a rating', (api) => api.post('/ratings', RATING), []],
  ['a category', (api) => api.post('/categories', { name: 'Breton' }), []],
  ['a food type', (api) => api.post('/food-types', { name: 'Crêpes' }), []],
  ['a suggestion', (api) => api.post('/suggestions', FULL_SUGGESTION), []],
  ['a conversion', (api) => api.post('/suggestions/2/convert', {}), ['restaurant_id', 'message']],
  ['a photo', (api) => upload(api, phonePhoto(20_000, 1)), ['photo']],
];

describe('the Location of what was created', () => {
  test('leads everyone to the thing itself', async (t) => {
    const service = await startService(t);
    const stranger = createClient(service.url);
    for (const [title, create, beyond] of CREATIONS) {
      const created = await create(service.api);
      assert.equal(created.status, 201, title);
      const location = created.headers.get('location') ?? '';
      const found = await stranger.send(location, {});
      const expected = Object.entries(record(created.body)).filter(([name]) => !beyond.includes(name));
      assert.deepEqual([found.status, found.body], [200, Object.fromEntries(expected)], title);
    }
  });

  test('is 404 once the thing is gone, and 400 for what is no id', async (t) => {
    const { api } = await startService(t);
    for (const [, create] of CREATIONS) await create(api);
    for (const [path, noun] of [
      ['/ratings', 'Rating'],
      ['/photos', 'Photo'],
    ] as const) {
      assert.equal((await api.delete(`${path}/1`)).status, 204);
      const gone = await api.get(`${path}/1`);
      assert.deepEqual([gone.status, gone.body], [404, { error: `${noun} not found` }]);
      const wrong = await api.get(`${path}/one`);
      assert.deepEqual([wrong.status, wrong.body], [400, { error: `Invalid ${noun.toLowerCase()} ID` }]);
    }
  });
});

const PATH = '/api/restaurants/paginated';
const TARGETS: readonly [string, string, string][] = [
  ['no query', '', 'cursor=NEXT'],
  ['a query', 'limit=20', 'limit=20&cursor=NEXT'],
  ['the cursor of this page', 'cursor=OLD&limit=20', 'limit=20&cursor=NEXT'],
  ['a cursor by another spelling', 'c%75rsor=OLD&limit=20', 'limit=20&cursor=NEXT'],
  ['a cursor without a value', 'cursor', 'cursor=NEXT'],
  ['names that are alike', 'cursors=1&xcursor=2', 'cursors=1&xcursor=2&cursor=NEXT'],
  ['escapes in either case', 'q=caf%c3%A9+au%20lait', 'q=caf%c3%A9+au%20lait&cursor=NEXT'],
  ['a broken escape', '%zz=1&q=%', '%zz=1&q=%&cursor=NEXT'],
  ['empty pairs', '&&a', '&&a&cursor=NEXT'],
  ['the end of the reference', 'q=>; rel="prev", <x', 'q=%3E;%20rel=%22prev%22,%20%3Cx&cursor=NEXT'],
  ['the end of the header', 'q=a\r\nSet-Cookie: b=c', 'q=a%0D%0ASet-Cookie:%20b=c&cursor=NEXT'],
  ['a fragment', 'q=#1', 'q=%231&cursor=NEXT'],
  ['bytes of no letter', 'q=\u00c3\u00a9\0\\', 'q=%C3%A9%00%5C&cursor=NEXT'],
];

describe('the link to the next page', () => {
  for (const [title, query, target] of TARGETS)
    test(`keeps the query as it was sent: ${title}`, () => {
      assert.equal(nextLink(PATH, query, 'NEXT'), `<${PATH}?${target}>; rel="next"`);
    });

  test('escapes what the cursor and the path hold', () => {
    assert.equal(nextLink('/a>b', '', 'x&y=">'), '</a%3Eb?cursor=x%26y%3D%22%3E>; rel="next"');
  });

  test('is left out where it would be longer than proxies take', () => {
    assert.equal(nextLink(PATH, `x=${'a'.repeat(2_000)}`, 'NEXT'), undefined);
    assert.equal(nextLink(PATH, `x=${'<'.repeat(700)}`, 'NEXT'), undefined);
  });

  test('leads from page to page to the last, which has none', async (t) => {
    const { api } = await startService(t);
    const all = await createRestaurants(
      api,
      ['Ä', 'B', 'C', 'D', 'E'].map((name) => ({ name })),
    );
    const seen: number[] = [];
    let target: string | undefined = `${PATH}?limit=2&sort=name&note=a%20b&`;
    for (let pages = 0; target !== undefined; pages += 1) {
      assert.ok(pages < 3, target);
      const { headers, body } = await api.send(target, {});
      const link = headers.get('link');
      assert.equal(field(body, 'has_more'), link !== null);
      seen.push(...ids(field(body, 'data')));
      target = /^<(.+)>; rel="next"$/.exec(link ?? '')?.[1];
    }
    assert.deepEqual(seen.sort(), [...all].sort());
  });
});

const MAP = '/restaurants/map?bbox=-10,-10,10,10&zoom=3';

// Of public reads those that are of their caller.
const OWN_VIEWS = [
  '/restaurants?include=mine',
  '/restaurants/paginated?include=mine',
  `${MAP}&include=mine`,
  '/restaurants/1?include=mine',
  '/search?q=a&include=mine',
  '/restaurants?list=want',
  '/restaurants/paginated?list=want',
  `${MAP}&list=want`,
  '/restaurants?visited=yes',
  '/restaurants/paginated?visited=no',
  `${MAP}&visited=yes`,
];

describe('an answer that is for its caller alone', () => {
  longTest('is stored by no cache', async (t) => {
    const { admin } = await startWorld(t);
    await addRestaurants(admin, 'A', 'B');
    await putItem(admin, 'want', 1);
    for (const path of [
      '/auth/me',
      '/lists/want/items',
      '/changes?since=start',
      '/me/export',
      ...OWN_VIEWS,
    ]) {
      const answer = await admin.get(path);
      const seen = [answer.status, ...headerValues(answer, 'cache-control', 'etag')];
      assert.deepEqual(seen, [200, 'private, no-store', null], path);
    }
  });
});
