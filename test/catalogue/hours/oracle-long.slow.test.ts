import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { randomNumbers } from '../../support/catalogue.ts';
import { atEnd } from '../../support/cleanup.ts';
import { zoneNamed } from '../../support/clocks.ts';
import { type Moment, differences } from '../../support/hours-oracle.ts';
import { randomHours } from '../../support/random-hours.ts';
import type { Below } from '../../support/random-places.ts';
import { SEED, scaled } from '../../support/size.ts';

const VALUES = scaled(10_000);
const HOUR = 3_600_000;
const YEAR = Date.UTC(2026, 0, 1);
const ZONES = [
  'Europe/Paris',
  'Europe/London',
  'America/New_York',
  'America/St_Johns',
  'America/Santiago',
  'Asia/Tokyo',
  'Asia/Kathmandu',
  'Asia/Jerusalem',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Pacific/Kiritimati',
  'America/Havana',
].map(zoneNamed);

/** The instants at which the clocks of a zone are changed in the year. */
function changesOf(zone: Moment['zone']): readonly number[] {
  const hours = Array.from({ length: 24 * 365 }, (_, hour) => YEAR + hour * HOUR);
  return hours.filter((instant) => zone.offsetAt(instant) !== zone.offsetAt(instant - HOUR));
}

/** Whether clocks show a time once: at a doubled one the oracle knows no difference between first and last. */
function isShownOnce({ zone, instant }: Moment): boolean {
  const [first, last] = zone.instantsOf(instant + zone.offsetAt(instant));
  return first === last;
}

const CHANGES = ZONES.flatMap((zone) => changesOf(zone).map((instant) => ({ zone, instant })));

/** Sets the clocks of the process, by which the oracle goes, to those of UTC, which are never changed. */
function useUtc(t: TestContext): void {
  const before = process.env['TZ'];
  atEnd(t, () => {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  });
  process.env['TZ'] = 'UTC';
}

/** One in each zone at any time of the year, and four in the nights of changed clocks or the days before. */
function moments(below: Below): readonly Moment[] {
  const anywhere = ZONES.map((zone) => ({ zone, instant: YEAR + below(365 * 24 * 60) * 60_000 }));
  const nights = Array.from({ length: 4 }, () => {
    const change = CHANGES[below(CHANGES.length)];
    if (!change) throw new Error('no clocks are changed');
    const minutes = below(4) === 0 ? -below(8 * 1_440) : below(720) - 360;
    return { ...change, instant: change.instant + minutes * 60_000 };
  });
  return [...anywhere, ...nights].filter(isShownOnce);
}

describe('opening hours', () => {
  test(`are answered as by the reference implementation, in ${VALUES} values of seed ${SEED} and 12 time zones`, (t) => {
    useUtc(t);
    assert.ok(CHANGES.length >= 16);
    const random = randomNumbers(SEED);
    const below: Below = (count) => Math.floor(random() * count);
    const found: string[] = [];
    for (let count = 0; count < VALUES; count += 1)
      found.push(...differences(randomHours(below), moments(below)));
    assert.deepEqual(found, []);
  });
});
