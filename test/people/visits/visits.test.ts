import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { createRestaurants } from '../../support/catalogue.ts';
import { allChanges, changeOf, deeds, refusal, revert, reverted } from '../../support/changes.ts';
import { type Client, array, field, ids, record, textOf } from '../../support/client.ts';
import { addRestaurants } from '../../support/lists.ts';
import { changeStored } from '../../support/people.ts';
import { startService } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';
import { startWorld } from '../../support/world.ts';

const FULL = {
  restaurant_id: 1,
  visited_on: '2026-01-31',
  note: 'A table by the window',
  companions: ['Grace', 'Mum'],
  total_minor: 4850,
  currency: 'EUR',
  dishes: [{ name: 'Onion soup', stars: 5, price_minor: 950, note: 'Hot', again: true }],
};
const PLAIN = { note: null, companions: [], total_minor: null, currency: null, dishes: [] };

describe('a visit', () => {
  longTest('is logged, read, changed and deleted', async (t) => {
    const { owner, admin } = await startWorld(t);
    await addRestaurants(admin, 'A');
    const made = await owner.post('/visits', FULL);
    const { id, created_at, updated_at, ...fields } = record(made.body);
    assert.deepEqual([made.status, id, created_at], [201, 1, updated_at]);
    assert.deepEqual(fields, { ...FULL, restaurant: { id: 1, name: 'A' } });
    const location = String(made.headers.get('location'));
    assert.deepEqual((await owner.send(location, {})).body, made.body);

    const changed = await owner.put('/visits/1', { note: null, dishes: [{ name: 'Cake' }] });
    const dish = { name: 'Cake', stars: null, price_minor: null, note: null, again: null };
    assert.deepEqual(field(changed.body, 'dishes'), [dish]);
    const { note, total_minor, companions } = record(changed.body);
    assert.deepEqual([note, total_minor, companions], [null, 4850, FULL.companions]);

    assert.equal((await owner.delete('/visits/1')).status, 204);
    for (const answer of [await owner.get('/visits/1'), await owner.delete('/visits/1')])
      assert.deepEqual(refusal(answer), [404, 'Visit not found']);
  });

  test('comes with all of its restaurant where that is asked for, as long as it is there', async (t) => {
    const { api } = await startService(t);
    await addRestaurants(api, 'A', 'B');
    for (const id of [1, 2]) await api.post('/visits', { ...FULL, restaurant_id: id });
    const restaurant = (await api.get('/restaurants/1?include=cover')).body;
    await api.delete('/restaurants/2');
    const visits = array(field((await api.get('/visits?include=restaurant')).body, 'data'));
    assert.deepEqual(
      visits.map((visit) => field(visit, 'restaurant')),
      [{ id: null, name: 'B' }, restaurant],
    );
  });

  test('needs nothing but its restaurant', async (t) => {
    const { api } = await startService(t);
    await addRestaurants(api, 'A');
    const { body } = await api.post('/visits', { restaurant_id: 1, companions: null, dishes: null });
    const { note, companions, total_minor, currency, dishes } = record(body);
    assert.deepEqual({ note, companions, total_minor, currency, dishes }, PLAIN);
    assert.deepEqual(refusal(await api.post('/visits', { restaurant_id: 2 })), [404, 'Restaurant not found']);
  });

  test('without a day is of today in the time zone of its restaurant, in UTC where there is none', async (t) => {
    const { api } = await startService(t);
    const honolulu = { latitude: 21.31, longitude: -157.86 };
    await createRestaurants(api, [
      { name: 'Honolulu', ...honolulu },
      { name: 'Kiritimati', latitude: 1.87, longitude: -157.43 },
      { name: 'Kiritimati by its own time zone', ...honolulu, time_zone: 'Pacific/Kiritimati' },
      { name: 'Nowhere' },
    ]);
    const today = (): string => new Date().toISOString().slice(0, 10);
    const visitedOn = async (restaurant_id: number): Promise<string> =>
      textOf((await api.post('/visits', { restaurant_id })).body, 'visited_on');
    // Two zones that never have the same day: twenty-four hours lie between them.
    const west = await visitedOn(1);
    for (const east of [2, 3]) assert.ok((await visitedOn(east)) > west);
    const before = today();
    const utc = await visitedOn(4);
    assert.ok(utc === before || utc === today());
  });

  test('is changed by its fields in the log, which undo it', async (t) => {
    const { owner, admin } = await startWorld(t);
    await addRestaurants(admin, 'A');
    const before = (await owner.post('/visits', FULL)).body;
    const change = changeOf(await owner.put('/visits/1', { dishes: [], note: 'Cold' }));
    const [made, changed] = (await allChanges(owner, 'kind=visit')).map(record);
    assert.deepEqual([made?.['name'], changed?.['fields']], ['A', ['note', 'dishes']]);
    const undoing = await reverted(owner, change);
    const { updated_at: _moves, ...after } = record((await owner.get('/visits/1')).body);
    assert.deepEqual({ ...record(before), ...after }, before);
    await reverted(owner, undoing);
    assert.deepEqual(field((await owner.get('/visits/1')).body, 'dishes'), []);
  });

  test('comes back when its deletion is undone, also when its restaurant is gone by then', async (t) => {
    const { owner, admin } = await startWorld(t);
    await addRestaurants(admin, 'A');
    const before = (await owner.post('/visits', FULL)).body;
    await reverted(owner, changeOf(await owner.delete('/visits/1')));
    assert.deepEqual((await owner.get('/visits/1')).body, before);

    const deletion = changeOf(await owner.delete('/visits/1'));
    const gone = changeOf(await admin.delete('/restaurants/1'));
    await reverted(owner, deletion);
    const { restaurant } = record((await owner.get('/visits/1')).body);
    assert.deepEqual(restaurant, { id: null, name: 'A' });
    await reverted(admin, gone);
    assert.deepEqual((await owner.get('/visits/1')).body, before);
    assert.deepEqual(deeds(await allChanges(owner, 'kind=visit')).at(-1), 'visit restore');
  });

  for (const [method, body] of [
    ['GET', undefined],
    ['PUT', { note: 'Mine' }],
    ['DELETE', undefined],
  ] as const)
    test(`of another user is not found by ${method}, by administrators neither`, async (t) => {
      const { owner, other, admin } = await startWorld(t);
      await addRestaurants(admin, 'A');
      await owner.post('/visits', FULL);
      const headers = { 'Content-Type': 'application/json' };
      const init = { method, ...(body && { headers, body: JSON.stringify(body) }) };
      for (const api of [other, admin]) {
        assert.deepEqual(refusal(await api.send('/api/visits/1', init)), [404, 'Visit not found']);
        assert.equal(field((await api.get('/visits')).body, 'total'), 0);
      }
    });
});

const DAYS = ['2026-01-03', '2026-01-01', '2026-01-03', '2026-01-02', '2025-12-31', '2026-01-03'];
// By day, then by id, both descending.
const NEWEST_FIRST = [6, 3, 1, 4, 2, 5];

/** Visits 1 to 6, to restaurants 1 and 2 in turn. */
async function furnished(t: TestContext): Promise<Client> {
  const { api } = await startService(t);
  await addRestaurants(api, 'A', 'B');
  for (const [index, visited_on] of DAYS.entries())
    await api.post('/visits', { restaurant_id: 1 + (index % 2), visited_on });
  return api;
}

/** The ids of all pages. */
async function walk(api: Client, query: string): Promise<number[]> {
  const found: number[] = [];
  for (let cursor = ''; ;) {
    const { status, body, headers } = await api.get(`/visits?${query}${cursor}`);
    assert.equal(status, 200, JSON.stringify(body));
    found.push(...ids(field(body, 'data')));
    assert.ok(found.length <= DAYS.length, 'the pages do not end');
    const isLast = field(body, 'next_cursor') === null;
    assert.deepEqual([headers.get('link') === null, field(body, 'has_more')], [isLast, !isLast]);
    if (isLast) return found;
    cursor = `&cursor=${encodeURIComponent(textOf(body, 'next_cursor'))}`;
  }
}

describe('the pages of visits', () => {
  test('hold all of them, the newest day first, however many are on a page', async (t) => {
    const api = await furnished(t);
    for (const limit of [1, 2, 4, 20])
      assert.deepEqual(await walk(api, `limit=${limit}`), NEWEST_FIRST, `${limit} to a page`);
  });

  const filters: readonly (readonly [string, readonly number[]])[] = [
    ['restaurant_id=1', [3, 1, 5]],
    ['restaurant_id=2', [6, 4, 2]],
    ['restaurant_id=9', []],
    ['from=2026-01-02', [6, 3, 1, 4]],
    ['to=2026-01-02', [4, 2, 5]],
    ['from=2026-01-01&to=2026-01-02', [4, 2]],
    ['from=2026-01-03&to=2026-01-01', []],
    ['restaurant_id=1&from=2026-01-01', [3, 1]],
  ];
  test('hold those that are asked for, and count them', async (t) => {
    const api = await furnished(t);
    for (const [query, expected] of filters) {
      assert.deepEqual(await walk(api, `limit=2&${query}`), expected, query);
      assert.equal(field((await api.get(`/visits?${query}`)).body, 'total'), expected.length);
    }
  });

  test('go on where they were when visits come and go', async (t) => {
    const api = await furnished(t);
    const first = await api.get('/visits?limit=2');
    const cursor = encodeURIComponent(String(field(first.body, 'next_cursor')));
    await api.delete('/visits/3');
    await api.post('/visits', { restaurant_id: 1, visited_on: '2026-01-04' });
    const second = await api.get(`/visits?limit=2&cursor=${cursor}`);
    assert.deepEqual(ids(field(second.body, 'data')), [1, 4]);
  });

  test('refuse cursors that are not of visits, and days that are none', async (t) => {
    const { admin } = await startWorld(t);
    const foreign = String(field((await admin.get('/users?limit=1')).body, 'next_cursor'));
    for (const cursor of [foreign, 'x', 'AAAA'])
      assert.deepEqual(refusal(await admin.get(`/visits?cursor=${cursor}`)), [400, 'Invalid cursor']);
    const faults = {
      'from=2026-02-30': 'from must be a day as YYYY-MM-DD',
      'to=2026-02-30': 'to must be a day as YYYY-MM-DD',
      'restaurant=1': 'unknown parameter restaurant; did you mean restaurant_id?',
    };
    for (const [query, error] of Object.entries(faults))
      assert.deepEqual(refusal(await admin.get(`/visits?${query}`)), [400, error]);
  });
});

const dayFrom = (days: number): string =>
  new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
const DAY_FAULT = 'visited_on must be a day as YYYY-MM-DD, from 1900-01-01 to tomorrow';
const AMOUNT_FAULT = 'total_minor must be an integer from 0 to 1000000000000';
const NO_CURRENCY = 'currency is required with an amount';

const FAULTS: readonly (readonly [string, object, string])[] = [
  ['a day that is in no calendar', { visited_on: '2026-02-30' }, DAY_FAULT],
  ['a day before 1900', { visited_on: '1899-12-31' }, DAY_FAULT],
  ['the day after tomorrow', { visited_on: dayFrom(2) }, DAY_FAULT],
  ['a moment for a day', { visited_on: '2026-01-31T10:00:00Z' }, DAY_FAULT],
  ['a day of the year 10000', { visited_on: '+010000-01-01' }, DAY_FAULT],
  ['a number for a day', { visited_on: 20260131 }, DAY_FAULT],
  ['a note of 5,001 characters', { note: 'x'.repeat(5001) }, 'note must be at most 5000 characters'],
  ['companions that are no array', { companions: 'Grace' }, 'companions must be an array'],
  ['21 companions', { companions: Array(21).fill('x') }, 'companions must have at most 20 elements'],
  ['a companion that is no text', { companions: ['x', 5] }, 'companions[1] must be a string'],
  ['a blank companion', { companions: [' '] }, 'companions[0] is required'],
  ['a long companion', { companions: ['x'.repeat(101)] }, 'companions[0] must be at most 100 characters'],
  ['half a cent', { total_minor: 0.5, currency: 'EUR' }, AMOUNT_FAULT],
  ['a negative amount', { total_minor: -1, currency: 'EUR' }, AMOUNT_FAULT],
  ['an amount over a trillion', { total_minor: 1e12 + 1, currency: 'EUR' }, AMOUNT_FAULT],
  ['an amount without a currency', { total_minor: 5 }, NO_CURRENCY],
  ['a price without a currency', { dishes: [{ name: 'x', price_minor: 5 }] }, NO_CURRENCY],
  ['a currency that is none', { currency: 'XYZ' }, 'currency must be a code of ISO 4217'],
  ['a currency by its sign', { currency: '€' }, 'currency must be a code of ISO 4217'],
  ['51 dishes', { dishes: Array(51).fill({ name: 'x' }) }, 'dishes must have at most 50 elements'],
  ['a dish that is a text', { dishes: ['soup'] }, 'dishes[0] must be an object'],
  [
    'a dish with faults',
    { dishes: [{ name: 'x' }, { stars: 6, again: 'yes' }] },
    'dishes[1].name is required; dishes[1].stars must be an integer from 1 to 5; dishes[1].again must be true or false',
  ],
  ['a long dish', { dishes: [{ name: 'x'.repeat(201) }] }, 'dishes[0].name must be at most 200 characters'],
];

const TOO_LARGE = 'visit must be at most 64 KB';

/** Visits with this many characters of notes, and hardly anything else. */
const long = (dishes: number, note: number): object => ({
  note: 'x'.repeat(note),
  dishes: Array.from({ length: dishes }, () => ({ name: 'x', note: '€'.repeat(1000) })),
});

describe('a visit of more than 64 KB', () => {
  test('is refused, whatever else is wrong with it, and one of 64 KB is not', async (t) => {
    const { api } = await startService(t);
    await addRestaurants(api, 'A');
    const sent = async (body: object): Promise<number | readonly [number, unknown]> => {
      const answer = await api.post('/visits', { restaurant_id: 1, visited_on: '2026-01-02', ...body });
      return answer.status === 201 ? 201 : refusal(answer);
    };
    const empty = { note: '', companions: [], total_minor: null, currency: null };
    const dish = { name: 'x', stars: null, price_minor: null, note: '€'.repeat(1000), again: null };
    const dishes = Array.from({ length: 21 }, () => dish);
    const rest = Buffer.byteLength(JSON.stringify({ visited_on: '2026-01-02', ...empty, dishes }));
    const note = 'x'.repeat(64 * 1024 - rest);
    assert.equal(await sent({ note, dishes }), 201);
    for (const body of [
      { note: `${note}x`, dishes },
      long(50, 5_000),
      long(50, 5_001),
      { ...long(50, 1), currency: 'XYZ' },
      { note: 'x'.repeat(70_000) },
    ])
      assert.deepEqual(await sent(body), [400, TOO_LARGE]);
    assert.deepEqual(refusal(await api.put('/visits/1', { note: `${note}x` })), [400, TOO_LARGE]);
    assert.deepEqual(refusal(await api.put('/visits/1', long(50, 1))), [400, TOO_LARGE]);
    assert.equal((await api.put('/visits/1', { note: note.slice(1), dishes: dishes.slice(1) })).status, 200);
  });

  test('stays readable where it is older than the limit, and a revert brings it back as it was', async (t) => {
    const { api, folder } = await startService(t);
    await addRestaurants(api, 'A');
    await api.post('/visits', { restaurant_id: 1 });
    const dish = { name: 'x', stars: null, price_minor: null, note: '€'.repeat(1000), again: null };
    const dishes = Array.from({ length: 50 }, () => dish);
    changeStored(folder, 'UPDATE visits SET dishes = ?', JSON.stringify(dishes));
    const read = async (): Promise<unknown> => field((await api.get('/visits/1')).body, 'dishes');
    assert.deepEqual(await read(), dishes);
    assert.deepEqual(refusal(await api.put('/visits/1', { note: 'x' })), [400, TOO_LARGE]);
    const emptied = await api.put('/visits/1', { dishes: [] });
    assert.equal((await revert(api, changeOf(emptied))).status, 200);
    assert.deepEqual(await read(), dishes);
    assert.equal((await revert(api, changeOf(await api.delete('/visits/1')))).status, 200);
    assert.deepEqual(await read(), dishes);
  });
});

describe('a visit with a fault', () => {
  test('is refused, as a change of one is', async (t) => {
    const { api } = await startService(t);
    await addRestaurants(api, 'A');
    await api.post('/visits', { restaurant_id: 1 });
    for (const [title, body, fault] of FAULTS) {
      assert.deepEqual(
        refusal(await api.post('/visits', { restaurant_id: 1, ...body })),
        [400, fault],
        title,
      );
      assert.deepEqual(refusal(await api.put('/visits/1', body)), [400, fault], title);
    }
    assert.equal(field((await api.get('/visits')).body, 'total'), 1);
  });

  test('is accepted at the limits', async (t) => {
    const { api } = await startService(t);
    await addRestaurants(api, 'A');
    const dish = { name: 'x'.repeat(200), note: 'x'.repeat(1000), price_minor: 1e12, stars: 1, again: false };
    const short = { ...dish, note: 'x' };
    const dishes = Array.from({ length: 50 }, (_, index) => (index < 20 ? dish : short));
    const texts = { note: '😀'.repeat(5000), companions: Array(20).fill('x'.repeat(100)) };
    const body = { restaurant_id: 1, ...texts, dishes, total_minor: 0, currency: 'jpy' };
    for (const day of ['1900-01-01', '2024-02-29', dayFrom(1)]) {
      const { status, body: visit } = await api.post('/visits', { ...body, visited_on: day });
      const { visited_on, currency } = record(visit);
      assert.deepEqual([status, visited_on, currency], [201, day, 'JPY']);
    }
  });

  test('is refused where a change would leave an amount without its currency, or move it', async (t) => {
    const { api } = await startService(t);
    await addRestaurants(api, 'A', 'B');
    await api.post('/visits', { restaurant_id: 1, currency: 'EUR', dishes: [{ name: 'x', price_minor: 5 }] });
    const refused = async (body: object): Promise<readonly [number, unknown]> =>
      refusal(await api.put('/visits/1', body));
    assert.deepEqual(await refused({ currency: null }), [400, NO_CURRENCY]);
    assert.equal((await api.put('/visits/1', { currency: null, dishes: [] })).status, 200);
    assert.deepEqual(await refused({ total_minor: 5 }), [400, NO_CURRENCY]);
    for (const restaurant_id of [2, null])
      assert.deepEqual(await refused({ restaurant_id }), [400, 'restaurant_id cannot be changed']);
    assert.deepEqual(await refused({ visited_on: null }), [400, 'visited_on is required']);
    assert.deepEqual(await refused({ restaurant_id: 'x', visited_on: null }), [
      400,
      'restaurant_id must be a positive integer; visited_on is required',
    ]);
    assert.equal((await api.put('/visits/1', { restaurant_id: 1 })).status, 200);
  });

  test('is warned of fields that it does not know, in its dishes too', async (t) => {
    const { api } = await startService(t);
    await addRestaurants(api, 'A');
    const body = { restaurant_id: 1, nota: 'x', dishes: [{ name: 'x', star: 5 }] };
    const { headers } = await api.post('/visits', body);
    const warning = 'unknown field nota; did you mean note?; unknown field star; did you mean stars?';
    assert.equal(headers.get('catalogue-warning'), warning);
  });

  test('is named by a positive integer', async (t) => {
    const { api } = await startService(t);
    for (const id of ['0', 'x', '1.0', 'want'])
      assert.deepEqual(refusal(await api.get(`/visits/${id}`)), [400, 'Invalid visit ID']);
  });
});
