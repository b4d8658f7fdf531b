import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Client, array, field, ids, record, textOf } from '../support/client.ts';
import { uploadWithThumbnail } from '../support/photos.ts';
import { startService } from '../support/service.ts';
import { addPhoto, ratingOf, startWorld } from '../support/world.ts';

const NOTHING = {
  lists: [],
  want: false,
  favourite: false,
  rating_id: null,
  visits: 0,
  last_visited_on: null,
};

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

  test('is null for suggestions, and absent where it is not asked for', async (t) => {
    const { api } = await startService(t);
    await api.post('/suggestions', { name: 'Soon' });
    assert.equal(field(array((await api.get('/restaurants?include=cover')).body)[0], 'cover'), null);
    assert.equal('cover' in record(array((await api.get('/restaurants')).body)[0]), false);
  });
});

describe('include=mine', () => {
  test('adds what the caller has noted, and nothing of others', async (t) => {
    const { owner, other, admin } = await startWorld(t);
    await owner.post('/restaurants', { name: 'Anna' });
    const list = field((await owner.post('/lists', { name: 'Rainy days' })).body, 'id');
    for (const name of [String(list), 'favourites']) await owner.put(`/lists/${name}/items/1`, {});
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

  test('is null for suggestions', async (t) => {
    const { owner } = await startWorld(t);
    await owner.post('/suggestions', { name: 'Anna' });
    const listed = array((await owner.get('/restaurants?include=mine,cover')).body)[0];
    assert.deepEqual([field(listed, 'mine'), field(listed, 'cover')], [null, null]);
  });

  test('and the filters by own lists and visits need a caller, and are for the caller alone', async (t) => {
    const { owner, service } = await startWorld(t);
    await owner.post('/restaurants', { name: 'Anna' });
    const paths = ['/restaurants/1?include=mine', '/search?q=anna&include=mine'];
    for (const query of ['include=mine', 'list=want', 'visited=yes'])
      paths.push(`/restaurants?${query}`, `/restaurants/paginated?${query}`);
    for (const path of paths) {
      const stranger = await service.api.get(path);
      assert.deepEqual(
        [stranger.status, textOf(stranger.body, 'error')],
        [401, 'Authentication required'],
        path,
      );
      const forged = await service.api.get(path, { Authorization: 'Bearer cat_none' });
      assert.equal(forged.status, 401, path);
      const { status, headers } = await owner.get(path);
      assert.deepEqual(
        [status, headers.get('cache-control'), headers.get('etag')],
        [200, 'private, no-store', null],
      );
      // Not even after the owner was answered.
      assert.equal((await service.api.get(path)).status, 401);
    }
  });

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
    assert.deepEqual(field(body, 'mine'), {
      ...NOTHING,
      want: true,
      visits: 1,
      last_visited_on: '2026-05-01',
    });
  });

  test('and list= know no list of another user', async (t) => {
    const { owner, other } = await startWorld(t);
    const list = String(field((await owner.post('/lists', { name: 'Mine' })).body, 'id'));
    assert.equal((await owner.get(`/restaurants?list=${list}`)).status, 200);
    for (const path of ['/restaurants', '/restaurants/paginated']) {
      const answer = await other.get(`${path}?list=${list}`);
      assert.deepEqual([answer.status, textOf(answer.body, 'error')], [404, 'List not found']);
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
  for (const [query, words] of refused)
    test(`is refused by name: ${query}`, async (t) => {
      const { api } = await startService(t);
      const answer = await api.get(`/restaurants?${query}`);
      assert.equal(answer.status, 400);
      assert.match(textOf(answer.body, 'error'), words);
    });
});
