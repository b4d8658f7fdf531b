import { isTimeZone } from './zones.ts';

/** The clocks of a time zone. Instants are milliseconds since 1970; so are wall-clock times, as if they were UTC. */
export interface Zone {
  readonly name: string;
  /** Milliseconds that clocks are ahead of UTC. */
  readonly offsetAt: (instant: number) => number;
  /** Whether no clock is changed between two instants. */
  readonly isSteady: (from: number, to: number) => boolean;
  /** The times that clocks show twice, from one to before the other, where they show one of them at that instant. */
  readonly doubledAt: (instant: number) => readonly [from: number, to: number] | undefined;
  /**
   * When clocks show a time first and last. A doubled one has two instants; a skipped one has, twice, that of the change.
   */
  readonly instantsOf: (wall: number) => readonly [first: number, last: number];
}

/** The time zones that are in use. */
export interface Zones {
  /** Undefined for a name that the runtime does not know. The first time takes some 0.2 ms. */
  readonly named: (name: string) => Zone | undefined;
}

/** A part of time with one change of the clocks or none: then its change is its end. */
interface Week {
  readonly end: number;
  readonly change: number;
  readonly before: number;
  readonly after: number;
}

const DAY = 86_400_000;
// No zone has changed its clocks twice in a week so far.
const WEEK = 7 * DAY;
const SECOND = 1_000;
// No clocks go back further.
const LONGEST_DOUBLED = DAY;
// All names of the database are some 600; others differ in the case of their letters.
const MAX_ZONES = 2_000;
const MAX_WEEKS = 64;

/** Makes an empty collection of time zones, which remembers those that were asked for. */
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
    ...{ offsetAt, isSteady, doubledAt },
    instantsOf: (wall) => {
      // Clocks are ahead of UTC, or behind it, by less than a day.
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

/** The instant of the one change between two, twice. */
function changeBetween(
  offsetAt: (instant: number) => number,
  from: number,
  to: number,
): readonly [first: number, last: number] {
  const change = firstWith(offsetAt, offsetAt(to), from, to);
  return [change, change];
}

/** Returns the week around an instant, from memory if it was asked for lately. */
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

/** The first second between two instants from which on clocks have an offset that they did not have before. */
function firstWith(offsetAt: (instant: number) => number, offset: number, from: number, to: number): number {
  let [low, high] = [from, to];
  while (high - low > SECOND) {
    const middle = Math.floor((low + high) / 2 / SECOND) * SECOND;
    if (offsetAt(middle) === offset) high = middle;
    else low = middle;
  }
  return high;
}

/** Asks the runtime, in some microseconds, how far the clocks of a zone are ahead of UTC. */
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
