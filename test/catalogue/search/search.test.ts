import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { createRestaurants, createSuggestions, rate } from '../../support/catalogue.ts';
import { refusal } from '../../support/changes.ts';
import { type Client, field, ids } from '../../support/client.ts';
import { startService } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';

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
  longTest('finds a restaurant by its words, in any script', async (t) => {
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

  // In the order of the answer.
  const RANKED: readonly (string | object)[] = [
    'ROM\u00c0',
    'Romantica',
    'Osteria Roma Antica',
    'Trattoria Romana',
    'Aroma',
    { name: 'Y', address: 'Via Roma' },
    { name: 'Z', description: 'Roma' },
  ];
  test('orders by how well the name fits, from the name itself to a text elsewhere, in lists too', async (t) => {
    const { api } = await startService(t);
    // The best is the oldest, so no other order has the same result.
    const made = await createRestaurants(api, RANKED.map(bodyOf));
    assert.deepEqual(await search(api, 'roma'), [...made.slice(0, 5), 7, 6]);
    assert.deepEqual(await search(api, 'Roma', '&limit=2'), [1, 2]);
    for (let offset = 0; offset <= made.length; offset += 1)
      assert.deepEqual(
        ids((await api.get(`/restaurants?q=roma&limit=2&offset=${offset}`)).body),
        [1, 2, 3, 4, 5, 7, 6].slice(offset, offset + 2),
      );
    assert.deepEqual(ids((await api.get('/restaurants?q=roma&sort=newest')).body), [7, 6, 5, 4, 3, 2, 1]);
  });

  test('orders equal matches by rating, and those with the same rating by age', async (t) => {
    const api = await catalogue(t, [
      'Bar Uno',
      'Bar Due',
      'Bar Tre',
      'Al Bar',
      { name: 'X', address: 'Bar' },
    ]);
    await createSuggestions(api, [{ name: 'Bar Nuovo' }]);
    for (const [id, value] of [
      [1, 3],
      [2, 5],
      [3, 3],
      [4, 5],
      [5, 5],
    ] as const)
      await rate(api, id, value);
    const expected = [2, 3, 1, 6, 4, 5];
    assert.deepEqual(await search(api, 'bar'), expected);
    assert.deepEqual(ids((await api.get('/restaurants?q=bar')).body), expected);
  });

  test('finds a place by one word of its name before those that only contain the letters', async (t) => {
    const api = await catalogue(t, [
      'Lorenzo',
      'Da Enzo al 29',
      'Vincenzo',
      { name: 'A', address: 'Via Enzo' },
    ]);
    assert.deepEqual(await search(api, 'Enzo'), [2, 3, 1, 4]);
  });

  test('compares several words as one text', async (t) => {
    const api = await catalogue(t, [
      'Golden Dragonfly',
      'The Golden Dragon House',
      'Golden Dragon',
      'Old Golden Dragons',
      'Dragon of Golden Hill',
      { name: 'Golden', address: 'Dragon Street' },
    ]);
    assert.deepEqual(await search(api, 'golden dragon'), [3, 1, 2, 4, 5, 6]);
  });

  test('pages through matches without gaps, and takes a cursor for its own search alone', async (t) => {
    const api = await catalogue(t, RANKED);
    const pages: number[] = [];
    let cursor: unknown;
    do {
      const after = typeof cursor === 'string' ? `&cursor=${cursor}` : '';
      const { body } = await api.get(`/restaurants/paginated?q=roma&limit=2${after}`);
      pages.push(...ids(field(body, 'data')));
      cursor = field(body, 'next_cursor') ?? cursor;
      if (field(body, 'has_more') !== true) break;
    } while (pages.length < 10);
    assert.deepEqual(pages, [1, 2, 3, 4, 5, 7, 6]);
    const other = await api.get(`/restaurants/paginated?q=rom&cursor=${String(cursor)}`);
    assert.deepEqual(refusal(other), [400, 'Invalid cursor']);
  });

  longTest('returns 20 by default, and 100 at most', async (t) => {
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
    '"',
    '""',
    "'",
    '*',
    'caf*',
    '^cafe',
    '-cafe',
    'AND',
    'OR',
    'NOT',
    'NEAR(a b)',
    'a OR',
    'a AND',
    '(',
    ')',
    '(a',
    'name:cafe',
    '{a b}:c',
    '%',
    '_',
    '\\',
    ';--',
    'a"b',
    '+',
    '" OR 1=1 --',
    '🍕',
    '\u202e',
    '\u0000',
    'a\u0000b',
    '\ud7ff',
    '\uffff',
    'é'.repeat(200),
    'a '.repeat(100).trim(),
    '寿'.repeat(200),
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

// Scripts without blanks between words: one character may stand at the start of a text, within it and at its end.
const PLACES: readonly [string, object][] = [
  ['the name', { name: '築地寿司大' }],
  ['the address', { name: 'A', address: '築地寿司大' }],
  ['the description', { name: 'A', description: '築地寿司大' }],
  ['the description behind an address', { name: 'A', address: 'B', description: '築地寿司大' }],
];

describe('a search for one or two characters', () => {
  longTest('finds them at the start, within and at the end of every text', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [{ name: 'Unrelated' }]);
    for (const [title, body] of PLACES) {
      const [id = 0] = await createRestaurants(api, [body]);
      for (const query of ['築', '地', '寿', '司', '大', '築地', '地寿', '寿司', '司大'])
        assert.deepEqual(await search(api, query), [id], `${title}: ${query}`);
      await api.delete(`/restaurants/${id}`);
    }
  });

  test('finds them at both ends of the name of a category and a food type', async (t) => {
    const { api } = await startService(t);
    for (const path of ['/categories', '/food-types']) await api.post(path, { name: '回転寿司' });
    const made = await createRestaurants(api, [
      { name: 'A', category_id: 11 },
      { name: 'B', food_type_ids: [11] },
      { name: 'Unrelated' },
    ]);
    for (const query of ['回', '司', '回転', '寿司'])
      assert.deepEqual((await search(api, query)).sort(), made.slice(0, 2), query);
  });

  test('finds an emoji at the end of an address', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [{ name: 'A', address: 'Beach 🦞' }]);
    assert.deepEqual(await search(api, '🦞'), [1]);
  });

  longTest('misses none of hundreds, whatever follows the character', async (t) => {
    const { api } = await startService(t);
    const made = await createRestaurants(
      api,
      Array.from({ length: 250 }, (_, index) => ({
        name: `大${String.fromCodePoint(0x4e00 + index * 7, 0x4e00 + index * 3)}店`,
      })),
    );
    const body = (await api.get(`/restaurants/paginated?limit=1&q=${encodeURIComponent('大')}`)).body;
    assert.equal(field(body, 'total'), made.length);
  });

  test('puts names before the rest, wherever in the name the character stands', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [
      { name: '東京大' },
      { name: 'A', address: '大阪市' },
      { name: '大盛軒' },
      { name: 'B', address: '大手町' },
    ]);
    const found = await search(api, '大');
    assert.deepEqual(found.slice(0, 2).sort(), [1, 3]);
    assert.deepEqual(found.slice(2).sort(), [2, 4]);
  });

  test('finds the start of a word in other scripts, at the end of every text', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [{ name: 'Rio', address: 'Rua X 7', description: 'fish & o' }]);
    for (const query of ['r', 'ri', 'x', '7', 'o', 'fi', 'X 7 o'])
      assert.deepEqual(await search(api, query), [1], query);
  });

  longTest('takes a hundred of them at once', async (t) => {
    const { api } = await startService(t);
    const characters = Array.from({ length: 100 }, (_, index) => String.fromCodePoint(0x4e00 + index * 7));
    await createRestaurants(api, [
      { name: characters.join('') },
      ...characters.map((character, index) => ({ name: `${character}店${index}` })),
    ]);
    assert.deepEqual(await search(api, characters.join(' ')), [1]);
  });
});

// More than may be called rare, so that a common word is read from the texts of a rare one.
const COMMON = 310;

const SPECIAL = [
  { name: 'Zebra Noodle' },
  { name: 'Zebra', address: '1 Noodle Street' },
  { name: 'Zebra', address: '2 Snood Street' },
  { name: 'Zebra Οδός', address: '3 Noodle + Soup' },
  { name: 'Zebra', description: 'Noodles, 寿司 and nothing else' },
];

// The ids of SPECIAL, in the order of the answer, behind the common ones.
const SEARCHES: readonly [string, readonly number[]][] = [
  ['zebra noodle', [1, 5, 4, 2]],
  ['noodle zebra', [1, 5, 4, 2]],
  ['zebra nood', [1, 5, 4, 3, 2]],
  ['zebra no', [1, 5, 4, 2]],
  ['zebra oodle', [1, 5, 4, 2]],
  ['zebra noodle street', [2]],
  ['zebra noodle + soup', [4]],
  ['noodle zebra οδοσ', [4]],
  ['noodle zebra 司', [5]],
  ['noodle zebra giraffe', []],
  ['noodle zebra giraffes elephants', []],
];

describe('a rare word next to a common one', () => {
  longTest('finds what has both, names first, in whichever order they are given', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(
      api,
      Array.from({ length: COMMON }, (_, index) => ({
        name: `Noodle House ${index}`,
        address: 'Soup Street',
      })),
    );
    await createRestaurants(api, SPECIAL);
    const found = async (words: string): Promise<number[]> =>
      (await search(api, words, '&limit=100')).map((id) => id - COMMON);
    for (const [words, wanted] of SEARCHES) assert.deepEqual(await found(words), wanted, words);

    // Pending suggestions are among the restaurants.
    await createRestaurants(api, [{ name: 'Noodle Yak' }]);
    await createSuggestions(api, [{ name: 'Noodle Yak Two' }, { name: 'Yak', address: 'Snood Street' }]);
    assert.deepEqual(await found('noodle yak'), [6, 7]);
    assert.deepEqual(await found('yak nood'), [7, 6, 8]);
  });
});

// Names that real places have, and that are nearly nothing once punctuation is left out.
const NAMES = ['!!!', '…', '&', '+', '$$', '#1', "Joe's", 'A.O.C.', '4/4', 'C++', '100%', 'Ø', 'ß', 'Σ', 'İ'];

describe('a search for an odd name', () => {
  test('finds the restaurant that is called so, before all others', async (t) => {
    const { api } = await startService(t);
    for (const name of NAMES) {
      const [id] = await createRestaurants(api, [{ name }, { name: `Not ${name}`, description: name }]);
      const { status, body } = await api.get(`/search?q=${encodeURIComponent(name)}`);
      assert.deepEqual([status, ids(body)[0]], [200, id], name);
    }
  });

  test('finds a name of punctuation in lists too, whatever blanks are in it', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [{ name: '¡! \n …\u00a0"' }, { name: 'Another!', description: '¡! …' }]);
    for (const path of ['/search', '/restaurants'])
      for (const query of ['¡! … "', '"', '…\t¡', '¡!'])
        assert.deepEqual(ids((await api.get(`${path}?q=${encodeURIComponent(query)}`)).body), [1], query);
    for (const query of ['\u0301', '\u007f', '\u0000', '---', '" OR "', "''", '\u200b'])
      assert.deepEqual(ids((await api.get(`/search?q=${encodeURIComponent(query)}`)).body), [], query);
  });

  test('finds Greek words whatever the form of their sigma', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [{ name: 'Κώστας' }]);
    for (const query of ['ΚΩΣ', 'κωσ', 'κως', 'ΚΏΣΤΑΣ', 'κωστασ'])
      assert.deepEqual(ids((await api.get(`/search?q=${encodeURIComponent(query)}`)).body), [1], query);
  });
});
