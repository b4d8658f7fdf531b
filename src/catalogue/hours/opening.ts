import { type Day, MINUTES_A_DAY, type Span, dayKey, isOpenOn, joined, spansOf } from './rules.ts';
import { MINUTES_A_WEEK, type Schedule } from './schedule.ts';
import type { Zone } from './clocks.ts';

/** Whether a place is open, and the instant of the next change if that is within a week. */
export interface State {
  readonly isOpen: boolean;
  readonly until: number | undefined;
}

/** The wall-clock time in a zone. */
export interface Wall {
  /** Days since 1970. */
  readonly number: number;
  readonly today: Day;
  readonly yesterday: Day;
  /** Minutes since midnight, and since Monday's midnight. */
  readonly minute: number;
  readonly weekMinute: number;
  /**
   * Set while clocks repeat times: a range of minutes relative to now. A place that opens or closes within it is open now,
   * because it opens at the first occurrence of a time and closes at the last.
   */
  readonly openIfChanged: readonly [from: number, upTo: number] | undefined;
}

const MINUTE = 60_000;
const DAY = MINUTES_A_DAY * MINUTE;
const WEEK = 7 * DAY;
// 1970 began on a Thursday.
const FIRST_WEEKDAY = 3;
// A span lasts two days at most, and some zones have skipped or repeated a whole day.
const DAYS_BEFORE = 3;
const DAYS_AFTER = 9;

export function wallAt(instant: number, zone: Zone): Wall {
  const wall = instant + zone.offsetAt(instant);
  const number = Math.floor(wall / DAY);
  const minute = Math.floor((wall - number * DAY) / MINUTE);
  const doubled = zone.doubledAt(instant);
  return {
    number,
    today: dayOf(number),
    yesterday: dayOf(number - 1),
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

/** True while the place is open at this wall-clock time. */
export function isOpenAt({ week, rules }: Schedule, wall: Wall): boolean {
  if (week) return isOpenInWeek(week, 0, week.length, wall);
  const { today, yesterday, minute, openIfChanged } = wall;
  if (isOpenOn(rules, today, minute) || isOpenOn(rules, yesterday, minute + MINUTES_A_DAY)) return true;
  return openIfChanged !== undefined && isOpenNear(rules, wall, openIfChanged);
}

/** True if it is open in any minute from `from - 1` to `upTo`, relative to now. */
function isOpenNear(
  rules: Schedule['rules'],
  { number, minute }: Wall,
  [from, upTo]: readonly [number, number],
): boolean {
  return [-2, -1, 0, 1].some((days) => {
    const first = minute + from - 1 - days * MINUTES_A_DAY;
    const last = minute + upTo - days * MINUTES_A_DAY;
    return spansOf(rules, dayOf(number + days)).some(([opens, closes]) => opens <= last && closes > first);
  });
}

/** `isOpenAt` for a weekly schedule: its changes are `minutes` from `start` to `end`, `end` excluded. */
export function isOpenInWeek(
  minutes: ArrayLike<number>,
  start: number,
  end: number,
  { weekMinute, openIfChanged }: Wall,
): boolean {
  const count = changesUpTo(minutes, weekMinute, start, end);
  if (count % 2 === 1 || !openIfChanged) return count % 2 === 1;
  const [from, upTo] = openIfChanged;
  return (
    changesUpTo(minutes, weekMinute + from - 1, start, end) <
    changesUpTo(minutes, weekMinute + upTo, start, end)
  );
}

export function stateAt(schedule: Schedule, instant: number, zone: Zone): State {
  const { week } = schedule;
  if (!week || !zone.isSteady(instant - DAY, instant + WEEK + DAY))
    return exactState(schedule, instant, zone);
  const minutes = Math.floor((instant + zone.offsetAt(instant)) / MINUTE);
  const number = Math.floor(minutes / MINUTES_A_DAY);
  const weekMinute = weekdayOf(number) * MINUTES_A_DAY + minutes - number * MINUTES_A_DAY;
  const count = changesUpTo(week, weekMinute, 0, week.length);
  const next = nextChange(week, count);
  const startOfMinute = minutes * MINUTE - zone.offsetAt(instant);
  return {
    isOpen: count % 2 === 1,
    until: next === undefined ? undefined : startOfMinute + (next - weekMinute) * MINUTE,
  };
}

/** The number of ascending `minutes` between `start` and `end` that are at most `minute`. */
function changesUpTo(minutes: ArrayLike<number>, minute: number, start: number, end: number): number {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((minutes[middle] ?? 0) <= minute) low = middle + 1;
    else high = middle;
  }
  return low - start;
}

/** The minute of the next change after the first `count`, perhaps next week; undefined if it never changes. */
function nextChange(week: readonly number[], count: number): number | undefined {
  const isThrough = week[0] === 0 && week.at(-1) === MINUTES_A_WEEK;
  if (!isThrough) return count < week.length ? week[count] : inNextWeek(week[0]);
  if (week.length === 2) return undefined;
  return count < week.length - 1 ? week[count] : inNextWeek(week[1]);
}

function inNextWeek(minute: number | undefined): number | undefined {
  return minute === undefined ? undefined : minute + MINUTES_A_WEEK;
}

/** `stateAt` for any schedule and across clock changes: computes spans as instants, until no later day can matter. */
function exactState({ rules }: Schedule, instant: number, zone: Zone): State {
  const today = Math.floor((instant + zone.offsetAt(instant)) / DAY);
  let spans: readonly Span[] = [];
  for (let number = today - DAYS_BEFORE; number <= today + DAYS_AFTER; number += 1) {
    const toCome = instantsOf(number, rules, zone).filter(([, closes]) => closes > instant);
    spans = joined([...spans, ...toCome]);
    const [first] = spans;
    // Spans of later days start at that midnight or later.
    if (first && first[1] < zone.instantsOf((number + 1) * DAY)[0]) break;
  }
  const [next] = spans;
  const open = next !== undefined && next[0] <= instant;
  const until = open ? next[1] : next?.[0];
  return { isOpen: open, until: until !== undefined && until - instant <= WEEK ? until : undefined };
}

/** The instants at which the spans of a day open and close. */
function instantsOf(number: number, rules: Schedule['rules'], zone: Zone): readonly Span[] {
  const midnight = number * DAY;
  const isSteady = zone.isSteady(midnight - DAY, midnight + 3 * DAY);
  const offset = zone.offsetAt(midnight);
  return spansOf(rules, dayOf(number)).flatMap(([from, to]): Span[] => {
    const [start, end] = [midnight + from * MINUTE, midnight + to * MINUTE];
    if (isSteady) return [[start - offset, end - offset]];
    const [opens] = zone.instantsOf(start);
    const [, closes] = zone.instantsOf(end);
    return opens < closes ? [[opens, closes]] : [];
  });
}

function dayOf(number: number): Day {
  const date = new Date(number * DAY);
  return { weekday: weekdayOf(number), key: dayKey(date.getUTCMonth() + 1, date.getUTCDate()) };
}

function weekdayOf(number: number): number {
  return (((number + FIRST_WEEKDAY) % 7) + 7) % 7;
}
