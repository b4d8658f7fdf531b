import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { referenceDistance } from '../../support/catalogue.ts';
import { array, field } from '../../support/client.ts';

const FILE = readFileSync(new URL('../../../static/app/map/names.json', import.meta.url));
const MOST_BYTES = 12 * 1024;
const CONTENT: unknown = JSON.parse(FILE.toString());

interface Position {
  readonly lat: number;
  readonly lng: number;
}

interface Name extends Position {
  readonly name: string;
  readonly zoom: number;
}

function namesOf(kind: string): readonly Name[] {
  return array(field(CONTENT, kind)).map((entry) => {
    const [name, lat, lng, zoom, ...rest] = array(entry);
    assert.ok(typeof name === 'string' && /^\p{L}[\p{L}'. -]*\p{L}$/u.test(name), JSON.stringify(entry));
    assert.ok(typeof lat === 'number' && typeof lng === 'number' && typeof zoom === 'number', name);
    assert.deepEqual(rest, [], name);
    return { name, lat, lng, zoom };
  });
}

const COUNTRIES = namesOf('countries');
const CITIES = namesOf('cities');
const ALL = [...COUNTRIES, ...CITIES];

const kilometres = (a: Position, b: Position): number => referenceDistance([a.lat, a.lng], [b.lat, b.lng]);

const WHERE: Readonly<Record<string, readonly [lat: number, lng: number]>> = {
  Amsterdam: [52.37, 4.9],
  Bangkok: [13.75, 100.5],
  Barcelona: [41.39, 2.17],
  Berlin: [52.52, 13.4],
  'Buenos Aires': [-34.6, -58.38],
  'Cape Town': [-33.92, 18.42],
  Chicago: [41.88, -87.63],
  Copenhagen: [55.68, 12.57],
  'Hong Kong': [22.3, 114.17],
  Istanbul: [41.01, 28.98],
  Kyoto: [35.01, 135.77],
  London: [51.51, -0.13],
  'Los Angeles': [34.05, -118.24],
  Lyon: [45.76, 4.84],
  Madrid: [40.42, -3.7],
  Milan: [45.46, 9.19],
  Munich: [48.14, 11.58],
  Nairobi: [-1.29, 36.82],
  'New York': [40.71, -74.01],
  Osaka: [34.69, 135.5],
  Paris: [48.86, 2.35],
  Rome: [41.9, 12.5],
  'San Francisco': [37.77, -122.42],
  'São Paulo': [-23.55, -46.63],
  Seoul: [37.57, 126.98],
  Shanghai: [31.23, 121.47],
  Singapore: [1.29, 103.85],
  Sydney: [-33.87, 151.21],
  Tokyo: [35.68, 139.69],
  Zurich: [47.37, 8.54],
};

describe('The names on a map without tiles', () => {
  test('are a small file that names its source', () => {
    assert.ok(FILE.length <= MOST_BYTES, `${FILE.length} bytes`);
    assert.match(String(field(CONTENT, 'source')), /Natural Earth.*public domain/);
  });

  test('have positions on the map, to about a kilometre', () => {
    for (const { name, lat, lng } of ALL) {
      assert.ok(Math.abs(lat) < 85 && Math.abs(lng) <= 180, name);
      for (const degrees of [lat, lng]) assert.equal(degrees, Number(degrees.toFixed(2)), name);
    }
  });

  test('are sorted by the zoom from which they are shown', () => {
    for (const [names, lowest, highest] of [
      [COUNTRIES, 2, 5],
      [CITIES, 4, 8],
    ] as const) {
      const zooms = names.map(({ zoom }) => zoom);
      assert.deepEqual(
        zooms,
        zooms.toSorted((a, b) => a - b),
      );
      assert.deepEqual([zooms[0], zooms.at(-1)], [lowest, highest]);
      assert.ok(zooms.every(Number.isInteger));
    }
  });

  test('never say one name twice at one place', () => {
    for (const [i, a] of ALL.entries())
      for (const b of ALL.slice(i + 1))
        assert.ok(a.name !== b.name || kilometres(a, b) > 10, `${a.name} stands twice at one place`);
  });

  test('put cities where they are', () => {
    for (const [name, [lat, lng]] of Object.entries(WHERE)) {
      const city = CITIES.find((one) => one.name === name);
      assert.ok(city, `${name} is missing`);
      assert.ok(kilometres(city, { lat, lng }) < 30, `${name} stands at ${city.lat}, ${city.lng}`);
    }
  });

  test('leave no two cities on top of each other', () => {
    for (const [i, a] of CITIES.entries())
      for (const b of CITIES.slice(i + 1)) assert.ok(kilometres(a, b) > 5, `${a.name} and ${b.name}`);
  });
});
