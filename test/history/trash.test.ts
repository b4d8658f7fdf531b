import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { inspectData } from '../../src/operations/inspection/check.ts';
import { createRestaurants } from '../support/catalogue.ts';
import { allChanges, changeAt, changeOf, refusal, revert, reverted } from '../support/changes.ts';
import { type Client, array, field, ids, textOf } from '../support/client.ts';
import { addItems, addList, addRestaurants } from '../support/lists.ts';
import { changeStored, readStored } from '../support/people.ts';
import { startWithRestaurant, storedFiles, uploadWithThumbnail } from '../support/photos.ts';
import { type Service, startService } from '../support/service.ts';
import { longTest } from '../support/size.ts';
import { until } from '../support/until.ts';
import { ratingOf, views } from '../support/world.ts';

// More than a change shows.
const MANY = 105;

/** Restaurant 1 with a rating, a photo with a thumbnail, and a visit. */
async function furnished(t: TestContext): Promise<Service & { readonly photo: unknown }> {
  const service = await startWithRestaurant(t);
  const { api } = service;
  await api.post('/ratings', ratingOf(1, 'Good soup'));
  const photo = await uploadWithThumbnail(api);
  await api.post('/visits', { restaurant_id: 1 });
  await addItems(api, 'want', [1]);
  return { ...service, photo };
}

/** Adds ratings of restaurant 1 behind the back of a service. */
function addRatings(folder: string, count: number): void {
  changeStored(
    folder,
    `INSERT INTO ratings (restaurant_id, food_rating, service_rating, ambiance_rating, comment, created_at, updated_at)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     SELECT 1, 1 + i % 5, 4, 3, 'Rating ' || i, strftime('%Y-%m-%dT%H:%M:%fZ', 'now', i || ' seconds'),
       '2026-01-01T00:00:00.000Z' FROM n`,
  );
}

const faultsIn = (folder: string): string[] => [...inspectData(folder)].flatMap(({ faults }) => faults);
const counted = (folder: string, table: string): unknown =>
  field(readStored(folder, `SELECT count(*) AS n FROM ${table}`)[0], 'n');

describe('the trash', () => {
  // Everything that reads ratings, photos or items by something else than their restaurant.
  const readers: Readonly<Record<string, (api: Client, photo: unknown) => Promise<unknown>>> = {
    'a rating': async (api) => (await api.get('/ratings/1')).status,
    'a rating that is changed': async (api) =>
      (await api.put('/ratings/1', { food_rating: 1, service_rating: 1, ambiance_rating: 1 })).status,
    'a rating that is deleted': async (api) => (await api.delete('/ratings/1')).status,
    'the ratings of the restaurant': async (api) => (await api.get('/restaurants/1/ratings')).status,
    'a photo': async (api) => (await api.get('/photos/1')).status,
    'a caption': async (api) => (await api.patch('/photos/1', { caption: 'x' })).status,
    'a photo that is deleted': async (api) => (await api.delete('/photos/1')).status,
    'the photos of the restaurant': async (api) => (await api.get('/restaurants/1/photos')).status,
    'the file of a photo': async (api, photo) => (await api.send(textOf(photo, 'url'), {})).status,
    'a thumbnail': async (api, photo) => (await api.send(textOf(photo, 'thumbnail_url'), {})).status,
    'own ratings': async (api) => array((await api.get('/ratings?user=me')).body).length || 404,
    'own ratings of the restaurant': async (api) =>
      array((await api.get('/ratings?user=me&restaurant_id=1')).body).length || 404,
    'the export of the caller': async (api) =>
      /"type":"(rating|photo|item)"/.test(String((await api.get('/me/export')).body)) ? 200 : 404,
    'the number of photos': async (api) =>
      /^catalogue_photos 0$/m.test(String((await api.get('/metrics')).body)) ? 404 : 200,
    'the lists of a place': async (api) =>
      JSON.stringify((await api.get('/restaurants?include=mine,cover')).body).includes('thumbnail_url')
        ? 200
        : 404,
    'the places of a list': async (api) =>
      Number(field((await api.get('/lists/want')).body, 'item_count')) > 0 ? 200 : 404,
    'the places that were visited': async (api) =>
      array((await api.get('/restaurants?visited=yes')).body).length || 404,
  };
  longTest('is seen by no reader but those of the history', async (t) => {
    const { api, photo, folder } = await furnished(t);
    const deletion = changeOf(await api.delete('/restaurants/1'));
    for (const [name, read] of Object.entries(readers)) assert.equal(await read(api, photo), 404, name);
    assert.match(String((await api.get('/metrics')).body), /^catalogue_trash_files 2$/m);
    assert.deepEqual(faultsIn(folder), []);
    await reverted(api, deletion);
    assert.equal(storedFiles(folder).length, 2);
    for (const [name, read] of Object.entries(readers))
      if (!/changed|deleted|caption/.test(name)) assert.notEqual(await read(api, photo), 404, name);
    assert.deepEqual(faultsIn(folder), []);
  });

  test('has all of what went with a restaurant, of which a change shows the first hundred', async (t) => {
    const { api, folder } = await furnished(t);
    addRatings(folder, MANY);
    const before = await views(api);
    const deletion = changeOf(await api.delete('/restaurants/1'));
    const shown = field(await changeAt(api, deletion), 'before');
    assert.deepEqual(
      ids(field(shown, 'ratings')),
      Array.from({ length: 100 }, (_, index) => index + 1),
    );
    assert.equal(field(array(field(shown, 'ratings'))[0], 'comment'), 'Good soup');
    assert.deepEqual([field(shown, 'ratings_total'), field(shown, 'photos_total')], [MANY + 1, 1]);
    assert.equal(array(field(shown, 'photos')).length, 1);
    const [listed] = await allChanges(api, 'action=delete');
    assert.deepEqual(listed?.['before'], shown);
    const back = await reverted(api, deletion);
    assert.deepEqual(await views(api), before);
    const after = field(await changeAt(api, back), 'after');
    assert.deepEqual(
      ['ratings', 'photos', 'ratings_total', 'photos_total'].map((name) => field(after, name)),
      ['ratings', 'photos', 'ratings_total', 'photos_total'].map((name) => field(shown, name)),
    );
    assert.deepEqual(faultsIn(folder), []);
    // It is deleted and restored by reverts as well.
    const again = await reverted(api, back);
    await reverted(api, again);
    assert.deepEqual(await views(api), before);
    assert.deepEqual(faultsIn(folder), []);
  });

  test('is no obstacle, unlike what came later', async (t) => {
    const { api, folder } = await furnished(t);
    addRatings(folder, MANY);
    const back = await reverted(api, changeOf(await api.delete('/restaurants/1')));
    await api.post('/ratings', ratingOf(1, 'Later'));
    assert.deepEqual(refusal(await revert(api, back)), [
      409,
      `Change ${back} cannot be reverted: restaurant 1 has 1 rating by now`,
    ]);
    await api.delete(`/ratings/${MANY + 2}`);
    await reverted(api, back);
  });

  longTest('has all items of a list, of which a change shows the first hundred', async (t) => {
    const { api, folder } = await startService(t);
    const places = await createRestaurants(
      api,
      Array.from({ length: MANY }, (_, index) => ({ name: `Place ${index}` })),
    );
    const id = await addList(api, 'Lyon');
    changeStored(
      folder,
      `INSERT INTO list_items (list_id, restaurant_id, rank, note, created_at)
       SELECT ${id}, id, id * 1000, 'Note ' || id, '2026-01-01T00:00:00.000Z' FROM restaurants`,
    );
    const read = async (): Promise<unknown> => [
      (await api.get(`/lists/${id}/items`)).body,
      (await api.get(`/lists/${id}`)).body,
    ];
    const before = await read();
    const deletion = changeOf(await api.delete(`/lists/${id}`));
    assert.equal((await api.get(`/lists/${id}/items`)).status, 404);
    const shown = field(await changeAt(api, deletion), 'before');
    assert.deepEqual(
      array(field(shown, 'items')).map((item) => [
        field(item, 'restaurant_id'),
        field(item, 'position'),
        field(item, 'note'),
      ]),
      places.slice(0, 100).map((place, index) => [place, index + 1, `Note ${place}`]),
    );
    assert.equal(field(shown, 'items_total'), MANY);
    assert.deepEqual(faultsIn(folder), []);
    const back = await reverted(api, deletion);
    assert.deepEqual(await read(), before);
    assert.equal(field(field(await changeAt(api, back), 'after'), 'items_total'), MANY);
    const [extra = 0] = await addRestaurants(api, 'Extra');
    await addItems(api, id, [extra]);
    assert.deepEqual(refusal(await revert(api, back)), [
      409,
      `Change ${back} cannot be reverted: list ${id} has other items by now`,
    ]);
    await api.delete(`/lists/${id}/items/${extra}`);
    await reverted(api, back);
    assert.deepEqual(faultsIn(folder), []);
  });

  test('knows which places of a deleted list are there when it comes back', async (t) => {
    const { api, folder } = await startService(t);
    await addRestaurants(api, 'A', 'B', 'C', 'D');
    const id = await addList(api, 'Lyon');
    await addItems(api, id, [1, 2, 3, 4]);
    const there = changeOf(await api.delete('/restaurants/2'));
    const list = changeOf(await api.delete(`/lists/${id}`));
    await reverted(api, there);
    await api.delete('/restaurants/3');
    const purged = changeOf(await api.delete('/restaurants/4'));
    await api.post(`/changes/${purged}/purge`, {});
    await until(() => counted(folder, 'list_items') === 3);
    await reverted(api, list);
    assert.deepEqual(
      array((await api.get(`/lists/${id}/items`)).body).map((item) =>
        field(field(item, 'restaurant'), 'name'),
      ),
      ['A', 'B'],
    );
    assert.equal(field((await api.get(`/lists/${id}`)).body, 'item_count'), 2);
    assert.deepEqual(faultsIn(folder), []);
  });

  longTest('is emptied in parts after a purge, which a crash does not stop', async (t) => {
    const service = await furnished(t);
    const { api, folder } = service;
    addRatings(folder, 1_000);
    changeStored(
      folder,
      `INSERT INTO changes (at, kind, entity_id, restaurant_id, action, name, after, via)
       SELECT created_at, 'rating', id, 1, 'create', 'Chez Nous', json_object('comment', comment), 'api' FROM ratings`,
    );
    const deletion = changeOf(await api.delete('/restaurants/1'));
    assert.equal((await api.post(`/changes/${deletion}/purge`, {})).status, 204);
    // The first part goes with the purge itself.
    await service.stop();
    changeStored(
      folder,
      `INSERT INTO ratings (restaurant_id, food_rating, service_rating, ambiance_rating, comment, created_at, updated_at)
       SELECT 1, 1, 1, 1, 'Rating', 'now', 'now' WHERE NOT EXISTS (SELECT 1 FROM ratings)`,
    );
    const later = await startService(t, { DATA_DIR: folder });
    await until(() => counted(folder, 'ratings') === 0 && counted(folder, 'purges') === 0);
    await until(() => storedFiles(folder).length === 0);
    assert.ok(!JSON.stringify(readStored(folder, 'SELECT before, after FROM changes')).includes('Rating'));
    assert.equal((await revert(later.api, deletion)).status, 409);
    await until(() => faultsIn(folder).length === 0);
    // A visit holds the name.
    assert.deepEqual(readStored(folder, 'SELECT id, name, due_at FROM deleted_restaurants'), [
      { id: 1, name: 'Chez Nous', due_at: null },
    ]);
  });
});
