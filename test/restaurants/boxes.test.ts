import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRestaurants } from '../support/catalogue.ts';
import { refusal } from '../support/changes.ts';
import { type Client, array, field, textOf } from '../support/client.ts';
import { startService } from '../support/service.ts';

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
