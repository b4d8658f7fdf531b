import { type Day, MINUTES_A_DAY, type Span, dayKey, isOpenAt, joined, spansOf } from './rules.ts';
import { MINUTES_A_WEEK, type Schedule } from './schedule.ts';
import type { Zone } from './clocks.ts';

/** A state of opening hours, and the instant in milliseconds at which it changes, if that is within a week. */
export interface State {
  readonly isOpen: boolean;
  readonly until: number | undefined;
}

/** What clocks show at an instant. */
export interface Wall {
  /** Whether no clock is changed so near that the same clocks would judge wrongly. */
  readonly isSteady: boolean;
  readonly today: Day;
  readonly yesterday: Day;
  /** The minute of the day, and of the week. */
  readonly minute: number;
  readonly weekMinute: number;
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
  const today = dayOf(number);
  return {
    isSteady: zone.isSteady(instant - DAY, instant + DAY),
    today,
    yesterday: dayOf(number - 1),
    minute,
    weekMinute: today.weekday * MINUTES_A_DAY + minute,
  };
}

/** Whether it is open at an instant at which the clocks of the zone show that. */
export function isOpen(schedule: Schedule, instant: number, zone: Zone, wall: Wall): boolean {
  if (!wall.isSteady) return exactState(schedule, instant, zone).isOpen;
  if (schedule.week) return changesUpTo(schedule.week, wall.weekMinute, 0, schedule.week.length) % 2 === 1;
  const { today, yesterday, minute } = wall;
  return (
    isOpenAt(schedule.rules, today, minute) || isOpenAt(schedule.rules, yesterday, minute + MINUTES_A_DAY)
  );
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
    const spans: Span[] = [];
    for (let index = 0; index < week.length; index += 2)
      spans.push([start + (week[index] ?? 0), start + (week[index + 1] ?? 0)]);
    return spans;
  });
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
