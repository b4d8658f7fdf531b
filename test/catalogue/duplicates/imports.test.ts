import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { Finder } from '../../../src/catalogue/duplicates/finder.ts';
import { type Match, Matcher, endOf } from '../../../src/catalogue/duplicates/matcher.ts';
import type { Likely } from '../../../src/catalogue/duplicates/traits.ts';
import { storedFieldsOf } from '../../../src/catalogue/restaurants/fields.ts';
import { CatalogueStores } from '../../../src/catalogue/stores.ts';
import { openStorage } from '../../../src/storage/storage.ts';
import { createRestaurants } from '../../support/catalogue.ts';
import { type Client, array, bodyOf, field } from '../../support/client.ts';
import { importOn } from '../../support/cli.ts';
import { PLACE, SAME, pairs } from '../../support/duplicates.ts';
import { atEnd } from '../../support/cleanup.ts';
import { importText } from '../../support/imports.ts';
import { namesOn } from '../../support/lists.ts';
import { startService, temporaryFolder } from '../../support/service.ts';
import { openWrites } from '../../support/log.ts';
import { startWorld, views } from '../../support/world.ts';
import { manyPlaces } from '../../tools/many-places.ts';
import { PAIRS } from './places.ts';

const HEADER = 'name,address,phone,latitude,longitude';
const rowOf = ({ name, address, phone, latitude, longitude }: typeof SAME): string =>
  `${name},"${address}",${phone},${latitude},${longitude}`;
const ROW = rowOf(SAME);
const NEW = 'Osteria Bella,"9 Via Roma, Torino",,,';
const csv = (...rows: readonly string[]): string => [HEADER, ...rows, ''].join('\n');

async function take(api: Client, content: string, filename = 'places.csv', dry = false): Promise<unknown> {
  return bodyOf(await importText(api, content, dry ? { dry_run: 'true' } : {}, { filename }));
}

function countsOf(result: unknown): unknown[] {
  return ['created', 'updated', 'unchanged', 'failed', 'duplicates'].map((name) => field(result, name));
}

const KML =
  `<kml><Document><name>Trip</name><Placemark><name>${SAME.name}</name><description>window seat</description>` +
  `<Point><coordinates>${SAME.longitude},${SAME.latitude}</coordinates></Point></Placemark></Document></kml>`;
const SAVED = JSON.stringify({
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [SAME.longitude, SAME.latitude] },
      properties: {
        date: '2023-01-02T03:04:05Z',
        google_maps_url: 'http://maps.google.com/?cid=7',
        location: { name: SAME.name, address: SAME.address, country_code: 'FR' },
        Comment: 'window seat',
      },
    },
  ],
});

describe('an import of restaurants', () => {
  test('counts the new ones that look like ones that were there', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [PLACE]);
    const content = csv(ROW, NEW);
    assert.deepEqual(countsOf(await take(api, content, 'a.csv', true)), [2, 0, 0, 0, 1], 'tried');
    assert.deepEqual(await pairs(api), []);
    assert.deepEqual(countsOf(await take(api, content)), [2, 0, 0, 0, 1], 'stored');
    assert.deepEqual(await pairs(api), [[1, 2]]);
    assert.deepEqual(countsOf(await take(api, content)), [0, 0, 2, 0, 0], 'stored before');
  });

  test('does not count a row that is one of them', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [PLACE]);
    const same = rowOf({ ...PLACE, phone: '+33 9 99 99 99 99' });
    assert.deepEqual(countsOf(await take(api, csv(same))), [0, 1, 0, 0, 0]);
  });

  test('does not count twins of the same file', async (t) => {
    const { api } = await startService(t);
    assert.deepEqual(countsOf(await take(api, csv(rowOf(PLACE), ROW))), [2, 0, 0, 0, 0]);
    assert.deepEqual(await pairs(api), [[1, 2]], 'which are listed nevertheless');
  });

  test('says so on the command line', async (t) => {
    const folder = temporaryFolder(t);
    await importOn(folder, csv(rowOf(PLACE)));
    const { code, err } = await importOn(folder, csv(ROW, NEW));
    assert.equal(code, 0);
    assert.match(
      err,
      /^1 new restaurant may have been there before; the app shows them under \/duplicates$/m,
    );
    const again = await importOn(folder, csv(ROW, NEW));
    assert.doesNotMatch(again.err, /may have been there/);
  });
});

describe('the restaurants that may look like a row', () => {
  /** A search as an import has it, in a catalogue of these places, with what it has read, and with all. */
  async function searchIn(t: TestContext, places: readonly Likely[]): Promise<[Finder, Matcher, Matcher]> {
    const storage = openStorage(temporaryFolder(t));
    atEnd(t, storage.close);
    const begin = openWrites(storage);
    const { restaurants } = new CatalogueStores(storage.queries);
    const [read, all] = [new Matcher(), new Matcher()];
    await storage.transactions.write(() => {
      // Those of one id are found by other means.
      for (const place of places.map((one) => ({ ...one, external_ids: {}, google_place_id: null }))) {
        const stored = storedFieldsOf({ ...place, food_type_ids: [], status: 'active' });
        const outcome = restaurants.create(stored, begin());
        if (outcome.outcome === 'done') all.put(outcome.record.id, place);
      }
    });
    return [new Finder(storage.queries.file('alike'), read), read, all];
  }
  const sizeOf = (matcher: Matcher): number => [...matcher.ids()].length;

  test('are found as in a comparison with all', async (t) => {
    const known = PAIRS.map(({ a }) => a);
    const [finder, read, all] = await searchIn(t, known);
    const looks = (matches: readonly Match[]): readonly unknown[] => [
      matches.length > 0,
      new Set(matches.flatMap(({ id, certain }) => (certain ? [id] : []))),
    ];
    for (const rows of [1, 1_000]) {
      finder.expect(rows);
      for (const { b, why } of PAIRS)
        assert.deepEqual(looks(finder.find(b)), looks(endOf(all.search(b))), `${rows}, ${b.name}: ${why}`);
    }
    assert.equal(sizeOf(read), sizeOf(all), 'for a large file, all were read');
  });

  test('are all that is read of a large catalogue', async (t) => {
    const places = manyPlaces(3_000);
    const [finder, read] = await searchIn(t, places);
    for (const place of places.slice(0, 20)) {
      const before = sizeOf(read);
      assert.ok(finder.find({ ...place, name: `${place.name} Bar` }).length > 0, place.name);
      assert.ok(sizeOf(read) - before < 100, `${sizeOf(read) - before} for ${place.name}`);
    }
  });
});

describe('an import of saved places', () => {
  for (const [filename, content, list] of [
    ['Saved Places.json', SAVED, 'Saved Places'],
    ['doc.kml', KML, 'Trip'],
  ] as const)
    for (const access of ['users', 'admins'])
      test(`puts the restaurant that a place certainly is on the list: ${filename}, with WRITE_ACCESS=${access}`, async (t) => {
        const { owner, admin } = await startWorld(t, { WRITE_ACCESS: access });
        await createRestaurants(admin, [PLACE]);
        const catalogue = async (): Promise<unknown> => (await views(admin))['/restaurants/1'];
        const before = await catalogue();
        const result = await take(owner, content, filename);
        assert.deepEqual(countsOf(result), [0, 1, 0, 0, 0]);
        assert.equal(field(result, 'unknown_total'), 0);
        assert.deepEqual(await catalogue(), before);
        assert.equal(array(bodyOf(await owner.get('/restaurants'))).length, 1);
        const id = Number(field(field(result, 'list'), 'id'));
        assert.equal(field(field(result, 'list'), 'name'), list);
        assert.deepEqual(await namesOn(owner, id), [PLACE.name]);
        const [item] = array(bodyOf(await owner.get(`/lists/${id}/items`)));
        assert.equal(field(item, 'note'), 'window seat');
        assert.deepEqual(countsOf(await take(owner, content, filename)), [0, 0, 1, 0, 0], 'again');
      });

  test('adds a place that may be another one, and counts it', async (t) => {
    const { owner } = await startWorld(t);
    await createRestaurants(owner, [{ name: PLACE.name, address: 'Paris' }]);
    assert.deepEqual(countsOf(await take(owner, KML, 'doc.kml')), [1, 0, 0, 0, 1]);
  });
});
