import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { refusal } from '../../support/changes.ts';
import { type Client, array, field, headerValues, ids, record, textOf } from '../../support/client.ts';
import { addItems, addList } from '../../support/lists.ts';
import { uploadWithThumbnail } from '../../support/photos.ts';
import { startService } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';
import { addPhoto, ratingOf, startWorld } from '../../support/world.ts';

const MAP = '/restaurants/map?bbox=-180,-90,180,90&zoom=3';
const NO_VISITS = { visits: 0, last_visited_on: null };
const NOTHING = { ...NO_VISITS, lists: [], want: false, favourite: false, rating_id: null };

/** The first restaurant as each read that can include something answers it. */
async function shown(api: Client, include: string): Promise<readonly unknown[]> {
  const read = async (path: string): Promise<unknown> => (await api.get(`${path}include=${include}`)).body;
  const first = (list: unknown): unknown => array(list).find((one) => field(one, 'name') === 'Anna');
  return [
    await read('/restaurants/1?'),
    first(await read('/restaurants?')),
    first(field(await read('/restaurants/paginated?'), 'data')),
    first(await read('/search?q=anna&')),
  ];
}

describe('include=cover', () => {
  test('adds the thumbnail of the newest photo that has one', async (t) => {
    const { api } = await startService(t);
    await api.post('/restaurants', { name: 'Anna' });
    assert.deepEqual(
      (await shown(api, 'cover')).map((one) => field(one, 'cover')),
      [null, null, null, null],
    );
    await uploadWithThumbnail(api);
    const newest = await uploadWithThumbnail(api);
    await addPhoto(api, 1);
    const thumbnail_url = textOf(newest, 'thumbnail_url');
    for (const one of await shown(api, 'cover')) {
      const cover = record(field(one, 'cover'));
      assert.equal(cover['thumbnail_url'], thumbnail_url);
      assert.deepEqual(Object.keys(cover), ['thumbnail_url', 'width', 'height']);
      assert.equal((await api.send(thumbnail_url, {})).status, 200);
    }
  });

  test('and include=mine are null for suggestions, and absent where they are not asked for', async (t) => {
    const { api } = await startService(t);
    await api.post('/suggestions', { name: 'Soon' });
    const [asked] = array((await api.get('/restaurants?include=mine,cover')).body);
    assert.deepEqual([field(asked, 'mine'), field(asked, 'cover')], [null, null]);
    const [plain] = array((await api.get('/restaurants')).body);
    assert.ok(!('mine' in record(plain) || 'cover' in record(plain)));
  });
});

describe('include=mine', () => {
  test('adds what the caller has noted, and nothing of others', async (t) => {
    const { owner, other, admin } = await startWorld(t);
    await owner.post('/restaurants', { name: 'Anna' });
    const list = await addList(owner, 'Rainy days');
    for (const name of [list, 'favourites']) await addItems(owner, name, [1]);
    for (const day of ['2026-03-01', '2026-05-01', '2026-04-01'])
      await owner.post('/visits', { restaurant_id: 1, visited_on: day });
    await owner.post('/ratings', ratingOf(1));
    const rating = field((await owner.post('/ratings', ratingOf(1))).body, 'id');
    await other.post('/ratings', ratingOf(1));
    const noted = { visits: 3, last_visited_on: '2026-05-01', rating_id: rating };
    const expected = { lists: [list], want: false, favourite: true, ...noted };
    for (const one of await shown(owner, 'mine')) assert.deepEqual(field(one, 'mine'), expected);
    for (const one of await shown(admin, 'mine')) assert.deepEqual(field(one, 'mine'), NOTHING);
  });

  longTest(
    'and the filters by own lists and visits need a caller, and are for the caller alone',
    async (t) => {
      const { owner, service } = await startWorld(t);
      await owner.post('/restaurants', { name: 'Anna' });
      const paths = ['/restaurants/1?include=mine', '/search?q=anna&include=mine'];
      for (const query of ['include=mine', 'list=want', 'visited=yes'])
        paths.push(`/restaurants?${query}`, `/restaurants/paginated?${query}`, `${MAP}&${query}`);
      for (const path of paths) {
        assert.deepEqual(refusal(await service.api.get(path)), [401, 'Authentication required'], path);
        const forged = await service.api.get(path, { Authorization: 'Bearer cat_none' });
        assert.equal(forged.status, 401, path);
        // Answers are stored when they are asked for a second time, but not these.
        for (let turn = 0; turn < 3; turn += 1) {
          const { status, headers } = await owner.get(path);
          const caching = headerValues({ headers }, 'cache-control', 'etag');
          assert.deepEqual([status, ...caching], [200, 'private, no-store', null], path);
          assert.equal((await service.api.get(path)).status, 401, path);
        }
      }
    },
  );

  test('and the filters leave out a deleted restaurant, until it is back', async (t) => {
    const { owner } = await startWorld(t);
    for (const name of ['Anna', 'Berta']) await owner.post('/restaurants', { name });
    for (const id of [1, 2]) {
      await owner.put(`/lists/want/items/${id}`, {});
      await owner.post('/visits', { restaurant_id: id, visited_on: '2026-05-01' });
    }
    const found = async (): Promise<readonly unknown[]> =>
      Promise.all(
        ['list=want', 'visited=yes', 'visited=no'].map(async (query) =>
          ids((await owner.get(`/restaurants?${query}`)).body),
        ),
      );
    const change = (await owner.delete('/restaurants/1')).headers.get('change') ?? '';
    assert.deepEqual(await found(), [[2], [2], []]);
    await owner.post(`/changes/${change}/revert`, {});
    assert.deepEqual(await found(), [[2, 1], [2, 1], []]);
    const { body } = await owner.get('/restaurants/1?include=mine');
    const noted = { want: true, visits: 1, last_visited_on: '2026-05-01' };
    assert.deepEqual(field(body, 'mine'), { ...NOTHING, ...noted });
  });

  test('and list= know no list of another user', async (t) => {
    const { owner, other } = await startWorld(t);
    const list = await addList(owner, 'Mine');
    for (const path of ['/restaurants?', '/restaurants/paginated?', `${MAP}&`]) {
      assert.equal((await owner.get(`${path}list=${list}`)).status, 200);
      assert.deepEqual(refusal(await other.get(`${path}list=${list}`)), [404, 'List not found']);
    }
  });
});

describe('what is included', () => {
  const refused: readonly (readonly [string, RegExp])[] = [
    ['include=photos', /^include must be of /],
    ['include=', /^include must be of /],
    ['list=wants', /^list must be the id of a list, want or favourites$/],
    ['list=0', /^list must be the id of a list/],
    ['visited=maybe', /^visited must be one of yes, no$/],
    ['diet=keto', /^diet must be of vegan, /],
  ];
  test('is refused by name', async (t) => {
    const { api } = await startService(t);
    for (const [query, words] of refused) {
      const [status, error] = refusal(await api.get(`/restaurants?${query}`));
      assert.equal(status, 400, query);
      assert.match(String(error), words);
    }
  });
});
