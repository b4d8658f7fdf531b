import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readCsv } from '../../src/transfer/csv.ts';
import { Notes } from '../../src/transfer/notes.ts';
import type { Chunks } from '../../src/transfer/source.ts';
import { longTest } from '../support/size.ts';
import { readAll } from '../support/source.ts';

/** The first row of a table. */
async function read(text: string): Promise<Readonly<Record<string, unknown>>> {
  const [{ line: _line, ...row } = { line: 0 }] = (await readAll(readCsv, text)).entries;
  return row;
}

describe('a table of a spreadsheet', () => {
  const numbers: readonly [string, string, unknown][] = [
    ['a decimal comma between semicolons', 'name;lat;lng\nA;48,85;2\n', 48.85],
    ['a decimal comma between tabs', 'name\tlat\tlng\nA\t-48,85\t2\n', -48.85],
    ['a decimal comma in quotes', 'name,lat,lng\nA,"48,85",2\n', 48.85],
    ['a decimal point between semicolons', 'name;lat;lng\nA;48.85;2\n', 48.85],
    ['a number as text', 'name;lat;lng\nA;="48,85";2\n', 48.85],
    ['points between thousands, which are no number', 'name;lat;lng\nA;1.234,5;2\n', undefined],
    ['commas between thousands, which are no number', 'name;lat;lng\nA;1,234.5;2\n', undefined],
    ['two commas, which are no number', 'name;lat;lng\nA;1,2,3;2\n', undefined],
    ['a comma alone, which is no number', 'name;lat;lng\nA;,;2\n', undefined],
  ];
  for (const [title, text, expected] of numbers)
    test(`may have ${title}`, async () => {
      assert.equal((await read(text))['latitude'], expected);
    });

  const texts: readonly [string, string, string | undefined][] = [
    ['="00123"', '="00123"', '00123'],
    ['="00123" in quotes', '"=""00123"""', '00123'],
    ['="" as nothing', '=""', undefined],
    ['quotes within', '"=""say """"hi"""""""', 'say "hi"'],
    ['a formula that is no text', '=1+1', '=1+1'],
    ['a formula with two texts', '"=""a""&""b"""', '="a"&"b"'],
    ['a formula whose quote is not closed', '"=""a"', '="a'],
    ['a guarded formula, whose content stays', `"'=""a"""`, '="a"'],
  ];
  for (const [title, cell, expected] of texts)
    test(`is read with ${title}`, async () => {
      assert.equal((await read(`name,description\nA,${cell}\n`))['description'], expected);
    });

  test('may have such texts in its header', async () => {
    assert.deepEqual(await read('="name";="phone"\nA;1\n'), { name: 'A', phone: '1' });
  });

  const prices: readonly [string, number | undefined][] = [
    ['$', 1],
    ['€€', 2],
    ['¥¥¥', 3],
    ['£££££', undefined],
    ['€€€€', 4],
    ['₫ ', 1],
    ['$€', undefined],
    ['$$ - $$$', undefined],
    ['20 EUR', undefined],
    ['2', undefined],
    ['', undefined],
  ];
  for (const [price, level] of prices)
    test(`${level === undefined ? 'has no price level' : 'has a price level'} from a price of "${price}"`, async () => {
      assert.equal((await read(`name,price\nA,${price}\n`))['price_level'], level);
    });

  test('has its own price level before a price', async () => {
    assert.equal((await read('name,price,price_level\nA,$$,4\n'))['price_level'], 4);
    assert.equal((await read('name,price_level,price\nA,,$$\n'))['price_level'], 2);
  });

  test('with prices that mean nothing says in how many rows', async () => {
    const { left_out } = await readAll(readCsv, 'name,price\nA,$\nB,cheap\nC,12\nD,\n');
    const note = { field: 'price', reason: 'not_a_choice', count: 2, line: 3, example: 'cheap' };
    assert.deepEqual(left_out, [note]);
    assert.deepEqual((await readAll(readCsv, 'name,price\nA,$\nD,\n')).left_out, []);
  });

  const cities: readonly [string, string, string | undefined][] = [
    ['5 Rue X', 'Paris', '5 Rue X, Paris'],
    ['5 Rue X', '"Paris, France"', '5 Rue X, Paris, France'],
    ['"5 Rue X, PARIS"', '"Paris, France"', '5 Rue X, PARIS'],
    ['"Hauptstr. 1, Munchen"', 'München', 'Hauptstr. 1, Munchen'],
    ['', '"Paris, France"', 'Paris, France'],
    ['5 Rue X', '', '5 Rue X'],
    ['', '', undefined],
  ];
  for (const [address, city, expected] of cities)
    test(`has the address ${String(expected)} of "${address}" and the city ${city}`, async () => {
      assert.equal((await read(`name,city,address\nA,${city},${address}\n`))['address'], expected);
    });

  longTest('with a cell of 3 MB has one fault, and the rows behind it are read', async () => {
    const part = Buffer.alloc(1024 * 1024, 'x');
    async function* large(): Chunks {
      yield Buffer.from('name,phone\nA,"');
      for (let count = 0; count < 3; count += 1) yield await Promise.resolve(part);
      yield Buffer.from('"\nB,1\n');
    }
    const found: unknown[] = [];
    for await (const entry of readCsv(large(), new Notes()))
      found.push('fault' in entry ? entry.fault : entry.values[0]?.[1]);
    assert.deepEqual(found, ['the record is longer than 1 MiB', 'B']);
  });
});
