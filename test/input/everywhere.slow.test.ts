import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, describe, test } from 'node:test';
import { type Client, field, ids } from '../support/client.ts';
import { sample } from '../support/images.ts';
import { upload } from '../support/photos.ts';
import { startService } from '../support/service.ts';

type Write = (api: Client, text: string) => Promise<{ status: number; body: unknown }>;

const scores = { restaurant_id: 1, food_rating: 1, service_rating: 1, ambiance_rating: 1 };
const created =
  (name: string): Write =>
  (api, text) =>
    api.post('/restaurants', { name: randomUUID(), [name]: text });
const changed =
  (name: string): Write =>
  (api, text) =>
    api.put('/restaurants/1', { [name]: text });
const suggested =
  (name: string): Write =>
  (api, text) =>
    api.post('/suggestions', { name: randomUUID(), [name]: text });
const converted =
  (name: string): Write =>
  async (api, text) => {
    const suggestion = await api.post('/suggestions', { name: 'New', address: randomUUID() });
    return api.post(`/suggestions/${String(field(suggestion.body, 'id'))}/convert`, { [name]: text });
  };

// Every text that a client can leave in the catalogue, by every way in.
const WAYS_IN: readonly [string, string, Write][] = [
  ...['name', 'description', 'address', 'phone', 'google_place_id'].flatMap(
    (name): [string, string, Write][] => [
      [`the ${name} of a new restaurant`, name, created(name)],
      [`the ${name} of a changed restaurant`, name, changed(name)],
    ],
  ),
  ...['name', 'address', 'phone', 'google_place_id', 'notes'].map((name): [string, string, Write] => [
    `the ${name} of a suggestion`,
    name,
    suggested(name),
  ]),
  ...['name', 'description', 'address', 'phone'].map((name): [string, string, Write] => [
    `the ${name} of a conversion`,
    name,
    converted(name),
  ]),
  ['a comment', 'comment', (api, text) => api.post('/ratings', { ...scores, comment: text })],
  ['a caption', 'caption', (api, text) => upload(api, sample('png'), text)],
  [
    'a changed caption',
    'caption',
    async (api, text) => {
      const { body } = await upload(api);
      return api.patch(`/photos/${String(field(body, 'id'))}`, { caption: text });
    },
  ],
  ['a new category', 'name', (api, text) => api.post('/categories', { name: text })],
  ['a renamed category', 'name', (api, text) => api.put('/categories/1', { name: text })],
  ['a new food type', 'name', (api, text) => api.post('/food-types', { name: text })],
  ['a renamed food type', 'name', (api, text) => api.put('/food-types/1', { name: text })],
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
    test(`loses its markup and nothing else as ${title}`, async (t) => {
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
    const rating = await api.post('/ratings', { ...scores, comment: '<!-- -->' });
    assert.deepEqual([rating.status, field(rating.body, 'comment')], [201, null]);
  });

  const named: readonly [string, Write][] = WAYS_IN.flatMap(([title, name, write]) =>
    name === 'name' ? [[title, write]] : [],
  );
  for (const [title, write] of named)
    test(`is refused with 400 when nothing is left of it and it is needed: ${title}`, async (t) => {
      const api = await withRestaurant(t);
      for (const text of [
        '',
        ' \n\t ',
        '<script>x</script>',
        '<b></b>',
        '<!-- -->',
        '\u0000\u0007',
        '\ufeff',
      ]) {
        const answer = await write(api, text);
        assert.deepEqual([answer.status, answer.body], [400, { error: 'name is required' }], text);
      }
    });

  test('is refused with 400 when it is no Unicode', async (t) => {
    const { api } = await startService(t);
    const body = '{"name":"A \\ud83c B"}';
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body };
    const answer = await api.send('/api/restaurants', init);
    assert.deepEqual([answer.status, answer.body], [400, { error: 'name is not valid Unicode' }]);
  });

  test('is found by search as it was typed', async (t) => {
    const { api } = await startService(t);
    await api.post('/restaurants', { name: 'Fish & Chips', description: 'I <3 it' });
    for (const q of ['Fish & Chips', 'I <3 it', 'fish chips'])
      assert.deepEqual(ids((await api.get(`/search?q=${encodeURIComponent(q)}`)).body), [1], q);
  });
});
