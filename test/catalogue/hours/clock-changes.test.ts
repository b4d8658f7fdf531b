import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stateOn, zoneNamed } from '../../support/clocks.ts';

type Row = readonly [title: string, hours: string, time: string, expected: string];

// In 2026 the clocks of Paris skip 02:00 to 03:00 on March 29 (at 01:00Z), and show 02:00 to 03:00 twice on October 25
// (from 00:00Z to 02:00Z).
const PARIS: Readonly<Record<string, readonly Row[]>> = {
  '2026-03-29': [
    ['opens at a skipped time at the end of the gap', '02:30-05:00', '00:59', 'closed until 01:00Z'],
    ['is open from there', '02:30-05:00', '01:00', 'open until 03:00Z'],
    ['closes at a skipped time at the end of the gap', 'Sa 20:00-02:30', '00:59', 'open until 01:00Z'],
    ['is never open within the gap', 'Su 02:15-02:45', '00:59', 'closed until 2026-04-05T00:15Z'],
  ],
  '2026-10-25': [
    ['opens at a doubled time when it is shown first', 'Su 02:30-05:00', '00:29', 'closed until 00:30Z'],
    ['stays open when clocks go back behind that', 'Su 02:30-05:00', '01:10', 'open until 04:00Z'],
    ['closes at a doubled time when it is shown last', 'Sa 20:00-02:30', '00:45', 'open until 01:30Z'],
    ['is closed from there', 'Sa 20:00-02:30', '01:30', 'closed until 2026-10-31T19:00Z'],
    ['is always open in such nights as well', '24/7', '00:30', 'open'],
  ],
  '2026-10-24': [
    ['is open an hour longer in the long night', 'Sa 20:00-05:00', '18:00', 'open until 2026-10-25T04:00Z'],
    ['opens at the same time afterwards', 'Mo-Su 12:00-14:00', '12:00', 'closed until 2026-10-25T11:00Z'],
  ],
  '2026-10-22': [
    ['sees a change of the clocks days ahead', 'We 12:00-14:00', '12:00', 'closed until 2026-10-28T11:00Z'],
  ],
};

// Clocks that change by half an hour, at midnight, or by a whole day.
const OTHERS: Readonly<Record<string, readonly (readonly [...Row, day: string])[]>> = {
  'Australia/Lord_Howe': [
    ['opens when a doubled half hour starts', '01:45-03:00', '14:50', 'open until 16:30Z', '2026-04-04'],
  ],
  'America/Havana': [
    ['opens at a skipped midnight', 'Su 00:00-02:00', '04:59', 'closed until 05:00Z', '2026-03-08'],
    ['does not close at a doubled midnight', 'Sa-Su 10:00-24:00', '04:30', 'open until 05:00Z', '2026-11-01'],
  ],
  'Pacific/Apia': [
    ['skips a day as clocks do', 'Fr 10:00-12:00', '09:00', 'closed until 2012-01-05T20:00Z', '2011-12-30'],
  ],
  'Asia/Kathmandu': [
    ['has clocks by quarters of an hour', '10:00-12:00', '04:14', 'closed until 04:15Z', '2026-07-15'],
  ],
  'Pacific/Kiritimati': [
    ['has the day of the place', 'Th 10:00-12:00', '21:00', 'open until 22:00Z', '2026-07-15'],
  ],
};

describe('opening hours where clocks are changed', () => {
  for (const [day, rows] of Object.entries(PARIS))
    for (const [title, hours, time, expected] of rows)
      test(`mean that a place in Paris ${title}`, () => {
        assert.equal(stateOn(day, time, hours, 'Europe/Paris'), expected, hours);
      });

  for (const [zone, rows] of Object.entries(OTHERS))
    for (const [title, hours, time, expected, day] of rows)
      test(`mean that a place in ${zone} ${title}`, () => {
        assert.equal(stateOn(day, time, hours, zone), expected, hours);
      });
});

describe('the clocks of a time zone', () => {
  const NAMES = ['Europe/Paris', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca'];

  test('are those of the runtime, hour by hour over years', () => {
    for (const name of [...NAMES, 'Asia/Tehran']) {
      const zone = zoneNamed(name);
      const style = { dateStyle: 'short', timeStyle: 'medium' } as const;
      const format = new Intl.DateTimeFormat('sv', { ...style, timeZone: name });
      const start = Date.UTC(2021, 0, 1);
      for (let hour = 0; hour < 24 * 365 * 2; hour += 7) {
        const instant = start + hour * 3_600_000;
        const wall = Date.parse(`${format.format(instant).replace(' ', 'T')}Z`);
        assert.equal(zone.offsetAt(instant), wall - instant, `${name} at ${new Date(instant).toISOString()}`);
      }
    }
  });

  test('are known for every time zone that the runtime lists', () => {
    for (const name of Intl.supportedValuesOf('timeZone')) {
      const zone = zoneNamed(name);
      const now = Date.UTC(2026, 6, 15);
      assert.ok(Math.abs(zone.offsetAt(now)) < 86_400_000, name);
    }
  });
});
