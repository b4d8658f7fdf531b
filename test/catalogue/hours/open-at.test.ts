import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Client, array, field, ids, record } from '../../support/client.ts';
import { startCrowded } from '../../support/map-reference.ts';
import { startService } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';

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

  longTest('keeps the same of thousands of places, whose hours are looked at in slices', async (t) => {
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

async function addOpen(api: Client, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await api.post('/restaurants', { name: `Always ${index}`, ...PARIS, opening_hours: '24/7' });
}

describe('what is open now', () => {
  test('is shown by include=opening in lists, in search and of one, and filters nothing', async (t) => {
    const { api } = await startService(t);
    await addOpen(api, 1);
    await api.post('/restaurants', { name: 'Never', ...PARIS, opening_hours: 'off' });
    await api.post('/suggestions', { name: 'Always suggested', address: '1 Rue' });
    const states = (list: unknown): readonly unknown[] =>
      array(list).map((place) => {
        const opening = field(place, 'opening');
        return opening === null ? null : field(opening, 'state');
      });
    const { body, headers } = await api.get('/restaurants?include=opening');
    assert.deepEqual(states(body), [null, 'closed', 'open']);
    assert.equal(headers.get('cache-control'), 'no-cache');
    const { body: page } = await api.get('/restaurants/paginated?include=opening');
    assert.deepEqual(states(field(page, 'data')), ['closed', 'open']);
    assert.deepEqual(states((await api.get('/search?q=always&include=opening')).body).toSorted(), [
      null,
      'open',
    ]);
    const one = await api.get('/restaurants/1?include=opening&open_at=2026-07-15T12:00:00Z');
    assert.deepEqual(field(one.body, 'opening'), { state: 'open', until: null, reason: null });
  });

  test('is never answered from a cache, and has an ETag of what is answered', async (t) => {
    const { api } = await startService(t);
    await addOpen(api, 1);
    const map = '/restaurants/map?bbox=-180,-90,180,90&zoom=3&open_at=now';
    const lists = ['/restaurants?open_at=now', '/restaurants/paginated?open_at=now'];
    for (const path of [...lists, map, '/restaurants/1?open_at=now'])
      for (let count = 0; count < 3; count += 1) {
        const first = await api.get(path);
        assert.equal(first.headers.get('cache-control'), 'no-cache');
        const etag = first.headers.get('etag') ?? '';
        const again = await api.get(path, { 'If-None-Match': etag });
        assert.deepEqual([again.status, again.headers.get('cache-control')], [304, 'no-cache'], path);
      }
    const hour = 3_600_000;
    const clock = (instant: number): string => new Date(instant).toISOString().slice(11, 16);
    const now = Date.now();
    const span = `${clock(now - 2 * hour)}-${clock(now + 2 * hour)}`;
    await api.put('/restaurants/1', { time_zone: 'Etc/UTC', opening_hours: span });
    const { body } = await api.get('/restaurants/1?open_at=now');
    assert.equal(field(field(body, 'opening'), 'state'), 'open');
  });

  test('is judged on later pages by the time of the first one', async (t) => {
    const { api } = await startService(t);
    for (const name of ['One', 'Two'])
      await api.post('/restaurants', { name, time_zone: 'Etc/UTC', opening_hours: 'We 12:00-13:00' });
    const path = '/restaurants/paginated?open_at=now&limit=1';
    const clock = t.mock.method(Date, 'now', () => Date.parse('2026-07-15T12:30:00Z'));
    const first = await api.get(path);
    clock.mock.mockImplementation(() => Date.parse('2026-07-15T13:30:00Z'));
    const second = await api.get(`${path}&cursor=${String(field(first.body, 'next_cursor'))}`);
    const anew = await api.get(path);
    clock.mock.restore();
    const [place] = array(field(second.body, 'data'));
    assert.equal(field(field(place, 'opening'), 'until'), '2026-07-15T13:00:00.000Z');
    assert.equal(field(second.body, 'total'), 2);
    assert.equal(field(anew.body, 'total'), 0);
  });
});

const WARNING = 'opening_hours is not understood';

describe('a write of opening hours that are not understood', () => {
  test('succeeds with a warning, on create, change and conversion', async (t) => {
    const { api } = await startService(t);
    const made = await api.post('/restaurants', { name: 'One', opening_hours: 'sunrise-sunset' });
    assert.deepEqual([made.status, made.headers.get('catalogue-warning')], [201, WARNING]);
    assert.equal(field(made.body, 'opening_hours'), 'sunrise-sunset');
    const changed = await api.put('/restaurants/1', { opening_hours: 'Mo 10:00+' });
    assert.deepEqual([changed.status, changed.headers.get('catalogue-warning')], [200, WARNING]);
    await api.post('/suggestions', { name: 'Two', address: '1 Rue' });
    const converted = await api.post('/suggestions/2/convert', { opening_hours: 'week 1-10 Mo off' });
    assert.deepEqual([converted.status, converted.headers.get('catalogue-warning')], [201, WARNING]);
  });

  test('is the same for hours of more rules than anybody needs, which are then unknown', async (t) => {
    const { api } = await startService(t);
    const closed = Array.from({ length: 62 }, (_, minute) => `0:${10 + (minute % 50)}-1:00 off`);
    const hours = ['Jan-Nov 00:00-24:00', ...closed].join(';');
    const place = { name: 'One', opening_hours: hours, time_zone: 'Etc/UTC' };
    const made = await api.post('/restaurants', place);
    assert.deepEqual([made.status, made.headers.get('catalogue-warning')], [201, WARNING]);
    const { body } = await api.get('/restaurants/1?include=opening');
    assert.equal(field(body, 'opening_hours'), hours);
    assert.deepEqual(field(body, 'opening'), { state: 'unknown', until: null, reason: 'not_understood' });
    assert.deepEqual(ids((await api.get('/restaurants?open_at=now')).body), [1]);
    assert.deepEqual(ids((await api.get('/restaurants?open_at=now&open_strict=true')).body), []);
  });

  test('succeeds where unknown names are faults, too, and is named behind them', async (t) => {
    const { api } = await startService(t);
    const body = { name: 'One', opening_hours: '"by appointment"' };
    const strict = await api.post('/restaurants', body, { Prefer: 'handling=strict' });
    assert.deepEqual([strict.status, strict.headers.get('catalogue-warning')], [201, WARNING]);
    const both = await api.post('/restaurants', { ...body, name: 'Two', moon: 1 });
    assert.equal(both.headers.get('catalogue-warning'), `unknown field moon; ${WARNING}`);
  });

  test('has no warning where they are understood, not sent, cleared, or refused', async (t) => {
    const { api } = await startService(t);
    const understood = await api.post('/restaurants', { name: 'One', opening_hours: 'Mo-Fr 10:00-20:00' });
    await api.put('/restaurants/1', { opening_hours: 'whenever' });
    const others = [
      await api.put('/restaurants/1', { phone: '1' }),
      await api.put('/restaurants/1', { opening_hours: null }),
      await api.put('/restaurants/1', { opening_hours: 'whenever', price_level: 9 }),
    ];
    for (const { headers } of [understood, ...others]) assert.equal(headers.get('catalogue-warning'), null);
  });
});
