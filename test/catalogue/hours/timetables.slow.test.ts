import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stateAt } from '../../../src/catalogue/hours/opening.ts';
import { scheduleOf } from '../../../src/catalogue/hours/schedule.ts';
import { Timetables } from '../../../src/catalogue/hours/timetables.ts';
import { CLOSED, OPEN, UNKNOWN } from '../../../src/index/request.ts';
import { randomNumbers } from '../../support/catalogue.ts';
import { zoneNamed } from '../../support/clocks.ts';
import { randomHours } from '../../support/random-hours.ts';
import type { Below } from '../../support/random-places.ts';

const ZONES = ['Europe/Paris', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Tokyo', 'Asia/Beirut'];
// Clocks go back in Paris, New York, on Lord Howe Island and, at midnight, in Beirut, and forward in Paris.
const NIGHTS = ['10-25T01:00', '11-01T06:00', '04-04T15:00', '10-24T21:00', '03-29T01:00'].map((night) =>
  Date.parse(`2026-${night}Z`),
);
const MINUTE = 60_000;

function random(seed: number): Below {
  const next = randomNumbers(seed);
  return (count) => Math.floor(next() * count);
}

describe('the timetables of many places', () => {
  test('have the states that the hours of each have, in nights of changed clocks as well', () => {
    const below = random(3);
    const timetables = new Timetables();
    const places = Array.from({ length: 3_000 }, (_, slot) => {
      // Some have so many changes that they are evaluated by their rules.
      const texts = Array.from({ length: 1 + (slot % 4) }, () => randomHours(below).text);
      const place = { hours: texts.join('; '), zone: ZONES[below(5)] ?? '' };
      timetables.set(slot, place.hours, place.zone);
      return place;
    });
    const nights = NIGHTS.flatMap((night) =>
      [-61, -60, -31, -1, 0, 29, 59, 60].map((minutes) => night + minutes * MINUTE),
    );
    const days = Array.from({ length: 12 }, () => Date.UTC(2026, 0, 1) + below(365 * 1_440) * MINUTE);
    for (const instant of [...nights, ...days]) {
      const stateOf = timetables.at(instant);
      for (const [slot, { hours, zone }] of places.entries()) {
        const schedule = scheduleOf(hours);
        const expected = schedule && stateAt(schedule, instant, zoneNamed(zone)).isOpen ? OPEN : CLOSED;
        assert.equal(stateOf(slot), expected, `${hours} in ${zone} at ${new Date(instant).toISOString()}`);
      }
    }
  });

  test('are those that were set last, with the zone that was set last', () => {
    const timetables = new Timetables();
    const noon = Date.UTC(2026, 6, 15, 12);
    const stateOf = (): number => timetables.at(noon)(5);
    assert.equal(stateOf(), UNKNOWN);
    const steps: readonly (readonly [string | null, string | null, number])[] = [
      ['11:00-13:00', 'Etc/UTC', OPEN],
      ['11:00-13:00', 'Asia/Tokyo', CLOSED],
      ['Jul 15 11:00-13:00', 'Etc/UTC', OPEN],
      ['Jul 16 11:00-13:00', 'Etc/UTC', CLOSED],
      ['sometimes', 'Etc/UTC', UNKNOWN],
      ['24/7', null, UNKNOWN],
      ['24/7', 'Nowhere/Land', UNKNOWN],
      ['24/7', 'Etc/UTC', OPEN],
      [null, 'Etc/UTC', UNKNOWN],
    ];
    for (const [hours, zone, expected] of steps) {
      timetables.set(5, hours, zone);
      assert.equal(stateOf(), expected, `${hours ?? 'none'} in ${zone ?? 'none'}`);
    }
    timetables.set(70_000, '24/7', 'Etc/UTC');
    assert.equal(timetables.at(noon)(70_000), OPEN);
  });
});
