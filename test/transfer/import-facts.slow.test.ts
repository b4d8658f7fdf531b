import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { array, bodyOf, field, record } from '../support/client.ts';
import { importText } from '../support/imports.ts';
import { type Service, startService } from '../support/service.ts';

/** Imports a file of this name: how many rows were created, updated and unchanged, and the reasons of those that failed. */
async function take({ api }: Service, filename: string, content: string): Promise<unknown[]> {
  const result = bodyOf(await importText(api, content, {}, { filename }));
  const counts = ['created', 'updated', 'unchanged'].map((name) => field(result, name));
  return [...counts, ...array(field(result, 'faults')).map((fault) => field(fault, 'reason'))];
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
  test('are read from CSV, the second time nothing changes, and they stay where a file has none, key by key', async (t) => {
    const service = await startService(t);
    const { api } = service;
    assert.deepEqual(await take(service, 'a.csv', CSV), [1, 0, 0]);
    assert.deepEqual(await take(service, 'a.csv', CSV), [0, 0, 1]);
    const { body } = await api.get('/restaurants/1');
    assert.deepEqual(
      ['price_level', 'opening_hours', 'time_zone'].map((name) => field(body, name)),
      [3, 'Mo-Fr 12:00-14:00; PH off', 'Europe/Paris'],
    );
    assert.deepEqual(known(body, 'diets'), { vegan: 'only', halal: 'yes' });
    assert.deepEqual(known(body, 'external_ids'), { osm: 'N1', wikidata: 'Q42' });

    await take(
      service,
      'b.csv',
      'name,opening_hours,price_level,diets,external_ids\nChez Nous,,,halal=no,fsq=x\n',
    );
    const nulls = { diets: { vegan: null }, external_ids: null, opening_hours: null };
    await take(service, 'b.ndjson', JSON.stringify({ name: 'Chez Nous', ...nulls }));
    const after = (await api.get('/restaurants/1')).body;
    assert.deepEqual(
      [field(after, 'price_level'), field(after, 'opening_hours')],
      [3, 'Mo-Fr 12:00-14:00; PH off'],
    );
    assert.deepEqual(known(after, 'diets'), { vegan: 'only', halal: 'no' });
    assert.deepEqual(known(after, 'external_ids'), { osm: 'N1', fsq: 'x', wikidata: 'Q42' });
  });

  test('include ids, by any of which a restaurant is known', async (t) => {
    const service = await startService(t);
    const { api } = service;
    await take(service, 'a.csv', CSV);
    for (const ids of ['osm=N1', 'wikidata=Q42']) {
      const renamed = `name,address,external_ids\nNew name ${ids},Elsewhere,"${ids}"\n`;
      assert.deepEqual(await take(service, 'b.csv', renamed), [0, 1, 0]);
    }
    const google = '{"name":"A","google_place_id":"g"}\n{"name":"B","external_ids":{"google":"h"}}\n';
    assert.deepEqual(await take(service, 'c.ndjson', google), [2, 0, 0]);
    assert.deepEqual(await take(service, 'd.csv', 'name,external_ids\nC,google=h\n'), [0, 1, 0]);
    const names = array((await api.get('/restaurants')).body).map((one) => field(one, 'name'));
    assert.deepEqual(names.toSorted(), ['A', 'C', 'New name wikidata=Q42']);
  });

  test('that belong to two restaurants are refused, and nothing changes', async (t) => {
    const service = await startService(t);
    await take(service, 'a.csv', 'name,external_ids\nA,osm=N1\nB,wikidata=Q2\n');
    const both = 'name,external_ids\nA,"osm=N1,wikidata=Q2"\n';
    const reason = 'the restaurant already exists: "B" (id 2)';
    assert.deepEqual(await take(service, 'b.csv', both), [0, 0, 0, reason]);
  });

  test('are left out where they are wrong, but for opening hours that are not understood', async (t) => {
    const service = await startService(t);
    const wrong: readonly [cells: string, field: string, reason: string][] = [
      ['5,,,', 'price_level', 'out_of_range'],
      ['high,,,', 'price_level', 'not_a_number'],
      [',Paris,,', 'time_zone', 'not_a_choice'],
      [',,vegan=perhaps,', 'diets', 'not_a_choice'],
      [',,raw=yes,', 'diets', 'not_a_choice'],
      [',,__proto__=yes,', 'diets', 'not_a_choice'],
      [',,,osm=1', 'external_ids', 'not_a_choice'],
    ];
    const header = 'name,price_level,time_zone,diets,external_ids,opening_hours\n';
    for (const [cells, name, reason] of wrong) {
      const { body } = await importText(service.api, `${header}"Wrong ${cells}",${cells},\n`);
      const [note] = array(field(body, 'left_out'));
      const said = [field(body, 'failed'), field(note, 'field'), field(note, 'reason')];
      assert.deepEqual(said, [0, name, reason], cells);
    }
    const { body: result } = await importText(service.api, `${header}A,,,,,when we feel like it\n`);
    assert.equal(field(array(field(result, 'left_out'))[0], 'reason'), 'unknown_hours');
    const { body } = await service.api.get(`/restaurants/${wrong.length + 1}`);
    assert.equal(field(body, 'opening_hours'), 'when we feel like it');
  });
});

describe('the tags of OpenStreetMap in GeoJSON', () => {
  test('are read as facts, those that the service does not know left out, with an id in one of several tags', async (t) => {
    const service = await startService(t);
    const diets = { 'diet:vegan': 'only', 'diet:halal': 'on request', 'diet:raw': 'yes' };
    const places: readonly [string, object, unknown, object][] = [
      ['with diets', { opening_hours: '24/7', ...diets, '@id': 'way/7' }, undefined, { osm: 'W7' }],
      ['osm_id', { osm_id: 'N12' }, undefined, { osm: 'N12' }],
      ['osm_id with its type', { osm_id: 13, osm_type: 'node' }, undefined, { osm: 'N13' }],
      ['@id', { '@id': 'relation/3' }, undefined, { osm: 'R3' }],
      ['id', { id: 'node/4' }, undefined, { osm: 'N4' }],
      ['the id of the feature', {}, 'way/5', { osm: 'W5' }],
      ['a number, which may be of anything', { id: 6, osm_id: 7 }, 8, {}],
      ['a number too long', { '@id': 'node/12345678901234567890' }, undefined, {}],
      [
        'its own key, before a tag',
        { '@id': 'node/1', external_ids: { osm: 'N2' } },
        undefined,
        { osm: 'N2' },
      ],
    ];
    const features = places.map(([name, properties, id]) => ({
      type: 'Feature',
      id,
      geometry: null,
      properties: { name, ...properties },
    }));
    const collection = JSON.stringify({ type: 'FeatureCollection', features });
    assert.deepEqual(await take(service, 'a.geojson', collection), [places.length, 0, 0]);
    for (const [index, [title, , , expected]] of places.entries()) {
      const { body } = await service.api.get(`/restaurants/${index + 1}`);
      assert.deepEqual(known(body, 'external_ids'), expected, title);
    }
    const { body } = await service.api.get('/restaurants/1');
    assert.equal(field(body, 'opening_hours'), '24/7');
    assert.deepEqual(known(body, 'diets'), { vegan: 'only' });
  });
});
