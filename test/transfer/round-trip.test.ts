import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { DIETS } from '../../src/catalogue/restaurants/field-table.ts';
import { FACT_NAMES, changed } from '../../src/catalogue/restaurants/fields.ts';
import { parseJson, propertiesOf } from '../../src/kit/objects.ts';
import { checkEntry } from '../../src/transfer/importer.ts';
import { csvHeader, csvLine, readCsv } from '../../src/transfer/csv.ts';
import {
  GEOJSON_END,
  geoJsonFeature,
  geoJsonStart,
  ndjsonLine,
  readJson,
  readJsonLines,
} from '../../src/transfer/json-places.ts';
import { KML_END, kmlPlacemark, kmlStart, readKml } from '../../src/transfer/kml.ts';
import { Notes } from '../../src/transfer/notes.ts';
import { PlaceReader } from '../../src/transfer/place.ts';
import type { ExportRecord, SourceEntry, SourceReader } from '../../src/transfer/source.ts';
import { inPieces } from '../support/source.ts';

const maybe = <Value>(values: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> =>
  fc.option(values, { freq: 2 });
const character = fc.oneof(
  fc.constantFrom(...Array.from('=+-@\'",;\t\n#*(:)')),
  fc.constantFrom('é', '🍕', '東', '€', '\u200d', '\u2028'),
  fc.constantFrom(...Array.from('abcxyz 0189')),
);
// As they are stored: trimmed, and never empty. Markup is another test's.
const text = (max: number): fc.Arbitrary<string> =>
  fc.string({ unit: character, minLength: 1, maxLength: max }).map((value) => value.trim() || 'x');
const opaque = fc.stringMatching(/^[A-Za-z0-9_:.+'"/-]{1,20}$/);
const number = fc.maxSafeNat().map((value) => value + 1);

const record: fc.Arbitrary<ExportRecord> = fc
  .record({
    name: text(40),
    description: maybe(text(60)),
    address: maybe(text(40)),
    phone: maybe(text(20)),
    website: maybe(fc.webUrl()),
    place: maybe(fc.record({ latitude: degrees(90), longitude: degrees(180) })),
    google_place_id: maybe(text(20)),
    price_level: maybe(fc.integer({ min: 1, max: 4 })),
    opening_hours: maybe(fc.oneof(text(40), fc.constant('Mo-Fr 10:00-22:00; PH off'))),
    time_zone: maybe(fc.constantFrom('Europe/Paris', 'America/Argentina/Buenos_Aires')),
    diets: fc.record(keyed(DIETS, () => maybe(fc.constantFrom('yes', 'only', 'limited', 'no')))),
    external_ids: fc.record({
      osm: maybe(fc.tuple(fc.constantFrom('N', 'W', 'R'), number).map(([type, id]) => `${type}${id}`)),
      fsq: maybe(opaque),
      overture: maybe(opaque),
      wikidata: maybe(fc.integer({ min: 1, max: 1e9 }).map((id) => `Q${id}`)),
    }),
    category: maybe(text(20)),
    food_types: fc.array(text(20), { maxLength: 4 }),
    status: fc.constantFrom('active' as const, 'closed' as const, 'temporarily_closed' as const),
  })
  .map(({ place, ...fields }) => ({
    id: 7,
    ...fields,
    latitude: place?.latitude ?? null,
    longitude: place?.longitude ?? null,
    diets: { ...fields.diets },
    external_ids: { google: fields.google_place_id, ...fields.external_ids },
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-02T00:00:00.000Z',
    ratings: [],
  }));

function degrees(most: number): fc.Arbitrary<number> {
  const small = fc.constantFrom(1e-7, -1.25e-9);
  const usual = fc
    .integer({ min: -most * 1e5, max: most * 1e5 })
    .map((value) => (value === 0 ? 1 : value / 1e5));
  return fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: small });
}

function keyed<Value>(keys: readonly string[], make: () => Value): Record<string, Value> {
  return Object.fromEntries(keys.map((key) => [key, make()]));
}

async function readOne(reader: SourceReader, file: string): Promise<SourceEntry | undefined> {
  const notes = new Notes();
  const places = new PlaceReader({ orders: new Map(), isSwapped: false }, notes);
  const entries: SourceEntry[] = [];
  for await (const entry of reader(inPieces(Buffer.from(file), 1_000), notes, { name: null }))
    entries.push('fault' in entry ? entry : places.read(entry));
  const { left_out, ignored } = notes.json();
  assert.deepEqual([left_out.filter(({ reason }) => reason !== 'no_position'), ignored], [[], []]);
  assert.equal(entries.length, 1);
  return entries[0];
}

describe('every field of a restaurant', () => {
  const formats: readonly [string, SourceReader, (written: ExportRecord) => string][] = [
    ['CSV', readCsv, (written) => csvHeader() + csvLine(written)],
    ['NDJSON', readJsonLines, ndjsonLine],
    ['GeoJSON', readJson, (written) => geoJsonStart() + geoJsonFeature(written) + GEOJSON_END],
    ['KML', readKml, (written) => kmlStart() + kmlPlacemark(written) + KML_END],
  ];
  for (const [format, reader, write] of formats)
    test(`is read from ${format} as it was written`, async () => {
      await fc.assert(
        fc.asyncProperty(record, async (written) => {
          const entry = await readOne(reader, write(written));
          const checked = entry && checkEntry(entry, false, new Notes());
          assert.ok(checked && 'row' in checked, JSON.stringify(checked));
          const { input, category, foodTypes, createdAt, updatedAt } = checked.row;
          const { id: _id, ratings: _ratings, food_types, category: writtenCategory, ...fields } = written;
          const { google: _google, ...external_ids } = fields.external_ids;
          assert.deepEqual(
            { ...fields, external_ids, category_id: null, food_type_ids: [] },
            { ...changed(input, {}), created_at: createdAt, updated_at: updatedAt },
          );
          assert.deepEqual([category ?? null, foodTypes], [writtenCategory, food_types]);
        }),
        { numRuns: 300 },
      );
    });

  test('is in GeoJSON with its name as the title by which programs that show maps name a point', () => {
    const [written] = fc.sample(record, 1);
    assert.ok(written);
    const properties = propertiesOf(propertiesOf(parseJson(geoJsonFeature(written)))?.get('properties'));
    assert.deepEqual([properties?.get('title'), properties?.get('name')], [written.name, written.name]);
  });

  test('that is a fact stands in a file', () => {
    const [written] = fc.sample(record, 1);
    assert.ok(written);
    for (const name of FACT_NAMES) assert.ok(name in written, name);
  });
});
