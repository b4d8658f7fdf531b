import { type Day, MINUTES_A_DAY, type Span, dayKey, joined, spansOf } from './rules.ts';
import { MINUTES_A_WEEK, type Schedule } from './schedule.ts';
import type { Zone } from './clocks.ts';

/** A state of opening hours, and the instant in milliseconds at which it changes, if that is within a week. */
export interface State {
  readonly isOpen: boolean;
  readonly until: number | undefined;
}

/** What clocks show at an instant. */
export interface Wall {
  /** The number of the day since 1970. */
  readonly number: number;
  /** The minutes since midnight, and since that of the week's Monday. */
  readonly minute: number;
  readonly weekMinute: number;
  /**
   * Where clocks show times twice, those in which any change means that it is open, in minutes before or behind: what opens
   * has opened when they are shown first, and what closes has not before they are shown last.
   */
  readonly openIfChanged: readonly [from: number, upTo: number] | undefined;
}

const MINUTE = 60_000;
const DAY = MINUTES_A_DAY * MINUTE;
const WEEK = 7 * DAY;
// 1970 began on a Thursday.
const FIRST_WEEKDAY = 3;
// A span lasts for two days at most, and clocks have been changed by a day.
const DAYS_BEFORE = 3;
const DAYS_AFTER = 9;

/** Reads the clocks of a zone at an instant. */
export function wallAt(instant: number, zone: Zone): Wall {
  const wall = instant + zone.offsetAt(instant);
  const number = Math.floor(wall / DAY);
  const minute = Math.floor((wall - number * DAY) / MINUTE);
  const doubled = zone.doubledAt(instant);
  return {
    number,
    minute,
    weekMinute: weekdayOf(number) * MINUTES_A_DAY + minute,
    openIfChanged: doubled && changedWithin(doubled, wall, zone.instantsOf(wall)[0] === instant),
  };
}

function changedWithin(
  [from, to]: readonly [number, number],
  wall: number,
  isFirst: boolean,
): readonly [number, number] {
  const minute = Math.floor(wall / MINUTE);
  return isFirst ? [Math.floor(from / MINUTE) - minute, 0] : [1, Math.ceil(to / MINUTE) - 1 - minute];
}

/** The minutes of a day at which it opens and closes, by turns and in order; without those of doubled times. */
export function changesOfDay({ week, rules }: Schedule, number: number): readonly number[] {
  const midnight = weekdayOf(number) * MINUTES_A_DAY;
  const spans = week
    ? pairsOf(week).map(([from, to]): Span => [from - midnight, to - midnight])
    : [
        ...spansOf(rules, dayOf(number)),
        ...spansOf(rules, dayOf(number - 1)).map(([from, to]): Span => [
          from - MINUTES_A_DAY,
          to - MINUTES_A_DAY,
        ]),
      ];
  const clipped = spans.map(([from, to]): Span => [Math.max(0, from), Math.min(MINUTES_A_DAY, to)]);
  return joined(clipped.filter(([from, to]) => from < to)).flat();
}

/** The state at an instant, and its end. */
export function stateAt(schedule: Schedule, instant: number, zone: Zone): State {
  const { week } = schedule;
  if (!week || !zone.isSteady(instant - DAY, instant + WEEK + DAY))
    return exactState(schedule, instant, zone);
  const { weekMinute } = wallAt(instant, zone);
  const count = changesUpTo(week, weekMinute, 0, week.length);
  const next = nextChange(week, count);
  const wall = instant + zone.offsetAt(instant);
  const startOfMinute = instant - (wall - Math.floor(wall / MINUTE) * MINUTE);
  return {
    isOpen: count % 2 === 1,
    until: next === undefined ? undefined : startOfMinute + (next - weekMinute) * MINUTE,
  };
}

/** How many of the ascending minutes from `start` to before `end` are not behind that one. */
export function changesUpTo(minutes: ArrayLike<number>, minute: number, start: number, end: number): number {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((minutes[middle] ?? 0) <= minute) low = middle + 1;
    else high = middle;
  }
  return low - start;
}

/** The minute of the next change behind so many of them, perhaps in the week to come; undefined when there is none. */
function nextChange(week: readonly number[], count: number): number | undefined {
  const isThrough = week[0] === 0 && week.at(-1) === MINUTES_A_WEEK;
  if (!isThrough) return count < week.length ? week[count] : inNextWeek(week[0]);
  if (week.length === 2) return undefined;
  return count < week.length - 1 ? week[count] : inNextWeek(week[1]);
}

function inNextWeek(minute: number | undefined): number | undefined {
  return minute === undefined ? undefined : minute + MINUTES_A_WEEK;
}

/** The same by the instants of all spans near, so that it is right where clocks are changed. */
function exactState(schedule: Schedule, instant: number, zone: Zone): State {
  const today = Math.floor((instant + zone.offsetAt(instant)) / DAY);
  const spans: Span[] = [];
  for (const [from, to] of schedule.week ? weeksAround(schedule.week, today) : daysAround(schedule, today)) {
    const [opens] = zone.instantsOf(from * MINUTE);
    const [, closes] = zone.instantsOf(to * MINUTE);
    if (opens < closes) spans.push([opens, closes]);
  }
  const next = joined(spans).find(([, closes]) => closes > instant);
  const open = next !== undefined && next[0] <= instant;
  const until = open ? next[1] : next?.[0];
  return { isOpen: open, until: until !== undefined && until - instant <= WEEK ? until : undefined };
}

/** The spans of the weeks around a day, in minutes of the clocks since 1970. */
function weeksAround(week: readonly number[], today: number): readonly Span[] {
  const monday = (today - weekdayOf(today)) * MINUTES_A_DAY;
  return [-1, 0, 1, 2].flatMap((weeks) => {
    const start = monday + weeks * MINUTES_A_WEEK;
    return pairsOf(week).map(([from, to]): Span => [start + from, start + to]);
  });
}

function pairsOf(week: readonly number[]): readonly Span[] {
  const spans: Span[] = [];
  for (let index = 0; index < week.length; index += 2) spans.push([week[index] ?? 0, week[index + 1] ?? 0]);
  return spans;
}

/** The same of the days around it. */
function daysAround({ rules }: Schedule, today: number): readonly Span[] {
  const days = Array.from(
    { length: DAYS_BEFORE + 1 + DAYS_AFTER },
    (_, index) => today - DAYS_BEFORE + index,
  );
  return days.flatMap((number) =>
    spansOf(rules, dayOf(number)).map(([from, to]): Span => [
      number * MINUTES_A_DAY + from,
      number * MINUTES_A_DAY + to,
    ]),
  );
}

/** The day of that number since 1970. */
function dayOf(number: number): Day {
  const date = new Date(number * DAY);
  return { weekday: weekdayOf(number), key: dayKey(date.getUTCMonth() + 1, date.getUTCDate()) };
}

function weekdayOf(number: number): number {
  return (((number + FIRST_WEEKDAY) % 7) + 7) % 7;
}
