import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { amountText, minorOf } from '../../static/app/base/money.js';

test('Amounts are read with a point or a comma, in the smallest unit of their currency', () => {
  const cases: readonly (readonly [string, string, number | undefined])[] = [
    ['48.50', 'EUR', 4850],
    ['48,5', 'EUR', 4850],
    ['1 200', 'EUR', 120_000],
    ['1200', 'JPY', 1200],
    ['1.5', 'JPY', undefined],
    ['1.234', 'KWD', 1234],
    ['1.234', 'EUR', undefined],
    ['-1', 'EUR', undefined],
    ['a lot', 'EUR', undefined],
    ['', 'EUR', undefined],
    ['12', '', 1200],
  ];
  for (const [text, currency, minor] of cases) assert.equal(minorOf(text, currency), minor, text);
});

test('An amount is read again from the field where it stands', () => {
  const currencies = fc.constantFrom('EUR', 'JPY', 'KWD', 'USD');
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e12 }), currencies, (minor, currency) => {
      assert.equal(minorOf(amountText(minor, currency), currency), minor);
    }),
  );
});
