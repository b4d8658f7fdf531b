import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FULL_SUGGESTION } from '../support/catalogue.ts';
import { changeOf } from '../support/changes.ts';
import { type Answer, array, createClient, field, record } from '../support/client.ts';
import { readStored } from '../support/people.ts';
import { form, photoPart, sendForm, storedFiles } from '../support/photos.ts';
import { startService } from '../support/service.ts';
import { addPhoto, ratingOf } from '../support/world.ts';

const STRICT = { Prefer: 'handling=strict' };

const warning = ({ headers }: Answer): string | null => headers.get('catalogue-warning');
const error = ({ body }: Answer): unknown => field(body, 'error');

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
