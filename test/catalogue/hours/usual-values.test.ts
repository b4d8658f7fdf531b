import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { scheduleOf } from '../../../src/catalogue/hours/schedule.ts';
import { zoneNamed } from '../../support/clocks.ts';
import { differences } from '../../support/hours-oracle.ts';
import { longTest } from '../../support/size.ts';

const FILE = new URL('../../support/opening-hours.txt', import.meta.url);
const VALUES = readFileSync(FILE, 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const LEAST = 0.97;
const HOUR = 3_600_000;

// No random sample: a quarter of the values are those of some extracts, the others are composed after such data. So the
// share says what is usual is understood, and no more.
describe('the opening hours that restaurants usually have', () => {
  test(`are understood in at least ${LEAST * 100} of 100 of ${VALUES.length} values`, () => {
    assert.ok(VALUES.length >= 200);
    const others = VALUES.filter((value) => scheduleOf(value) === undefined);
    assert.ok(others.length <= VALUES.length * (1 - LEAST), others.join('\n'));
  });

  longTest('are answered as by the reference implementation, those without holidays', () => {
    const zone = zoneNamed('Etc/UTC');
    // Weeks in which no country changes its clocks, so that those of this process do not matter.
    const moments = [Date.UTC(2026, 0, 12), Date.UTC(2026, 6, 13)].flatMap((start) =>
      Array.from({ length: 12 }, (_, count) => ({ zone, instant: start + 14.25 * HOUR * count })),
    );
    const known = VALUES.filter((text) => !/PH|SH/.test(text) && scheduleOf(text) !== undefined);
    assert.ok(known.length > 150);
    for (const text of known) {
      const cuts = / off|closed|;/.test(text) ? 6 * 60 : 0;
      assert.deepEqual(differences({ text, cutUpTo: cuts }, moments), []);
    }
  });
});
