import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stateOf, zoneNamed } from '../support/clocks.ts';

type Row = readonly [title: string, hours: string, time: string, expected: string];

// In 2026 the clocks of Paris skip 02:00 to 03:00 on March 29 (at 01:00Z), and show 02:00 to 03:00 twice on October 25
// (from 00:00Z to 02:00Z).
const PARIS: readonly Row[] = [
  [
    'opens at a skipped time at the end of the gap',
    '02:30-05:00',
    '2026-03-29T00:59Z',
    'closed until 2026-03-29T01:00Z',
  ],
  ['is open from there', '02:30-05:00', '2026-03-29T01:00Z', 'open until 2026-03-29T03:00Z'],
  [
    'closes at a skipped time at the end of the gap',
    'Sa 20:00-02:30',
    '2026-03-29T00:59Z',
    'open until 2026-03-29T01:00Z',
  ],
  ['is never open within the gap', 'Su 02:15-02:45', '2026-03-29T00:59Z', 'closed until 2026-04-05T00:15Z'],
  [
    'opens at a doubled time when it is shown first',
    'Su 02:30-05:00',
    '2026-10-25T00:29Z',
    'closed until 2026-10-25T00:30Z',
  ],
  [
    'stays open when clocks go back behind that',
    'Su 02:30-05:00',
    '2026-10-25T01:10Z',
    'open until 2026-10-25T04:00Z',
  ],
  [
    'closes at a doubled time when it is shown last',
    'Sa 20:00-02:30',
    '2026-10-25T00:45Z',
    'open until 2026-10-25T01:30Z',
  ],
  ['is closed from there', 'Sa 20:00-02:30', '2026-10-25T01:30Z', 'closed until 2026-10-31T19:00Z'],
  [
    'is open an hour longer in the long night',
    'Sa 20:00-05:00',
    '2026-10-24T18:00Z',
    'open until 2026-10-25T04:00Z',
  ],
  [
    'opens at the same time after the change',
    'Mo-Su 12:00-14:00',
    '2026-10-24T12:00Z',
    'closed until 2026-10-25T11:00Z',
  ],
  [
    'sees a change of the clocks days ahead',
    'We 12:00-14:00',
    '2026-10-22T12:00Z',
    'closed until 2026-10-28T11:00Z',
  ],
  ['is always open in such nights as well', '24/7', '2026-10-25T00:30Z', 'open'],
];

// Clocks that change by half an hour, at midnight, or by a whole day.
const OTHERS: readonly (readonly [zone: string, ...Row])[] = [
  [
    'Australia/Lord_Howe',
    'opens when a doubled half hour starts',
    '01:45-03:00',
    '2026-04-04T14:50Z',
    'open until 2026-04-04T16:30Z',
  ],
  [
    'America/Havana',
    'opens at a skipped midnight',
    'Su 00:00-02:00',
    '2026-03-08T04:59Z',
    'closed until 2026-03-08T05:00Z',
  ],
  [
    'America/Havana',
    'does not close at a doubled midnight',
    'Sa-Su 10:00-24:00',
    '2026-11-01T04:30Z',
    'open until 2026-11-01T05:00Z',
  ],
  [
    'Pacific/Apia',
    'skips a day that clocks skip',
    'Fr 10:00-12:00',
    '2011-12-30T09:00Z',
    'closed until 2012-01-05T20:00Z',
  ],
  [
    'Asia/Kathmandu',
    'has clocks by quarters of an hour',
    '10:00-12:00',
    '2026-07-15T04:14Z',
    'closed until 2026-07-15T04:15Z',
  ],
  [
    'Pacific/Kiritimati',
    'has the day of the place',
    'Th 10:00-12:00',
    '2026-07-15T21:00Z',
    'open until 2026-07-15T22:00Z',
  ],
];

describe('opening hours where clocks are changed', () => {
  for (const [title, hours, time, expected] of PARIS)
    test(`mean that a place in Paris ${title}`, () => {
      assert.equal(stateOf(hours, time, 'Europe/Paris'), expected, hours);
    });

  for (const [zone, title, hours, time, expected] of OTHERS)
    test(`mean that a place in ${zone} ${title}`, () => {
      assert.equal(stateOf(hours, time, zone), expected, hours);
    });
});

describe('the clocks of a time zone', () => {
  const NAMES = [
    'Europe/Paris',
    'America/New_York',
    'Australia/Lord_Howe',
    'Africa/Casablanca',
    'Asia/Tehran',
  ];

  test('are those of the runtime, hour by hour over years', () => {
    for (const name of NAMES) {
      const { offsetAt } = zoneNamed(name);
      const format = new Intl.DateTimeFormat('sv', {
        timeZone: name,
        dateStyle: 'short',
        timeStyle: 'medium',
      });
      const start = Date.UTC(2021, 0, 1);
      for (let hour = 0; hour < 24 * 365 * 2; hour += 7) {
        const instant = start + hour * 3_600_000;
        const wall = Date.parse(`${format.format(instant).replace(' ', 'T')}Z`);
        assert.equal(offsetAt(instant), wall - instant, `${name} at ${new Date(instant).toISOString()}`);
      }
    }
  });

  test('are known for every time zone that the runtime lists', () => {
    for (const name of Intl.supportedValuesOf('timeZone')) {
      const { offsetAt, isSteady } = zoneNamed(name);
      const now = Date.UTC(2026, 6, 15);
      assert.ok(Math.abs(offsetAt(now)) < 86_400_000, name);
      assert.ok(isSteady(now, now), name);
    }
  });
});
