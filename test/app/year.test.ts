import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { currentYear, shiftYears, weeksOf } from '../../static/app/visits/year.js';

const dayAfter = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);

const moments = fc.date({ min: new Date(2001, 0, 1), max: new Date(2099, 11, 31), noInvalidDate: true });

test('The current year is twelve whole months, and holds tomorrow', () => {
  assert.deepEqual(currentYear(new Date(2026, 10, 23)), { from: '2025-12-01', to: '2026-11-30' });
  assert.deepEqual(currentYear(new Date(2026, 10, 30)), { from: '2026-01-01', to: '2026-12-31' });
});

test('The year before ends on the day before this one begins, in leap years too', () => {
  fc.assert(
    fc.property(moments, fc.integer({ min: -20, max: 20 }), (now, years) => {
      const { from, to } = currentYear(now);
      const before = { from: shiftYears(from, years - 1), to: shiftYears(to, years - 1) };
      assert.equal(dayAfter(before.to), shiftYears(from, years));
    }),
  );
});

test('Its weeks hold each day once, in order, below its weekday', () => {
  fc.assert(
    fc.property(moments, (now) => {
      const span = currentYear(now);
      const weeks = weeksOf(span);
      const days = weeks.flat().filter((day) => day !== undefined);
      assert.deepEqual([days[0], days.at(-1)], [span.from, span.to]);
      for (const [at, day] of days.slice(1).entries()) assert.equal(day, dayAfter(days[at] ?? ''));
      for (const week of weeks)
        for (const [at, day] of week.entries())
          if (day) assert.equal((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7, at);
    }),
    { numRuns: 30 },
  );
});

test('An address with an endless span does not keep the page busy', () => {
  assert.equal(weeksOf({ from: '1900-01-01', to: '2100-01-01' }).length, 106);
});
