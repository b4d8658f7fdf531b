import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { createRestaurants, randomNumbers, referenceDistance } from '../../support/catalogue.ts';
import { refusal } from '../../support/changes.ts';
import { type Client, array, field, ids, textOf } from '../../support/client.ts';
import { startService } from '../../support/service.ts';
import { longTest, scaled } from '../../support/size.ts';

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

  longTest(
    'are those of an independent calculation, wherever the centre and whatever the radius',
    async (t) => {
      const random = randomNumbers(7);
      const places = Array.from({ length: 80 }, (): Place => [
        Math.asin(random() * 2 - 1) * (180 / Math.PI),
        random() * 360 - 180,
      ]);
      const api = await withPlaces(t, places);
      for (const radius of [50, 500, 3_000, 12_000, 20_038])
        for (let round = 0; round < scaled(8); round += 1) {
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
    },
  );
});

const PLACES = [
  { name: 'Centre', latitude: 0, longitude: 0 },
  { name: 'Corner', latitude: 10, longitude: 20 },
  { name: 'North of it', latitude: 10.001, longitude: 20 },
  { name: 'Fiji', latitude: -17, longitude: 178 },
  { name: 'Samoa', latitude: -14, longitude: -172 },
  { name: 'Meridian', latitude: -16, longitude: 180 },
  { name: 'Pole', latitude: 90, longitude: 0 },
  { name: 'Nowhere' },
];

const namesOf = (list: unknown): readonly string[] => array(list).map((one) => textOf(one, 'name'));

async function namesIn(api: Client, box: string): Promise<readonly string[]> {
  const list = await api.get(`/restaurants?sort=name&bbox=${box}`);
  assert.equal(list.status, 200);
  const names = namesOf(list.body);
  const page = (await api.get(`/restaurants/paginated?sort=name&limit=100&bbox=${box}`)).body;
  assert.deepEqual([namesOf(field(page, 'data')), field(page, 'total')], [names, names.length]);
  return names;
}

describe('bbox', () => {
  const boxes: readonly (readonly [string, string, readonly string[]])[] = [
    ['edges and corners belong to it', '0,0,20,10', ['Centre', 'Corner']],
    ['a point is a box', '20,10,20,10', ['Corner']],
    ['west of its west edge it crosses the antimeridian', '170,-20,-170,-10', ['Fiji', 'Meridian', 'Samoa']],
    ['the meridian of 180 degrees is that of -180', '-180,-20,-170,-10', ['Meridian', 'Samoa']],
    ['poles can be in it', '-180,80,180,90', ['Pole']],
    [
      'the whole world holds all that have coordinates',
      '-180,-90,180,90',
      ['Centre', 'Corner', 'Fiji', 'Meridian', 'North of it', 'Pole', 'Samoa'],
    ],
    ['blanks around its numbers do not matter', '0%2C%200,+20%20,10', ['Centre', 'Corner']],
  ];
  test('holds the places within its edges', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, PLACES);
    for (const [title, box, expected] of boxes) assert.deepEqual(await namesIn(api, box), expected, title);
  });

  test('leaves pending suggestions in the list', async (t) => {
    const { api } = await startService(t);
    await api.post('/suggestions', { name: 'Inside', latitude: 1, longitude: 1 });
    await api.post('/suggestions', { name: 'Outside', latitude: 40, longitude: 1 });
    assert.deepEqual(namesOf((await api.get('/restaurants?bbox=0,0,20,10')).body), ['Inside']);
  });

  const NUMBERS = 'bbox must be 4 numbers, separated by commas';
  const refusals: readonly (readonly [string, string])[] = [
    ['', NUMBERS],
    ['1,2,3', NUMBERS],
    ['1,2,3,4,5', NUMBERS],
    ['a,2,3,4', NUMBERS],
    ['-181,2,3,4', 'bbox must be west,south,east,north in degrees'],
    ['1,2,3,90.1', 'bbox must be west,south,east,north in degrees'],
    ['1,5,3,4', 'bbox must not have its south above its north'],
  ];
  test('is refused as anything but four edges', async (t) => {
    const { api } = await startService(t);
    for (const [box, message] of refusals)
      assert.deepEqual(refusal(await api.get(`/restaurants?bbox=${box}`)), [400, message], box);
  });
});
