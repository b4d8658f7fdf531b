import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { PLACES, cuisineWorld } from '../support/cuisines.ts';

describe('catalogue import --propose-map', () => {
  const rows = (cuisine: string, count: number): string =>
    Array.from({ length: count }, (_, index) => `${cuisine} ${index},"${cuisine}, Food"\n`).join('');
  const filler = Array.from({ length: 15 }, (_, index) => rows(`Rare ${index}`, 1)).join('');

  test('prints a map with the cuisines of most rows first, and imports nothing', async (t) => {
    const { folder, file, run } = cuisineWorld(t);
    const frequent = { Sushi: 300, 'Modern French': 400, Frites: 200, Ramen: 200, Pizza: 2, Italian: 100 };
    const places = Object.entries(frequent).map(([cuisine, count]) => rows(cuisine, count));
    const path = file('a.csv', `name,cuisine\n${filler}${places.join('')}`);
    const { code, out, err } = await run('import', path, '--propose-map');
    assert.equal(code, 0, err);
    const lines = out.trimEnd().split('\n');
    assert.deepEqual(lines.slice(0, 8), [
      'cuisine,category,rows',
      'Modern French,French,400',
      'Sushi,Japanese,300',
      'Frites,Frites,200',
      'Ramen,Japanese,200',
      'Italian,Italian,100',
      'Pizza,Italian,2',
      'Rare 0,Other,1',
    ]);
    assert.equal(lines.at(-1), '*,Other,');
    assert.equal(
      err,
      '21 first cuisines, 5 categories with their rows: Japanese 500, French 400, Frites 200, Italian 102, Other 15\n',
    );
    assert.equal(existsSync(join(folder, 'data')), false);
  });

  test('prints what --map reads', async (t) => {
    const { file, run, kinds } = cuisineWorld(t);
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
    const { file, run } = cuisineWorld(t);
    const { out } = await run('import', file('a.csv', PLACES), '--propose-map');
    assert.equal(out, 'cuisine,category,rows\nFrench,French,1\nSushi,Sushi,1\nVietnamese,Vietnamese,1\n');
  });

  test('of a file without cuisines fails', async (t) => {
    const { file, run } = cuisineWorld(t);
    const { code, err } = await run('import', file('a.csv', 'name\nA\n'), '--propose-map');
    assert.equal(code, 1);
    assert.match(err, /^no row of \S+a\.csv has a cuisine or a category\n$/);
  });
});
