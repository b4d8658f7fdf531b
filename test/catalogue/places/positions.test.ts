import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { asciiDigits, readDegrees, readPosition } from '../../../src/catalogue/places/positions.ts';
import { scaled } from '../../support/size.ts';

/** How the parts of an angle are written: `decimals` is the digits behind the point of the last one. */
type Write = (size: number, side: string) => string;

const fixed = (value: number, decimals: number): string => value.toFixed(decimals);
const parts = (size: number): [degrees: number, minutes: number, seconds: number] => {
  const tenths = Math.round(size * 36_000);
  return [Math.floor(tenths / 36_000), Math.floor((tenths % 36_000) / 600), (tenths % 600) / 10];
};
const withSign = (size: number, side: string): string => `${/[SW]/.test(side) ? '-' : ''}${fixed(size, 5)}`;
const sexagesimal = (signs: string, size: number): string => {
  const [degrees, minutes, seconds] = parts(size);
  const [first = '', second = '', third = ''] = signs.split('|');
  return `${degrees}${first}${minutes}${second}${fixed(seconds, 1)}${third}`;
};
const minutesOf = (size: number): string => {
  const tenThousandths = Math.round(size * 600_000);
  return `${Math.floor(tenThousandths / 600_000)}° ${fixed((tenThousandths % 600_000) / 10_000, 4)}'`;
};
const PRIMES = [
  '⁰|ˈ|ˮ',
  `°|'|"`,
  `° |′ |″`,
  `º|’|”`,
  `°|'|''`,
  `° | ' | "`,
  ':|:|',
  ' | |',
  ` deg | min | sec`,
];

/** Notations with a side, as they are written with these words for the sides. */
const MARKED: readonly Write[] = [
  ...PRIMES.flatMap((signs): Write[] => [
    (size, side) => `${sexagesimal(signs, size)} ${side}`,
    (size, side) => `${side} ${sexagesimal(signs, size)}`,
  ]),
  (size, side) => `${fixed(size, 5)}${side}`,
  (size, side) => `${fixed(size, 5)}° ${side}`,
  (size, side) => `${side} ${fixed(size, 5)}°`,
  (size, side) => `${side}${fixed(size, 5)}`,
  (size, side) => `${fixed(size, 5).replace('.', ',')} ${side}`,
  (size, side) => `${minutesOf(size)} ${side}`,
  (size, side) => `${side} ${minutesOf(size).replace('.', ',')}`,
];
const UNMARKED: readonly Write[] = [
  withSign,
  (size, side) => withSign(size, side).replace('.', ','),
  (size, side) => withSign(size, side).replace('-', '−'),
  (size, side) => `${withSign(size, side)}°`,
  (size, side) => (/[SW]/.test(side) ? '-' : '') + sexagesimal(`°|'|"`, size),
  (size, side) => `${/[SW]/.test(side) ? '-' : '+'}${minutesOf(size)}`,
];
const SIDES = [
  'N S E W',
  'n s e w',
  'North South East West',
  'nördl. südl. östl. westl.',
  'Nord Süd Ost West',
  'nord sud est ouest',
  'norte sur este oeste',
  'nord sud est ovest',
  'norte sul leste oeste',
  'noord zuid oost west',
  'NB ZB OL WL',
  '北緯 南緯 東経 西経',
  '北纬 南纬 东经 西经',
  'شمالًا جنوبًا شرقًا غربًا',
  'с.ш. ю.ш. в.д. з.д.',
].map((words) => words.split(' '));
const SCRIPTS = ['latn', 'arab', 'arabext', 'deva', 'fullwide', 'thai', 'mymr', 'mathbold', 'mathmono'];
const inScript = (text: string, script: string): string => {
  const digits = Array.from(
    new Intl.NumberFormat('en', { numberingSystem: script, useGrouping: false }).format(9876543210),
  );
  const isArabic = script.startsWith('arab');
  return text
    .replace(/\d/g, (digit) => digits[9 - Number(digit)] ?? '')
    .replace(/\./g, isArabic ? '٫' : '.')
    .replace(/,/g, isArabic ? '،' : ',');
};
const degrees = (max: number): fc.Arbitrary<number> =>
  fc.oneof(
    fc.integer({ min: -max * 1e5, max: max * 1e5 }).map((all) => all / 1e5),
    fc.integer({ min: -max, max }),
  );
const position = fc.tuple(degrees(90), degrees(180)).filter(([north, east]) => north !== 0 || east !== 0);

/** The text must be read as this position, or, unless it has to be read, as none. */
function agree(text: string, [north, east]: readonly [number, number], mustBeRead: boolean): void {
  const read = readPosition(text);
  if (read === undefined) assert.equal(mustBeRead, false, `not read: ${text}`);
  else {
    assert.ok(Math.abs(read.latitude - north) < 1e-4, `${text}: ${read.latitude}, not ${north}`);
    assert.ok(Math.abs(read.longitude - east) < 1e-4, `${text}: ${read.longitude}, not ${east}`);
  }
}

describe('positions', () => {
  test('with sides are read in all notations, languages, scripts and orders', () => {
    const row = fc.record({
      at: position,
      write: fc.constantFrom(...MARKED),
      sides: fc.constantFrom(...SIDES),
      separator: fc.constantFrom(' ', ', ', '; ', ' / ', '\n'),
      script: fc.constantFrom(...SCRIPTS),
      isTurned: fc.boolean(),
      around: fc.constantFrom(['', ''], ['(', ')'], ['[', ']'], ['Position: ', ''], ['  ', '\u200f']),
    });
    fc.assert(
      fc.property(row, ({ at, write, sides, separator, script, isTurned, around }) => {
        const [n = '', s = '', e = '', w = ''] = sides;
        const halves = [write(Math.abs(at[0]), at[0] < 0 ? s : n), write(Math.abs(at[1]), at[1] < 0 ? w : e)];
        const text = (isTurned ? halves.reverse() : halves).join(separator);
        const [before = '', behind = ''] = around;
        agree(before + inScript(text, script) + behind, at, true);
      }),
      { numRuns: scaled(5_000), seed: 51 },
    );
  });

  test('without sides are read, or are none where they can mean two things', () => {
    const row = fc.record({
      at: position,
      write: fc.constantFrom(...UNMARKED),
      separator: fc.constantFrom(',', ' ', ', ', ';', '; ', ' / ', '|', '\t', ' , '),
      script: fc.constantFrom(...SCRIPTS),
      around: fc.constantFrom(['', ''], ['(', ')'], ['GPS: ', ''], ['lat/lng: ', '']),
    });
    fc.assert(
      fc.property(row, ({ at, write, separator, script, around }) => {
        const [north, east] = [
          write(Math.abs(at[0]), at[0] < 0 ? 'S' : 'N'),
          write(Math.abs(at[1]), at[1] < 0 ? 'W' : 'E'),
        ];
        const [before = '', behind = ''] = around;
        const isClear = !(separator === ',' && north.includes(','));
        agree(before + inScript(north + separator + east, script) + behind, at, isClear);
      }),
      { numRuns: scaled(5_000), seed: 52 },
    );
  });

  for (const [text, expected] of [
    ['48.85° N, 2.35° E', [48.85, 2.35]],
    ['33.86° S, 151.21° E', [-33.86, 151.21]],
    [`48°51.4'N 2°21.1'E`, [48.856667, 2.351667]],
    ['(48.85, 2.35)', [48.85, 2.35]],
    ['٤٨٫١٠٠٠، ٩٫١٠٠٠', [48.1, 9.1]],
    ['48 51 24 N 2 21 7 E', [48.856667, 2.351944]],
    ['北緯35度41分22秒東経139度41分30秒', [35.689444, 139.691667]],
    ['lat: 48.85, lng: -2.35', [48.85, -2.35]],
    ['lng=-2.35 lat=48.85', [48.85, -2.35]],
    ['Latitude: 48.85 N, Longitude: 2.35 W', [48.85, -2.35]],
    ['51° 8′ nördlicher Breite, 9° 6′ östlicher Länge', [51.133333, 9.1]],
    ['+48.8577+002.2950/', [48.8577, 2.295]],
    ['POINT (2.35 48.85)', [48.85, 2.35]],
    ['POINT Z (2.35 48.85 0)', [48.85, 2.35]],
    ['48, 2', [48, 2]],
    ['lat=48.85&lon=-2.35', [48.85, -2.35]],
    ["'48.85, 2.35", [48.85, 2.35]],
  ] as const)
    test(`of ${text} are read`, () => {
      agree(text, expected, true);
    });

  for (const text of [
    ...[
      '',
      '48.85',
      '48,85',
      '0,0',
      '0.0, 0.0',
      '0° N, 0° E',
      '91, 2',
      '2.35, 181',
      '48.85 N, 2.35 O',
      '48.85 N, 2.35',
    ],
    ...[
      '48.85 N, 2.35 N',
      '-33.86° S, 151° E',
      "48° 61' N 2° 1' E",
      "48.5° 51' N 2° 1' E",
      '1/2',
      '12:30, 14:00',
    ],
    ...[
      '48.85 - 2.35',
      '9,1,48,1',
      '48.85, 2,35',
      '48.85, 2.35, 100',
      'Table 12, 5',
      '4², 2',
      '48 51 2 21',
      'x'.repeat(500),
    ],
    ...['12.50, Main Street 3', '1e5, 2', 'NaN, NaN', '0x10, 0x10'],
  ])
    test(`are not what ${text.slice(0, 30)} says`, () => {
      assert.equal(readPosition(text), undefined);
    });

  test('have no more than two degrees, each of its axis', () => {
    for (const [text, north, east] of [
      [`48°06'00.0"N`, 48.1, undefined],
      ['9.1 E', undefined, 9.1],
      ['−33.86', -33.86, -33.86],
      ['48,1', 48.1, 48.1],
      ['151.2', undefined, 151.2],
      ['0', 0, 0],
      ['4.9E-05', 0.000049, 0.000049],
      ['N 48.1, E 9.1', undefined, undefined],
      ['48.1, 9.1', undefined, undefined],
      ['north', undefined, undefined],
      ['', undefined, undefined],
    ] as const) {
      assert.deepEqual([readDegrees(text, 'latitude'), readDegrees(text, 'longitude')], [north, east], text);
    }
  });

  test('may have the digits of any script', () => {
    for (const script of Intl.supportedValuesOf('numberingSystem')) {
      const text = new Intl.NumberFormat('en', { numberingSystem: script, useGrouping: false }).format(
        1234567890,
      );
      if (/^\p{Nd}+$/u.test(text)) assert.equal(asciiDigits(text), '1234567890', script);
    }
  });
});
