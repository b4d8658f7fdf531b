import { DAY_MS, MINUTE_MS, WEEK_MS } from '../../kit/time.ts';
import { type Span, dayOf, MINUTES_A_DAY, joined, later, spansOf } from './rules.ts';
import { type Schedule, scheduleOf } from './schedule.ts';
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

/** Whether a place with this schedule is open at an instant, by the local time of its zone. */
export function stateAt(schedule: Schedule, instant: number, zone: Zone): State {
  const today = Math.floor((instant + zone.offsetAt(instant)) / DAY_MS);
  // The first of the joined spans that end after the instant.
  let next: Span | undefined;
  for (const [from, to] of spansAround(schedule, today)) {
    const [opens] = zone.instantsOf(from * MINUTE_MS);
    const [, closes] = zone.instantsOf(to * MINUTE_MS);
    // Skipped times make spans empty.
    if (opens >= closes || closes <= instant) continue;
    if (next && opens > next[1]) break;
    next = next ? [next[0], Math.max(next[1], closes)] : [opens, closes];
  }
  const isOpen = next !== undefined && next[0] <= instant;
  const until = isOpen ? next?.[1] : next?.[0];
  return { isOpen, until: until !== undefined && until - instant <= WEEK_MS ? until : undefined };
}

/** The open spans from some days before today on, in order, in minutes of the wall clock since 1970. */
function* spansAround({ week, rules }: Schedule, today: number): Generator<Span> {
  const [first, last] = [today - DAYS_BEFORE, today + DAYS_AFTER];
  if (week) {
    for (let monday = first - dayOf(first).weekday; monday <= last; monday += 7)
      for (const span of week)
        if (span[1] + monday * MINUTES_A_DAY >= first * MINUTES_A_DAY) yield later(span, monday);
  } else {
    const spans: Span[] = [];
    for (let day = first; day <= last; day += 1)
      for (const span of spansOf(rules, dayOf(day))) spans.push(later(span, day));
    yield* joined(spans);
  }
}
