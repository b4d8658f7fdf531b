import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRestaurants } from '../../support/catalogue.ts';
import { refusal } from '../../support/changes.ts';
import { field, record, textOf } from '../../support/client.ts';
import { withoutFacts } from '../../support/facts.ts';
import { startService } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';

const FULL = {
  name: 'Café de la Paix',
  description: 'By the opera',
  address: '5 Place de l’Opéra, Paris',
  phone: '+33 1 40 07 36 36',
  website: 'https://www.cafedelapaix.fr/',
  latitude: 48.8708,
  longitude: 2.3314,
  google_place_id: 'ChIJ-paix',
  category_id: 5,
  food_type_ids: [10, 7, 7],
  status: 'temporarily_closed',
};
const emoji = (count: number): string => '🍕'.repeat(count);

describe('POST /restaurants', () => {
  test('creates a restaurant and answers it whole with its address', async (t) => {
    const { api } = await startService(t);
    const answer = await api.post('/restaurants', FULL);
    assert.equal(answer.status, 201);
    assert.equal(answer.headers.get('location'), '/api/restaurants/1');
    const { body } = answer;
    const created = String(field(body, 'created_at'));
    assert.match(created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const { food_type_ids: _answeredWhole, ...own } = FULL;
    assert.deepEqual(body, {
      ...withoutFacts(FULL),
      ...own,
      id: 1,
      category: (await api.get('/categories/5')).body,
      food_types: [(await api.get('/food-types/10')).body, (await api.get('/food-types/7')).body],
      avg_rating: { food: 0, service: 0, ambiance: 0, overall: 0, count: 0 },
      is_suggestion: false,
      suggestion_id: null,
      created_at: created,
      updated_at: created,
    });
    assert.deepEqual((await api.get('/restaurants/1')).body, body);
  });

  test('needs a name alone; all else is there as null, empty or its default', async (t) => {
    const { api } = await startService(t);
    assert.deepEqual(refusal(await api.post('/restaurants', {})), [400, 'name is required']);
    const body = record((await api.post('/restaurants', { name: ' Tiny \n' })).body);
    const { name: _name, food_type_ids: _foodTypes, status: _status, ...others } = FULL;
    for (const name of [...Object.keys(others), 'category']) assert.equal(body[name], null, name);
    assert.deepEqual([body['name'], body['food_types'], body['status']], ['Tiny', [], 'active']);
    assert.ok(!('distance' in body));
  });

  test('takes null for absent, and ignores fields that it does not know or that are not the client’s', async (t) => {
    const { api } = await startService(t);
    const nothing = { status: null, food_type_ids: null, category_id: null, latitude: null, longitude: null };
    const foreign = { id: 77, avg_rating: { overall: 5 }, is_suggestion: true, extra: 1 };
    const { status, body } = await api.post('/restaurants', { name: 'A', ...nothing, ...foreign });
    assert.deepEqual([status, field(body, 'id'), field(body, 'is_suggestion')], [201, 1, false]);
  });

  test('takes values at their limits, counting characters as code points', async (t) => {
    const { api } = await startService(t);
    const limits = {
      name: emoji(255),
      description: emoji(5_000),
      address: emoji(500),
      phone: emoji(50),
      google_place_id: emoji(255),
    };
    const website = `https://x.example/${'a'.repeat(482)}`;
    const answer = await api.post('/restaurants', { ...limits, website, latitude: -90, longitude: 180 });
    assert.equal(answer.status, 201);
    for (const [name, value] of Object.entries(limits)) assert.equal(field(answer.body, name), value);
  });

  const WEBSITE = 'website must be an http or https URL';
  const FOOD_TYPES = 'food_type_ids must be an array of positive integers';
  const STATUS = 'status must be one of active, temporarily_closed, closed';
  const invalid: readonly [Readonly<Record<string, unknown>>, string][] = [
    [{ name: null }, 'name is required'],
    [{ name: ' \t\n ' }, 'name is required'],
    [{ name: '<script>alert(1)</script>' }, 'name is required'],
    [{ name: 7 }, 'name must be a string'],
    [{ name: ['A'] }, 'name must be a string'],
    [{ name: emoji(256) }, 'name must be at most 255 characters'],
    [{ description: 'x'.repeat(5_001) }, 'description must be at most 5000 characters'],
    [{ description: `<p${' '.repeat(49_998)}>` }, 'description must be at most 5000 characters'],
    [{ address: 'x'.repeat(501) }, 'address must be at most 500 characters'],
    [{ phone: 'x'.repeat(51) }, 'phone must be at most 50 characters'],
    [{ phone: 123 }, 'phone must be a string'],
    [{ website: 'javascript:alert(1)' }, WEBSITE],
    [{ website: 'java\u0000script:alert(1)' }, WEBSITE],
    [{ website: 'mailto:chef@food.example' }, WEBSITE],
    [{ website: 'chef@food.example' }, WEBSITE],
    [{ website: 'food' }, WEBSITE],
    [{ website: '//food/menu' }, WEBSITE],
    [{ website: 'n.a' }, WEBSITE],
    [{ website: '3.50' }, WEBSITE],
    [{ website: 'food..example' }, WEBSITE],
    [{ website: 'food.example:port' }, WEBSITE],
    [{ website: 'food.example:99999' }, WEBSITE],
    [{ website: 'food.example:8080@evil.example' }, WEBSITE],
    [{ website: 'food.example/a b' }, WEBSITE],
    [{ website: `food.example/${'x'.repeat(487)}` }, 'website must be at most 500 characters'],
    [{ website: 'ftp://example.com' }, WEBSITE],
    [{ website: 'https://' }, WEBSITE],
    [{ website: 'https://exa mple.com' }, WEBSITE],
    [{ google_place_id: 'x'.repeat(256) }, 'google_place_id must be at most 255 characters'],
    [{ latitude: '48.8', longitude: 2 }, 'latitude must be a number'],
    [{ latitude: 90.1, longitude: 2 }, 'latitude must be between -90 and 90'],
    [{ latitude: 1, longitude: -180.5 }, 'longitude must be between -180 and 180'],
    [{ latitude: 1 }, 'latitude and longitude must be given together'],
    [{ longitude: 1, latitude: null }, 'latitude and longitude must be given together'],
    [{ category_id: 999 }, 'category_id 999 does not exist'],
    [{ category_id: '1' }, 'category_id must be a positive integer'],
    [{ category_id: 1.5 }, 'category_id must be a positive integer'],
    [{ category_id: 0 }, 'category_id must be a positive integer'],
    [{ food_type_ids: 1 }, FOOD_TYPES],
    [{ food_type_ids: ['1'] }, FOOD_TYPES],
    [{ food_type_ids: [1, 998, 999] }, 'food_type_ids 998, 999 do not exist'],
    [{ food_type_ids: [...Array(51).keys()].map((id) => id + 1) }, 'food_type_ids must have at most 50 ids'],
    [{ status: 'open' }, STATUS],
    [{ status: 1 }, STATUS],
    [
      { name: '', latitude: 91, longitude: 'x', phone: [] },
      'name is required; phone must be a string; latitude must be between -90 and 90; longitude must be a number',
    ],
    // Faults that only the database knows are reported together with those of the body.
    [
      { category_id: 998, food_type_ids: [999] },
      'category_id 998 does not exist; food_type_ids 999 do not exist',
    ],
    [{ phone: 5, category_id: 999 }, 'phone must be a string; category_id 999 does not exist'],
    [{ name: ' ', category_id: 999 }, 'name is required; category_id 999 does not exist'],
    [{ food_type_ids: ['x'], category_id: 999 }, `${FOOD_TYPES}; category_id 999 does not exist`],
    [
      { latitude: 91, longitude: 0, food_type_ids: [1, 998, 999] },
      'latitude must be between -90 and 90; food_type_ids 998, 999 do not exist',
    ],
    [
      { website: 'www example.com', status: 'open', category_id: 999 },
      `${WEBSITE}; ${STATUS}; category_id 999 does not exist`,
    ],
  ];
  longTest(
    'and PUT refuse what breaks a rule with 400, naming every fault at once, and store nothing',
    async (t) => {
      const { api } = await startService(t);
      await api.post('/restaurants', { name: 'Here' });
      const before = (await api.get('/restaurants')).body;
      for (const [change, error] of invalid) {
        const title = JSON.stringify(change).slice(0, 80);
        const made = await api.post('/restaurants', { name: 'A', ...change });
        assert.deepEqual([made.status, made.body], [400, { error }], title);
        const changed = await api.put('/restaurants/1', { address: 'Elsewhere', ...change });
        assert.deepEqual([changed.status, changed.body], [400, { error }], title);
      }
      assert.deepEqual((await api.get('/restaurants')).body, before);
    },
  );

  test('refuses 1e999, which is no finite number', async (t) => {
    const { api } = await startService(t);
    const body = '{"name":"A","latitude":1e999,"longitude":0}';
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body };
    assert.deepEqual(refusal(await api.send('/api/restaurants', init)), [400, 'latitude must be a number']);
  });

  const twins: readonly [string, object, object][] = [
    ['the same place id', { name: 'A', google_place_id: 'p1' }, { name: 'B', google_place_id: 'p1' }],
    ['the same name and address', { name: 'A', address: 'B' }, { name: 'A', address: 'B' }],
    ['the same in other case', { name: 'ÉMILE', address: 'Ölweg' }, { name: 'émile', address: 'ÖLWEG' }],
    ['the same composed another way', { name: 'Cafe\u0301' }, { name: 'Caf\u00e9' }],
    ['the same name and no address', { name: 'A' }, { name: 'a' }],
  ];
  test('refuses what is there already with 409 and names the other', async (t) => {
    const { api } = await startService(t);
    for (const [title, first, second] of twins) {
      const { body } = await api.post('/restaurants', first);
      const [name, id] = [textOf(body, 'name'), String(field(body, 'id'))];
      const refused = [409, `Restaurant already exists: "${name}" (id ${id})`];
      assert.deepEqual(refusal(await api.post('/restaurants', second)), refused, title);
      await api.delete(`/restaurants/${id}`);
    }
  });

  test('names the other by its place id, else by another id, else by name and address', async (t) => {
    const { api } = await startService(t);
    const [place, osm] = [{ google_place_id: 'p' }, { external_ids: { osm: 'N1' } }];
    await createRestaurants(api, [{ name: 'A', ...place }, { name: 'B', ...osm }, { name: 'C' }]);
    const both = await api.post('/restaurants', { name: 'C', ...osm, ...place });
    assert.deepEqual(refusal(both), [409, 'Restaurant already exists: "A" (id 1)']);
    const one = await api.post('/restaurants', { name: 'C', ...osm });
    assert.deepEqual(refusal(one), [409, 'Restaurant already exists: "B" (id 2)']);
  });

  const different: readonly [string, object, object][] = [
    ['place ids in other case', { name: 'A', google_place_id: 'p' }, { name: 'B', google_place_id: 'P' }],
    ['another address', { name: 'A', address: 'B' }, { name: 'A', address: 'C' }],
    ['names that differ in a diacritic', { name: 'Cafe' }, { name: 'Café' }],
    ['other coordinates', { name: 'A', latitude: 1, longitude: 1 }, { name: 'A', latitude: 1, longitude: 2 }],
  ];
  test('takes what only resembles another', async (t) => {
    const { api } = await startService(t);
    for (const [title, ...bodies] of different)
      for (const body of bodies) {
        const { status } = await api.post('/restaurants', body);
        assert.equal(status, 201, title);
      }
  });

  test('lets exactly one of many that arrive together through', async (t) => {
    const { api } = await startService(t);
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.post('/restaurants', FULL)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array<number>(19).fill(409)]);
  });
});

const LONGEST = `food.example/${'x'.repeat(479)}`;

describe('the website of a restaurant', () => {
  const addresses: readonly [string, string, string][] = [
    ['a host with a dot', 'food.example', 'https://food.example'],
    ['a host with a path', 'food.example/menu', 'https://food.example/menu'],
    ['a host with a query', 'www.food.example?lang=fr', 'https://www.food.example?lang=fr'],
    ['a host with a fragment', 'food.example#menu', 'https://food.example#menu'],
    ['a host with a port, which is no scheme', 'food.example:8080', 'https://food.example:8080'],
    ['a host with a port and a path', 'food.example:8080/menu', 'https://food.example:8080/menu'],
    ['two slashes and a host', '//food.example', 'https://food.example'],
    ['a host with letters beyond ASCII', 'säge-flüh.ch/küche', 'https://säge-flüh.ch/küche'],
    [
      'a path with an address in it',
      'food.example/go?to=http://a.example',
      'https://food.example/go?to=http://a.example',
    ],
    ['http, which stays', 'http://food.example', 'http://food.example'],
    ['a scheme in capitals, which stays', 'HTTPS://Food.example', 'HTTPS://Food.example'],
    ['a scheme and a host without a dot', 'http://localhost:8080', 'http://localhost:8080'],
    ['492 characters without its scheme, the most', LONGEST, `https://${LONGEST}`],
  ];
  longTest('may be an address with or without its scheme', async (t) => {
    const { api } = await startService(t);
    for (const [title, website, expected] of addresses) {
      const created = await api.post('/restaurants', { name: title, website });
      assert.deepEqual([created.status, field(created.body, 'website')], [201, expected], title);
      const changed = await api.put('/restaurants/1', { website });
      assert.equal(field(changed.body, 'website'), expected, title);
      const suggested = await api.post('/suggestions', { name: `Suggested: ${title}`, website });
      assert.equal(field(suggested.body, 'website'), expected, title);
    }
  });
});
