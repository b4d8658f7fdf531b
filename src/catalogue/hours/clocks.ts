import { isTimeZone } from './zones.ts';

/** A time zone. Instants are milliseconds since 1970; wall-clock times are too, as if they were UTC. */
export interface Zone {
  readonly name: string;
  /** Milliseconds ahead of UTC. */
  readonly offsetAt: (instant: number) => number;
  /** True if the offset does not change between two instants. */
  readonly isSteady: (from: number, to: number) => boolean;
  /** If the wall-clock time at an instant occurs twice: the range of repeated times, `to` excluded. */
  readonly doubledAt: (instant: number) => readonly [from: number, to: number] | undefined;
  /**
   * The first and last instant of a wall-clock time. They differ if clocks go back over it; for a time that clocks skip,
   * both are the instant of the change.
   */
  readonly instantsOf: (wall: number) => readonly [first: number, last: number];
}

export interface Zones {
  /** Undefined for a name that the runtime does not know. The first call for a name takes about 0.2 ms. */
  readonly named: (name: string) => Zone | undefined;
}

/** A week with at most one clock change; without one, `change` equals `end`. */
interface Week {
  readonly end: number;
  readonly change: number;
  readonly before: number;
  readonly after: number;
}

const DAY = 86_400_000;
// So far no zone has changed its clocks twice within a week.
const WEEK = 7 * DAY;
const SECOND = 1_000;
// Clocks never go back further.
const LONGEST_DOUBLED = DAY;
// The tz database has about 600 names; the rest is room for other spellings (names ignore case).
const MAX_ZONES = 2_000;
const MAX_WEEKS = 64;

/** Creates a cache of time zones by name. */
export function createZones(): Zones {
  const zones = new Map<string, Zone | undefined>();
  return {
    named: (name) => {
      if (zones.has(name)) return zones.get(name);
      if (zones.size >= MAX_ZONES) zones.clear();
      const zone = isTimeZone(name) ? createZone(name) : undefined;
      zones.set(name, zone);
      return zone;
    },
  };
}

function createZone(name: string): Zone {
  const weekOf = createWeeks(createClock(name));
  const offsetAt = (instant: number): number => {
    const { change, before, after } = weekOf(instant);
    return instant < change ? before : after;
  };
  const isSteady = (from: number, to: number): boolean => {
    for (let at = from; at < to;) {
      const { change, end } = weekOf(at);
      if (change >= from && change < Math.min(to, end)) return false;
      at = end;
    }
    return true;
  };
  const doubledAt = (instant: number): readonly [number, number] | undefined => {
    for (const at of [instant - LONGEST_DOUBLED, instant + LONGEST_DOUBLED]) {
      const { change, before, after } = weekOf(at);
      const length = before - after;
      if (instant >= change - length && instant < change + length) return [change + after, change + before];
    }
    return undefined;
  };
  return {
    name,
    offsetAt,
    isSteady,
    doubledAt,
    instantsOf: (wall) => {
      // Offsets from UTC are always less than a day.
      const [before, after] = [offsetAt(wall - DAY), offsetAt(wall + DAY)];
      const [early, late] = [wall - before, wall - after];
      if (before === after) return [early, early];
      const isEarly = offsetAt(early) === before;
      const isLate = offsetAt(late) === after;
      if (isEarly) return [early, isLate ? late : early];
      return isLate ? [late, late] : changeBetween(offsetAt, wall - DAY, wall + DAY);
    },
  };
}

/** The instant of the only change between `from` and `to`, as both first and last. */
function changeBetween(
  offsetAt: (instant: number) => number,
  from: number,
  to: number,
): readonly [first: number, last: number] {
  const change = firstWith(offsetAt, offsetAt(to), from, to);
  return [change, change];
}

/** Returns a cached lookup of the week around an instant. */
function createWeeks(offsetAt: (instant: number) => number): (instant: number) => Week {
  const weeks = new Map<number, Week>();
  let last: Week | undefined;
  return (instant) => {
    const number = Math.floor(instant / WEEK);
    const start = number * WEEK;
    const end = start + WEEK;
    if (last?.end === end) return last;
    last = weeks.get(number);
    if (last) return last;
    const [before, after] = [offsetAt(start), offsetAt(end)];
    const change = before === after ? end : firstWith(offsetAt, after, start, end);
    last = { end, change, before, after };
    if (weeks.size >= MAX_WEEKS) weeks.clear();
    weeks.set(number, last);
    return last;
  };
}

/** The first second between two instants at which the clocks have the given offset. */
function firstWith(offsetAt: (instant: number) => number, offset: number, from: number, to: number): number {
  let [low, high] = [from, to];
  while (high - low > SECOND) {
    const middle = Math.floor((low + high) / 2 / SECOND) * SECOND;
    if (offsetAt(middle) === offset) high = middle;
    else low = middle;
  }
  return high;
}

/** Returns a function that asks the runtime for the offset from UTC; a call takes a few microseconds. */
function createClock(timeZone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  return (instant) => {
    // "12/7/1874, GMT-00:16:08"
    const text = format.format(instant);
    const offset = text.slice(text.lastIndexOf('GMT') + 3);
    const [hours = 0, minutes = 0, seconds = 0] = offset.slice(1).split(':').map(Number);
    const ahead = SECOND * (3_600 * hours + 60 * minutes + seconds);
    return offset.startsWith('-') ? -ahead : ahead;
  };
}
