import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { changeOf, refusal, reverted } from '../../support/changes.ts';
import { array, field, ids, record } from '../../support/client.ts';
import { changeStored } from '../../support/people.ts';
import { startService } from '../../support/service.ts';
import { type World, ratingOf, startWorld } from '../../support/world.ts';

/** Two restaurants; of the ratings, 1, 3 and 4 are alice's. */
async function rated(t: TestContext): Promise<World> {
  const world = await startWorld(t);
  const { owner, other, admin } = world;
  for (const name of ['Chez Nous', 'Chez Vous']) await admin.post('/restaurants', { name });
  await owner.post('/ratings', ratingOf(1, 'One'));
  await other.post('/ratings', ratingOf(1, 'Two'));
  await owner.post('/ratings', ratingOf(2, 'Three'));
  await owner.post('/ratings', ratingOf(1, 'Four'));
  return world;
}

describe('GET /ratings?user=me', () => {
  test('holds the ratings of the caller, newest first, each with its restaurant', async (t) => {
    const { owner, other, admin, token } = await rated(t);
    const answer = await owner.get('/ratings?user=me');
    assert.deepEqual(ids(answer.body), [4, 3, 1]);
    const [, third] = array(answer.body).map(record);
    const whole = record((await owner.get('/ratings/3')).body);
    assert.deepEqual(third, { ...whole, restaurant: { id: 2, name: 'Chez Vous' } });
    assert.deepEqual(ids((await token.get('/ratings?user=me')).body), [4, 3, 1]);
    assert.deepEqual(ids((await other.get('/ratings?user=me')).body), [2]);
    assert.deepEqual((await admin.get('/ratings?user=me')).body, []);
  });

  test('has the filter restaurant_id, limit and offset', async (t) => {
    const { owner } = await rated(t);
    const list = async (query: string): Promise<number[]> =>
      ids((await owner.get(`/ratings?user=me&${query}`)).body);
    assert.deepEqual(await list('restaurant_id=1'), [4, 1]);
    assert.deepEqual(await list('restaurant_id=1&limit=1&offset=1'), [1]);
    assert.deepEqual(await list('restaurant_id=99'), []);
    assert.deepEqual(await list('limit=2'), [4, 3]);
    assert.deepEqual(await list('offset=2'), [1]);
  });

  test('is never out of date', async (t) => {
    const { owner } = await rated(t);
    for (let turn = 0; turn < 3; turn += 1) await owner.get('/ratings?user=me');
    await owner.put('/restaurants/1', { name: 'Chez Eux' });
    const [newest] = array((await owner.get('/ratings?user=me')).body);
    assert.equal(field(field(newest, 'restaurant'), 'name'), 'Chez Eux');
  });

  const refused: readonly (readonly [string, string])[] = [
    ['', 'user must be me'],
    ['?user=', 'user must be me'],
    ['?user=1', 'user must be me'],
    ['?user=ME', 'user must be me'],
    ['?user=me&user=me', 'user must be me'],
    ['?user=%ff', 'user must be me'],
    ['?user=alice&limit=0', 'user must be me; limit must be at least 1'],
    ['?user=me&restaurant_id=x', 'restaurant_id must be an integer'],
    ['?user=me&restaurant_id=0', 'restaurant_id must be at least 1'],
    ['?user=me&offset=-1', 'offset must be at least 0'],
  ];
  test('is refused with any other user, and faults of its query', async (t) => {
    const { api } = await startService(t);
    for (const [query, error] of refused)
      assert.deepEqual(refusal(await api.get(`/ratings${query}`)), [400, error], query);
  });

  test('needs a user', async (t) => {
    const { service } = await rated(t);
    assert.equal((await service.api.get('/ratings?user=me')).status, 401);
    assert.equal((await service.api.get('/ratings')).status, 401);
  });

  test('holds in mode none the ratings without an author', async (t) => {
    const { service } = await rated(t);
    await service.stop();
    const { api } = await startService(t, { DATA_DIR: service.folder });
    await api.post('/ratings', ratingOf(2, 'Five'));
    for (const query of ['', '&restaurant_id=2'])
      assert.deepEqual(ids((await api.get(`/ratings?user=me${query}`)).body), [5]);
  });
});

describe('the ratings of a restaurant by one user', () => {
  const more = `INSERT INTO ratings (user_id, restaurant_id, food_rating, service_rating, ambiance_rating, created_at, updated_at)
    SELECT user_id, restaurant_id, 5, 5, 5, created_at, '' FROM ratings WHERE id = ?`;
  test('are fifty at most in the modes with accounts; an undo may bring more', async (t) => {
    const { service, owner, other, token } = await rated(t);
    for (let count = 2; count < 50; count += 1) changeStored(service.folder, more, 1);
    const full = [409, 'You have rated this restaurant 50 times'];
    for (const api of [owner, token])
      assert.deepEqual(refusal(await api.post('/ratings', ratingOf(1))), full);
    assert.equal((await other.post('/ratings', ratingOf(1))).status, 201);
    assert.equal((await owner.post('/ratings', ratingOf(2))).status, 201);
    const deleted = changeOf(await owner.delete('/ratings/1'));
    assert.equal((await owner.post('/ratings', ratingOf(1))).status, 201);
    assert.deepEqual(refusal(await owner.post('/ratings', ratingOf(1))), full);
    await reverted(owner, deleted);
    assert.equal(array((await owner.get('/ratings?user=me&restaurant_id=1&limit=100')).body).length, 51);
  });

  test('have no limit without accounts', async (t) => {
    const { api, folder } = await startService(t);
    await api.post('/restaurants', { name: 'Chez Nous' });
    await api.post('/ratings', ratingOf(1));
    for (let count = 1; count < 50; count += 1) changeStored(folder, more, 1);
    assert.equal((await api.post('/ratings', ratingOf(1))).status, 201);
  });
});
