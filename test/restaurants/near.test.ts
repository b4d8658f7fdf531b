import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { createRestaurants, randomNumbers, referenceDistance } from '../support/catalogue.ts';
import { type Client, array, field, ids } from '../support/client.ts';
import { startService } from '../support/service.ts';

type Place = readonly [number, number];

async function withPlaces(t: TestContext, places: readonly (Place | null)[]): Promise<Client> {
  const { api } = await startService(t);
  const bodies = places.map((place, index) => ({
    name: `P ${index}`,
    category_id: (index % 2) + 1,
    ...(place && { latitude: place[0], longitude: place[1] }),
  }));
  await createRestaurants(api, bodies);
  return api;
}

const distances = (body: unknown): unknown[] => array(body).map((one) => field(one, 'distance'));

describe('restaurants near a place', () => {
  test('come nearest first with their distance in kilometres; those without coordinates last with null', async (t) => {
    const api = await withPlaces(t, [[52.52, 13.405], null, [48.8566, 2.3522], [51.5074, -0.1278], null]);
    const { body } = await api.get('/restaurants?lat=48.8566&lng=2.3522');
    assert.deepEqual(ids(body), [3, 4, 1, 5, 2]);
    const [same, london, berlin, ...unknown] = distances(body);
    assert.equal(same, 0);
    assert.ok(Math.abs(Number(london) - 343.556) < 0.01, String(london));
    assert.ok(Math.abs(Number(berlin) - 877.465) < 0.01, String(berlin));
    assert.deepEqual(unknown, [null, null]);
  });

  test('are cut off by a radius, with whatever has no coordinates', async (t) => {
    const api = await withPlaces(t, [[0, 0], [0, 0.5], [0, 1], null]);
    assert.deepEqual(ids((await api.get('/restaurants?lat=0&lng=0&radius=60')).body), [1, 2]);
    assert.deepEqual(ids((await api.get('/restaurants?lat=0&lng=0&radius=20038')).body), [1, 2, 3]);
  });

  test('are found up to the very radius, and not beyond', async (t) => {
    const api = await withPlaces(t, [[0, 1]]);
    const [exact] = distances((await api.get('/restaurants?lat=0&lng=0')).body);
    const found = async (radius: number): Promise<number> =>
      array((await api.get(`/restaurants?lat=0&lng=0&radius=${radius}`)).body).length;
    assert.equal(await found(Number(exact)), 1);
    assert.equal(await found(Number(exact) - 1e-9), 0);
  });

  test('are found across the date line and over the poles', async (t) => {
    const api = await withPlaces(t, [
      [0, 179.9],
      [0, -179.9],
      [89.95, 0],
      [89.95, 180],
      [-89.99, 10],
    ]);
    assert.deepEqual(ids((await api.get('/restaurants?lat=0&lng=179.95&radius=50')).body), [1, 2]);
    assert.deepEqual(ids((await api.get('/restaurants?lat=0&lng=-180&radius=50')).body).sort(), [1, 2]);
    assert.deepEqual(ids((await api.get('/restaurants?lat=89.99&lng=90&radius=20')).body).sort(), [3, 4]);
    assert.deepEqual(ids((await api.get('/restaurants?lat=-90&lng=0&radius=5')).body), [5]);
  });

  test('may be at the other end of the world', async (t) => {
    const api = await withPlaces(t, [[-48.8566, -177.6478]]);
    const [distance] = distances((await api.get('/restaurants?lat=48.8566&lng=2.3522')).body);
    assert.ok(Math.abs(Number(distance) - Math.PI * 6371.0088) < 0.001);
  });

  test('may be filtered and sorted otherwise, with their distances', async (t) => {
    const api = await withPlaces(t, [[0, 3], [0, 2], [0, 1], null]);
    const { body } = await api.get('/restaurants?lat=0&lng=0&sort=newest&category_id=1');
    assert.deepEqual(ids(body), [3, 1]);
    assert.ok(distances(body).every((distance) => Number(distance) > 100));
    assert.deepEqual(ids((await api.get('/restaurants?lat=0&lng=0&radius=300&sort=name&q=p')).body), [2, 3]);
    assert.deepEqual(ids((await api.get('/restaurants?lat=0&lng=0&limit=2&offset=1')).body), [2, 1]);
  });

  test('are those of an independent calculation, wherever the centre and whatever the radius', async (t) => {
    const random = randomNumbers(7);
    const places = Array.from({ length: 150 }, (): Place => [
      Math.asin(random() * 2 - 1) * (180 / Math.PI),
      random() * 360 - 180,
    ]);
    const api = await withPlaces(t, places);
    for (const radius of [50, 500, 3_000, 12_000, 20_038])
      for (let round = 0; round < 8; round += 1) {
        const centre: Place = [random() * 180 - 90, random() * 360 - 180];
        const expected = places
          .map((place, index) => ({ id: index + 1, distance: referenceDistance(centre, place) }))
          .filter(({ distance }) => distance <= radius)
          .sort((left, right) => left.distance - right.distance);
        const { body } = await api.get(`/restaurants?lat=${centre[0]}&lng=${centre[1]}&radius=${radius}`);
        assert.deepEqual(
          ids(body),
          expected.map(({ id }) => id),
          `${radius} km around ${centre.join()}`,
        );
        for (const [index, distance] of distances(body).entries())
          assert.ok(Math.abs(Number(distance) - (expected[index]?.distance ?? 0)) < 1e-6);
      }
  });
});
