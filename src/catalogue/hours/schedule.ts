import { Cache } from '../../kit/cache.ts';
import { type Hours, readHours } from './reading.ts';
import { MINUTES_A_DAY, type Span, joined, later, spansOf } from './rules.ts';

/** Opening hours, ready to evaluate. Without rules, the text names only holidays, and other days are unknown. */
export interface Schedule extends Hours {
  /**
   * If all weeks are the same: the open spans, in minutes since Monday's midnight. A span across that midnight is split: it
   * closes at the end of the week and opens at 0.
   */
  readonly week: readonly Span[] | undefined;
}

const MINUTES_A_WEEK = 7 * MINUTES_A_DAY;

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

function weekOf({ rules }: Hours): readonly Span[] | undefined {
  if (rules.some(({ dates }) => dates !== undefined)) return undefined;
  const spans: Span[] = [];
  // From the Sunday before, whose spans may last until the end of Monday.
  for (let day = -1; day < 7; day += 1)
    for (const span of spansOf(rules, { weekday: (day + 7) % 7, key: 0 })) {
      const [from, to] = later(span, day);
      if (to > 0 && from < MINUTES_A_WEEK) spans.push([Math.max(0, from), Math.min(to, MINUTES_A_WEEK)]);
    }
  return joined(spans);
}
