import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { type Ended, runOn } from '../support/cli.ts';
import { type Client, array, field, record } from '../support/client.ts';
import { startService } from '../support/service.ts';

interface World {
  readonly api: Client;
  readonly take: (name: string, content: string) => Promise<Ended>;
}

async function start(t: TestContext): Promise<World> {
  const { api, folder } = await startService(t);
  const take = (name: string, content: string): Promise<Ended> => {
    writeFileSync(join(folder, name), content);
    return runOn(folder, 'import', join(folder, name));
  };
  return { api, take };
}

/** The known values of a field with several keys. */
function known(restaurant: unknown, name: string): object {
  const values = Object.entries(record(field(restaurant, name)));
  return Object.fromEntries(values.filter(([, value]) => value !== null));
}

const CSV = `name,price_level,opening_hours,time_zone,diets,external_ids
Chez Nous,3,"Mo-Fr 12:00-14:00; PH off",Europe/Paris,"vegan=only,halal=yes","osm=N1,wikidata=Q42"
`;

describe('the facts of a place in an import', () => {
  test('are read from CSV, and the second time nothing changes', async (t) => {
    const { api, take } = await start(t);
    assert.match((await take('a.csv', CSV)).out, /^1 row: 1 created/);
    assert.match((await take('a.csv', CSV)).out, /^1 row: 0 created, 0 updated, 1 unchanged/);
    const { body } = await api.get('/restaurants/1');
    assert.deepEqual(
      ['price_level', 'opening_hours', 'time_zone'].map((name) => field(body, name)),
      [3, 'Mo-Fr 12:00-14:00; PH off', 'Europe/Paris'],
    );
    assert.deepEqual(known(body, 'diets'), { vegan: 'only', halal: 'yes' });
    assert.deepEqual(known(body, 'external_ids'), { osm: 'N1', wikidata: 'Q42' });
  });

  test('stay where the file has none, key by key', async (t) => {
    const { api, take } = await start(t);
    await take('a.csv', CSV);
    await take('b.csv', 'name,opening_hours,price_level,diets,external_ids\nChez Nous,,,halal=no,fsq=x\n');
    const nulls = { diets: { vegan: null }, external_ids: null, opening_hours: null };
    await take('b.ndjson', JSON.stringify({ name: 'Chez Nous', ...nulls }));
    const { body } = await api.get('/restaurants/1');
    assert.deepEqual(
      [field(body, 'price_level'), field(body, 'opening_hours')],
      [3, 'Mo-Fr 12:00-14:00; PH off'],
    );
    assert.deepEqual(known(body, 'diets'), { vegan: 'only', halal: 'no' });
    assert.deepEqual(known(body, 'external_ids'), { osm: 'N1', fsq: 'x', wikidata: 'Q42' });
  });

  test('include ids, by any of which a restaurant is known', async (t) => {
    const { api, take } = await start(t);
    await take('a.csv', CSV);
    for (const ids of ['osm=N1', 'wikidata=Q42']) {
      const { out } = await take('b.csv', `name,address,external_ids\nNew name ${ids},Elsewhere,"${ids}"\n`);
      assert.match(out, /^1 row: 0 created, 1 updated/);
    }
    const google = '{"name":"A","google_place_id":"g"}\n{"name":"B","external_ids":{"google":"h"}}\n';
    assert.match((await take('c.ndjson', google)).out, /^2 rows: 2 created/);
    const { out } = await take('d.csv', 'name,external_ids\nC,google=h\n');
    assert.match(out, /^1 row: 0 created, 1 updated/);
    const names = array((await api.get('/restaurants')).body).map((one) => field(one, 'name'));
    assert.deepEqual(names.toSorted(), ['A', 'C', 'New name wikidata=Q42']);
  });

  test('that belong to two restaurants are refused, and nothing changes', async (t) => {
    const { take } = await start(t);
    await take('a.csv', 'name,external_ids\nA,osm=N1\nB,wikidata=Q2\n');
    const { code, err } = await take('b.csv', 'name,external_ids\nA,"osm=N1,wikidata=Q2"\n');
    assert.deepEqual([code, err], [1, 'line 2: the restaurant already exists: "B" (id 2)\n']);
  });

  test('may be opening hours that are not understood', async (t) => {
    const { api, take } = await start(t);
    const { code } = await take('a.csv', 'name,opening_hours\nA,when we feel like it\n');
    assert.equal(code, 0);
    assert.equal(field((await api.get('/restaurants/1')).body, 'opening_hours'), 'when we feel like it');
  });

  const faults: readonly [string, string, string][] = [
    ['price_level', '5', 'price_level must be an integer from 1 to 4'],
    ['price_level', 'high', 'price_level must be an integer from 1 to 4'],
    ['time_zone', 'Paris', 'time_zone must be the name of a time zone, such as Europe/Paris'],
    ['diets', 'vegan', 'diets.vegan must be one of yes, only, limited, no'],
    ['diets', 'raw=yes', 'diets must have no other keys than vegan, vegetarian'],
    ['diets', '__proto__=yes', 'diets must have no other keys than vegan, vegetarian'],
    ['external_ids', 'osm=1', 'external_ids.osm must be N, W or R with a number, such as N123'],
  ];
  for (const [column, cell, fault] of faults)
    test(`are refused where ${column} is ${cell}`, async (t) => {
      const { take } = await start(t);
      const { err } = await take('a.csv', `name,${column}\nA,${cell}\n`);
      assert.equal(err.slice(0, `line 2: ${fault}`.length), `line 2: ${fault}`);
    });
});

describe('the tags of OpenStreetMap in GeoJSON', () => {
  const tagged = (properties: object, id?: unknown): string =>
    JSON.stringify({ type: 'Feature', id, geometry: null, properties: { name: 'A', ...properties } });

  test('are read as facts, those that the service does not know left out', async (t) => {
    const { api, take } = await start(t);
    const diets = { 'diet:vegan': 'only', 'diet:halal': 'on request', 'diet:raw': 'yes' };
    await take('a.geojson', tagged({ opening_hours: '24/7', ...diets, '@id': 'way/7' }));
    const { body } = await api.get('/restaurants/1');
    assert.equal(field(body, 'opening_hours'), '24/7');
    assert.deepEqual([known(body, 'diets'), known(body, 'external_ids')], [{ vegan: 'only' }, { osm: 'W7' }]);
  });

  const ids: readonly [string, object, unknown, object][] = [
    ['osm_id', { osm_id: 'N12' }, undefined, { osm: 'N12' }],
    ['osm_id with its type', { osm_id: 12, osm_type: 'node' }, undefined, { osm: 'N12' }],
    ['@id', { '@id': 'relation/3' }, undefined, { osm: 'R3' }],
    ['id', { id: 'node/4' }, undefined, { osm: 'N4' }],
    ['the id of the feature', {}, 'way/5', { osm: 'W5' }],
    ['a number, which may be of anything', { id: 6, osm_id: 7 }, 8, {}],
    ['a number too long', { '@id': 'node/12345678901234567890' }, undefined, {}],
    ['its own key, before a tag', { '@id': 'node/1', external_ids: { osm: 'N2' } }, undefined, { osm: 'N2' }],
  ];
  for (const [title, properties, id, expected] of ids)
    test(`have an id in ${title}`, async (t) => {
      const { api, take } = await start(t);
      const { out } = await take('a.geojson', tagged(properties, id));
      assert.match(out, /^1 row: 1 created/);
      assert.deepEqual(known((await api.get('/restaurants/1')).body, 'external_ids'), expected);
    });
});
