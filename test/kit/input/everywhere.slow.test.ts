import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, describe, test } from 'node:test';
import { type Client, field, ids } from '../../support/client.ts';
import { sample } from '../../support/images.ts';
import { upload } from '../../support/photos.ts';
import { startService } from '../../support/service.ts';

type Write = (api: Client, text: string) => Promise<{ status: number; body: unknown }>;
/** A title, the field of the answer that has the text, and how it is sent. */
type WayIn = readonly [string, string, Write];

const SCORES = { restaurant_id: 1, food_rating: 1, service_rating: 1, ambiance_rating: 1 };
const LOOKUPS = ['/categories', '/food-types'];

/** A name that no other restaurant or suggestion has. */
const fresh = (): { name: string } => ({ name: randomUUID() });

async function convert(api: Client, name: string, text: string): ReturnType<Write> {
  const suggestion = await api.post('/suggestions', { name: 'New', address: randomUUID() });
  return api.post(`/suggestions/${String(field(suggestion.body, 'id'))}/convert`, { [name]: text });
}

async function changeCaption(api: Client, text: string): ReturnType<Write> {
  const { body } = await upload(api);
  return api.patch(`/photos/${String(field(body, 'id'))}`, { caption: text });
}

// Every text that a client can leave in the catalogue, by every way in.
const WAYS_IN: readonly WayIn[] = [
  ...['name', 'description', 'address', 'phone', 'google_place_id'].flatMap((name): WayIn[] => [
    [
      `${name} of a new restaurant`,
      name,
      (api, text) => api.post('/restaurants', { ...fresh(), [name]: text }),
    ],
    [`${name} of a changed restaurant`, name, (api, text) => api.put('/restaurants/1', { [name]: text })],
  ]),
  ...['name', 'address', 'phone', 'google_place_id', 'notes'].map((name): WayIn => {
    return [
      `${name} of a suggestion`,
      name,
      (api, text) => api.post('/suggestions', { ...fresh(), [name]: text }),
    ];
  }),
  ...['name', 'description', 'address', 'phone'].map((name): WayIn => {
    return [`${name} of a conversion`, name, (api, text) => convert(api, name, text)];
  }),
  ['comment', 'comment', (api, text) => api.post('/ratings', { ...SCORES, comment: text })],
  ['caption', 'caption', (api, text) => upload(api, sample('png'), text)],
  ['changed caption', 'caption', changeCaption],
  ...LOOKUPS.flatMap((path): WayIn[] => [
    [`name, sent to ${path}`, 'name', (api, text) => api.post(path, { name: text })],
    [`name, changed at ${path}`, 'name', (api, text) => api.put(`${path}/1`, { name: text })],
  ]),
];

const TEXTS: readonly [string, string][] = [
  ['a<script>alert(1)</script>b', 'ab'],
  ['<img src=x onerror=alert(1)>c', 'c'],
  ['<scr\u0000ipt>x</script>d\u001b', 'd'],
  ['Fish & Chips', 'Fish & Chips'],
  ['I <3 it', 'I <3 it'],
  ['5 < 6 > 4', '5 < 6 > 4'],
  ['AT&T', 'AT&T'],
  ['&lt;b&gt;', '&lt;b&gt;'],
  ['  Zoë’s 🍕 مطعم\t2 ', 'Zoë’s 🍕 مطعم\t2'],
];

async function withRestaurant(t: TestContext): Promise<Client> {
  const { api } = await startService(t);
  await api.post('/restaurants', { name: 'First', address: 'Somewhere' });
  return api;
}

describe('text that is sent in', () => {
  for (const [title, name, write] of WAYS_IN)
    test(`loses its markup and nothing else as the ${title}`, async (t) => {
      const api = await withRestaurant(t);
      for (const [text, expected] of TEXTS) {
        const answer = await write(api, text);
        assert.ok(answer.status < 300, `${text}: ${JSON.stringify(answer.body)}`);
        assert.equal(field(answer.body, name), expected);
      }
    });

  test('is null when nothing is left of it and it may be', async (t) => {
    const api = await withRestaurant(t);
    for (const name of ['description', 'address', 'phone', 'website', 'google_place_id']) {
      const answer = await api.put('/restaurants/1', { [name]: '<p> \u0007 </p>' });
      assert.deepEqual([answer.status, field(answer.body, name)], [200, null], name);
    }
    const rating = await api.post('/ratings', { ...SCORES, comment: '<!-- -->' });
    assert.deepEqual([rating.status, field(rating.body, 'comment')], [201, null]);
  });

  const EMPTY = ['', ' \n\t ', '<script>x</script>', '<b></b>', '<!-- -->', '\u0000\u0007', '\ufeff'];
  for (const [title, , write] of WAYS_IN.filter(([, name]) => name === 'name'))
    test(`is refused with 400 when nothing is left of it and it is needed: ${title}`, async (t) => {
      const api = await withRestaurant(t);
      for (const text of EMPTY) {
        const answer = await write(api, text);
        assert.deepEqual([answer.status, answer.body], [400, { error: 'name is required' }], text);
      }
    });

  test('is found by search as it was typed', async (t) => {
    const { api } = await startService(t);
    await api.post('/restaurants', { name: 'Fish & Chips', description: 'I <3 it' });
    for (const q of ['Fish & Chips', 'I <3 it', 'fish chips'])
      assert.deepEqual(ids((await api.get(`/search?q=${encodeURIComponent(q)}`)).body), [1], q);
  });
});
