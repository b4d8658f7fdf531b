import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'node:test';
import { runOn } from '../support/cli.ts';
import { array, field } from '../support/client.ts';
import { encode } from '../support/encode.ts';
import { countsOf, importText } from '../support/imports.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import { longTest } from '../support/size.ts';

const NAMES: readonly (readonly [encoding: string, name: string])[] = [
  ['windows-1251', 'Суповая'],
  ['shift_jis', 'すずめ食堂'],
  ['windows-1252', 'Crêperie Bär'],
];
const SWAPPED = JSON.stringify({
  type: 'FeatureCollection',
  features: [
    [-39.03, 177.41],
    [-41.3, 74.8],
  ].map((coordinates, index) => ({
    type: 'Feature',
    geometry: { type: 'Point', coordinates },
    properties: { name: `P${index}` },
  })),
});

describe('a file that leaves something open', () => {
  for (const [encoding, name] of NAMES)
    longTest(`is stored once its encoding was confirmed: ${encoding}`, async (t) => {
      const { api } = await startService(t);
      const content = Buffer.from(encode(`name,address\n${name},Ufer 1\n`, encoding));
      const { status, body } = await importText(api, content);
      const said = ['dry_run', 'needs', 'batch_id', 'created'].map((key) => field(body, key));
      assert.deepEqual([status, ...said], [200, true, ['encoding'], null, 1]);
      const choices = array(field(field(body, 'encoding'), 'choices'));
      const choice = choices.find((one) => field(one, 'encoding') === encoding);
      assert.ok(array(field(choice, 'examples')).includes(name));
      assert.deepEqual((await api.get('/restaurants')).body, []);
      const confirmed = await importText(api, content, { encoding });
      assert.deepEqual([field(confirmed.body, 'needs'), field(confirmed.body, 'encoding')], [[], null]);
      assert.equal(field((await api.get('/restaurants/1')).body, 'name'), name);
    });

  longTest('is stored once it was said whether positions are swapped', async (t) => {
    for (const [swap_coordinates, positions] of [
      ['true', [-39.03, -41.3]],
      ['false', [null, 74.8]],
    ] as const) {
      const { api } = await startService(t);
      const { body } = await importText(api, SWAPPED);
      assert.deepEqual([field(body, 'needs'), field(body, 'dry_run')], [['swap_coordinates'], true]);
      assert.deepEqual(field(body, 'swapped'), { count: 1, line: 1, example: '177.41, -39.03' });
      assert.deepEqual((await api.get('/restaurants')).body, []);
      assert.deepEqual(
        countsOf((await importText(api, SWAPPED, { swap_coordinates })).body),
        [2, 0, 0, 0, 0],
      );
      const stored = array((await api.get('/restaurants?sort=name')).body);
      assert.deepEqual(
        stored.map((place) => field(place, 'latitude')),
        positions,
      );
    }
  });

  longTest('says the same by the command, which guesses encodings', async (t) => {
    const folder = temporaryFolder(t);
    const run = (...args: readonly string[]) => runOn(join(folder, 'data'), 'import', ...args);
    const [table, swapped] = [join(folder, 'a.csv'), join(folder, 'b.geojson')];
    writeFileSync(
      table,
      encode('name;Adresse;phone;rank\nСуповая;Набережная 1;nan;5\nB;;see www;\n', 'windows-1251'),
    );
    writeFileSync(swapped, SWAPPED);
    const { code, err } = await run(table);
    assert.equal(code, 0);
    for (const line of [
      /^read as csv$/m,
      /^the file is read as windows-1251, by a guess/m,
      /^columns left out: rank \(1 row\)$/m,
      /^phone: not a number, in 1 row \(first on line 3: see www\)$/m,
    ])
      assert.match(err, line);
    const refused = await run(swapped);
    assert.deepEqual([refused.code, refused.err.includes('--swap-coordinates')], [1, true]);
    assert.match((await run(swapped, '--swap-coordinates', 'true')).out, /^2 rows: 2 created/);
    writeFileSync(table, 'Title,Note,URL\nA film,,https://films.example\n');
    assert.equal((await run(table)).code, 1);
  });
});
