import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DIETS } from '../../../src/catalogue/restaurants/field-table.ts';
import { changeAt, changeOf, refusal, reverted } from '../../support/changes.ts';
import { type Client, array, field, record, textOf } from '../../support/client.ts';
import { startService } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';

const NO_DIETS = Object.fromEntries(DIETS.map((diet) => [diet, null]));
const NO_IDS = { google: null, osm: null, fsq: null, overture: null, wikidata: null };
const HOURS = 'Mo-Fr 12:00-14:30,19:00-22:30; Sa 19:00-02:00; PH off';

async function made(api: Client, body: object): Promise<Readonly<Record<string, unknown>>> {
  const { status, body: restaurant } = await api.post('/restaurants', body);
  assert.equal(status, 201);
  return record(restaurant);
}

describe('the facts of a place', () => {
  test('are answered as they were sent, those of diets and ids with all their keys', async (t) => {
    const { api } = await startService(t);
    const facts = { opening_hours: HOURS, time_zone: 'Asia/Tokyo', price_level: 3 };
    const sent = {
      ...facts,
      diets: { vegan: 'only', halal: 'no' },
      external_ids: { osm: 'W42', wikidata: 'Q7' },
    };
    const restaurant = await made(api, { name: 'All', latitude: 48.9, longitude: 2.3, ...sent });
    const expected = {
      ...facts,
      diets: { ...NO_DIETS, vegan: 'only', halal: 'no' },
      external_ids: { ...NO_IDS, osm: 'W42', wikidata: 'Q7' },
    };
    const { body } = await api.get('/restaurants/1');
    for (const answer of [restaurant, record(body), record(array((await api.get('/restaurants')).body)[0])])
      assert.deepEqual({ ...answer, ...expected }, answer);
  });

  test('change by the keys that are sent, and are cleared by null', async (t) => {
    const { api } = await startService(t);
    const facts = { diets: { vegan: 'yes', halal: 'no' }, external_ids: { osm: 'N1', fsq: 'f' } };
    await made(api, { name: 'One', ...facts });
    const change = async (body: object): Promise<Readonly<Record<string, unknown>>> =>
      record((await api.put('/restaurants/1', body)).body);
    const first = await change({ diets: { halal: 'only', kosher: 'no' }, external_ids: { osm: null } });
    assert.deepEqual(first['diets'], { ...NO_DIETS, vegan: 'yes', halal: 'only', kosher: 'no' });
    assert.deepEqual(first['external_ids'], { ...NO_IDS, fsq: 'f' });
    const second = await change({ diets: null, external_ids: null, opening_hours: null });
    assert.deepEqual([second['diets'], second['external_ids']], [NO_DIETS, NO_IDS]);
  });

  test('are in the change log under their names, and are undone with their change', async (t) => {
    const { api } = await startService(t);
    await made(api, { name: 'One', diets: { vegan: 'yes' } });
    const vegan = { ...NO_DIETS, vegan: 'yes' };
    const id = changeOf(
      await api.put('/restaurants/1', { diets: { halal: 'yes' }, time_zone: 'Asia/Tokyo' }),
    );
    const { fields, before } = await changeAt(api, id);
    assert.deepEqual([fields, field(before, 'diets')], [['time_zone', 'diets'], vegan]);
    await reverted(api, id);
    const after = record((await api.get('/restaurants/1')).body);
    assert.deepEqual([after['diets'], after['time_zone']], [vegan, null]);
    await reverted(api, changeOf(await api.delete('/restaurants/1')));
    assert.deepEqual(field((await api.get('/restaurants/1')).body, 'diets'), vegan);
  });

  const zones: readonly (readonly [string, object, string | null])[] = [
    ['of the coordinates', { latitude: 35.68, longitude: 139.77 }, 'Asia/Tokyo'],
    ['that was set', { latitude: 35.68, longitude: 139.77, time_zone: 'Europe/Paris' }, 'Europe/Paris'],
    ['that was set without coordinates', { time_zone: 'America/Lima' }, 'America/Lima'],
    ['null without either', {}, null],
  ];
  test('have a time zone that follows from the coordinates unless it was set', async (t) => {
    const { api } = await startService(t);
    for (const [title, fields, expected] of zones)
      assert.equal((await made(api, { name: title, ...fields }))['time_zone'], expected, title);
  });

  test('can be added when a suggestion becomes a restaurant', async (t) => {
    const { api } = await startService(t);
    await api.post('/suggestions', { name: 'Soon', google_place_id: 'g-1', latitude: 48.9, longitude: 2.3 });
    const pending = record(array((await api.get('/restaurants')).body)[0]);
    assert.deepEqual([pending['time_zone'], pending['diets']], [null, NO_DIETS]);
    const facts = { opening_hours: '24/7', price_level: 2 };
    const more = { diets: { vegan: 'only' }, external_ids: { osm: 'R9' } };
    const { body } = await api.post('/suggestions/1/convert', { ...facts, ...more });
    const diets = { ...NO_DIETS, vegan: 'only' };
    const external_ids = { ...NO_IDS, google: 'g-1', osm: 'R9' };
    const expected = { ...facts, diets, external_ids, time_zone: 'Europe/Paris' };
    assert.deepEqual({ ...record(body), ...expected }, body);
  });
});

describe('ids in other catalogues', () => {
  test('have the place id of Google as google, whichever name it is sent under', async (t) => {
    const { api } = await startService(t);
    await made(api, { name: 'One', external_ids: { google: 'g-1' } });
    const steps: readonly (readonly [object, string | null])[] = [
      [{}, 'g-1'],
      [{ google_place_id: 'g-2' }, 'g-2'],
      [{ external_ids: { google: 'g-3' }, google_place_id: 'g-3' }, 'g-3'],
      [{ external_ids: { osm: 'N1' } }, 'g-3'],
      [{ external_ids: null, google_place_id: 'g-4' }, 'g-4'],
      [{ external_ids: null }, null],
    ];
    for (const [body, expected] of steps) {
      const { google_place_id, external_ids } = record((await api.put('/restaurants/1', body)).body);
      assert.deepEqual([google_place_id, field(external_ids, 'google')], [expected, expected]);
    }
  });

  test('are those of one restaurant', async (t) => {
    const { api } = await startService(t);
    await made(api, { name: 'Another' });
    for (const ids of [
      { osm: 'N7' },
      { fsq: 'f7' },
      { overture: 'o7' },
      { wikidata: 'Q7' },
      { google: 'g7' },
    ]) {
      const title = JSON.stringify(ids);
      const { id } = await made(api, { name: 'First', external_ids: ids });
      const taken = [409, `Restaurant already exists: "First" (id ${String(id)})`];
      const third = { name: 'Third', external_ids: ids };
      assert.deepEqual(refusal(await api.post('/restaurants', third)), taken, title);
      assert.deepEqual(refusal(await api.put('/restaurants/1', { external_ids: ids })), taken, title);
      assert.equal((await api.put(`/restaurants/${String(id)}`, { external_ids: ids })).status, 200, title);
      await api.delete(`/restaurants/${String(id)}`);
    }
  });
});

const LONG = 'x'.repeat(256);
const REFUSED: readonly (readonly [string, object, RegExp])[] = [
  ['hours of 1,001 characters', { opening_hours: 'x'.repeat(1001) }, /^opening_hours must be at most 1000/],
  ['a zone that is none', { time_zone: 'Mars/Base' }, /^time_zone must be the name of a time zone/],
  ['an offset as a zone', { time_zone: '+02:00' }, /^time_zone must be the name of a time zone/],
  ['diets as a list', { diets: ['vegan'] }, /^diets must be an object$/],
  ['an unknown diet', { diets: { keto: 'yes' } }, /^diets must have no other keys than vegan, /],
  ['a prototype as a diet', { diets: { constructor: 'yes' } }, /^diets must have no other keys/],
  ['a diet that may be', { diets: { vegan: true } }, /^diets\.vegan must be one of yes, only, limited, no$/],
  ['an unknown catalogue', { external_ids: { yelp: 'x' } }, /no other keys than google, osm, fsq/],
  ['a way in small letters', { external_ids: { osm: 'w1' } }, /^external_ids\.osm must be N, W or R/],
  ['an id of 20 digits', { external_ids: { osm: `N${'1'.repeat(20)}` } }, /^external_ids\.osm/],
  ['a lexeme of Wikidata', { external_ids: { wikidata: 'L1' } }, /^external_ids\.wikidata must be Q/],
  ['an id with a blank', { external_ids: { fsq: 'a b' } }, /^external_ids\.fsq must be a text/],
  ['an id with a comma', { external_ids: { overture: 'a,b' } }, /^external_ids\.overture/],
  ['an id with a control character', { external_ids: { overture: 'a\u0000b' } }, /^external_ids\.overture/],
  ['an empty id', { external_ids: { fsq: '' } }, /^external_ids\.fsq/],
  ['an id of 256 characters', { external_ids: { fsq: LONG } }, /^external_ids\.fsq/],
  ['a long id of Google', { external_ids: { google: LONG } }, /^external_ids\.google must be at/],
  [
    'two ids of Google',
    { google_place_id: 'a', external_ids: { google: 'b' } },
    /^google_place_id and external_ids\.google must be the same$/,
  ],
];

describe('facts that are none', () => {
  longTest('are refused', async (t) => {
    const { api } = await startService(t);
    await made(api, { name: 'One' });
    for (const [title, body, words] of REFUSED)
      for (const answer of [
        await api.post('/restaurants', { name: 'Two', ...body }),
        await api.put('/restaurants/1', body),
      ]) {
        assert.equal(answer.status, 400, title);
        assert.match(textOf(answer.body, 'error'), words);
      }
  });
});
