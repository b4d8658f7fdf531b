import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { changeOf, refusal, revert } from '../support/changes.ts';
import { field, record } from '../support/client.ts';
import { addRestaurants } from '../support/lists.ts';
import { changeStored } from '../support/people.ts';
import { startService } from '../support/service.ts';

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
