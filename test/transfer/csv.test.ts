import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FILE_NAMES, fieldsOf, storedFieldsOf } from '../../src/catalogue/restaurants/fields.ts';
import { csvHeader, csvLine, readCsv } from '../../src/transfer/csv.ts';
import { faultAt, readAll, row } from '../support/source.ts';

const read = async (text: string | Uint8Array, size?: number): Promise<unknown[]> =>
  (await readAll(readCsv, text, size)).entries;

const LIST = ['=a', 'b, c', 'd "e"', 'Fish / Chips', 'a|b', '[x'];
const RECORD = {
  id: 7,
  ...fieldsOf({ ...storedFieldsOf({ name: 'A', food_type_ids: [], status: 'active' }) }, FILE_NAMES),
  category: null,
  food_types: [],
  status: 'active',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  ratings: [],
} as const;

describe('CSV', () => {
  const cases: readonly [string, string, unknown[]][] = [
    [
      'plain',
      'name,phone\nA,1\nB,2\n',
      [row(2, { name: 'A', phone: '1' }), row(3, { name: 'B', phone: '2' })],
    ],
    [
      'with CR LF',
      'name,phone\r\nA,1\r\nB,2\r\n',
      [row(2, { name: 'A', phone: '1' }), row(3, { name: 'B', phone: '2' })],
    ],
    ['with CR alone', 'name\rA\rB', [row(2, { name: 'A' }), row(3, { name: 'B' })]],
    ['without a last line break', 'name\nA', [row(2, { name: 'A' })]],
    ['with a byte order mark', '\ufeffname\nA\n', [row(2, { name: 'A' })]],
    ['with blank lines', 'name\n\nA\n \n\nB\n', [row(3, { name: 'A' }), row(6, { name: 'B' })]],
    ['with quotes', 'name,address\n"A ""x"" B","1, Rue"\n', [row(2, { name: 'A "x" B', address: '1, Rue' })]],
    [
      'with line breaks in quotes',
      'name,address\n"A","1\r\nRue"\nB,2\n',
      [row(2, { name: 'A', address: '1\r\nRue' }), row(4, { name: 'B', address: '2' })],
    ],
    ['with a quote inside a bare cell', 'name\nA 5" tall\n', [row(2, { name: 'A 5" tall' })]],
    [
      'with semicolons',
      'name;latitude;longitude\nA, B;1.5;2\n',
      [row(2, { name: 'A, B', latitude: 1.5, longitude: 2 })],
    ],
    [
      'with a column of scores or of hints among mappers, which is no description',
      'nom,Note\nA,"4,5"\nB,18/20\nC,\n',
      [row(2, { name: 'A' }), row(3, { name: 'B' }), row(4, { name: 'C' })],
    ],
    [
      'with a note that is a text',
      'nom,Note\nA,4\nB,bon\n',
      [row(2, { name: 'A', description: '4' }), row(3, { name: 'B', description: 'bon' })],
    ],
    [
      'with a note of OpenStreetMap',
      '@id,name,note\nnode/1,A,check\n',
      [row(2, { name: 'A', external_ids: { osm: 'N1' } })],
    ],
    [
      'with positions called x and y',
      'name,x,y\nA,9.1,48.1\n',
      [row(2, { name: 'A', latitude: 48.1, longitude: 9.1 })],
    ],
    [
      'with marks called x',
      'name,X,y,lat,lng\nA,x,,48,9\n',
      [row(2, { name: 'A', latitude: 48, longitude: 9 })],
    ],
    [
      'as a table in Markdown',
      '| Name | Phone |\n|------|:-----:|\n| A | 1 |\n',
      [row(3, { name: 'A', phone: '1' })],
    ],
    ['with tabs', 'name\tphone\nA\t1\n', [row(2, { name: 'A', phone: '1' })]],
    [
      'with headers of any case and their other names',
      'Title,LAT,Lng,"Google Place ID"\nA,1,-2,p\n',
      [row(2, { name: 'A', latitude: 1, longitude: -2, google_place_id: 'p' })],
    ],
    ['with empty cells as null', 'name,phone,latitude,food_types\nA,,,\n', [row(2, { name: 'A' })]],
    [
      'with a rating where a row has stars, and its comment on it',
      'name,Food Rating,service_rating,ambiance_rating,comment\nA,5,4,3,Good\nB,5,,,\nC,,,,About it\nD,,,,\n',
      [
        row(2, {
          name: 'A',
          ratings: [
            { food_rating: 5, service_rating: 4, ambiance_rating: 3, comment: 'Good', created_at: null },
          ],
        }),
        row(3, { name: 'B' }),
        row(4, { name: 'C', description: 'About it' }),
        row(5, { name: 'D' }),
      ],
    ],
    [
      'with a comment as the description where no stars have a column',
      'name,comment\nA,Good\n',
      [row(2, { name: 'A', description: 'Good' })],
    ],
    ['with fewer cells than columns', 'name,phone\nA\n', [row(2, { name: 'A' })]],
    [
      'with a cuisine: the first is the category, all are food types',
      'name,cuisine\nA,"Modern, French ,Wine"\nB,\n',
      [
        row(2, { name: 'A', food_types: ['Modern', 'French', 'Wine'], category: 'Modern' }),
        row(3, { name: 'B' }),
      ],
    ],
    [
      'with food types that hold commas',
      'name,food_types\nA,"Pizza,""Soups, Salads"""\n',
      [row(2, { name: 'A', food_types: ['Pizza', 'Soups, Salads'] })],
    ],
    [
      'with guarded formulas',
      "name,phone,description\n'=A,'+33,''-x\n'plain,,'x\n",
      [
        row(2, { name: '=A', phone: '+33', description: "'-x" }),
        row(3, { name: "'plain", description: "'x" }),
      ],
    ],
  ];
  for (const [title, text, expected] of cases)
    test(`is read ${title}, wherever it is split`, async () => {
      for (const size of [1, 2, 3, 7, 1_000])
        assert.deepEqual(await read(text, size), expected, `in pieces of ${size}`);
    });

  const faulty: readonly [string, string | Uint8Array, unknown[]][] = [
    [
      'a row with too many cells',
      'name\nA,B\nC\n',
      [
        faultAt(
          2,
          'the row has more cells than the header (2 instead of 1); text that has the separator in it must be in quotes',
        ),
        row(3, { name: 'C' }),
      ],
    ],
    [
      'a quote that is not closed',
      'name\nA\n"B\nC\n',
      [row(2, { name: 'A' }), faultAt(3, 'a quote is not closed')],
    ],
    [
      'a record over 1 MiB',
      `name\n${'x'.repeat(1024 * 1024 + 1)}\nB\n`,
      [faultAt(2, 'the record is longer than 1 MiB'), row(3, { name: 'B' })],
    ],
    [
      'bytes that are not UTF-8',
      Buffer.from('name\nA\nCaf\xe9\nB\n', 'latin1'),
      [
        row(2, { name: 'A' }),
        faultAt(3, 'the record has bytes that are no characters'),
        row(4, { name: 'B' }),
      ],
    ],
  ];
  for (const [title, text, expected] of faulty)
    test(`reports ${title}`, async () => {
      assert.deepEqual(await read(text), expected);
    });

  for (const text of ['phone,address\n1,2\n', '', '\n'.repeat(9)])
    test(`is refused without a header: ${JSON.stringify(text)}`, async () => {
      await assert.rejects(read(text), { name: 'UnreadableFile', code: 'no_header' });
    });

  test('has its names that mean nothing to the service noted, and those that were taken for a field', async () => {
    const { ignored, taken } = await readAll(readCsv, 'name,Town,stars\nA,B,C\nB,,D\n');
    assert.deepEqual(ignored, [{ name: 'stars', count: 2, example: 'C' }]);
    assert.deepEqual(taken, [{ name: 'Town', field: 'city' }]);
    assert.deepEqual((await readAll(readCsv, csvHeader())).ignored, []);
  });

  test('has several values for one thing together, or says which one was not used', async () => {
    const { entries, ignored } = await readAll(
      readCsv,
      'name,venue,phone,mobile,display_phone,city,town,is_closed,date_closed,branch\n' +
        'A,B,+49 30 1234567,0170 7654321,030 1234567,C,D,0,2020-01-01,North\n' +
        'A,A,1,,,C,C,,,A\n',
    );
    const phone = '+49 30 1234567; 0170 7654321';
    assert.deepEqual(entries, [
      row(2, { name: 'A North', phone, address: 'C', status: 'closed' }),
      row(3, { name: 'A', phone: '1', address: 'C' }),
    ]);
    assert.deepEqual(ignored, [
      { name: 'town', count: 1, example: 'D' },
      { name: 'venue', count: 1, example: 'B' },
    ]);
  });

  test('has a status that says nothing noted', async () => {
    const { left_out } = await readAll(readCsv, 'name,Status\nA,Done\n');
    assert.deepEqual(left_out, [
      { field: 'status', reason: 'not_a_choice', count: 1, line: 2, example: 'Done' },
    ]);
  });

  test('cannot reach a prototype by its headers', async () => {
    assert.deepEqual(await read('name,__proto__,constructor\nA,B,C\n'), [row(2, { name: 'A' })]);
  });

  test('is written so that lists read back exactly without the columns of an export', async () => {
    for (const food_types of [LIST, ...LIST.map((name) => [name])]) {
      const [head, line] = [csvHeader(), csvLine({ ...RECORD, food_types })].map((text) =>
        text.slice(text.indexOf(',') + 1),
      );
      const [{ food_types: read } = {}] = (await readAll(readCsv, `${head}${line}`)).entries;
      const upper = food_types.map((name) => name.replace(/^[a-z]/, (letter) => letter.toUpperCase()));
      assert.deepEqual(read, upper);
    }
  });

  test('is written so that it reads back exactly, and no spreadsheet runs it', async () => {
    const texts = [
      '=1+1',
      '+33 1',
      '-x',
      '@a',
      "'=x",
      "''+x",
      "'",
      'a, b',
      'say "hi"',
      'two\nlines',
      'tab\there',
      'é🍕',
      '-1',
    ];
    for (const text of texts) {
      const line = csvLine({
        ...RECORD,
        name: text,
        description: text,
        food_types: LIST,
        latitude: -1.5,
        longitude: 2,
      });
      assert.doesNotMatch(line.replace(/^7,/, ''), /^"?[=+\-@]/);
      const [entry] = await read(csvHeader() + line);
      assert.ok(typeof entry === 'object' && entry !== null);
      const { name, description, food_types, latitude }: Record<string, unknown> = { ...entry };
      assert.deepEqual([name, description, food_types, latitude], [text, text, LIST, -1.5]);
    }
  });
});

describe('the columns of a CSV file', () => {
  const cases: readonly [string, string, unknown[]][] = [
    [
      'are separated by the delimiter of the header, not of the prose before it',
      'Best; of all; my places\n\nTitle,Note,URL\nA,,\n',
      [row(4, { name: 'A' })],
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
    ['may be empty in a whole row, which is left out', 'name,phone\n,\n"", \nA,\n', [row(4, { name: 'A' })]],
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

  test('are at most 10,000', async () => {
    assert.deepEqual((await readAll(readCsv, `name\nA${',x'.repeat(10_000)}\nB\n`)).entries, [
      faultAt(2, 'the row has more than 10,000 cells'),
      row(3, { name: 'B' }),
    ]);
  });
});
