import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRestaurants, randomNumbers, rate } from '../../support/catalogue.ts';
import { refusal } from '../../support/changes.ts';
import { type Client, array, field, headerValues } from '../../support/client.ts';
import { type Edges, type Placed, checkMap, MOST, startCrowded } from '../../support/map-reference.ts';
import { startService } from '../../support/service.ts';
import { longTest, scaled } from '../../support/size.ts';
import { startWorld } from '../../support/world.ts';

const WORLD = '/restaurants/map?bbox=-180,-90,180,90&zoom=3';

/** Points all over the world and in four cities, one of them on both sides of the antimeridian. */
function randomPoints(count: number, seed: number): (readonly [number, number])[] {
  const random = randomNumbers(seed);
  const cities = [
    [48.86, 2.35],
    [-17, 179.98],
    [0, 0],
    [88, -60],
  ] as const;
  return Array.from({ length: count }, (_, index) => {
    const [latitude, longitude] = cities[index % 6] ?? [170 * (random() - 0.5), 359 * (random() - 0.5)];
    const east = longitude + 0.2 * (random() - 0.5);
    return [latitude + 0.2 * (random() - 0.5), east > 180 ? east - 360 : east];
  });
}

async function pointsOf(api: Client, path: string): Promise<readonly (readonly unknown[])[]> {
  const { status, body } = await api.get(path);
  assert.equal(status, 200, path);
  assert.deepEqual(field(body, 'groups'), []);
  const points = array(field(body, 'points')).map(array);
  assert.equal(field(body, 'total'), points.length);
  return points;
}

describe('GET /restaurants/map', () => {
  longTest('shows up to 1,000 places of the box as points, by their ids', async (t) => {
    const { api } = await startService(t);
    assert.deepEqual((await api.get(WORLD)).body, { total: 0, points: [], groups: [] });
    await createRestaurants(api, [
      { name: 'Zoë’s "Bar"', latitude: 10.25, longitude: 20.5 },
      { name: 'Anna', latitude: 10.25, longitude: 20.5 },
      { name: 'Corner', latitude: 0, longitude: 0 },
      { name: 'Outside', latitude: 10.3, longitude: 20.5 },
      { name: 'Nowhere' },
    ]);
    await rate(api, 2, 4);
    assert.deepEqual(await pointsOf(api, '/restaurants/map?bbox=0,0,20.5,10.25&zoom=0'), [
      [1, 10.25, 20.5, null, 0, 'Zoë’s "Bar"'],
      [2, 10.25, 20.5, 4, 0, 'Anna'],
      [3, 0, 0, null, 0, 'Corner'],
    ]);
  });

  longTest('shows thousands of places as a plain look at all of them does', async (t) => {
    const { service, places } = await startCrowded(t, randomPoints(2_000, 1));
    const boxes: readonly Edges[] = [
      [-180, -90, 180, 90],
      [2.25, 48.76, 2.45, 48.96],
      [170, -30, -170, 0],
      [179, -18, -179, -16],
      [10, -90, 5, 90],
    ];
    let groups = 0;
    for (const box of boxes)
      for (const zoom of [0, 1, 4, 7, 12, 22])
        groups += (await checkMap(service.api, places, box, zoom)).groups.length;
    assert.ok(groups > 500, `${groups} groups`);
  });

  longTest(
    'has the same places in other cells once they moved, and not those that were deleted',
    async (t) => {
      const { service, places } = await startCrowded(t, randomPoints(1_100, 2));
      const { api } = service;
      const box = [-180, -90, 180, 90] as const;
      await checkMap(api, places, box, 5);
      const moved: Placed[] = [];
      for (const place of places) {
        if (place.id % 60 === 0) await api.delete(`/restaurants/${place.id}`);
        else if (place.id % 30 === 0) {
          const latitude = place.id % 40 === 0 ? place.latitude : place.id % 60;
          const to = { latitude, longitude: 9 - (place.id % 170) };
          assert.equal((await api.put(`/restaurants/${place.id}`, to)).status, 200);
          moved.push({ ...place, ...to });
        } else moved.push(place);
      }
      for (const zoom of [3, 5, 9]) await checkMap(api, moved, box, zoom);
    },
  );

  test('has 1,000 places as points and one more as groups', async (t) => {
    const points = Array.from({ length: MOST.points }, (_, index) => [index % 80, index / 10] as const);
    const { service, places } = await startCrowded(t, points);
    const box = [-180, -90, 180, 90] as const;
    assert.equal((await checkMap(service.api, places, box, 0)).points.length, 1_000);
    await createRestaurants(service.api, [{ name: 'Last', latitude: 1, longitude: 1 }]);
    const last = { id: 1_001, name: 'Last', latitude: 1, longitude: 1, overall: null, flags: 0 };
    assert.ok((await checkMap(service.api, [...places, last], box, 0)).groups.length > 0);
  });

  longTest('has 400 groups in the cells of its zoom, and one more in cells twice as wide', async (t) => {
    // In the middle of a cell each, of the 128 by 128 at zoom 5.
    const cell = (index: number): readonly [number, number] => {
      const [column, row] = [(index % 128) + 0.5, 60.5 + Math.floor(index / 128)];
      const latitude = Math.atan(Math.sinh(Math.PI * (1 - (2 * row) / 128)));
      return [(latitude * 180) / Math.PI, (column * 360) / 128 - 180];
    };
    const box = [-180, -90, 180, 90] as const;
    for (const count of [MOST.groups, MOST.groups + 1]) {
      const points = Array.from({ length: 3 * count }, (_, index) => cell(index % count));
      const { service, places } = await startCrowded(t, points);
      const { groups } = await checkMap(service.api, places, box, 5);
      assert.equal(groups.length, count === MOST.groups ? count : 128);
    }
  });

  longTest('puts the mean of a group where its places are, on both sides of the antimeridian', async (t) => {
    const points = Array.from({ length: 1_002 }, (_, index) => [-17, index % 3 === 0 ? -179 : 179] as const);
    const { service } = await startCrowded(t, points);
    const groupsAt = async (box: string): Promise<unknown> =>
      field((await service.api.get(`/restaurants/map?bbox=${box}&zoom=0`)).body, 'groups');
    // The cells of the zoom end at the meridian.
    assert.deepEqual(await groupsAt('170,-20,-170,-10'), [
      [-17, 179, 668],
      [-17, -179, 334],
    ]);
    const many = Array.from({ length: 1_500 }, (_, index) => {
      const [row, column] = [Math.floor(index / 2) % 30, Math.floor(index / 60)];
      return [row * 2 - 30, (index % 2 === 0 ? -1 : 1) * (179.9 - column * 3)] as const;
    });
    const crowded = await startCrowded(t, many);
    for (const box of [
      [90, -80, -90, 80],
      [0, -80, -1, 80],
      [100, -80, -179.5, 80],
    ] as const)
      for (const zoom of [0, 6, 22]) await checkMap(crowded.service.api, crowded.places, box, zoom);
  });

  longTest('shows tens of thousands of places as few groups and points, at every zoom', async (t) => {
    const count = scaled(20_000);
    const { service } = await startCrowded(t, randomPoints(count, 3));
    for (const box of ['-180,-90,180,90', '2.25,48.76,2.45,48.96', '170,-80,-170,80'])
      for (const zoom of [0, 2, 5, 8, 12, 16, 22]) {
        const { body } = await service.api.get(`/restaurants/map?bbox=${box}&zoom=${zoom}`);
        const [points, groups] = [array(field(body, 'points')), array(field(body, 'groups'))];
        assert.ok(points.length <= MOST.points && groups.length <= MOST.groups, `${box} ${zoom}`);
        const grouped = groups.map((group) => Number(array(group)[2])).reduce((sum, count) => sum + count, 0);
        assert.equal(field(body, 'total'), points.length + grouped);
      }
    const { body } = await service.api.get('/restaurants/map?bbox=-180,-90,180,90&zoom=2');
    assert.equal(field(body, 'total'), count);
  });

  test('is no restaurant with the id "map"', async (t) => {
    const { api } = await startService(t);
    assert.equal((await api.get(WORLD)).status, 200);
    assert.equal((await api.get('/restaurants/maps')).status, 400);
    assert.equal((await api.get('/restaurants/1')).status, 404);
    assert.equal((await api.delete('/restaurants/map')).status, 405);
  });
});

describe('the answer to a map', () => {
  test('has a tag, and is not sent again until something has changed', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [{ name: 'Anna', latitude: 1, longitude: 1 }]);
    const [tag] = headerValues(await api.get(WORLD), 'etag');
    assert.match(tag ?? '', /^W\/"[\w-]{16}"$/);
    for (let turn = 0; turn < 3; turn += 1)
      assert.equal((await api.get(WORLD, { 'If-None-Match': tag ?? '' })).status, 304);
    await api.put('/restaurants/1', { name: 'Berta' });
    const changed = await api.get(WORLD, { 'If-None-Match': tag ?? '' });
    assert.equal(changed.status, 200);
    assert.deepEqual(field(changed.body, 'points'), [[1, 1, 1, null, 0, 'Berta']]);
  });

  const refused: readonly (readonly [string, string])[] = [
    ['', 'bbox is required; zoom is required'],
    ['bbox=0,0,1,1', 'zoom is required'],
    ['zoom=3', 'bbox is required'],
    ['bbox=0,0,1&zoom=-1', 'zoom must be at least 0; bbox must be 4 numbers, separated by commas'],
    ['bbox=0,0,1,1&zoom=23', 'zoom must be at most 22'],
    ['bbox=0,0,1,1&zoom=1.5', 'zoom must be an integer'],
    ['bbox=0,0,1,1&bbox=0,0,2,2&zoom=1', 'bbox must be given once'],
    ['bbox=0,2,1,1&zoom=1', 'bbox must not have its south above its north'],
    ['bbox=0,0,1,1&zoom=1&include=mine,cover', 'include must be of mine, separated by commas'],
    ['bbox=0,0,1,1&zoom=1&open_strict=true', 'open_strict needs open_at'],
    [
      'zoom=x&status=x&lat=1&include=opening',
      'bbox is required; zoom must be an integer; lat and lng must be given together; ' +
        'status must be one of active, temporarily_closed, closed; include must be of mine, separated by commas',
    ],
    ['bbox=0,0,1,1&zom=1', 'zoom is required; unknown parameter zom; did you mean zoom?'],
  ];
  test('to a query at fault names all of its faults', async (t) => {
    const { api } = await startService(t);
    for (const [query, error] of refused)
      assert.deepEqual(refusal(await api.get(`/restaurants/map?${query}`)), [400, error], query);
  });
});

/** Names and flags, in the order of the map. */
async function flagsOf(api: Client, query: string): Promise<readonly (readonly unknown[])[]> {
  const { status, body } = await api.get(WORLD + query);
  assert.equal(status, 200);
  return array(field(body, 'points')).map((point) => [array(point)[5], array(point)[4]]);
}

describe('the flags of a map', () => {
  test('tell pending suggestions and places that are closed', async (t) => {
    const { api } = await startService(t);
    const at = { latitude: 1, longitude: 1 };
    await createRestaurants(api, [
      { name: 'Open', ...at },
      { name: 'On holiday', ...at, status: 'temporarily_closed' },
      { name: 'Gone', ...at, status: 'closed' },
    ]);
    await api.post('/suggestions', { name: 'Soon', ...at });
    const restaurants = [
      ['Open', 0],
      ['On holiday', 2],
      ['Gone', 4],
    ];
    assert.deepEqual(await flagsOf(api, ''), [...restaurants, ['Soon', 1]]);
    assert.deepEqual(await flagsOf(api, '&include_suggestions=false'), restaurants);
    assert.deepEqual(await flagsOf(api, '&open_at=now'), [['Open', 0]]);
    assert.deepEqual(await flagsOf(api, '&q=soon'), [['Soon', 1]]);
    await api.patch('/suggestions/4/status', { status: 'rejected' });
    assert.deepEqual(await flagsOf(api, ''), restaurants);
  });

  longTest('tell with include=mine what the caller has noted, and nothing of others', async (t) => {
    const { owner, other, service } = await startWorld(t);
    const bodies = ['None', 'Want', 'Favourite', 'Been', 'All'].map((name, index) => {
      return { name, latitude: index, longitude: 0, ...(name === 'All' && { status: 'closed' }) };
    });
    await createRestaurants(owner, bodies);
    for (const id of [2, 5]) await owner.put(`/lists/want/items/${id}`, {});
    for (const id of [3, 5]) await owner.put(`/lists/favourites/items/${id}`, {});
    for (const id of [4, 5]) await owner.post('/visits', { restaurant_id: id });
    const noted = [
      ['None', 0],
      ['Want', 8],
      ['Favourite', 16],
      ['Been', 32],
      ['All', 60],
    ];
    const plain = noted.map(([name]) => [name, name === 'All' ? 4 : 0]);
    assert.deepEqual(await flagsOf(owner, '&include=mine'), noted);
    assert.deepEqual(await flagsOf(other, '&include=mine'), plain);
    for (const api of [owner, other, service.api]) assert.deepEqual(await flagsOf(api, ''), plain);
    assert.deepEqual(await flagsOf(owner, '&list=want'), [
      ['Want', 0],
      ['All', 4],
    ]);
    assert.deepEqual(await flagsOf(owner, '&visited=yes&include=mine'), [
      ['Been', 32],
      ['All', 60],
    ]);
  });
});
