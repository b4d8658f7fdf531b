import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { createRestaurants } from '../support/catalogue.ts';
import { refusal } from '../support/changes.ts';
import { type Client, ids } from '../support/client.ts';
import { startService } from '../support/service.ts';

const EVERYWHERE = { name: 'Roma', address: 'Oslo', category_id: 1, food_type_ids: [1] };

async function search(api: Client, q: string, more = ''): Promise<number[]> {
  const { status, body } = await api.get(`/search?q=${encodeURIComponent(q)}${more}`);
  assert.equal(status, 200, `${q}: ${JSON.stringify(body)}`);
  return ids(body);
}

const bodyOf = (body: string | object): object => (typeof body === 'string' ? { name: body } : body);

async function catalogue(t: TestContext, bodies: readonly (string | object)[]): Promise<Client> {
  const { api } = await startService(t);
  await createRestaurants(api, bodies.map(bodyOf));
  return api;
}

describe('GET /search', () => {
  // Letters that Unicode does not take apart.
  const WHOLE = 'Smørrebrød Łódź Straße Đà Nẵng';
  const PUNCTUATED = 'Fish & Chips (L’Étoile) AT&T';
  const finds: readonly [string, string | object, readonly string[]][] = [
    ['without regard to diacritics', 'Café São João', ['cafe', 'CAFÉ', 'sao', 'joão cafe', 'Cafe\u0301']],
    ['Nordic and other letters', WHOLE, ['smorrebrod', 'lodz', 'STRASSE', 'da nang', 'smørre']],
    ['Turkish dotted and dotless letters', 'İstanbul Kapısı', ['istanbul', 'kapisi', 'ISTANBUL']],
    ['inside of words, from three letters on', 'Trattoria', ['tor', 'attori', 'ria']],
    ['by one or two letters at the start of a word', 'La Trattoria', ['l', 'tr', 't', 'la tr']],
    ['every word, in any order', 'Golden Dragon House', ['house golden', 'drag ouse', 'golden dragon house']],
    ['in the address', { name: 'A', address: '5 Rue du Bac, Paris' }, ['bac', 'paris rue', '5']],
    [
      'in the description',
      { name: 'A', description: 'Wood-fired oven' },
      ['oven', 'wood fired', 'wood-fired'],
    ],
    ['in the name of the category', { name: 'A', category_id: 1 }, ['italian', 'ital']],
    ['in the names of the food types', { name: 'A', food_type_ids: [1, 3] }, ['pizza sushi', 'sus']],
    ['over all fields together', EVERYWHERE, ['pizza roma oslo italian']],
    ['around punctuation', PUNCTUATED, ['fish & chips', 'etoile', 'l etoile', "l'etoile", 'at&t', '(chips)']],
    ['within Chinese and Japanese text', '築地寿司大', ['寿', '寿司', '築地', '司大', '大', '地寿司']],
    ['within Korean text', '서울식당', ['서울', '식당', '울']],
    ['within Thai text', 'ครัวไทย', ['ไทย', 'คร', 'ท']],
    ['in Cyrillic and Greek', 'Кафе Пушкинъ Ταβέρνα', ['кафе', 'пуш', 'ταβερνα', 'ПУШ']],
    ['in Arabic and Hebrew', 'مطعم فلافل בית קפה', ['فلافل', 'קפה']],
    ['emoji', 'Pizza🍕Haus 🦞', ['🍕', '🦞', 'pizza🍕']],
    ['full-width letters', 'Ｔｏｋｙｏ', ['tokyo']],
    ['digits', 'Bar 54', ['54', '5']],
  ];
  test('finds a restaurant by its words, in any script', async (t) => {
    const api = await catalogue(t, ['Unrelated xyz']);
    for (const [title, body, queries] of finds) {
      const [id = 0] = await createRestaurants(api, [bodyOf(body)]);
      for (const query of queries) assert.deepEqual(await search(api, query), [id], `${title}: ${query}`);
      await api.delete(`/restaurants/${id}`);
    }
  });

  const misses: readonly [string, string | object, readonly string[]][] = [
    ['when one word does not match', 'Golden Dragon', ['golden tiger', 'dragon x']],
    ['two letters inside of a word', 'Trattoria', ['ra', 'o']],
    ['across words or fields', { name: 'Alpha beta', address: 'gamma' }, ['phabe', 'betagamma', 'alphabeta']],
    ['phone numbers', { name: 'B', phone: '5551234' }, ['5551234']],
    ['web addresses', { name: 'C', website: 'https://findme.example' }, ['findme']],
  ];
  test('does not find what has other words', async (t) => {
    const api = await catalogue(
      t,
      misses.map(([, body]) => body),
    );
    for (const [title, , queries] of misses)
      for (const query of queries) assert.deepEqual(await search(api, query), [], `${title}: ${query}`);
  });

  test('puts the exact name first, names that begin so next, then other names, then the rest', async (t) => {
    const api = await catalogue(t, [
      { name: 'Z', description: 'roma' },
      'Trattoria Roma',
      'ROMÀ',
      'Roma Termini',
      { name: 'Y', address: 'Roma' },
      'Aroma',
    ]);
    const [exact, start, ...rest] = await search(api, 'roma');
    const others = [rest.slice(0, 2).sort(), rest.slice(2).sort()].flat();
    assert.deepEqual([exact, start, ...others], [3, 4, 2, 6, 1, 5]);
    assert.deepEqual(await search(api, 'roma', '&limit=2'), [3, 4]);
  });

  test('returns 20 by default, and 100 at most', async (t) => {
    const api = await catalogue(
      t,
      Array.from({ length: 105 }, (_, index) => `Diner ${index}`),
    );
    const counts = { '': 20, '&limit=100': 100, '&limit=3': 3 };
    for (const [more, count] of Object.entries(counts))
      assert.equal(new Set(await search(api, 'diner', more)).size, count);
    assert.equal(new Set(await search(api, 'd', '&limit=100')).size, 100);
  });

  test('returns whole restaurants, as they are read one by one', async (t) => {
    const api = await catalogue(t, [{ name: 'Whole', category_id: 2, food_type_ids: [4] }]);
    assert.deepEqual((await api.get('/search?q=whole')).body, [(await api.get('/restaurants/1')).body]);
  });

  test('follows creation, change and deletion at once', async (t) => {
    const api = await catalogue(t, ['First']);
    const change = { name: 'Second', address: 'Nearby', category_id: 3, food_type_ids: [5] };
    await api.put('/restaurants/1', change);
    assert.deepEqual(await search(api, 'first'), []);
    for (const query of ['second', 'nearby', 'mexican', 'tacos'])
      assert.deepEqual(await search(api, query), [1], query);
    await api.put('/restaurants/1', { address: null, category_id: null, food_type_ids: [] });
    for (const query of ['nearby', 'mexican', 'tacos']) assert.deepEqual(await search(api, query), [], query);
    await api.delete('/restaurants/1');
    assert.deepEqual(await search(api, 'second'), []);
  });

  const hostile = [
    ...['"', '""', "'", '*', 'caf*', '^cafe', '-cafe', 'AND', 'OR', 'NOT', 'NEAR(a b)', 'a OR', 'a AND'],
    ...['(', ')', '(a', 'name:cafe', '{a b}:c', '%', '_', '\\', ';--', 'a"b', '+', '" OR 1=1 --'],
    ...['🍕', '\u202e', '\u0000', 'a\u0000b', '\ud7ff', '\uffff'],
    ...['é'.repeat(200), 'a '.repeat(100).trim(), '寿'.repeat(200)],
  ];
  test('takes any input for words, never for syntax', async (t) => {
    const api = await catalogue(t, ['Cafe or and not near', 'AND', 'x'.repeat(200)]);
    for (const query of hostile) await search(api, query);
    assert.deepEqual(await search(api, 'OR'), [1]);
    assert.deepEqual(await search(api, 'and'), [2, 1]);
    assert.deepEqual(await search(api, 'x'.repeat(200)), [3]);
    assert.deepEqual(await search(api, '%'), []);
  });

  test('answers 26 single letters at once', async (t) => {
    const alphabet = Array.from('abcdefghijklmnopqrstuvwxyz').join(' ');
    const api = await catalogue(t, [alphabet, 'a b c']);
    assert.deepEqual(await search(api, alphabet), [1]);
  });

  const invalid: readonly [string, string][] = [
    ['', 'q is required'],
    ['?q=', 'q must not be blank'],
    ['?q=%20%09', 'q must not be blank'],
    [`?q=${'x'.repeat(201)}`, 'q must be at most 200 characters'],
    ['?q=a&q=b', 'q must be given once'],
    ['?q=%ff', 'q is not valid percent-encoded UTF-8'],
    ['?q=a&limit=0', 'limit must be at least 1'],
    ['?q=a&limit=101', 'limit must be at most 100'],
    ['?limit=x', 'q is required; limit must be an integer'],
    ['?q=a&include_suggestions=1', 'include_suggestions must be one of true, false'],
  ];
  test('refuses a bad parameter with 400 and names it', async (t) => {
    const { api } = await startService(t);
    for (const [query, error] of invalid)
      assert.deepEqual(refusal(await api.get(`/search${query}`)), [400, error], query);
    assert.deepEqual((await api.get('/search?q=a&unknown=1&include_suggestions=false')).body, []);
  });
});
