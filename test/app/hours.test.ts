import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { DAYS, dayIn, weekOf } from '../../static/app/base/hours.js';

const LUNCH = [720, 900];
const DINNER = [1140, 1380];
const CLOSED: readonly number[][] = [];

const CASES: readonly (readonly [title: string, text: string, week: readonly unknown[] | undefined])[] = [
  ['one time for all days', '12:00-15:00', [...Array.from({ length: 7 }, () => [LUNCH]), undefined]],
  ['the whole week', '24/7', [...Array.from({ length: 7 }, () => [[0, 1440]]), undefined]],
  [
    'ranges, lists and two times a day',
    'Mo-We,Fr 12:00-15:00, 19:00-23:00; Sa-Su 12:00-15:00',
    [[LUNCH, DINNER], [LUNCH, DINNER], [LUNCH, DINNER], CLOSED, [LUNCH, DINNER], [LUNCH], [LUNCH], undefined],
  ],
  [
    'a later rule in place of an earlier one',
    'Mo-Su 12:00-15:00; Tu off; PH closed',
    [[LUNCH], CLOSED, [LUNCH], [LUNCH], [LUNCH], [LUNCH], [LUNCH], CLOSED],
  ],
  [
    'a rule behind a comma beside the others',
    'Mo-Tu 12:00-15:00, Tu,We 19:00-23:00',
    [[LUNCH], [LUNCH, DINNER], [DINNER], CLOSED, CLOSED, CLOSED, CLOSED, undefined],
  ],
  [
    'a range over the weekend, and dashes of any width',
    'Sa–Mo 12:00 – 15:00',
    [[LUNCH], CLOSED, CLOSED, CLOSED, CLOSED, [LUNCH], [LUNCH], undefined],
  ],
  ['months', 'Apr-Oct Mo-Su 11:00-22:00', undefined],
  ['an open end', 'Tu-Sa 19:00+', undefined],
  ['the sun', 'Mo-Su 12:00-sunset', undefined],
  ['a comment', 'Mo-Su 12:00-15:00 "by appointment"', undefined],
];

describe('The hours of a week', () => {
  for (const [title, text, week] of CASES)
    test(`are ${week ? 'read' : 'left as they were typed'}: ${title}`, () => {
      assert.deepEqual(weekOf(text), week);
    });

  test('are read from most of what OpenStreetMap has, and always are eight days', () => {
    const lines = readFileSync(new URL('../support/opening-hours.txt', import.meta.url), 'utf8').split('\n');
    const texts = lines.filter((line) => line !== '' && !line.startsWith('#'));
    const read = texts.map((text) => weekOf(text)).filter((week) => week !== undefined);
    assert.ok(read.length > texts.length * 0.8, `${read.length} of ${texts.length}`);
    assert.ok(read.every((week) => week.length === DAYS.length));
  });

  test('begin with the day on the clocks of the place', () => {
    const at = new Date('2026-11-22T23:30:00Z');
    assert.equal(DAYS[dayIn('America/New_York', at)], 'Su');
    assert.equal(DAYS[dayIn('Asia/Tokyo', at)], 'Mo');
  });
});
