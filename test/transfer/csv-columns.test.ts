import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readCsv } from '../../src/transfer/csv.ts';
import { faultAt, readAll, row } from '../support/source.ts';

describe('the columns of a CSV file', () => {
  const cases: readonly [string, string, unknown[]][] = [
    [
      'are separated by the delimiter of the header, not of the prose before it',
      'Best; of all; my places\n\nTitle,Note,URL\nA,,http://x\n',
      [row(4, { name: 'A', description: null, website: 'http://x' })],
    ],
    [
      'are separated by semicolons where names hold commas',
      '"city, country";name\nX;A\n',
      [row(2, { name: 'A' })],
    ],
    [
      'are all read where a table with a title and a URL is no saved list',
      'title,url,lat,lng,phone\nA,http://x,1,2,33\n',
      [row(2, { name: 'A', website: 'http://x', latitude: 1, longitude: 2, phone: '33' })],
    ],
    [
      'give the first value where two stand for one field',
      'name,website,url\nA,http://x,\nB,,http://y\nC,http://x,http://y\n',
      [
        row(2, { name: 'A', website: 'http://x' }),
        row(3, { name: 'B', website: 'http://y' }),
        row(4, { name: 'C', website: 'http://x' }),
      ],
    ],
    [
      'give all the text where two stand for the description',
      'name,notes,comment\nA,first,second\nB,,second\n',
      [row(2, { name: 'A', description: 'first\nsecond' }), row(3, { name: 'B', description: 'second' })],
    ],
    [
      'give a category and food types of their own before a cuisine',
      'cuisine,name,category,food_types\nFrench,A,Bar,\n,B,Bar,"X,Y"\n',
      [
        row(2, { name: 'A', category: 'Bar', food_types: ['French'] }),
        row(3, { name: 'B', category: 'Bar', food_types: ['X', 'Y'] }),
      ],
    ],
    [
      'give numbers without a digit before or behind the point',
      'name,lat,lng\nA,.5,-12.\n',
      [row(2, { name: 'A', latitude: 0.5, longitude: -12 })],
    ],
    [
      'give lists over several lines and lists with a quote that is not closed',
      'name,food_types\nA,"X\nY"\nB,"X,""Y"\n',
      [row(2, { name: 'A', food_types: ['X', 'Y'] }), row(4, { name: 'B', food_types: ['X', '"Y'] })],
    ],
    [
      'may be empty in a whole row, which is left out',
      'name,phone\n,\n"", \nA,\n',
      [row(4, { name: 'A', phone: null })],
    ],
    [
      'may hold the character that stands for unknown ones',
      'name\nA\ufffdB\n',
      [row(2, { name: 'A\ufffdB' })],
    ],
  ];
  for (const [title, text, expected] of cases)
    test(title, async () => {
      assert.deepEqual((await readAll(readCsv, text)).entries, expected);
    });

  test('without a name are not reported', async () => {
    assert.deepEqual((await readAll(readCsv, 'name,,stars,\nA,,,\n')).ignored, ['stars']);
  });

  test('are at most 10,000', async () => {
    assert.deepEqual((await readAll(readCsv, `name\nA${',x'.repeat(10_000)}\nB\n`)).entries, [
      faultAt(2, 'the record has more than 10000 cells'),
      row(3, { name: 'B' }),
    ]);
  });

  test('are looked for in the first five records, readable or not', async () => {
    const text = Buffer.from('\xff\n'.repeat(9), 'latin1');
    assert.equal((await readAll(readCsv, text)).entries.length, 6);
  });
});
