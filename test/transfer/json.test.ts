import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { containerOf } from '../../src/transfer/detect.ts';
import { readJson, readJsonLines } from '../../src/transfer/json-places.ts';
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
    (await readAll(readJsonLines, text, size)).entries;

  test('is a restaurant a line as the API returns it, wherever it is split', async () => {
    const lines = [
      '{"name":"É","id":9,"category":{"id":1,"name":"C"},"food_types":[{"name":"F"},"G"],"avg_rating":{},"latitude":1,"longitude":2}',
      '',
      '{"name":"B","category":"C","ratings":[{"food_rating":1}]}\r',
      '{"name":"C","category":null}',
    ];
    const expected = [
      { line: 1, name: 'É', latitude: 1, longitude: 2, category: 'C', food_types: ['F', 'G'] },
      { line: 3, name: 'B', category: 'C', ratings: [{ food_rating: 1 }] },
      { line: 4, name: 'C' },
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
      { line: 1, fault: 'the record is not valid JSON' },
      { line: 2, fault: 'the record is not a JSON object' },
      { line: 3, fault: 'the record is not a JSON object' },
      { line: 4, fault: 'the record is a suggestion, not a restaurant' },
      { line: 5, fault: 'the record is longer than 1 MiB' },
      { line: 6, name: 'ok' },
    ]);
    const broken = Buffer.concat([
      Buffer.from('{"name":"'),
      Buffer.from([0xff]),
      Buffer.from('"}\n{"name":"ok"}'),
    ]);
    assert.deepEqual(await read(broken), [
      { line: 1, fault: 'the record has bytes that are no characters' },
      { line: 2, name: 'ok' },
    ]);
  });
});

describe('GeoJSON', () => {
  const read = async (text: string, size?: number): Promise<unknown[]> =>
    (await readAll(readJson, text, size)).entries;

  test('is read feature by feature, wherever it is split', async () => {
    const text = `{"x":{"features":[1]},"y":"\\"features\\":[","type":"FeatureCollection",\n"features" : [\n${feature({ name: 'A "]}', phone: '1' }, point(2, 48))} ,\n${feature({ name: 'É' })}\n], "z":[[{}]]}`;
    const expected = [
      { line: 3, name: 'A "]}', phone: '1', latitude: 48, longitude: 2 },
      { line: 4, name: 'É' },
    ];
    for (const size of [1, 2, 3, 1_000]) assert.deepEqual(await read(text, size), expected);
  });

  test('has the position of the geometry, whatever its properties say, and that of a point within', async () => {
    const at = { latitude: 2, longitude: 1 };
    for (const more of [
      { latitude: 50 },
      { longitude: '50' },
      { x: 3_500_000, y: 5_300_000 },
      { lat: 50, lng: 10 },
    ])
      assert.deepEqual(await read(collection(feature({ name: 'A', ...more }, point(1, 2)))), [
        { line: 1, name: 'A', ...at },
      ]);
    const within = JSON.stringify([
      { name: 'A', location: point(1, 2) },
      { name: 'A', coordinates: [1, 2] },
    ]);
    // Of two numbers alone it is unknown which one comes first.
    assert.deepEqual(await read(within), [
      { line: 1, name: 'A', ...at },
      { line: 1, name: 'A' },
    ]);
  });

  test('of Overture Maps has its id', async () => {
    const [entry] = await read(collection(feature({ id: '08f2a', names: { primary: 'A' } })));
    assert.deepEqual(entry, { line: 1, name: 'A', external_ids: { overture: '08f2a' } });
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

  longTest('reports what is no object, no JSON or too large, and goes on', async () => {
    const large = feature({ name: 'x'.repeat(MEGABYTE) });
    const text = collection('5', '{"a" 1}', large, feature({ name: 'ok' }));
    assert.deepEqual(await read(text), [
      { line: 1, fault: 'the record is not a JSON object' },
      { line: 1, fault: 'the record is not valid JSON' },
      { line: 1, fault: 'the record is longer than 1 MiB' },
      { line: 1, name: 'ok' },
    ]);
  });

  const outlines: readonly (readonly [what: string, text: string])[] = [
    ['a collection', collection(feature({ name: 'A' }), feature({ name: 'B' }))],
    ['a sequence (RFC 8142)', `\x1e${feature({ name: 'A' })}\n\x1e${feature({ name: 'B' })}\n`],
    ['values one after the other', '{\n "name": "A"\n}\n{\n "name": "B"\n}\n'],
    ['an array', '[{"name":"A"},\n{"name":"B"}]'],
    ['an array with a mark', '\ufeff[ {"name":"A"} , {"name":"B"} ] '],
    ['an array under a key', '{"total":2,"businesses":[{"name":"A"},{"name":"B"}],"region":{"a":[1]}}'],
    ['two collections', collection(feature({ name: 'A' })) + collection(feature({ name: 'B' }))],
    ['an array under a common key', '{"data":[{"name":"A"},{"name":"B","items":[{"name":"C"}]}]}'],
    ['places by their ids', '{"restaurants":{"x1":{"name":"A"},"x2":{"name":"B"}}}'],
    [
      'an array within an object',
      '{"meta":{},"response":{"venues":[{"name":"A"},{"name":"B","x":{"items":[1]}}]}}',
    ],
    [
      'restaurants with menus',
      '{"name":"A",\n"items":[{"name":"C"}]}\n{"name":"B",\n"data":[{"title":"D"}]}',
    ],
    [
      'uMap',
      `{"type":"umap","properties":{"x":[1]},"layers":[{"_umap_options":{"name":"L"},"features":[${feature({ name: 'A' })}]},\n{"features" : [${feature({ name: 'B', features: [] })}]}]}`,
    ],
    [
      'Overpass',
      '{"elements":[{"type":"node","id":1,"tags":{"name":"A"}},{"type":"node","id":2},{"type":"way","id":3,"tags":{"name":"B"}}]}',
    ],
  ];
  for (const [what, text] of outlines)
    test(`is read from ${what}, wherever it is split`, async () => {
      for (const size of [1, 7, 1_000]) {
        const { entries } = await readAll(readJson, text, size);
        assert.deepEqual(
          entries.map(({ name }) => name),
          ['A', 'B'],
        );
      }
    });

  test('reports one that ends in the middle', async () => {
    assert.deepEqual(await read(`{"features":[${feature({ name: 'A' })},\n{"type":`), [
      { line: 1, name: 'A' },
      { line: 2, fault: 'the file ends in the middle' },
    ]);
    assert.deepEqual(await read('{"features":[]}'), []);
  });

  const shapes: readonly (readonly [geometry: object | null, position: readonly unknown[]])[] = [
    [point(2, 48), [48, 2]],
    [point(0, 0), [undefined, undefined]],
    [
      {
        type: 'LineString',
        coordinates: [
          [1, 2],
          [3, 6],
        ],
      },
      [4, 2],
    ],
    [
      {
        type: 'Polygon',
        coordinates: [
          [
            [1, 2],
            [3, 2],
            [3, 4],
            [1, 2],
          ],
        ],
      },
      [3, 2],
    ],
    [{ type: 'MultiPoint', coordinates: [[1, 2]] }, [2, 1]],
    ...[
      [179.9, -179.7, -179.9],
      [179.7, -179.9, 179.9],
    ].map((all): [object, number[]] => [
      { type: 'LineString', coordinates: all.map((longitude) => [longitude, 2]) },
      [2, all[0] === 179.9 ? -179.9 : 179.9],
    ]),
    [
      {
        type: 'GeometryCollection',
        geometries: [point(1, 2), { type: 'LineString', coordinates: [[3, 4]] }],
      },
      [3, 2],
    ],
    [{ type: 'Point', coordinates: [] }, [undefined, undefined]],
    [{ type: 'Point' }, [undefined, undefined]],
    [null, [undefined, undefined]],
  ];
  for (const [geometry, position] of shapes)
    test(`has the middle of ${JSON.stringify(geometry)}`, async () => {
      const [entry] = (await readAll(readJson, collection(feature({ name: 'A' }, geometry)))).entries;
      assert.deepEqual([entry?.['latitude'], entry?.['longitude']], position);
    });

  test('is refused in coordinates other than those of WGS 84, wherever it says so', async () => {
    const crs = (name: string): string => `"crs":{"type":"name","properties":{"name":"${name}"}}`;
    for (const name of ['EPSG:3857', 'urn:ogc:def:crs:EPSG::25832'])
      for (const text of [`{${crs(name)},"features":[${a}]}`, `{"features":[${a}],${crs(name)}}`])
        await assert.rejects(read(text), { name: 'UnreadableFile', code: 'other_positions' });
    for (const text of [`{"type":"Feature",${crs('EPSG:3857')}}`, named('A', `{${crs('EPSG:3857')}}`)])
      await assert.rejects(read(text), { name: 'UnreadableFile', code: 'other_positions' });
    await assert.rejects(read('{"spatialReference":{"wkid":102100},"features":[{"attributes":{}}]}'), {
      code: 'other_positions',
    });
    for (const name of ['urn:ogc:def:crs:OGC:1.3:CRS84', 'EPSG:4326', 'urn:ogc:def:crs:EPSG::4326'])
      assert.equal((await read(`{${crs(name)},"features":[${a}]}`)).length, 1);
  });
});

describe('the saved places of Google Takeout', () => {
  const read = async (...features: readonly string[]): Promise<unknown[]> =>
    (await readAll(readJson, collection(...features))).entries;

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
        latitude: 48,
        longitude: 2,
        created_at: '2023-01-02T03:04:05.000Z',
        note: 'nice',
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

const read = async (text: string): Promise<PlainEntry[]> => (await readAll(readJson, text)).entries;
const named = (name: string, geometry = 'null'): string =>
  `{"type":"Feature","geometry":${geometry},"properties":{"name":"${name}"}}`;
const [a, b] = [named('A'), named('B')];

describe('the shape of a GeoJSON file', () => {
  const unmatched = 'a bracket does not match, the rest of the file is not read';
  const cases: readonly [string, string, unknown[]][] = [
    ['may be a single feature', `\ufeff\n${a}\n`, [row(2, { name: 'A' })]],
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

  const types: readonly [string, string][] = [
    ['an object that has no text', '{"toString":1,"valueOf":1}'],
    ['nested deeply', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['long', `"${'x'.repeat(100_000)}"`],
  ];
  for (const [title, type] of types)
    test(`may have a geometry whose type is ${title}, which costs no place`, async () => {
      const text = `{"features":[${named('A', `{"type":${type}}`)},${b}]}`;
      assert.deepEqual(await read(text), [row(1, { name: 'A' }), row(1, { name: 'B' })]);
    });

  test('may be a million arrays within each other, or as many that are not closed', async () => {
    const deep = '['.repeat(1_000_000);
    assert.deepEqual(await read(deep), [faultAt(1, 'the file ends in the middle')]);
    await read(deep + ']'.repeat(1_000_000));
    for (const start of ['{"a":1', '{"name":1']) await read(`${start}${',"items":[]'.repeat(50_000)}}`);
    await read(`{"name":"A","x":${'{"y":'.repeat(100_000)}1${'}'.repeat(100_000)}}`);
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
      `{"features":[${place('http://x')},${place('https://maps.google.com/?q=4,5(A)')}]}`,
    );
    assert.deepEqual(unknown, row(1, { name: 'A', website: 'http://x' }));
    assert.deepEqual([labelled?.['latitude'], labelled?.['longitude']], [4, 5]);
  });
});

test('lines with arrays of texts are restaurants, and a collection on one line is none', () => {
  const kind = (text: string): string => containerOf(Buffer.from(text), 'utf-8');
  assert.equal(kind('{"name":"A","features":["wifi"]}\n{"name":"B","cards":[]}\n'), 'lines');
  for (const text of [
    '"features":[]',
    '"name":"L","features":[]',
    '"name":"L","features":[{"type":"Feature"}]',
  ])
    assert.equal(kind(`{"type":"FeatureCollection",${text}}`), 'json');
});

test('a card of Trello has no link or state of a place', async () => {
  const card = { name: 'A', desc: 'good', idList: '1', closed: true, url: 'https://trello.example/c/1' };
  const { entries } = await readAll(
    readJson,
    JSON.stringify({ name: 'Board', lists: [{ name: 'L' }], cards: [card] }),
  );
  assert.deepEqual(entries, [row(1, { name: 'A', description: 'good' })]);
});

test('a review without stars is noted once', async () => {
  const review = feature({ five_star_rating_published: 0, location: { name: 'A' } });
  const { left_out } = await readAll(readJson, collection(review));
  assert.deepEqual(left_out.map(({ reason, count }) => [reason, count]).sort(), [
    ['incomplete', 1],
    ['out_of_range', 1],
  ]);
});

test('what mappers tell each other is no description', async () => {
  const tags = { name: 'A', note: 'check the name', 'note:de': 'prüfen', fixme: 'x' };
  for (const element of [
    { type: 'node', id: 1, tags },
    { type: 'Feature', id: 'node/1', properties: tags },
    { type: 'Feature', properties: { '@id': 'node/1', ...tags } },
  ]) {
    const { entries, ignored } = await readAll(readJson, JSON.stringify({ features: [element] }));
    assert.deepEqual([entries[0]?.['description'], ignored.length], [undefined, 3]);
  }
});

test('properties that mean nothing to the service are noted, however they are nested', async () => {
  const { ignored } = await readAll(readJsonLines, '{"name":"A","x":{"y":[{"z":1}]},"stars":5}');
  assert.deepEqual(
    ignored.map(({ name }) => name),
    ['x.y.z', 'stars'],
  );
});
