import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stateOf } from '../support/clocks.ts';

type Row = readonly [title: string, hours: string, time: string, expected: string];

// 2026-07-15 is a Wednesday. All clocks are those of UTC.
const UNDERSTOOD: readonly Row[] = [
  ['a weekday', 'We 12:00-14:00', '2026-07-15T12:00Z', 'open until 2026-07-15T14:00Z'],
  ['the minute at which it closes', 'We 12:00-14:00', '2026-07-15T14:00Z', 'closed until 2026-07-22T12:00Z'],
  ['a range of weekdays', 'Mo-Fr 12:00-14:00', '2026-07-18T12:30Z', 'closed until 2026-07-20T12:00Z'],
  [
    'a range over the end of the week',
    'Sa-Mo 12:00-14:00',
    '2026-07-13T13:00Z',
    'open until 2026-07-13T14:00Z',
  ],
  ['several weekdays', 'Mo,We-Th 12:00-14:00', '2026-07-14T13:00Z', 'closed until 2026-07-15T12:00Z'],
  ['several times', 'We 12:00-14:00,19:00-22:00', '2026-07-15T15:00Z', 'closed until 2026-07-15T19:00Z'],
  ['a time past midnight', 'We 20:00-02:00', '2026-07-16T01:00Z', 'open until 2026-07-16T02:00Z'],
  ['the same in hours past 24', 'We 20:00-26:00', '2026-07-16T01:00Z', 'open until 2026-07-16T02:00Z'],
  ['up to 48:00', 'We 20:00-48:00', '2026-07-16T23:59Z', 'open until 2026-07-17T00:00Z'],
  ['past the end of the week', 'Su 20:00-02:00', '2026-07-20T01:00Z', 'open until 2026-07-20T02:00Z'],
  ['up to midnight', 'Mo-Su 10:00-24:00', '2026-07-15T23:59Z', 'open until 2026-07-16T00:00Z'],
  ['up to 00:00, which is midnight', 'We 10:00-00:00', '2026-07-15T23:59Z', 'open until 2026-07-16T00:00Z'],
  ['times for every day', '10:00-12:00', '2026-07-19T11:00Z', 'open until 2026-07-19T12:00Z'],
  ['days without times', 'Mo-We', '2026-07-15T23:00Z', 'open until 2026-07-16T00:00Z'],
  ['always', '24/7', '2026-07-15T03:00Z', 'open'],
  ['never', 'off', '2026-07-15T12:00Z', 'closed'],
  [
    'a later rule in the place of an earlier one',
    'Mo-Su 10:00-12:00; We 14:00-16:00',
    '2026-07-15T11:00Z',
    'closed until 2026-07-15T14:00Z',
  ],
  [
    'a rule behind a comma besides an earlier one',
    'Mo-Su 10:00-12:00, We 14:00-16:00',
    '2026-07-15T11:00Z',
    'open until 2026-07-15T12:00Z',
  ],
  ['a day off', 'Mo-Su 10:00-12:00; We off', '2026-07-15T11:00Z', 'closed until 2026-07-16T10:00Z'],
  ['a day closed', 'Mo-Su 10:00-12:00; We closed', '2026-07-15T11:00Z', 'closed until 2026-07-16T10:00Z'],
  [
    'times off, which close those alone',
    'We 10:00-18:00; We 12:00-13:00 off',
    '2026-07-15T11:00Z',
    'open until 2026-07-15T12:00Z',
  ],
  [
    'a day off, which does not cut the night before',
    'Tu 20:00-02:00; We off',
    '2026-07-15T01:00Z',
    'open until 2026-07-15T02:00Z',
  ],
  ['a month', 'Jul 10:00-12:00; Aug 14:00-16:00', '2026-07-31T13:00Z', 'closed until 2026-08-01T14:00Z'],
  [
    'months over the end of the year',
    'Nov-Feb 10:00-12:00',
    '2027-01-05T11:00Z',
    'open until 2027-01-05T12:00Z',
  ],
  ['months that are past', 'Nov-Feb 10:00-12:00', '2026-07-15T11:00Z', 'closed'],
  ['a date', 'Mo-Su 10:00-12:00; Dec 25 off', '2026-12-25T11:00Z', 'closed until 2026-12-26T10:00Z'],
  ['days of a month', 'Dec 24-26 10:00-12:00', '2026-12-26T11:00Z', 'open until 2026-12-26T12:00Z'],
  [
    'dates over the end of the year',
    'Dec 24-Jan 2 10:00-12:00',
    '2027-01-02T11:00Z',
    'open until 2027-01-02T12:00Z',
  ],
  ['several dates', 'Jan 1,Dec 24-26 10:00-12:00', '2027-01-01T11:00Z', 'open until 2027-01-01T12:00Z'],
  ['several days of a month', 'Jul 14,16 10:00-12:00', '2026-07-15T11:00Z', 'closed until 2026-07-16T10:00Z'],
  ['dates and weekdays', 'Jul 10-20 We 10:00-12:00', '2026-07-16T11:00Z', 'closed'],
  ['a leap day', 'Feb 29 10:00-12:00', '2028-02-29T11:00Z', 'open until 2028-02-29T12:00Z'],
  ['the last of February in other years', 'Feb 20-29 10:00-12:00', '2027-03-01T11:00Z', 'closed'],
  ['hours of one digit', 'We 9:00-9:30', '2026-07-15T09:10Z', 'open until 2026-07-15T09:30Z'],
  ['no blanks', 'Mo-Tu 10:00-12:00;We 8:00-9:00', '2026-07-15T08:30Z', 'open until 2026-07-15T09:00Z'],
  [
    'blanks of any width',
    'We\u00a010:00 \u2013\u200912:00',
    '2026-07-15T11:00Z',
    'open until 2026-07-15T12:00Z',
  ],
  ['dashes of any width', 'Mo—Fr 10:00–12:00', '2026-07-15T11:00Z', 'open until 2026-07-15T12:00Z'],
  ['any case', 'MO-fr 10:00-12:00', '2026-07-15T11:00Z', 'open until 2026-07-15T12:00Z'],
  ['long names', 'July Wednesday 10:00-12:00', '2026-07-15T11:00Z', 'open until 2026-07-15T12:00Z'],
  ['colons behind days', 'Jul 15: We: 10:00-12:00', '2026-07-15T11:00Z', 'open until 2026-07-15T12:00Z'],
  ['a semicolon at the end', 'We 10:00-12:00;', '2026-07-15T11:00Z', 'open until 2026-07-15T12:00Z'],
  ['holidays besides weekdays', 'Mo-Fr,PH 10:00-12:00', '2026-07-15T11:00Z', 'open until 2026-07-15T12:00Z'],
  ['holidays off', 'Mo-Fr 10:00-12:00; PH,SH off', '2026-07-15T11:00Z', 'open until 2026-07-15T12:00Z'],
  [
    'a weekday of the holidays',
    'Mo-Fr 10:00-12:00; SH We off',
    '2026-07-15T11:00Z',
    'open until 2026-07-15T12:00Z',
  ],
];

const NOT_UNDERSTOOD = [
  ...['', ' ', ';', ',', 'Mo-', '-', ':', '10:00', '10:00-', 'Mo 10:00+', '10:00-14:00+', 'Mo 10:00-12:00,'],
  ...[
    'sunrise-sunset',
    'Mo 10:00-sunset',
    '(sunset+01:00)-24:00',
    '"by appointment"',
    'Mo 10:00-12:00 "ring"',
  ],
  ...['Mo 10:00-12:00 || "call"', 'Mo 10:00-12:00 || off', 'Mo[1] 10:00-12:00', 'Mo[-1] off', 'Su[2,4] off'],
  ...[
    'week 1-10 Mo off',
    '2026 Dec 24 off',
    '2026-2027 Mo off',
    'Dec 24 2026 off',
    'easter off',
    'easter -1 day off',
  ],
  ...['PH -1 day off', 'Mo-Fr 10:00-18:00/90', 'Mo 10:00-12:00 unknown', 'Mo-Fr PH 10:00-12:00', 'fallback'],
  ...[
    '24:00-26:00',
    '10:60-12:00',
    '25:00-26:00',
    '10:00-48:01',
    '10:00-49:00',
    '10:0-12:00',
    '010:00-12:00',
  ],
  ...['Feb 30 off', 'Jun 31 off', 'Jan 0 off', 'Jan 32 off', 'Jan 5-3 off', 'Jan-Feb 5 off', 'Jan 5-Feb off'],
  ...['Jan 5-Feb 3,7 off', 'Jan 5,Mo off', 'Mo,Jan off', 'Mo,10:00-12:00', 'Mo Tu 10:00-12:00', 'Mo Jan off'],
  ...['Mo 10:00-12:00 14:00-16:00', 'Mo 10:00-12:00 Tu 10:00-12:00', '10:00-12:00 Mo', 'off Mo', 'off off'],
  ...[
    '24/7 10:00-12:00',
    '24/6',
    '24 / 8',
    'Mo 10-12',
    'Mo 10.00-12.00',
    '10am-5pm',
    'täglich',
    'Di-So 10:00-12:00',
  ],
  ...['每天 10:00-12:00', 'Mo 10:00-12:00\u0000', 'https://example.org/', '１０:００-１２:００'],
];

describe('opening hours', () => {
  for (const [title, hours, time, expected] of UNDERSTOOD)
    test(`have ${title}`, () => {
      assert.equal(stateOf(hours, time), expected, hours);
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
