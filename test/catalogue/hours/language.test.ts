import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stateOf, stateOn } from '../../support/clocks.ts';

type Row = readonly [title: string, hours: string, time: string, expected: string, day?: string];

const WEDNESDAY = '2026-07-15';

// On that Wednesday, where there is no other day. All clocks are those of UTC.
const UNDERSTOOD: readonly Row[] = [
  ['a weekday', 'We 12:00-14:00', '12:00', 'open until 14:00Z'],
  ['the minute at which it closes', 'We 12:00-14:00', '14:00', 'closed until 2026-07-22T12:00Z'],
  ['a range of weekdays', 'Mo-Fr 12:00-14:00', '12:30', 'closed until 2026-07-20T12:00Z', '2026-07-18'],
  ['a range over the end of the week', 'Sa-Mo 12:00-14:00', '13:00', 'open until 14:00Z', '2026-07-13'],
  ['several weekdays', 'Mo,We-Th 12:00-14:00', '13:00', 'closed until 2026-07-15T12:00Z', '2026-07-14'],
  ['several times', 'We 12:00-14:00,19:00-22:00', '15:00', 'closed until 19:00Z'],
  ['a time past midnight', 'We 20:00-02:00', '01:00', 'open until 02:00Z', '2026-07-16'],
  ['the same in hours past 24', 'We 20:00-26:00', '01:00', 'open until 02:00Z', '2026-07-16'],
  ['up to 48:00', 'We 20:00-48:00', '23:59', 'open until 2026-07-17T00:00Z', '2026-07-16'],
  ['past the end of the week', 'Su 20:00-02:00', '01:00', 'open until 02:00Z', '2026-07-20'],
  ['up to midnight', 'Mo-Su 10:00-24:00', '23:59', 'open until 2026-07-16T00:00Z'],
  ['up to 00:00, which is midnight', 'We 10:00-00:00', '23:59', 'open until 2026-07-16T00:00Z'],
  ['times for every day', '10:00-12:00', '11:00', 'open until 12:00Z', '2026-07-19'],
  ['days without times', 'Mo-We', '23:00', 'open until 2026-07-16T00:00Z'],
  ['always', '24/7', '03:00', 'open'],
  ['never', 'off', '12:00', 'closed'],
  ['a later rule for an earlier one', 'Mo-Su 10:00-12:00; We 14:00-16:00', '11:00', 'closed until 14:00Z'],
  ['a rule behind a comma next to others', 'Mo-Su 10:00-12:00, We 14:00-16:00', '11:00', 'open until 12:00Z'],
  ['a day off', 'Mo-Su 10:00-12:00; We off', '11:00', 'closed until 2026-07-16T10:00Z'],
  ['a day closed', 'Mo-Su 10:00-12:00; We closed', '11:00', 'closed until 2026-07-16T10:00Z'],
  ['times off, which close those alone', 'We 10:00-18:00; We 12:00-13:00 off', '11:00', 'open until 12:00Z'],
  ['a day off, which leaves the night before', 'Tu 20:00-02:00; We off', '01:00', 'open until 02:00Z'],
  ['a month', 'Jul 10:00-12:00; Aug 14:00-16:00', '13:00', 'closed until 2026-08-01T14:00Z', '2026-07-31'],
  ['months over the end of the year', 'Nov-Feb 10:00-12:00', '11:00', 'open until 12:00Z', '2027-01-05'],
  ['months that are past', 'Nov-Feb 10:00-12:00', '11:00', 'closed'],
  ['a date', 'Mo-Su 10:00-12:00; Dec 25 off', '11:00', 'closed until 2026-12-26T10:00Z', '2026-12-25'],
  ['days of a month', 'Dec 24-26 10:00-12:00', '11:00', 'open until 12:00Z', '2026-12-26'],
  ['dates over the end of the year', 'Dec 24-Jan 2 10:00-12:00', '11:00', 'open until 12:00Z', '2027-01-02'],
  ['several dates', 'Jan 1,Dec 24-26 10:00-12:00', '11:00', 'open until 12:00Z', '2027-01-01'],
  ['several days of a month', 'Jul 14,16 10:00-12:00', '11:00', 'closed until 2026-07-16T10:00Z'],
  ['dates and weekdays', 'Jul 10-20 We 10:00-12:00', '11:00', 'closed', '2026-07-16'],
  ['a leap day', 'Feb 29 10:00-12:00', '11:00', 'open until 12:00Z', '2028-02-29'],
  ['the last of February in other years', 'Feb 20-29 10:00-12:00', '11:00', 'closed', '2027-03-01'],
  ['hours of one digit', 'We 9:00-9:30', '09:10', 'open until 09:30Z'],
  ['no blanks', 'Mo-Tu 10:00-12:00;We 8:00-9:00', '08:30', 'open until 09:00Z'],
  ['blanks of any width', 'We\u00a010:00 \u2013\u200912:00', '11:00', 'open until 12:00Z'],
  ['dashes of any width', 'Mo—Fr 10:00–12:00', '11:00', 'open until 12:00Z'],
  ['any case', 'MO-fr 10:00-12:00', '11:00', 'open until 12:00Z'],
  ['long names', 'July Wednesday 10:00-12:00', '11:00', 'open until 12:00Z'],
  ['colons behind days', 'Jul 15: We: 10:00-12:00', '11:00', 'open until 12:00Z'],
  ['a semicolon at the end', 'We 10:00-12:00;', '11:00', 'open until 12:00Z'],
  ['holidays besides weekdays', 'Mo-Fr,PH 10:00-12:00', '11:00', 'open until 12:00Z'],
  ['holidays off', 'Mo-Fr 10:00-12:00; PH,SH off', '11:00', 'open until 12:00Z'],
  ['a weekday of the holidays', 'Mo-Fr 10:00-12:00; SH We off', '11:00', 'open until 12:00Z'],
];

const NOT_UNDERSTOOD = [
  '',
  ' ',
  ';',
  ',',
  'Mo-',
  '-',
  ':',
  '10:00',
  '10:00-',
  'Mo 10:00+',
  '10:00-14:00+',
  'Mo 10:00-12:00,',
  'sunrise-sunset',
  'Mo 10:00-sunset',
  '(sunset+01:00)-24:00',
  '"by appointment"',
  'Mo 10:00-12:00 "ring"',
  'Mo 10:00-12:00 || "call"',
  'Mo 10:00-12:00 || off',
  'Mo[1] 10:00-12:00',
  'Mo[-1] off',
  'Su[2,4] off',
  'week 1-10 Mo off',
  '2026 Dec 24 off',
  '2026-2027 Mo off',
  'Dec 24 2026 off',
  'easter off',
  'easter -1 day off',
  'PH -1 day off',
  'Mo-Fr 10:00-18:00/90',
  'Mo 10:00-12:00 unknown',
  'Mo-Fr PH 10:00-12:00',
  'fallback',
  '24:00-26:00',
  '10:60-12:00',
  '25:00-26:00',
  '10:00-48:01',
  '10:00-49:00',
  '10:0-12:00',
  '010:00-12:00',
  'Feb 30 off',
  'Jun 31 off',
  'Jan 0 off',
  'Jan 32 off',
  'Jan 5-3 off',
  'Jan-Feb 5 off',
  'Jan 5-Feb off',
  'Jan 5-Feb 3,7 off',
  'Jan 5,Mo off',
  'Mo,Jan off',
  'Mo,10:00-12:00',
  'Mo Tu 10:00-12:00',
  'Mo Jan off',
  'Mo 10:00-12:00 14:00-16:00',
  'Mo 10:00-12:00 Tu 10:00-12:00',
  '10:00-12:00 Mo',
  'off Mo',
  'off off',
  '24/7 10:00-12:00',
  '24/6',
  '24 / 8',
  'Mo 10-12',
  'Mo 10.00-12.00',
  '10am-5pm',
  'täglich',
  'Di-So 10:00-12:00',
  '每天 10:00-12:00',
  'Mo 10:00-12:00\u0000',
  'https://example.org/',
  '１０:００-１２:００',
];

describe('opening hours', () => {
  for (const [title, hours, time, expected, day = WEDNESDAY] of UNDERSTOOD)
    test(`have ${title}`, () => {
      assert.equal(stateOn(day, time, hours), expected, hours);
    });

  test('are unknown, never closed, where any part is in another form', () => {
    for (const hours of NOT_UNDERSTOOD)
      for (const text of [hours, `Mo-Fr 10:00-12:00; ${hours} x`, `${hours}; Mo+`])
        assert.equal(stateOf(text, '2026-07-15T03:00Z'), 'unknown', text);
  });

  test('of holidays alone are unknown: they say nothing of other days', () => {
    for (const hours of ['PH off', 'SH Mo-Fr 10:00-12:00', 'PH,SH 10:00-12:00; PH Mo off'])
      assert.equal(stateOf(hours, '2026-07-15T11:00Z'), 'unknown', hours);
  });
});
