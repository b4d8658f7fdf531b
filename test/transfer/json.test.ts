import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readGeoJson } from '../../src/transfer/geojson.ts';
import { readNdjson } from '../../src/transfer/ndjson.ts';
import { longTest } from '../support/size.ts';
import { type PlainEntry, faultAt, readAll, row } from '../support/source.ts';

const MEGABYTE = 1024 * 1024;
const collection = (...features: readonly string[]): string =>
  `{"type":"FeatureCollection","features":[${features.join(',')}]}`;
const feature = (properties: object, geometry: object | null = null): string =>
  JSON.stringify({ type: 'Feature', geometry, properties });
const point = (longitude: number, latitude: number): object => ({
  type: 'Point',
  coordinates: [longitude, latitude],
});

describe('NDJSON', () => {
  const read = async (text: string | Uint8Array, size?: number): Promise<unknown[]> =>
    (await readAll(readNdjson, text, size)).entries;

  test('is a restaurant a line as the API returns it, wherever it is split', async () => {
    const lines = [
      '{"name":"É","id":9,"category":{"id":1,"name":"C"},"food_types":[{"name":"F"},"G"],"avg_rating":{},"latitude":1}',
      '',
      '{"name":"B","category":"C","ratings":[{"food_rating":1}]}\r',
      '{"name":"C","category":null}',
    ];
    const expected = [
      { line: 1, name: 'É', latitude: 1, category: 'C', food_types: ['F', 'G'] },
      { line: 3, name: 'B', ratings: [{ food_rating: 1 }], category: 'C' },
      { line: 4, name: 'C', category: null },
    ];
    for (const size of [1, 2, 3, 1_000]) assert.deepEqual(await read(lines.join('\n'), size), expected);
  });

  test('reports a line that is none, and goes on', async () => {
    const lines = [
      '{"name":',
      '[1]',
      '"x"',
      '{"name":"S","is_suggestion":true}',
      'x'.repeat(MEGABYTE + 1),
      '{"name":"ok"}',
    ];
    assert.deepEqual(await read(lines.join('\n')), [
      { line: 1, fault: 'the line is not valid JSON' },
      { line: 2, fault: 'the line is not a JSON object' },
      { line: 3, fault: 'the line is not a JSON object' },
      { line: 4, fault: 'the line is a suggestion, not a restaurant' },
      { line: 5, fault: 'the line is longer than 1 MiB' },
      { line: 6, name: 'ok' },
    ]);
    const broken = Buffer.concat([
      Buffer.from('{"name":"'),
      Buffer.from([0xff]),
      Buffer.from('"}\n{"name":"ok"}'),
    ]);
    assert.deepEqual(await read(broken), [
      { line: 1, fault: 'the line is not valid UTF-8' },
      { line: 2, name: 'ok' },
    ]);
  });
});

describe('GeoJSON', () => {
  const read = async (text: string, size?: number): Promise<unknown[]> =>
    (await readAll(readGeoJson, text, size)).entries;

  test('is read feature by feature, wherever it is split', async () => {
    const text = `{"x":{"features":[1]},"y":"\\"features\\":[","type":"FeatureCollection",\n"features" : [\n${feature({ name: 'A "]}', phone: '1' }, point(2, 48))} ,\n${feature({ name: 'É' })}\n], "z":[[{}]]}`;
    const expected = [
      { line: 3, name: 'A "]}', phone: '1', latitude: 48, longitude: 2 },
      { line: 4, name: 'É' },
    ];
    for (const size of [1, 2, 3, 1_000]) assert.deepEqual(await read(text, size), expected);
  });

  test('takes the tags of OpenStreetMap where fields of the API are missing', async () => {
    const tags = {
      name: 'A',
      'addr:street': 'Rue',
      'addr:housenumber': '1',
      'addr:city': 'Paris',
      'contact:phone': '2',
      'contact:website': 'https://a.example',
      cuisine: 'pizza;fish_and_chips',
    };
    assert.deepEqual(await read(collection(feature(tags, point(1, 2)))), [
      {
        line: 1,
        name: 'A',
        latitude: 2,
        longitude: 1,
        address: 'Rue 1, Paris',
        phone: '2',
        website: 'https://a.example',
        food_types: ['Pizza', 'Fish and chips'],
        category: 'Pizza',
      },
    ]);
  });

  longTest('reports what is no point, no feature, no JSON or too large, and goes on', async () => {
    const large = feature({ name: 'x'.repeat(MEGABYTE) });
    const text = collection(
      feature({ name: 'L' }, { type: 'LineString', coordinates: [] }),
      '5',
      '{"a" 1}',
      large,
      feature({ name: 'ok' }),
    );
    assert.deepEqual(await read(text), [
      { line: 1, fault: 'the geometry must be a Point, not LineString' },
      { line: 1, fault: 'the element is not a GeoJSON feature' },
      { line: 1, fault: 'the element is not valid JSON in UTF-8' },
      { line: 1, fault: 'the element is longer than 1 MiB' },
      { line: 1, name: 'ok' },
    ]);
  });

  test('reports a file without features, and one that ends in the middle', async () => {
    for (const text of ['', '[]', 'nonsense', '{"type":"Feature"}', '{"a":{"features":[]}}'])
      assert.deepEqual(
        await read(text),
        [{ line: 1, fault: 'the file has no "features" array at its top level' }],
        text,
      );
    assert.deepEqual(await read(`{"features":[${feature({ name: 'A' })},\n{"type":`), [
      { line: 1, name: 'A' },
      { line: 2, fault: 'the file ends in the middle' },
    ]);
    assert.deepEqual(await read('{"features":[]}'), []);
  });
});

describe('the saved places of Google Takeout', () => {
  const read = async (...features: readonly string[]): Promise<unknown[]> =>
    (await readAll(readGeoJson, collection(...features))).entries;

  test('are read with their older keys', async () => {
    const properties = {
      Title: 'Chez Nous',
      'Google Maps URL': 'http://maps.google.com/?cid=1',
      Location: {
        Address: '1 Rue, Paris',
        'Business Name': 'Chez Nous SARL',
        'Country Code': 'FR',
        'Geo Coordinates': { Latitude: '48.5', Longitude: '2.25' },
      },
      Published: '2019-05-06T07:08:09Z',
      Updated: '2020-01-01T00:00:00Z',
    };
    const expected = {
      line: 1,
      name: 'Chez Nous',
      address: '1 Rue, Paris',
      website: 'http://maps.google.com/?cid=1',
      latitude: 48.5,
      longitude: 2.25,
      created_at: '2019-05-06T07:08:09.000Z',
    };
    assert.deepEqual(await read(feature(properties, point(2.25, 48.5))), [expected]);
    assert.deepEqual(await read(feature(properties, point(0, 0))), [expected]);
  });

  test('are read with their newer keys', async () => {
    const properties = {
      date: '2023-01-02T03:04:05Z',
      google_maps_url: 'http://maps.google.com/?cid=2',
      location: { name: 'Bar', address: 'X', country_code: 'FR' },
      Comment: 'nice',
    };
    assert.deepEqual(await read(feature(properties, point(2, 48))), [
      {
        line: 1,
        name: 'Bar',
        address: 'X',
        website: 'http://maps.google.com/?cid=2',
        description: 'nice',
        latitude: 48,
        longitude: 2,
        created_at: '2023-01-02T03:04:05.000Z',
      },
    ]);
  });

  test('have no coordinates where they are [0, 0] throughout, and the address’s first part where no name is known', async () => {
    const properties = {
      google_maps_url: 'http://maps.google.com/?cid=3',
      location: { address: '5 Rue X, Paris' },
    };
    assert.deepEqual(await read(feature(properties, point(0, 0))), [
      { line: 1, name: '5 Rue X', address: '5 Rue X, Paris', website: 'http://maps.google.com/?cid=3' },
    ]);
  });

  test('have the name in their link where neither title, business nor address is known, and are refused without one', async () => {
    const url = 'https://www.google.com/maps/place/Chez+Nous/data=!4m2';
    const pin = (google_maps_url: string): string => feature({ google_maps_url }, point(2.32, 48.85));
    const [named, nameless] = await read(pin(url), pin('http://maps.google.com/?cid=4'));
    assert.deepEqual(named, { line: 1, name: 'Chez Nous', website: url, latitude: 48.85, longitude: 2.32 });
    const fault = 'a place without a name at 48.85,2.32 (http://maps.google.com/?cid=4)';
    assert.deepEqual(nameless, { line: 1, fault });
  });
});

const read = async (text: string): Promise<PlainEntry[]> => (await readAll(readGeoJson, text)).entries;
const named = (name: string, geometry = 'null'): string =>
  `{"type":"Feature","geometry":${geometry},"properties":{"name":"${name}"}}`;
const [a, b] = [named('A'), named('B')];

describe('the shape of a GeoJSON file', () => {
  const unmatched = 'a bracket does not match, the rest of the file is not read';
  const cases: readonly [string, string, unknown[]][] = [
    ['may be a single feature', `\ufeff\n${a}\n`, [row(1, { name: 'A' })]],
    [
      'has its features under that key alone, not under one that ends in it',
      `{"a\\"features":[1],"features":[${a}]}`,
      [row(1, { name: 'A' })],
    ],
    [
      'is reported where a feature has a brace too many',
      `{"features":[${a}},\n${b}]}`,
      [row(1, { name: 'A' }), faultAt(1, unmatched)],
    ],
    [
      'is reported where the array is closed twice',
      `{"features":[${a}],\n${b}]}`,
      [row(1, { name: 'A' }), faultAt(2, unmatched)],
    ],
    [
      'is reported where the file ends behind the array',
      `{"features":[${a}]`,
      [row(1, { name: 'A' }), faultAt(1, 'the file ends in the middle')],
    ],
  ];
  for (const [title, text, expected] of cases)
    test(title, async () => {
      assert.deepEqual(await read(text), expected);
    });

  const types: readonly [string, string, string][] = [
    ['an object that has no text', '{"toString":1,"valueOf":1}', ''],
    ['nested deeply', '['.repeat(100_000) + ']'.repeat(100_000), ''],
    ['absent', 'null', ''],
    ['long', `"${'x'.repeat(100_000)}"`, `, not ${'x'.repeat(40)}`],
  ];
  for (const [title, type, said] of types)
    test(`may have a geometry whose type is ${title}, which is a fault of that feature alone`, async () => {
      assert.deepEqual(await read(`{"features":[${named('A', `{"type":${type}}`)},${b}]}`), [
        faultAt(1, `the geometry must be a Point${said}`),
        row(1, { name: 'B' }),
      ]);
    });

  test('may have tags of OpenStreetMap next to fields that are null', async () => {
    const properties =
      '{"name":"A","phone":null,"contact:phone":"3","category":null,"food_types":null,"cuisine":"x"}';
    assert.deepEqual(
      await read(`{"features":[{"type":"Feature","geometry":null,"properties":${properties}}]}`),
      [row(1, { name: 'A', phone: '3', category: 'X', food_types: ['X'] })],
    );
  });

  test('may have saved places whose coordinates are empty texts, which are not known', async () => {
    const place = (url: string): string =>
      `{"type":"Feature","geometry":{"type":"Point","coordinates":[0,0]},"properties":{"Title":"A","Google Maps URL":"${url}","Location":{"Geo Coordinates":{"Latitude":"","Longitude":"5"}}}}`;
    const [unknown, labelled] = await read(
      `{"features":[${place('http://x')},${place('http://x?q=4,5(A)')}]}`,
    );
    assert.deepEqual(unknown, row(1, { name: 'A', website: 'http://x' }));
    assert.deepEqual([labelled?.['latitude'], labelled?.['longitude']], [4, 5]);
  });
});

test('food types of NDJSON that are no list are handed on to be refused', async () => {
  const { entries } = await readAll(readNdjson, '{"name":"A","food_types":"Pizza"}');
  assert.deepEqual(entries, [row(1, { name: 'A', food_types: 'Pizza' })]);
});
