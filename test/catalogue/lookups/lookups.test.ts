import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { array, field, ids, record } from '../../support/client.ts';
import { startService, temporaryFolder } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';

const names = (list: unknown): unknown[] => array(list).map((record) => field(record, 'name'));

const KINDS = [
  {
    path: '/categories',
    noun: 'Category',
    defaults: 'American Asian Chinese French Indian Italian Japanese Mediterranean Mexican Thai',
    attach: (id: number) => ({ category_id: id }),
    attached: (restaurant: unknown): unknown => field(restaurant, 'category'),
    detached: null,
  },
  {
    path: '/food-types',
    noun: 'Food type',
    defaults: 'Burgers Curry Desserts Pasta Pizza Salads Seafood Steak Sushi Tacos',
    attach: (id: number) => ({ food_type_ids: [id] }),
    attached: (restaurant: unknown): unknown => array(field(restaurant, 'food_types'))[0],
    detached: undefined,
  },
] as const;

for (const { path, noun, defaults, attach, attached, detached } of KINDS)
  describe(path, () => {
    test('begins with ten, ordered by name', async (t) => {
      const { api } = await startService(t);
      const { status, body } = await api.get(path);
      assert.equal(status, 200);
      assert.equal(names(body).join(' '), defaults);
      const [first] = array(body);
      assert.deepEqual(Object.keys(record(first)), ['id', 'name', 'created_at', 'updated_at']);
      assert.match(String(field(first, 'created_at')), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    });

    longTest('does not bring a default back that was deleted or renamed', async (t) => {
      const folder = temporaryFolder(t);
      const before = await startService(t, { DATA_DIR: folder });
      await before.api.delete(`${path}/1`);
      await before.stop();
      const { api } = await startService(t, { DATA_DIR: folder });
      assert.equal((await api.get(`${path}/1`)).status, 404);
      assert.equal(array((await api.get(path)).body).length, 9);
    });

    test('can be created, read, renamed and deleted', async (t) => {
      const { api } = await startService(t);
      const created = await api.post(path, { name: ' Éclairs & <i>Co</i> ', id: 5 });
      assert.deepEqual([created.status, created.headers.get('location')], [201, `/api${path}/11`]);
      assert.equal(field(created.body, 'name'), 'Éclairs & Co');
      assert.deepEqual((await api.get(`${path}/11`)).body, created.body);
      const renamed = await api.put(`${path}/11`, { name: 'ÉCLAIRS & co' });
      assert.deepEqual([renamed.status, field(renamed.body, 'name')], [200, 'ÉCLAIRS & co']);
      assert.equal(field(renamed.body, 'created_at'), field(created.body, 'created_at'));
      const unchanged = await api.put(`${path}/11`, {});
      assert.deepEqual([unchanged.status, unchanged.body], [200, renamed.body]);
      assert.deepEqual(
        [(await api.delete(`${path}/11`)).status, (await api.get(`${path}/11`)).status],
        [204, 404],
      );
    });

    test('are ordered by name without regard to case and diacritics', async (t) => {
      const { api } = await startService(t);
      for (const name of ['Zebra', 'écru', 'Eclair', 'apple', 'ábaco']) await api.post(path, { name });
      const own = names((await api.get(path)).body).filter(
        (name) => /^[Zéeaá]/i.test(String(name)) && !/^As|^Am/.test(String(name)),
      );
      assert.deepEqual(own, ['ábaco', 'apple', 'Eclair', 'écru', 'Zebra']);
    });

    test('have one name once, whatever its case', async (t) => {
      const { api } = await startService(t);
      await api.post(path, { name: 'Crème' });
      for (const body of [{ name: 'CRÈME' }, { name: 'Cre\u0300me' }])
        assert.deepEqual((await api.post(path, body)).body, {
          error: `${noun} already exists: "Crème" (id 11)`,
        });
      assert.equal((await api.put(`${path}/1`, { name: 'crème' })).status, 409);
      assert.equal((await api.post(path, { name: 'Creme' })).status, 201);
    });

    test('refuse a bad name with 400 and an unknown id with 404', async (t) => {
      const { api } = await startService(t);
      for (const [body, error] of [
        [{}, 'name is required'],
        [{ name: null }, 'name is required'],
        [{ name: '<p></p>' }, 'name is required'],
        [{ name: 1 }, 'name must be a string'],
        [{ name: 'x'.repeat(101) }, 'name must be at most 100 characters'],
      ] as const)
        assert.deepEqual((await api.post(path, body)).body, { error });
      assert.deepEqual((await api.put(`${path}/1`, { name: null })).body, { error: 'name is required' });
      for (const answer of [
        await api.get(`${path}/99`),
        await api.put(`${path}/99`, { name: 'New' }),
        await api.put(`${path}/99`, {}),
        await api.delete(`${path}/99`),
      ])
        assert.deepEqual([answer.status, answer.body], [404, { error: `${noun} not found` }]);
    });

    test('show their new name in restaurants and in search when renamed', async (t) => {
      const { api } = await startService(t);
      const { body } = await api.post(path, { name: 'Oldword' });
      await api.post('/restaurants', { name: 'Place', ...attach(11) });
      const renamed = (await api.put(`${path}/11`, { name: 'Newword' })).body;
      assert.notDeepEqual(renamed, body);
      assert.deepEqual(attached((await api.get('/restaurants/1')).body), renamed);
      assert.deepEqual(
        [ids((await api.get('/search?q=newword')).body), ids((await api.get('/search?q=oldword')).body)],
        [[1], []],
      );
    });

    test('leave their restaurants when deleted', async (t) => {
      const { api } = await startService(t);
      await api.post(path, { name: 'Shortlived' });
      await api.post('/restaurants', { name: 'Place', ...attach(11) });
      await api.delete(`${path}/11`);
      const { status, body } = await api.get('/restaurants/1');
      assert.deepEqual([status, attached(body)], [200, detached]);
      assert.deepEqual(ids((await api.get('/search?q=shortlived')).body), []);
      assert.equal((await api.put('/restaurants/1', attach(11))).status, 400);
    });
  });
