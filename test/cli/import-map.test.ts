import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { type Ended, runCommand } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';

const PLACES = `name,cuisine
Chez Nous,"French, Seafood"
Sakura,"Sushi, Vegan"
Pho Bo,Vietnamese
Nameless,
`;

interface World {
  readonly folder: string;
  readonly file: (name: string, content: string | Buffer) => string;
  readonly run: (...args: readonly string[]) => Promise<Ended>;
  /** The category and the food types of each restaurant. */
  readonly kinds: () => Promise<string[][]>;
}

function inFolder(t: TestContext): World {
  const folder = temporaryFolder(t);
  const run = (...args: readonly string[]): Promise<Ended> =>
    runCommand(args, { variables: { DATA_DIR: join(folder, 'data') } });
  const file = (name: string, content: string | Buffer): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const kinds = async (): Promise<string[][]> => {
    const { out } = await run('export', '-', '--format', 'csv');
    const [header = '', ...lines] = out.trimEnd().split('\r\n');
    const at = header.split(',').indexOf('category');
    return lines.map((line) =>
      line
        .replace(/"([^"]*)"/g, (_all, text: string) => text.replaceAll(',', '+'))
        .split(',')
        .slice(at, at + 2),
    );
  };
  return { folder, file, run, kinds };
}

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
    test(`puts ${title}; food types stay, and the second time changes nothing`, async (t) => {
      const { file, run, kinds } = inFolder(t);
      const args = ['import', file('places.csv', PLACES), '--map', file('map.csv', map)];
      const first = await run(...args);
      assert.equal(first.code, 0, first.err);
      const foodTypes = ['French+Seafood', 'Sushi+Vegan', 'Vietnamese', ''];
      const expected = categories.map((category, index) => [category, foodTypes[index]]);
      assert.deepEqual(await kinds(), expected);
      assert.equal((await run(...args)).out, '4 rows: 0 created, 0 updated, 4 unchanged, 0 failed\n');
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
  for (const [title, map, fault] of wrong)
    test(`refuses a map with ${title}, and imports nothing`, async (t) => {
      const { folder, file, run } = inFolder(t);
      const { code, err } = await run('import', file('places.csv', PLACES), '--map', file('map.csv', map));
      assert.deepEqual([code, err], [1, `${join(folder, 'map.csv')}: ${fault}\n`]);
      assert.equal(existsSync(join(folder, 'data')), false);
    });

  test('maps the categories of an export as well', async (t) => {
    const { file, run, kinds } = inFolder(t);
    const lines =
      '{"type":"category","name":"Sushi"}\n{"name":"A","category":"Sushi","food_types":["Sushi"]}\n';
    await run('import', file('a.ndjson', lines), '--map', file('map.csv', 'cuisine,category\nSushi,Asian\n'));
    assert.deepEqual(await kinds(), [['Asian', 'Sushi']]);
    assert.doesNotMatch((await run('export', '-', '--format', 'ndjson')).out, /"category","name":"Sushi"/);
  });
});

describe('catalogue import --propose-map', () => {
  const rows = (cuisine: string, count: number): string =>
    Array.from(
      { length: count },
      (_, index) => `${cuisine} ${index},"${cuisine}, Food"
`,
    ).join('');
  const filler = Array.from({ length: 15 }, (_, index) => rows(`Rare ${index}`, 1)).join('');

  test('prints a map with the cuisines of most rows first, and imports nothing', async (t) => {
    const { folder, file, run } = inFolder(t);
    const places = `name,cuisine\n${filler}${rows('Sushi', 300)}${rows('Modern French', 400)}${rows('Frites', 200)}${rows('Ramen', 200)}${rows('Pizza', 2)}${rows('Italian', 100)}`;
    const { code, out, err } = await run('import', file('a.csv', places), '--propose-map');
    assert.equal(code, 0, err);
    const lines = out.trimEnd().split('\n');
    assert.deepEqual(lines.slice(0, 8), [
      ...['cuisine,category,rows', 'Modern French,French,400', 'Sushi,Japanese,300', 'Frites,Frites,200'],
      ...['Ramen,Japanese,200', 'Italian,Italian,100', 'Pizza,Italian,2', 'Rare 0,Other,1'],
    ]);
    assert.equal(lines.at(-1), '*,Other,');
    assert.equal(
      err,
      '21 first cuisines, 5 categories with their rows: Japanese 500, French 400, Frites 200, Italian 102, Other 15\n',
    );
    assert.equal(existsSync(join(folder, 'data')), false);
  });

  test('prints what --map reads', async (t) => {
    const { file, run, kinds } = inFolder(t);
    const path = file(
      'a.csv',
      `name,cuisine\n${filler}A,"=Odd, ""quoted"""\nB,Sushi\n${rows('French', 500)}`,
    );
    const { out } = await run('import', path, '--propose-map');
    await run('import', path, '--map', file('map.csv', out));
    const categories = new Set((await kinds()).map(([category]) => category));
    assert.deepEqual(categories, new Set(['Other', 'French']));
  });

  test('leaves few cuisines as they are', async (t) => {
    const { file, run } = inFolder(t);
    const { out } = await run('import', file('a.csv', PLACES), '--propose-map');
    assert.equal(out, 'cuisine,category,rows\nFrench,French,1\nSushi,Sushi,1\nVietnamese,Vietnamese,1\n');
  });

  test('of a file without cuisines fails', async (t) => {
    const { file, run } = inFolder(t);
    const { code, err } = await run('import', file('a.csv', 'name\nA\n'), '--propose-map');
    assert.equal(code, 1);
    assert.match(err, /^no row of \S+a\.csv has a cuisine or a category\n$/);
  });
});
