import { Cache } from '../../kit/cache.ts';
import { type Hours, readHours } from './reading.ts';
import { MINUTES_A_DAY, type Span, joined, spansOf } from './rules.ts';

/** Opening hours, ready to evaluate. Without rules, the text names only holidays, and other days are unknown. */
export interface Schedule extends Hours {
  /**
   * If all weeks are the same: the minutes since Monday's midnight at which it opens and closes, alternating and ascending.
   * A span across that midnight is split: it closes at the end of the week and opens at 0.
   */
  readonly week: readonly number[] | undefined;
}

export const MINUTES_A_WEEK = 7 * MINUTES_A_DAY;

// Many places have the same hours.
const schedules = new Cache<string, Schedule | 'not understood'>({ maxEntries: 5_000 });

/** Parses opening hours, or returns them from a cache; undefined if they are not understood. */
export function scheduleOf(text: string): Schedule | undefined {
  let schedule = schedules.get(text);
  if (schedule === undefined) {
    const hours = readHours(text);
    schedule = hours ? { ...hours, week: weekOf(hours) } : 'not understood';
    schedules.set(text, schedule);
  }
  return schedule === 'not understood' ? undefined : schedule;
}

function weekOf({ rules }: Hours): readonly number[] | undefined {
  if (rules.some(({ dates }) => dates !== undefined)) return undefined;
  const spans: Span[] = [];
  // From the Sunday before, whose spans may last until the end of Monday.
  for (let day = -1; day < 7; day += 1)
    for (const [from, to] of spansOf(rules, { weekday: (day + 7) % 7, key: 0 })) {
      const opens = Math.max(0, day * MINUTES_A_DAY + from);
      const closes = Math.min(day * MINUTES_A_DAY + to, MINUTES_A_WEEK);
      if (opens < closes) spans.push([opens, closes]);
    }
  return joined(spans).flat();
}
