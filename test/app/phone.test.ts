import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { phoneHref } from '../../static/app/base/phone.js';
import { scaled } from '../support/size.ts';

describe('the link of a telephone number', () => {
  for (const [text, href] of [
    ['+49 000 111; +49 000 222', '+49000111'],
    ['+49 000 111 +49 000 222', '+49000111'],
    ['+1 000-555-0100 ext. 5', '+10005550100;ext=5'],
    ['(000) 111-2222 x12', '0001112222;ext=12'],
    ['+39 000 581 2260 int. 3', '+390005812260;ext=3'],
    ['0000 / 22 33 44 / 45', '0000223344'],
    ['+49 000 / 123456', '+49000123456'],
    ['000 123456 / 000 654321', '000123456'],
    ['000 123456 - 000 654321', '000123456'],
    ['000 1234567 000 7654321', '0001234567'],
    ['０００－１１１－２２２', '000111222'],
    ['٠٠٠ ١١١ ٢٢٢', '000111222'],
    ['1-800-SOUPNOW', '18007687669'],
    ['+1 800 FLOWERS', '+18003569377'],
    ['1-800-BUY-SOUPS', '18002897687'],
    ['000-555-FOOD', '0005553663'],
    ['+49 (0)00 123456', '+4900123456'],
    ['+44 (0) 00 7946 0000', '+440079460000'],
    ['(+49) 000 12345', '+4900012345'],
    ['++49 000 1234', '+490001234'],
    ['Tel.: 000/123456', '000123456'],
    ['24h: 0000 123123', '0000123123'],
    ['112', '112'],
    ['33123456789.0', '33123456789'],
    ['+49 000 123456 (mobile +49 000 654321)', '+49000123456'],
  ] as const)
    test(`for ${text}`, () => {
      assert.equal(phoneHref(text), `tel:${href}`);
    });

  test('is missing without a number', () => {
    for (const text of ['', 'on request', '12', '—', '1'.repeat(16)])
      assert.equal(phoneHref(text), undefined);
  });

  test('has one plus sign at most, and 3 to 15 digits, whatever the text is', () => {
    const part = fc.oneof(
      fc.constantFrom(
        '+',
        '(0)',
        ' ',
        '-',
        '/',
        '; ',
        ' ext. ',
        'x',
        '１',
        '٣',
        '.',
        '(',
        ')',
        'FOOD',
        '\n',
        '1-800-',
      ),
      fc.integer({ min: 0, max: 1e9 }).map(String),
      fc.string({ maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const href = phoneHref(parts.join(''));
        if (href !== undefined) assert.match(href, /^tel:\+?\d{3,15}(?:;ext=\d{1,7})?$/);
      }),
      { numRuns: scaled(5_000), seed: 13 },
    );
  });
});
