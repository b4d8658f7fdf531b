import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { PLACES, cuisineWorld } from '../support/cuisines.ts';

describe('catalogue import --map', () => {
  const maps: readonly [string, string | Buffer, unknown[]][] = [
    [
      'a category of a cuisine, without case',
      'cuisine,category\nfrench,European\nSushi,Asian\n',
      ['European', 'Asian', 'Vietnamese', ''],
    ],
    [
      'all others under a row *',
      'cuisine,category\nFrench,European\n*,Other\n',
      ['European', 'Other', 'Other', ''],
    ],
    [
      'a cuisine without a category under its own name, whatever * says',
      'cuisine,category\nfrench,\n*,Other\n',
      ['French', 'Other', 'Other', ''],
    ],
    [
      'columns in any order, with others',
      'rows;category;cuisine\n3;Asian;Sushi\n',
      ['French', 'Asian', 'Vietnamese', ''],
    ],
    [
      'windows-1252, as spreadsheets write it',
      Buffer.from('cuisine;category\nSushi;Caf\xe9\n', 'latin1'),
      ['French', 'Café', 'Vietnamese', ''],
    ],
    [
      'a row twice with the same category',
      'cuisine,category\nSushi,Asian\nsushi,Asian\n',
      ['French', 'Asian', 'Vietnamese', ''],
    ],
  ];
  for (const [title, map, categories] of maps)
    test(`puts ${title}; food types stay`, async (t) => {
      const { file, run, kinds } = cuisineWorld(t);
      const args = ['import', file('places.csv', PLACES), '--map', file('map.csv', map)];
      const first = await run(...args);
      assert.equal(first.code, 0, first.err);
      const foodTypes = ['French+Seafood', 'Sushi+Vegan', 'Vietnamese', ''];
      const expected = categories.map((category, index) => [category, foodTypes[index]]);
      assert.deepEqual(await kinds(), expected);
    });

  const wrong: readonly [string, string, string][] = [
    ['no header', 'Sushi,Asian\n', 'line 1: the header must have the columns cuisine and category'],
    ['nothing', '', 'line 1: the file is empty'],
    [
      'a cuisine with two categories',
      'cuisine,category\nSushi,A\nSUSHI,B\n',
      'line 3: SUSHI has another category above',
    ],
    ['a category without a cuisine', 'cuisine,category\n,A\n', 'line 2: the cuisine is missing'],
    [
      'a category that is too long',
      `cuisine,category\nSushi,${'x'.repeat(101)}\n`,
      'line 2: category: name must be at most 100 characters',
    ],
    ['a quote that is not closed', 'cuisine,category\n"Sushi,A\n', 'line 2: a quote is not closed'],
  ];
  test('refuses a map that is wrong, and imports nothing', async (t) => {
    const { folder, file, run } = cuisineWorld(t);
    for (const [title, map, fault] of wrong) {
      const { code, err } = await run('import', file('places.csv', PLACES), '--map', file('map.csv', map));
      assert.deepEqual([code, err], [1, `${join(folder, 'map.csv')}: ${fault}\n`], title);
    }
    assert.equal(existsSync(join(folder, 'data')), false);
  });

  test('changes nothing the second time', async (t) => {
    const { file, run } = cuisineWorld(t);
    const map = file('map.csv', 'cuisine,category\nfrench,\n*,Other\n');
    const args = ['import', file('places.csv', PLACES), '--map', map];
    await run(...args);
    assert.equal((await run(...args)).out, '4 rows: 0 created, 0 updated, 4 unchanged, 0 failed\n');
  });

  test('maps the categories of an export as well', async (t) => {
    const { file, run, kinds } = cuisineWorld(t);
    const lines =
      '{"type":"category","name":"Sushi"}\n{"name":"A","category":"Sushi","food_types":["Sushi"]}\n';
    await run('import', file('a.ndjson', lines), '--map', file('map.csv', 'cuisine,category\nSushi,Asian\n'));
    assert.deepEqual(await kinds(), [['Asian', 'Sushi']]);
    assert.doesNotMatch((await run('export', '-', '--format', 'ndjson')).out, /"category","name":"Sushi"/);
  });
});
