import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { scheduleOf } from '../../../src/catalogue/hours/schedule.ts';
import { randomNumbers } from '../../support/catalogue.ts';
import { stateOf } from '../../support/clocks.ts';

const LENGTH = 1_000;

/** As long as hours may be. */
function repeated(part: string, start = ''): string {
  return (start + part.repeat(LENGTH)).slice(0, LENGTH);
}

const PARTS = [
  'Mo,',
  'Mo-',
  'Mo-Su,',
  '10:00-12:00,',
  'Jan 1,',
  'Jan-Dec,',
  'PH,',
  'off;',
  '1,',
  '1',
  ':',
  '-',
];
const HOSTILE: readonly (readonly [title: string, hours: string])[] = [
  ...[...PARTS, ';', ','].map((part) => [JSON.stringify(part), repeated(part)] as const),
  ['times', repeated('10:00-12:00,', 'Mo ').slice(0, 963)],
  ['days of a month', repeated('1,', 'Jan ').slice(0, 999)],
  ['rules', repeated('Mo 1:00-2:00;')],
  ['blanks', repeated(' ')],
  ['wide characters', repeated('\ud83c\udf55')],
  ['half of wide characters', repeated('\ud83c')],
  ['dashes of any width', repeated('–—')],
  ['letters that grow in lower case', repeated('İ')],
];

describe('opening hours of strangers', () => {
  for (const [title, hours] of HOSTILE)
    test(`are read in a short time, such as a thousand characters of ${title}`, () => {
      const start = process.cpuUsage();
      for (let count = 0; count < 20; count += 1) scheduleOf(hours);
      // Less than a millisecond of the processor each, busy or not, and thousands where time grows by a power.
      assert.ok(process.cpuUsage(start).user < 2_000_000);
    });

  test('made of any tokens are never closed unless all of it was understood', () => {
    const random = randomNumbers(5);
    const below = (count: number): number => Math.floor(random() * count);
    const names = ['Mo', 'Su', 'Jan', 'off', 'PH'];
    const tokens = [...names, '24', '31', '7', '00', '12:00-14:00', '/', ':', '-', ',', ';', ' ', '+'];
    let understood = 0;
    for (let count = 0; count < 20_000; count += 1) {
      const parts = Array.from({ length: 1 + below(7) }, () => tokens[below(tokens.length)] ?? '');
      const state = stateOf(parts.join(''), '2026-07-15T11:00Z');
      if (state !== 'unknown') understood += 1;
      if (parts.includes('+')) assert.equal(state, 'unknown', parts.join(''));
    }
    assert.ok(understood > 100);
  });

  test('are not understood with more than 24 rules or 60 spans of time', () => {
    const rules = (count: number): string =>
      Array.from({ length: count }, (_, day) => `Jan ${day + 1} off`).join(';');
    const spans = (count: number): string => `Jan-Nov ${Array(count).fill('0:00-0:01').join()}`;
    assert.ok(scheduleOf(rules(24)) && scheduleOf(`${spans(30)}; Dec 25 off, ${spans(30)}`));
    assert.equal(scheduleOf(rules(25)), undefined);
    assert.equal(scheduleOf(`24/7;${'PH off;'.repeat(24)}`), undefined);
    assert.equal(scheduleOf(spans(61)), undefined);
    assert.equal(scheduleOf(`${spans(30)}; ${spans(31)}`), undefined);
  });
});
