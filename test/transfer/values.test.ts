import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { FIELDS } from '../../src/catalogue/restaurants/field-table.ts';
import { readFields } from '../../src/kit/input/fields.ts';
import {
  type Read,
  type ReadTarget,
  dayOrderOf,
  decodeEntities,
  isNothing,
  osmIdOf,
  readField,
  readMoment,
  readNames,
  readPairs,
  readStars,
  statusOf,
} from '../../src/transfer/values.ts';

/** As one line: the value, and why it is not all of what was there. */
function shown({ value, reason, guess }: Read<unknown>): string {
  return [JSON.stringify(value), reason, guess].filter((part) => part !== undefined).join(' ');
}

const TARGETS: readonly ReadTarget[] = [
  'description',
  'comment',
  'note',
  'address',
  'phone',
  'website',
  'google_place_id',
  'category',
  'price_level',
  'price',
  'opening_hours',
  'time_zone',
  'external_ids.fsq',
  'external_ids.osm',
  'diets.vegan',
];

describe('a word for nothing', () => {
  const words = `NULL null None none nan NaN NAN N/A n/a NA <NA> \\N - -- — . ? #N/A #NV #N/D #НД #Н/Д #REF! #BEZUG! #NAME? #¿NOMBRE?
    #DIV/0! #¡VALOR! #ЗНАЧ! undefined nil <nil> (null) [NULL] (blank) undef n.a. [] unbekannt #YOK #N/B`;
  test('is nothing in every column but that of the name', () => {
    for (const word of [
      '',
      ' ',
      '\u200b',
      '\u00a0',
      null,
      undefined,
      NaN,
      [],
      [null, 'NULL'],
      ...words.split(/\s+/),
    ]) {
      assert.ok(isNothing(word), String(word));
      for (const target of TARGETS)
        assert.equal(shown(readField(target, word)), 'null', `${target} ${String(word)}`);
      const read = [readNames(word), readPairs(word, 'diets'), readStars(word), readMoment(word, undefined)];
      for (const one of read) assert.equal(shown(one), 'null', String(word));
      if (typeof word === 'string' && word.trim().length > 1)
        assert.equal(readField('name', word).value, word);
    }
  });

  test('is not a word of a text', () => {
    for (const word of [
      'Nan’s Kitchen',
      'none of it',
      '#soup',
      'N',
      '0',
      0,
      false,
      'Null Island',
      '#1',
      'NV',
    ])
      assert.ok(!isNothing(word), String(word));
  });
});

describe('a value of a field', () => {
  const long = 'x'.repeat(6_000);
  const cases: readonly (readonly [ReadTarget, unknown, string])[] = [
    ['name', 'Caf&eacute; B&auml;r &amp; Co', '"Café Bär & Co"'],
    ['name', long, `"${'x'.repeat(FIELDS.name.max)}" too_long`],
    ['name', true, 'null not_a_text'],
    ['address', 'Ufer&nbsp;1', '"Ufer\u00a01"'],
    ['address', ['1 Main St', 'Aville'], '"1 Main St, Aville"'],
    ['address', long, `"${'x'.repeat(FIELDS.address.max)}" too_long`],
    ['description', `<b>${'<i></i>'.repeat(1_000)}soup</b>`, '"soup"'],
    ['phone', '33123456789.0', '"33123456789"'],
    ['phone', 33123456789, '"33123456789"'],
    ['phone', '3.31235E+10', 'null not_a_number'],
    ['phone', 'call us', 'null not_a_number'],
    ['phone', '٠٠٠١١١', '"٠٠٠١١١"'],
    ['phone', ['+49000111', 'NULL', '+49000112'], '"+49000111; +49000112"'],
    ['phone', '+49 000 1;+49 000 2', '"+49 000 1;+49 000 2"'],
    [
      'phone',
      Array.from({ length: 9 }, (_, index) => `+49 000 ${1000 + index}`).join(';'),
      '"+49 000 1000; +49 000 1001; +49 000 1002" too_long',
    ],
    ['phone', '1'.repeat(51), 'null too_long'],
    ['website', 'https://a.example; https://b.example', '"https://a.example" too_many'],
    ['website', 'https://a.example;https://b.example', '"https://a.example" too_many'],
    ['website', ['https://a.example'], '"https://a.example"'],
    ['website', 'https://a.example/?a=1;b=2,3', '"https://a.example/?a=1;b=2,3"'],
    ['website', 'https://a.example/Karte heute.pdf', '"https://a.example/Karte%20heute.pdf"'],
    ['website', 'www.a.example', '"https://www.a.example"'],
    ['website', 'see http://a.example/b for more', '"http://a.example/b"'],
    ['website', '@seestern', 'null not_a_link'],
    ['website', 'mailto:a@b.example', 'null not_a_link'],
    ['website', `https://a.example/${long}`, 'null too_long'],
    ['google_place_id', long, 'null too_long'],
    ['opening_hours', 'Mo-Fr 12:00-14:00', '"Mo-Fr 12:00-14:00"'],
    ['opening_hours', ['Mo 12:00-14:00', 'Tu off'], '"Mo 12:00-14:00; Tu off"'],
    ['google_place_id', ['a', 'b'], '"a"'],
    ['google_place_id', 4711, 'null not_a_choice'],
    ['google_place_id', '0x47e66e:0x1', 'null not_a_choice'],
    ['name', ['Soup', 'Broth'], '"Soup"'],
    ['opening_hours', long, 'null too_long'],
    ['time_zone', 'Europe/Paris', '"Europe/Paris"'],
    ['time_zone', 'Nowhere', 'null not_a_choice'],
    ['category', 'soup_restaurant', '"Soup restaurant"'],
    ['category', 'Fish, mostly', '"Fish, mostly"'],
    ['price', '€€', '2'],
    ['price', '$$$$$', 'null out_of_range'],
    ['price', '2', 'null not_a_choice'],
    ['price', '$€', 'null not_a_choice'],
    ['price_level', '2', '2'],
    ['price_level', '2,0', '2'],
    ['price_level', '٢', '2'],
    ['price_level', 'PRICE_LEVEL_VERY_EXPENSIVE', '4'],
    ['price_level', 5, 'null out_of_range'],
    ['price_level', 'dear', 'null not_a_number'],
    ['external_ids.fsq', '4b0000000000000000000101', '"4b0000000000000000000101"'],
    ['external_ids.wikidata', 'soup', 'null not_a_choice'],
    ['diets.vegan', true, '"yes"'],
    ['diets.vegan', 'ONLY', '"only"'],
    ['diets.vegan', 'perhaps', 'null not_a_choice'],
  ];
  for (const [target, raw, expected] of cases)
    test(`${target} of ${JSON.stringify(raw).slice(0, 60)} is ${expected.slice(0, 60)}`, () => {
      assert.equal(shown(readField(target, raw)), expected);
    });

  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 700 }),
    fc.constantFrom(long, 'a; b', '1,5', '=1'),
  );
  const anything = fc.oneof(text, fc.double(), fc.boolean(), fc.constant(null), fc.array(text), fc.object());
  test('is one that the API takes, whatever stands in the file', () => {
    const names: readonly (keyof typeof FIELDS & ReadTarget)[] = [
      'name',
      'description',
      'address',
      'phone',
      'website',
      'price_level',
      'opening_hours',
      'time_zone',
      'google_place_id',
    ];
    fc.assert(
      fc.property(anything, fc.constantFrom(...names), (raw, name) => {
        const { value } = readField(name, raw);
        const fields = readFields({ [name]: value });
        if (value !== null) FIELDS[name].parse(fields, name);
        assert.deepEqual(fields.faults, []);
      }),
    );
  });
});

test('a very long cell takes no longer than its length', { timeout: 60_000 }, () => {
  for (const part of [
    ' ',
    ' ,',
    '"',
    '""',
    '/',
    'https://a/',
    '; ',
    '&amp',
    '1',
    '#A',
    'a|',
    '<b',
    '\u0660',
    '(',
  ])
    for (const text of [`1${part}`, `https://a.example/${part}`].map(
      (start) => start + part.repeat(200_000 / part.length),
    )) {
      for (const target of [...TARGETS, 'name' as const]) readField(target, text);
      for (const read of [readNames, readStars, dayOrderOf, isNothing, osmIdOf]) read(text);
      for (const target of ['status', 'closed', 'open', 'opening_hours'] as const) statusOf(target, text);
      readPairs(text, 'diets');
      readMoment(text, 'dmy');
    }
});

describe('entities of HTML', () => {
  const cases = {
    'caf&eacute;&nbsp;cr&egrave;me': 'café\u00a0crème',
    '&lt;b&gt; &amp;amp; &#39;x&#x27; &#146;': "<b> &amp; 'x' ’",
    '&Zcaron;&lstrok;&oslash;&szlig;&Uuml;': 'ŽłøßÜ',
    '&foo; &; &eacute &#0; &#x110000; &acute;': '&foo; &; &eacute &#0; &#x110000; &acute;',
  };
  for (const [text, decoded] of Object.entries(cases))
    test(`are decoded once: ${text}`, () => {
      assert.equal(decodeEntities(text), decoded);
    });
});

describe('a list in a cell', () => {
  const cases: readonly (readonly [unknown, string])[] = [
    ...[',', ';', '|', '/', ' / ', '; ', ' | '].map(
      (between) => [`Thai${between}Noodles`, '["Thai","Noodles"]'] as const,
    ),
    ['regional;fish_and_chips', '["Regional","Fish and chips"]'],
    ['"Fish/Chips; fried","say ""hi"""', '["Fish/Chips; fried","Say \\"hi\\""]'],
    ["['Thai', 'Sushi']", '["Thai","Sushi"]'],
    ['["Thai"]', '["Thai"]'],
    [['Food > Restaurant > Café, Coffee, and Tea House', null], '["Café, Coffee, and Tea House"]'],
    ['Thai, NULL, ', '["Thai"]'],
    ['和食、寿司', '["和食","寿司"]'],
    [
      Array.from({ length: 51 }, (_, index) => `T${index}`),
      `${JSON.stringify(Array.from({ length: 50 }, (_, index) => `T${index}`))} too_many`,
    ],
    [`Thai,${'x'.repeat(101)}`, '["Thai"] too_long'],
    [{ a: 1 }, 'null not_a_text'],
  ];
  for (const [raw, expected] of cases)
    test(`of ${JSON.stringify(raw).slice(0, 50)} is ${expected.slice(0, 50)}`, () => {
      assert.equal(shown(readNames(raw)), expected);
    });

  test('may have keys, of which only valid ones are read', () => {
    assert.equal(shown(readPairs('vegan=only, halal=Yes', 'diets')), '{"vegan":"only","halal":"yes"}');
    assert.equal(shown(readPairs('vegan,kosher', 'diets')), '{"vegan":"yes","kosher":"yes"}');
    assert.equal(shown(readPairs({ vegan: 'yes', soup: 'yes' }, 'diets')), '{"vegan":"yes"} not_a_choice');
    assert.equal(shown(readPairs('osm=N1,fsq=a b', 'external_ids')), '{"osm":"N1"} not_a_choice');
  });
});

describe('stars', () => {
  const cases: readonly (readonly [unknown, string])[] = [
    [4, '4'],
    ['4', '4'],
    ['4.5', '5 rounded'],
    ['3,4', '3 rounded'],
    ['4/5', '4'],
    ['8/10', '4'],
    ['★★★☆☆', '3'],
    ['⭐⭐', '2'],
    [0, 'null out_of_range'],
    ['6', 'null out_of_range'],
    ['1/0', 'null out_of_range'],
    ['good', 'null not_a_number'],
  ];
  for (const [raw, expected] of cases)
    test(`of ${String(raw)} are ${expected}`, () => {
      assert.equal(shown(readStars(raw)), expected);
    });
});

describe('a moment', () => {
  const day = '"2024-12-31T00:00:00.000Z"';
  const cases: readonly (readonly [unknown, string])[] = [
    ['2024-12-31', day],
    ['31.12.2024', day],
    ['12/31/2024', day],
    ['31/12/2024', day],
    ['45657', day],
    [45657, day],
    ['45657,5', '"2024-12-31T12:00:00.000Z"'],
    ['2024-12-31T10:00:00+02:00', '"2024-12-31T08:00:00.000Z"'],
    ['2024-12-31T10:00-0330', '"2024-12-31T13:30:00.000Z"'],
    ['2024-12-31 10:00:00.123456Z', '"2024-12-31T10:00:00.123Z"'],
    ['2/2/2024', '"2024-02-02T00:00:00.000Z"'],
    ['1/2/2024', 'null two_readings'],
    ['31.12.1969', 'null out_of_range'],
    ['25568', 'null out_of_range'],
    ...[
      '2024-12-31T10:00:00',
      '2024-02-30',
      '29.02.2023',
      '12.31.2024',
      '2024',
      'table 12',
      '202412',
      '1735603200',
      '12/31/24',
      'Dec 31, 2024',
      '2024-12-31T25:00Z',
      '13/13/2024',
      '2024-12-31T10:00+99:00',
      true,
      5,
    ].map((raw) => [raw, 'null not_a_moment'] as const),
  ];
  for (const [raw, expected] of cases)
    test(`of ${String(raw)} is ${expected}`, () => {
      assert.equal(shown(readMoment(raw, undefined)), expected);
    });

  test('of two readings is decided by its column', () => {
    assert.deepEqual(['1/2/2024', '13/2/2024', '1/13/2024', '1.2.2024', 'soup'].map(dayOrderOf), [
      'both',
      'dmy',
      'mdy',
      undefined,
      undefined,
    ]);
    assert.equal(readMoment('1/2/2024', 'dmy').value, '2024-02-01T00:00:00.000Z');
    assert.equal(readMoment('1/2/2024', 'mdy').value, '2024-01-02T00:00:00.000Z');
  });

  test('is nothing but these forms, and the same in every time zone', () => {
    const digits = fc.integer({ min: 0, max: 99_999 }).map(String);
    const piece = fc.oneof(
      digits,
      fc.constantFrom('-', '/', '.', ':', 'T', 'Z', ' ', '+', 'May', 'am'),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    );
    const texts = fc.array(piece, { minLength: 1, maxLength: 7 }).map((parts) => parts.join(''));
    const FORMS =
      /^(?:\d{4}-\d\d-\d\d(?:[T ].*(?:Z|[+-]\d\d(?::?\d\d)?))?|\d{1,2}([./])\d{1,2}\1\d{4}|\d{5}(?:[.,]\d+)?)$/;
    const before = process.env['TZ'];
    fc.assert(
      fc.property(texts, (text) => {
        const read = ['UTC', 'America/New_York', 'Pacific/Apia'].map((zone) => {
          process.env['TZ'] = zone;
          return readMoment(text, 'mdy').value;
        });
        assert.equal(new Set(read).size, 1);
        assert.ok(read[0] === null || FORMS.test(text.trim()), text);
      }),
      { numRuns: 2_000 },
    );
    process.env['TZ'] = before ?? 'UTC';
  });
});

describe('the state of a place', () => {
  const today = '2026-01-15';
  const cases: readonly (readonly [
    Parameters<typeof statusOf>[0],
    string | undefined,
    readonly unknown[],
  ])[] = [
    [
      'status',
      'closed',
      [
        'closed',
        'CLOSED_PERMANENTLY',
        'permanently_closed',
        'Permanently closed',
        'geschlossen',
        'Fermé',
        '閉店',
      ],
    ],
    [
      'status',
      'temporarily_closed',
      ['temporarily_closed', 'CLOSED_TEMPORARILY', 'Vorübergehend geschlossen', 'مغلق مؤقتًا'],
    ],
    ['status', 'active', ['active', 'open', 'OPERATIONAL', 'Offen']],
    ['status', undefined, ['soup', '', null, 7]],
    ['open', 'closed', [0, '0', '0.0', false, 'false', 'no', 'f', 'FALSCH']],
    ['open', 'active', [1, '1', '1.0', true, 'yes', 't', 'Vrai']],
    ['closed', 'closed', [true, 1, 'yes', '2021-06-30', '2021', '~1999', '30.06.2021', 'permanently', today]],
    ['closed', undefined, [false, 0, 'no', '', 'NULL', '2030-01-01', '2027', 'Montag', 'Mo']],
    ['paused', 'temporarily_closed', [true, 'yes', 1]],
    ['former', 'closed', ['restaurant', 'yes']],
    ['former', undefined, ['no', '']],
    ['opening_hours', 'closed', ['closed', 'off', 'Mo-Su off', 'geschlossen']],
    ['opening_hours', undefined, ['Mo 10:00-12:00', '24/7']],
  ];
  for (const [target, state, values] of cases)
    test(`is ${String(state)} by ${target} of ${values.map(String).join(', ')}`, () => {
      for (const value of values) assert.equal(statusOf(target, value, today), state, String(value));
    });
});

test('an id of OpenStreetMap has its type', () => {
  const ids = [
    osmIdOf('node/101'),
    osmIdOf(101, 'way'),
    osmIdOf('101.0', 'node'),
    osmIdOf('r7'),
    osmIdOf('101'),
    osmIdOf('101', 'shop'),
    osmIdOf(null),
  ];
  assert.deepEqual(ids, ['N101', 'W101', 'N101', 'R7', undefined, undefined, undefined]);
});
