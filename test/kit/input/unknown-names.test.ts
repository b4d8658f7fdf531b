import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nearlyNamed } from '../../../src/kit/input/unknown.ts';
import { FULL_SUGGESTION } from '../../support/catalogue.ts';
import { changeOf } from '../../support/changes.ts';
import { type Answer, array, createClient, field, record } from '../../support/client.ts';
import { LOCAL, readStored } from '../../support/people.ts';
import { form, photoPart, sendForm, storedFiles } from '../../support/photos.ts';
import { mapWithGoogle } from '../../support/places.ts';
import { startService } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';
import { addPhoto, ratingOf } from '../../support/world.ts';

const STRICT = { Prefer: 'handling=strict' };

const warning = ({ headers }: Answer): string | null => headers.get('catalogue-warning');
const error = ({ body }: Answer): unknown => field(body, 'error');

describe('an unknown parameter of a read', () => {
  const misspelt: readonly (readonly [path: string, fault: string])[] = [
    ['/restaurants?categroy_id=5', 'unknown parameter categroy_id; did you mean category_id?'],
    ['/restaurants/paginated?foodTypeIds=5', 'unknown parameter foodTypeIds; did you mean food_type_ids?'],
    ['/restaurants/paginated?minrating=4', 'unknown parameter minrating; did you mean min_rating?'],
    [
      '/restaurants?limits=0&limit=0',
      'limit must be at least 1; unknown parameter limits; did you mean limit?',
    ],
    ['/search?q=x&limt=5', 'unknown parameter limt; did you mean limit?'],
    ['/suggestions?state=pending&statu=all', 'unknown parameter statu; did you mean status?'],
    ['/restaurants/1/ratings?Offset=5', 'unknown parameter Offset; did you mean offset?'],
    ['/restaurants/1/photos?offest=5', 'unknown parameter offest; did you mean offset?'],
    ['/restaurants/1/history?sinse=x', 'unknown parameter sinse; did you mean since?'],
    ['/changes?kinds=rating', 'unknown parameter kinds; did you mean kind?'],
    ['/changes/stream?actors=me', 'unknown parameter actors; did you mean actor?'],
    ['/batches?curser=x', 'unknown parameter curser; did you mean cursor?'],
    ['/places/search?qs=x', 'q is required; unknown parameter qs; did you mean q?'],
    ['/geocode/cities?q=x&Q=y', 'unknown parameter Q; did you mean q?'],
  ];
  test('is refused where it is nearly known, with all other faults', async (t) => {
    const { api } = (await mapWithGoogle(t)).service;
    for (const [path, fault] of misspelt) {
      const answer = await api.get(path);
      assert.deepEqual([answer.status, error(answer)], [400, fault], path);
    }
  });

  const ignored: readonly (readonly [path: string, warning: string])[] = [
    ['/restaurants?colour=red', 'unknown parameter colour'],
    ['/restaurants/paginated?v=1&_=2', 'unknown parameter v; unknown parameter _'],
    ['/restaurants/1?expand=all', 'unknown parameter expand'],
    ['/categories?limit=5&limit=6', 'unknown parameter limit'],
    ['/search?q=x&page=2', 'unknown parameter page'],
    ['/changes?since=start&colour=%E2%82%AC', 'unknown parameter colour'],
    ['/changes/1?a=1', 'unknown parameter a'],
    ['/ratings/1?a=1', 'unknown parameter a'],
    ['/health?a=1', 'unknown parameter a'],
    [`/restaurants?${'x'.repeat(60)}=1`, `unknown parameter ${'x'.repeat(40)}`],
    ['/restaurants?prix%0D%0A%E2%82%AC=1', 'unknown parameter prix???'],
    [
      '/restaurants?z1&z2&z3&z4&z5&z6',
      [1, 2, 3, 4, 5].map((one) => `unknown parameter z${String(one)}`).join('; '),
    ],
  ];
  test('is ignored otherwise, and named by the answer each time; a strict request is refused', async (t) => {
    const { api } = await startService(t);
    await api.post('/restaurants', { name: 'Chez Nous' });
    await api.post('/ratings', ratingOf(1));
    for (const [path, expected] of ignored) {
      // The third one of the same address may come from a cache.
      for (const answer of [await api.get(path), await api.get(path), await api.get(path)])
        assert.deepEqual([answer.status, warning(answer)], [200, expected], path);
      const answer = await api.get(path, STRICT);
      assert.equal(answer.status, 400, path);
      assert.ok(String(error(answer)).startsWith(expected), path);
    }
  });

  longTest(
    'is no concern where all names are known, from the cache too, and of files and the sign-in',
    async (t) => {
      const { api } = await startService(t, LOCAL);
      for (const path of ['/restaurants?limit=5&', '/restaurants/paginated?sort=name&=3', '/categories'])
        for (let times = 0; times < 4; times += 1) {
          const answer = await api.get(path, times % 2 === 0 ? STRICT : {});
          assert.deepEqual([answer.status, warning(answer)], [200, null], path);
        }
      for (const path of ['/docs?v=1', '/swagger.yaml?limit=1', '/docs/swagger.json?Q=1'])
        assert.deepEqual(
          [(await api.get(path, STRICT)).status, warning(await api.get(path))],
          [200, null],
          path,
        );
      assert.equal((await api.get('/auth/tokens?limts=1', STRICT)).status, 401);
      assert.equal((await api.get('/metrics?limts=1')).status, 200);
    },
  );
});

describe('an unknown field', () => {
  const NAME = { name: 'Chez Nous' };
  const ADRESS = 'unknown field adress; did you mean address?';

  test('is ignored and named by the answer', async (t) => {
    const { api } = await startService(t);
    const created = await api.post('/restaurants', { ...NAME, adress: '1 Rue du Bac', wifi: true });
    assert.deepEqual([created.status, warning(created)], [201, `${ADRESS}; unknown field wifi`]);
    const answers: [Answer, string][] = [
      [await api.put('/restaurants/1', { adress: 'x' }), ADRESS],
      [await api.put('/restaurants/1?colour=1', {}), 'unknown parameter colour'],
      [await api.delete('/food-types/3?force=1'), 'unknown parameter force'],
      [await api.put('/categories/1', { nam: 'x' }), 'unknown field nam; did you mean name?'],
      [
        await api.post('/ratings', { ...ratingOf(1), text: 'x', 'prénom\n': 1 }),
        'unknown field text; unknown field pr?nom?',
      ],
      [await api.post('/suggestions', { name: 'x', note: 'y' }), 'unknown field note; did you mean notes?'],
      [await api.patch('/suggestions/2/status', { status: 'approved', by: 1 }), 'unknown field by'],
      [
        await api.post('/suggestions/2/convert', { descripton: 'x' }),
        'unknown field descripton; did you mean description?',
      ],
      [
        await sendForm(api, form(photoPart(), { name: 'captoin', content: 'x' })),
        'unknown field captoin; did you mean caption?',
      ],
    ];
    const deleted = await api.delete('/food-types/4');
    const undone = await api.post(`/changes/${changeOf(deleted)}/revert`, { force: true });
    for (const [answer, expected] of [...answers, [undone, 'unknown field force'] as const])
      assert.equal(warning(answer), expected, expected);
  });

  test('is refused with all other faults in a strict request, before anything is written', async (t) => {
    const { api, folder, url } = await startService(t);
    await api.post('/restaurants', NAME);
    await api.post('/suggestions', { name: 'Bistro' });
    const deleted = await api.delete('/food-types/4');
    const change = changeOf(deleted);
    const count = (): unknown => readStored(folder, 'SELECT count(*), max(id) FROM changes');
    const before = count();
    const refusals: [Promise<Answer>, string][] = [
      [
        api.post('/restaurants', { name: '', adress: 'x', category_id: 99 }, STRICT),
        `name is required; category_id 99 does not exist; ${ADRESS}`,
      ],
      [api.post('/restaurants', { name: 'x', adress: 'x' }, STRICT), ADRESS],
      [api.post('/restaurants?colour=1', { name: 'x' }, STRICT), 'unknown parameter colour'],
      [api.put('/restaurants/1', { phone: '1', adress: 'x' }, STRICT), ADRESS],
      [api.delete('/restaurants/1?force=1', STRICT), 'unknown parameter force'],
      [api.post('/ratings', { ...ratingOf(1), text: 'x' }, STRICT), 'unknown field text'],
      [api.patch('/suggestions/2/status', { status: 'approved', by: 1 }, STRICT), 'unknown field by'],
      [api.post('/suggestions/2/convert', { wifi: 'x' }, STRICT), 'unknown field wifi'],
      [api.post(`/changes/${change}/revert`, { force: true }, STRICT), 'unknown field force'],
      [api.post(`/changes/${change}/purge`, { force: true }, STRICT), 'unknown field force'],
      [
        sendForm(createClient(url, STRICT), form(photoPart(), { name: 'wifi', content: 'x' })),
        'unknown field wifi',
      ],
    ];
    for (const [asked, fault] of refusals) {
      const answer = await asked;
      assert.deepEqual([answer.status, error(answer)], [400, fault]);
    }
    assert.deepEqual([count(), storedFiles(folder)], [before, []]);
  });

  test('is one that answers have as an object, where it is sent as a name or an id', async (t) => {
    const { api } = await startService(t);
    const CATEGORY = 'unknown field category; use category_id';
    const FOOD_TYPES = 'unknown field food_types; use food_type_ids';
    await api.post('/restaurants', NAME);
    const answers: [Answer, string][] = [
      [await api.post('/restaurants', { name: 'A', category: 'French' }), CATEGORY],
      [await api.post('/restaurants', { name: 'B', food_types: ['ramen'] }), FOOD_TYPES],
      [await api.put('/restaurants/1', { category: 5, food_types: 'ramen' }), `${CATEGORY}; ${FOOD_TYPES}`],
      [await api.post('/suggestions', { name: 'C', category: 'French' }), CATEGORY],
      [
        await api.patch('/suggestions/4/status', { status: 'tested', category: 'French', food_types: ['x'] }),
        'unknown field category; unknown field food_types',
      ],
      [await api.put('/lists/want/items/1', { restaurant: 'B' }), 'unknown field restaurant'],
      [
        await api.post('/suggestions/4/convert', { category: 'French', food_types: [1] }),
        `${CATEGORY}; ${FOOD_TYPES}`,
      ],
      [
        await api.post('/ratings', { ...ratingOf(1), restaurant: 2 }),
        'unknown field restaurant; use restaurant_id',
      ],
      [
        await api.post('/visits', { restaurant_id: 1, visited_on: '2026-01-02', restaurant: 'B' }),
        'unknown field restaurant; use restaurant_id',
      ],
    ];
    for (const [answer, expected] of answers) assert.equal(warning(answer), expected, expected);
    const refused = await api.put('/restaurants/1', { category: 'French' }, STRICT);
    assert.deepEqual([refused.status, error(refused)], [400, CATEGORY]);
    const objects = { category: null, food_types: [{ id: 1, name: 'x' }], avg_rating: 4 };
    assert.equal(warning(await api.put('/restaurants/1', objects)), null);
  });

  test('is none in a record that is sent back as it was received', async (t) => {
    const { api } = await startService(t);
    await api.post('/restaurants', {
      ...NAME,
      latitude: 48,
      longitude: 2,
      category_id: 5,
      food_type_ids: [8],
    });
    await api.post('/suggestions', FULL_SUGGESTION);
    await api.post('/ratings', ratingOf(1));
    await addPhoto(api, 1);
    const near = array((await api.get('/restaurants?lat=48&lng=2')).body)[0];
    const got = async (path: string): Promise<object> => record((await api.get(path)).body);
    const answers = [
      await api.put('/restaurants/1', await got('/restaurants/1'), STRICT),
      await api.put('/restaurants/1', near, STRICT),
      await api.put('/categories/5', await got('/categories/5'), STRICT),
      await api.put('/food-types/8', await got('/food-types/8'), STRICT),
      await api.post('/ratings', await got('/ratings/1'), STRICT),
      await api.patch('/photos/1', await got('/photos/1'), STRICT),
      await api.patch('/suggestions/2/status', await got('/suggestions/2'), STRICT),
      await api.post(
        '/suggestions',
        { ...(await got('/suggestions/2')), name: 'x', google_place_id: null },
        STRICT,
      ),
      await api.post('/suggestions/2/convert', await got('/restaurants/1'), STRICT),
    ];
    for (const { status, body } of answers) assert.ok(status < 300 || status === 409, JSON.stringify(body));
  });
});

describe('a Prefer header', () => {
  const headers: readonly (readonly [header: string, isStrict: boolean])[] = [
    ['handling=strict', true],
    ['HANDLING = "Strict"', true],
    ['respond-async, wait=100, handling=strict; foo=bar', true],
    ['handling=strict, handling=lenient', true],
    ['handling=lenient, handling=strict', false],
    ['handling', false],
    ['handling=', false],
    ['strict', false],
    ['handling=strictly', false],
    [', ;=', false],
  ];
  test('asks for strict handling by its first handling preference', async (t) => {
    const { api } = await startService(t);
    for (const [Prefer, isStrict] of headers) {
      const { status } = await api.get('/categories?colour=1', { Prefer });
      assert.equal(status, isStrict ? 400 : 200, Prefer);
    }
  });
});

const NAMES = [
  'q',
  'lat',
  'lng',
  'sort',
  'limit',
  'cursor',
  'radius',
  'category_id',
  'food_type_ids',
  'min_rating',
];

describe('a name that is nearly another', () => {
  const near: readonly (readonly [string, readonly string[]])[] = [
    ['category_id', ['Category-ID', 'categoryId', 'category', 'category_ids', 'categorys', 'ctaegroy_id']],
    ['food_type_ids', ['food_type', 'foodtypes']],
    ['lat', ['LAT', 'lats']],
    ['sort', ['srot', 'sor', 'sortt', 'port']],
    ['limit', ['limits']],
    ['min_rating', ['min_ratng', 'minratin']],
  ];
  test('is found', () => {
    for (const [name, given] of near)
      for (const one of given) assert.deepEqual(nearlyNamed(one, NAMES), [name], one);
  });

  const far = ['sort', 'lag', 'long', 'p', 's', '_id', '', '-', 'srrtt', 'crsr', 'page', 'min_rtg', 'foo'];
  test('is not found where it is too far', () => {
    for (const given of far) assert.deepEqual(nearlyNamed(given, NAMES), [], JSON.stringify(given));
  });

  test('is the nearest one, and all of those that are as near', () => {
    assert.deepEqual(nearlyNamed('types', ['type', 'tyres', 'type_ids']), ['type', 'type_ids']);
    assert.deepEqual(nearlyNamed('cart', ['card', 'cars', 'carts']), ['carts']);
    assert.deepEqual(nearlyNamed('care', ['card', 'cars', 'house']), ['card', 'cars']);
    assert.deepEqual(nearlyNamed('card', ['card', 'cars']), []);
  });
});
