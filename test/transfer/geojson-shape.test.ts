import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readGeoJson } from '../../src/transfer/geojson.ts';
import { readNdjson } from '../../src/transfer/ndjson.ts';
import { type PlainEntry, faultAt, readAll, row } from '../support/source.ts';

const read = async (text: string): Promise<PlainEntry[]> => (await readAll(readGeoJson, text)).entries;
const feature = (name: string, geometry = 'null'): string =>
  `{"type":"Feature","geometry":${geometry},"properties":{"name":"${name}"}}`;
const [a, b] = [feature('A'), feature('B')];

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
  for (const [title, type, named] of types)
    test(`may have a geometry whose type is ${title}, which is a fault of that feature alone`, async () => {
      assert.deepEqual(await read(`{"features":[${feature('A', `{"type":${type}}`)},${b}]}`), [
        faultAt(1, `the geometry must be a Point${named}`),
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
