import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parsePlace } from '../../static/app/add/fields.js';
import { LINKS } from '../support/map-links.ts';
import { TEXTS } from '../support/place-texts.ts';
import { longTest, scaled } from '../support/size.ts';

for (const [form, text, place] of LINKS) {
  test(`A link to a map is read: ${form}`, () => {
    assert.deepEqual(parsePlace(text), { url: text, ...place });
  });
}

for (const [form, text, place] of TEXTS) {
  test(`A text is read: ${form}`, () => {
    const found = parsePlace(text);
    const rounded = (number: unknown): unknown =>
      typeof number === 'number' ? Math.round(number * 1e6) / 1e6 : number;
    assert.deepEqual(
      Object.fromEntries(Object.entries(found).map(([key, value]) => [key, rounded(value)])),
      place,
    );
  });
}

longTest('No text at all makes the reader throw or say a position that is none', () => {
  const part = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      'https://',
      'geo:',
      'maps.google.com/',
      '?q=',
      '!3d',
      '!4d',
      '/@',
      ',',
      '%',
      '+',
      '(',
      '#map=',
      '°',
      '\n',
      '1.5',
    ),
    fc.constantFrom(...LINKS.map(([, text]) => text)),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const { lat, lng } = parsePlace(parts.join(''));
      assert.equal(lat === undefined, lng === undefined);
      if (lat !== undefined && lng !== undefined) assert.ok(Math.abs(lat) <= 90 && Math.abs(lng) <= 180);
    }),
    { numRuns: scaled(2_000), seed: 20 },
  );
});

test('A text of one character that is four times as long takes some four times as long to read', () => {
  // The processor's time: a busy machine may let this wait.
  const timeOf = (text: string): number => {
    const before = process.cpuUsage();
    parsePlace(text);
    return process.cpuUsage(before).user;
  };
  for (const unit of ['1', '1.', ',', ' ', '(', 'a,', '°', '/', 'geo:', '1 ', '区', '!3d1!4d', '1°1']) {
    const short = timeOf(unit.repeat(10_000));
    const long = timeOf(unit.repeat(40_000));
    // Where time grows by a power it is sixteen times as long, and seconds.
    assert.ok(long < 10 * short + 100_000, `${unit}: ${short} and ${long} microseconds`);
  }
});
