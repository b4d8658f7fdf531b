import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Client, array, field, record } from '../support/client.ts';
import { startCrowded } from '../support/map-reference.ts';
import { startService } from '../support/service.ts';

const PARIS = { latitude: 48.86, longitude: 2.35 };
// A Wednesday, 14:00 in Paris.
const AT = '2026-07-15T12:00:00Z';
const WORLD = 'bbox=-180,-90,180,90&zoom=2';

type Made = Readonly<Record<string, object>>;

const PLACES: Made = {
  Lunch: { ...PARIS, opening_hours: 'Mo-Fr 12:00-14:30' },
  Dinner: { ...PARIS, opening_hours: 'Mo-Su 19:00-23:00; PH off' },
  Always: { ...PARIS, opening_hours: '24/7' },
  'For lunch in Tokyo': { ...PARIS, opening_hours: 'Mo-Fr 12:00-14:30', time_zone: 'Asia/Tokyo' },
  'No hours': PARIS,
  Nowhere: { opening_hours: 'Mo-Fr 12:00-14:30' },
  'Moon hours': { ...PARIS, opening_hours: 'sunrise-sunset' },
  'Closed down': { ...PARIS, opening_hours: '24/7', status: 'closed' },
  'Only on holidays': { ...PARIS, opening_hours: 'PH off' },
  'Closed down without hours': { status: 'closed' },
  'Nothing known': {},
};

async function addAll(api: Client): Promise<void> {
  for (const [name, fields] of Object.entries(PLACES))
    assert.equal((await api.post('/restaurants', { name, ...fields })).status, 201);
}

function names(list: unknown): readonly string[] {
  return array(list).map((place) => String(field(place, 'name')));
}

describe('open_at', () => {
  const answers: Readonly<Record<string, readonly [string, string | null, string | null]>> = {
    Lunch: ['open', '2026-07-15T12:30:00.000Z', null],
    Dinner: ['closed', '2026-07-15T17:00:00.000Z', 'holidays'],
    Always: ['open', null, null],
    'For lunch in Tokyo': ['closed', '2026-07-16T03:00:00.000Z', null],
    'No hours': ['unknown', null, 'no_hours'],
    Nowhere: ['unknown', null, 'no_time_zone'],
    'Moon hours': ['unknown', null, 'not_understood'],
    'Closed down': ['closed', null, 'status'],
    'Only on holidays': ['unknown', null, 'holidays'],
    'Closed down without hours': ['closed', null, 'status'],
    'Nothing known': ['unknown', null, 'no_hours'],
  };
  test('adds to one restaurant whether it is open then, until when, and why that is not sure', async (t) => {
    const { api } = await startService(t);
    await addAll(api);
    for (const [index, [name, [state, until, reason]]] of Object.entries(answers).entries()) {
      const { status, body, headers } = await api.get(`/restaurants/${index + 1}?open_at=${AT}`);
      assert.equal(status, 200);
      assert.equal(field(body, 'name'), name);
      assert.deepEqual(field(body, 'opening'), { state, until, reason }, name);
      assert.equal(headers.get('cache-control'), 'no-cache');
    }
    assert.equal('opening' in record((await api.get('/restaurants/1')).body), false);
  });

  test('keeps what is open or not known in lists, with open_strict what is open alone', async (t) => {
    const { api } = await startService(t);
    await addAll(api);
    await api.post('/suggestions', { name: 'Suggested', address: '1 Rue' });
    const unknown = ['No hours', 'Nowhere', 'Moon hours', 'Only on holidays', 'Nothing known'];
    const kept = ['Lunch', 'Always', ...unknown];
    const list = await api.get(`/restaurants?open_at=${AT}&sort=newest`);
    assert.deepEqual([...names(list.body)].reverse(), kept);
    assert.ok(array(list.body).every((place) => field(field(place, 'opening'), 'state') !== 'closed'));
    const { body } = await api.get(`/restaurants/paginated?open_at=${AT}&open_strict=true`);
    assert.deepEqual([...names(field(body, 'data'))].reverse(), ['Lunch', 'Always']);
    assert.equal(field(body, 'total'), 2);
    const loose = await api.get(`/restaurants/paginated?open_at=${AT}&open_strict=false&limit=1`);
    assert.deepEqual([field(loose.body, 'total'), field(loose.body, 'has_more')], [kept.length, true]);
    const near = await api.get(`/restaurants?open_at=${AT}&open_strict=true&lat=48.86&lng=2.35&radius=5`);
    assert.deepEqual([...names(near.body)].sort(), ['Always', 'Lunch']);
  });

  test('keeps the same of thousands of places, whose hours are looked at in slices', async (t) => {
    const points = Array.from({ length: 4_500 }, (_, index) => [index % 80, index % 170] as const);
    const { service } = await startCrowded(t, points);
    const { api } = service;
    const hours = ['Mo-Fr 12:00-14:30', 'Mo-Su 19:00-23:00', 'sunrise-sunset'];
    for (let id = 1; id <= 60; id += 1) {
      const fields = { opening_hours: hours[id % 3], time_zone: 'Europe/Paris' };
      assert.equal((await api.put(`/restaurants/${id}`, fields)).status, 200);
    }
    const totals = async (query: string): Promise<readonly unknown[]> => {
      const paths = [`/restaurants/paginated?limit=1&${query}`, `/restaurants/map?${WORLD}&${query}`];
      return Promise.all(paths.map(async (path) => field((await api.get(path)).body, 'total')));
    };
    for (const at of [AT, '1971-07-14T12:00:00Z'])
      for (const query of [`open_at=${at}`, `open_at=${at}&lat=40&lng=40&radius=20000`]) {
        const [page, map] = await totals(query);
        assert.equal(page, map);
        assert.ok(at !== AT || page === 4_480);
      }
    assert.deepEqual(await totals(`open_at=${AT}&open_strict=true`), [20, 20]);
  });

  test('follows changes of hours, coordinates, time zone and status', async (t) => {
    const { api } = await startService(t);
    await api.post('/restaurants', { name: 'One', ...PARIS, opening_hours: 'We 12:00-15:00' });
    const open = async (): Promise<unknown> =>
      field((await api.get(`/restaurants/paginated?open_at=${AT}&open_strict=true`)).body, 'total');
    assert.equal(await open(), 1);
    const steps: readonly (readonly [object, number])[] = [
      [{ opening_hours: 'Th 12:00-15:00' }, 0],
      [{ opening_hours: 'We 12:00-15:00' }, 1],
      [{ latitude: 35.68, longitude: 139.77 }, 0],
      [{ time_zone: 'Europe/Paris' }, 1],
      [{ status: 'temporarily_closed' }, 0],
      [{ status: 'active' }, 1],
      [{ opening_hours: null }, 0],
    ];
    for (const [change, expected] of steps) {
      assert.equal((await api.put('/restaurants/1', change)).status, 200);
      assert.equal(await open(), expected, JSON.stringify(change));
    }
  });

  const TIME = 'open_at must be now or a time with its offset';
  const refused: readonly (readonly [string, string, string])[] = [
    ['no time', 'open_at=soon', TIME],
    ['a time without offset', 'open_at=2026-07-15T12:00:00', TIME],
    ['a day that no month has', 'open_at=2026-02-30T12:00Z', TIME],
    ['an hour that no day has', 'open_at=2026-02-20T25:00Z', TIME],
    ['a number', 'open_at=1784116800', TIME],
    ['a blank', 'open_at=', 'open_at must not be blank'],
    ['open_strict alone', 'open_strict=true', 'open_strict needs open_at'],
    ['another open_strict', 'open_at=now&open_strict=yes', 'open_strict must be one of true, false'],
  ];
  test('refuses what is no time, and open_strict without one', async (t) => {
    const { api } = await startService(t);
    for (const [title, query, error] of refused)
      for (const path of ['/restaurants', '/restaurants/paginated']) {
        const { status, body } = await api.get(`${path}?${query}`);
        assert.deepEqual([status, body], [400, { error }], title);
      }
  });

  test('reads a time in any form of ISO 8601 with an offset, a plus sign that was not encoded, too', async (t) => {
    const { api } = await startService(t);
    await addAll(api);
    for (const time of ['T14:00:00%2B02:00', 'T14:00:00+02:00', 't12:00z', 'T14:00%2B02']) {
      const { body } = await api.get(`/restaurants/1?open_at=2026-07-15${time}`);
      assert.equal(field(field(body, 'opening'), 'until'), '2026-07-15T12:30:00.000Z', time);
    }
  });
});
