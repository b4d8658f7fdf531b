import { Cache } from '../../kit/cache.ts';
import { readHours } from './reading.ts';
import { MINUTES_A_DAY, type Rule, type Span, joined, spansOf } from './rules.ts';

/** Opening hours as they are evaluated. */
export interface Schedule {
  /**
   * The minutes of a week, from Monday's first midnight on, at which it opens and closes, by turns and in order, where all
   * weeks are the same. A place that is open at that midnight opens there, and closes with the week at the latest.
   */
  readonly week: readonly number[] | undefined;
  readonly rules: readonly Rule[];
  /** Whether holidays are named, of which nothing is known here. */
  readonly namesHolidays: boolean;
  /** Whether other days are named: hours of holidays alone say nothing of them. */
  readonly namesOtherDays: boolean;
}

/** Reads opening hours; undefined where they are not understood. */
export type ScheduleReader = (text: string) => Schedule | undefined;

export const MINUTES_A_WEEK = 7 * MINUTES_A_DAY;
const WEEKDAYS = [0, 1, 2, 3, 4, 5, 6];
const MAX_SCHEDULES = 5_000;

/** Makes a reader that remembers what it has read lately: many places have the same hours. */
export function createScheduleReader(): ScheduleReader {
  const cache = new Cache<string, Schedule | 'not understood'>({ maxEntries: MAX_SCHEDULES });
  return (text) => {
    let schedule = cache.get(text);
    if (schedule === undefined) cache.set(text, (schedule = scheduleOf(text) ?? 'not understood'));
    return schedule === 'not understood' ? undefined : schedule;
  };
}

/** Reads opening hours; undefined where they are not understood. */
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

/** Whether opening hours are understood. */
export function isUnderstood(text: string): boolean {
  return readHours(text) !== undefined;
}

function weekOf(rules: readonly Rule[]): readonly number[] {
  const spans = WEEKDAYS.flatMap((weekday) =>
    spansOf(rules, { weekday, key: 0 }).flatMap((span) => inWeek(span, weekday * MINUTES_A_DAY)),
  );
  return joined(spans).flat();
}

/** A span of the day that begins at that minute of the week; what is past the week's end stands at its start. */
function inWeek([from, to]: Span, midnight: number): readonly Span[] {
  const [start, end] = [midnight + from, midnight + to];
  if (end <= MINUTES_A_WEEK) return [[start, end]];
  if (start >= MINUTES_A_WEEK) return [[start - MINUTES_A_WEEK, end - MINUTES_A_WEEK]];
  return [
    [start, MINUTES_A_WEEK],
    [0, end - MINUTES_A_WEEK],
  ];
}
