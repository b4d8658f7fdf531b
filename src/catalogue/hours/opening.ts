import { DAY_MS, MINUTE_MS, WEEK_MS } from '../../kit/time.ts';
import { type Day, MINUTES_A_DAY, type Span, dayKey, isOpenOn, joined, spansOf } from './rules.ts';
import { MINUTES_A_WEEK, type Schedule, scheduleOf } from './schedule.ts';
import { type Zone, zoneNamed } from './zones.ts';

/** The facts that decide whether a place is open. */
export interface OpeningFacts {
  readonly isActive: boolean;
  readonly hours: string | null;
  /** The name of its time zone. */
  readonly zone: string | null;
}

/** Whether a place is open, as the API returns it. */
export interface Opening {
  readonly state: 'open' | 'closed' | 'unknown';
  /** The next change, as ISO 8601 in UTC; null when it is more than a week away or unknown. */
  readonly until: string | null;
  readonly reason: 'status' | 'no_hours' | 'no_time_zone' | 'not_understood' | 'holidays' | null;
}

/** Whether a place is open, and the instant of the next change if that is within a week. */
export interface State {
  readonly isOpen: boolean;
  readonly until: number | undefined;
}

/** A wall-clock time in minutes since a day's midnight. `closesAfter` is less while clocks repeat times, as in `Wall`. */
export interface WallMinute {
  readonly opensBy: number;
  readonly closesAfter: number;
  /** Days since 1970. */
  readonly number: number;
  readonly today: Day;
  readonly yesterday: Day;
}

// A span lasts two days at most, and some zones have skipped or repeated a whole day.
const DAYS_BEFORE = 3;
const DAYS_AFTER = 9;

/** Whether a place is open at an instant, in milliseconds since 1970. */
export function openingAt({ isActive, hours, zone: name }: OpeningFacts, instant: number): Opening {
  const unknown = (reason: Opening['reason']): Opening => ({ state: 'unknown', until: null, reason });
  if (!isActive) return { state: 'closed', until: null, reason: 'status' };
  if (hours === null) return unknown('no_hours');
  const zone = name === null ? undefined : zoneNamed(name);
  if (!zone) return unknown('no_time_zone');
  const schedule = scheduleOf(hours);
  if (!schedule) return unknown('not_understood');
  if (schedule.rules.length === 0) return unknown('holidays');
  const { isOpen, until } = stateAt(schedule, instant, zone);
  return {
    state: isOpen ? 'open' : 'closed',
    until: until === undefined ? null : new Date(until).toISOString(),
    reason: schedule.namesHolidays ? 'holidays' : null,
  };
}

export function wallMinuteAt(instant: number, zone: Zone): WallMinute {
  const { opensBy, closesAfter } = zone.wallAt(instant);
  const number = Math.floor(opensBy / DAY_MS);
  const minuteOf = (wall: number): number => Math.floor((wall - number * DAY_MS) / MINUTE_MS);
  return {
    opensBy: minuteOf(opensBy),
    closesAfter: minuteOf(closesAfter),
    number,
    today: dayOf(number),
    yesterday: dayOf(number - 1),
  };
}

/** True while the place is open at this wall-clock time. */
export function isOpenAt({ week, rules }: Schedule, wall: WallMinute): boolean {
  if (week) return isOpenInWeek(week, 0, week.length, wall);
  const { opensBy, closesAfter, number, today, yesterday } = wall;
  if (opensBy === closesAfter)
    return isOpenOn(rules, today, opensBy) || isOpenOn(rules, yesterday, opensBy + MINUTES_A_DAY);
  return [0, 1, 2].some((daysAgo) =>
    spansOf(rules, dayOf(number - daysAgo)).some(
      ([opens, closes]) =>
        opens <= opensBy + daysAgo * MINUTES_A_DAY && closes > closesAfter + daysAgo * MINUTES_A_DAY,
    ),
  );
}

/** `isOpenAt` for a weekly schedule: its changes are `minutes` from `start` to `end`, `end` excluded. */
export function isOpenInWeek(
  minutes: ArrayLike<number>,
  start: number,
  end: number,
  { opensBy, closesAfter, today }: WallMinute,
): boolean {
  const midnight = today.weekday * MINUTES_A_DAY;
  const count = changesUpTo(minutes, midnight + closesAfter, start, end);
  if (count % 2 === 1 || opensBy === closesAfter) return count % 2 === 1;
  return changesUpTo(minutes, midnight + opensBy, start, end) > count;
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

export function stateAt(schedule: Schedule, instant: number, zone: Zone): State {
  const { week } = schedule;
  if (!week || !zone.isSteady(instant - DAY_MS, instant + WEEK_MS + DAY_MS))
    return exactState(schedule, instant, zone);
  const wall = wallMinuteAt(instant, zone);
  const monday = wall.number - wall.today.weekday;
  const minute = wall.today.weekday * MINUTES_A_DAY + wall.opensBy;
  // A place that is open across Monday's midnight does not change there.
  const changes = week[0] === 0 && week.at(-1) === MINUTES_A_WEEK ? week.slice(1, -1) : week;
  const [first] = changes;
  const next =
    changes.find((change) => change > minute) ?? (first === undefined ? undefined : first + MINUTES_A_WEEK);
  return {
    isOpen: isOpenAt(schedule, wall),
    until: next === undefined ? undefined : monday * DAY_MS - zone.offsetAt(instant) + next * MINUTE_MS,
  };
}

/** `stateAt` for any schedule and across clock changes: computes spans as instants, until no later day can matter. */
function exactState({ rules }: Schedule, instant: number, zone: Zone): State {
  const today = Math.floor((instant + zone.offsetAt(instant)) / DAY_MS);
  let spans: readonly Span[] = [];
  for (let number = today - DAYS_BEFORE; number <= today + DAYS_AFTER; number += 1) {
    const toCome = instantsOf(number, rules, zone).filter(([, closes]) => closes > instant);
    spans = joined([...spans, ...toCome]);
    const [first] = spans;
    // Spans of later days start at that midnight or later.
    if (first && first[1] < zone.instantsOf((number + 1) * DAY_MS)[0]) break;
  }
  const [next] = spans;
  const isOpen = next !== undefined && next[0] <= instant;
  const until = isOpen ? next[1] : next?.[0];
  return { isOpen, until: until !== undefined && until - instant <= WEEK_MS ? until : undefined };
}

/** The instants at which the spans of a day open and close. */
function instantsOf(number: number, rules: Schedule['rules'], zone: Zone): readonly Span[] {
  const midnight = number * DAY_MS;
  const isSteady = zone.isSteady(midnight - DAY_MS, midnight + 3 * DAY_MS);
  const offset = zone.offsetAt(midnight);
  return spansOf(rules, dayOf(number)).flatMap(([from, to]): Span[] => {
    const [start, end] = [midnight + from * MINUTE_MS, midnight + to * MINUTE_MS];
    if (isSteady) return [[start - offset, end - offset]];
    const [opens] = zone.instantsOf(start);
    const [, closes] = zone.instantsOf(end);
    return opens < closes ? [[opens, closes]] : [];
  });
}

function dayOf(number: number): Day {
  const date = new Date(number * DAY_MS);
  return { weekday: (date.getUTCDay() + 6) % 7, key: dayKey(date.getUTCMonth() + 1, date.getUTCDate()) };
}
