import { Cache } from '../../kit/cache.ts';
import { readHours } from './reading.ts';
import { MINUTES_A_DAY, type Rule, type Span, joined, spansOf } from './rules.ts';

/** Opening hours, ready to evaluate. */
export interface Schedule {
  /**
   * If all weeks are the same: the minutes since Monday's midnight at which it opens and closes, alternating and ascending.
   * A span across that midnight is split: it closes at the end of the week and opens at 0.
   */
  readonly week: readonly number[] | undefined;
  readonly rules: readonly Rule[];
  /** True if the text mentions holidays, whose dates are unknown here. */
  readonly namesHolidays: boolean;
  /** False if the text has only rules for holidays, so that other days are unknown. */
  readonly namesOtherDays: boolean;
}

/** Parses opening hours; returns undefined if they are not understood. */
export type ScheduleReader = (text: string) => Schedule | undefined;

export const MINUTES_A_WEEK = 7 * MINUTES_A_DAY;
const WEEKDAYS = [0, 1, 2, 3, 4, 5, 6];
const MAX_SCHEDULES = 5_000;

/** Creates a reader with a cache: many places have the same hours. */
export function createScheduleReader(): ScheduleReader {
  const cache = new Cache<string, Schedule | 'not understood'>({ maxEntries: MAX_SCHEDULES });
  return (text) => {
    let schedule = cache.get(text);
    if (schedule === undefined) cache.set(text, (schedule = scheduleOf(text) ?? 'not understood'));
    return schedule === 'not understood' ? undefined : schedule;
  };
}

/** Parses opening hours; returns undefined if they are not understood. */
export function scheduleOf(text: string): Schedule | undefined {
  const hours = readHours(text);
  if (!hours) return undefined;
  const { rules, namesHolidays } = hours;
  const isWeekly = rules.every(({ dates }) => dates === undefined);
  return {
    week: isWeekly ? weekOf(rules) : undefined,
    rules,
    namesHolidays,
    namesOtherDays: rules.length > 0,
  };
}

export function isUnderstood(text: string): boolean {
  return readHours(text) !== undefined;
}

function weekOf(rules: readonly Rule[]): readonly number[] {
  const spans = WEEKDAYS.flatMap((weekday) =>
    spansOf(rules, { weekday, key: 0 }).flatMap((span) => inWeek(span, weekday * MINUTES_A_DAY)),
  );
  return joined(spans).flat();
}

/** A day's span in minutes of the week; the part past the end of the week wraps to its start. */
function inWeek([from, to]: Span, midnight: number): readonly Span[] {
  const [start, end] = [midnight + from, midnight + to];
  if (end <= MINUTES_A_WEEK) return [[start, end]];
  if (start >= MINUTES_A_WEEK) return [[start - MINUTES_A_WEEK, end - MINUTES_A_WEEK]];
  return [
    [start, MINUTES_A_WEEK],
    [0, end - MINUTES_A_WEEK],
  ];
}
