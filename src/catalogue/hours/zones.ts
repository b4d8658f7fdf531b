import zoneAt from '@photostructure/tz-lookup';
import { DAY_MS, WEEK_MS } from '../../kit/time.ts';

/**
 * A week. So far no zone has changed its clocks twice within one; without a change, `change` equals `end`.
 */
interface Week {
  readonly end: number;
  readonly change: number;
  readonly before: number;
  readonly after: number;
}

/**
 * The local time. A place is open if it is open at any time between the two. They differ while clocks repeat times, since a
 * place opens when a time is shown first, and closes when it is shown last.
 */
export interface WallTime {
  readonly from: number;
  readonly to: number;
}

// South, west, north and east of regions where the table of zones has the wrong one for a main town of the zone.
const CORRECTED: readonly (readonly [number, number, number, number, string])[] = [
  [-14.7, -171.1, -13.9, -167.9, 'Pacific/Pago_Pago'],
  [46.7, -56.5, 47.2, -56.1, 'America/Miquelon'],
  [21.15, -72.5, 22, -71, 'America/Grand_Turk'],
  [-8.7, 125.4, -8.45, 127, 'Asia/Dili'],
  [-2.8, 140.3, -2.3, 140.95, 'Asia/Jayapura'],
  [51.3, -58.9, 51.44, -57.1, 'America/Blanc-Sablon'],
  [48.71, -91.72, 48.8, -91.5, 'America/Atikokan'],
  [46.8, -101.6, 46.95, -101.2, 'America/North_Dakota/New_Salem'],
];

const SECOND = 1_000;
const MAX_WEEKS = 64;
// The runtime knows about 600 names.
const zones = new Map<string, Zone>();

/** The zone with a name of the IANA time zone database, in any case; undefined if the runtime does not know it. */
export function zoneNamed(name: string): Zone | undefined {
  const key = name.toLowerCase();
  const known = zones.get(key);
  // The runtime also accepts offsets such as +01:00.
  if (known || !/^[a-z]/.test(key)) return known;
  try {
    const zone = new Zone(name);
    zones.set(key, zone);
    return zone;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The name of the time zone at these degrees; null if the runtime does not know it. */
export function zoneOf(latitude: number, longitude: number): string | null {
  const corrected = CORRECTED.find(
    ([south, west, north, east]) =>
      latitude >= south && latitude <= north && longitude >= west && longitude <= east,
  );
  const name = corrected?.[4] ?? zoneAt(latitude, longitude);
  return zoneNamed(name) ? name : null;
}

/** A time zone. Instants are milliseconds since 1970; wall-clock times are too, as if they were UTC. */
export class Zone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;
  readonly #weeks = new Map<number, Week>();
  #lastWeek: Week | undefined;

  /** Throws a RangeError for an unknown name. */
  constructor(name: string) {
    this.name = name;
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  }

  /** Milliseconds ahead of UTC. */
  offsetAt(instant: number): number {
    const { change, before, after } = this.#weekOf(instant);
    return instant < change ? before : after;
  }

  wallAt(instant: number): WallTime {
    const wall = instant + this.offsetAt(instant);
    // Clocks never go back by more than a day.
    for (const at of [instant - DAY_MS, instant + DAY_MS]) {
      const { change, before, after } = this.#weekOf(at);
      const repeated = before - after;
      if (instant < change - repeated || instant >= change + repeated) continue;
      return instant < change
        ? { from: change + after - 1, to: wall }
        : { from: wall, to: change + before - 1 };
    }
    return { from: wall, to: wall };
  }

  /**
   * The first and last instant of a wall-clock time. They differ if clocks go back over it; for a time that clocks skip,
   * both are the instant of the change.
   */
  instantsOf(wall: number): readonly [first: number, last: number] {
    // Offsets from UTC are always less than a day.
    const [before, after] = [this.offsetAt(wall - DAY_MS), this.offsetAt(wall + DAY_MS)];
    const [early, late] = [wall - before, wall - after];
    const isLate = this.offsetAt(late) === after;
    if (this.offsetAt(early) === before) return [early, isLate ? late : early];
    const only = isLate ? late : firstWith(after, late, early, (at) => this.offsetAt(at));
    return [only, only];
  }

  /** The week around an instant, from a cache: asking the runtime takes a few microseconds. */
  #weekOf(instant: number): Week {
    const number = Math.floor(instant / WEEK_MS);
    const start = number * WEEK_MS;
    const end = start + WEEK_MS;
    if (this.#lastWeek?.end === end) return this.#lastWeek;
    let week = this.#weeks.get(number);
    if (!week) {
      const offsetAt = (at: number): number => this.#readOffset(at);
      const [before, after] = [offsetAt(start), offsetAt(end)];
      const change = before === after ? end : firstWith(after, start, end, offsetAt);
      week = { end, change, before, after };
      if (this.#weeks.size >= MAX_WEEKS) this.#weeks.clear();
      this.#weeks.set(number, week);
    }
    this.#lastWeek = week;
    return week;
  }

  #readOffset(instant: number): number {
    // "12/7/1874, GMT-00:16:08"
    const text = this.#format.format(instant);
    const offset = text.slice(text.lastIndexOf('GMT') + 3);
    const [hours = 0, minutes = 0, seconds = 0] = offset.slice(1).split(':').map(Number);
    const ahead = SECOND * (3_600 * hours + 60 * minutes + seconds);
    return offset.startsWith('-') ? -ahead : ahead;
  }
}

/** The first second between two instants at which the clocks have an offset; they have it at the last. */
function firstWith(offset: number, from: number, to: number, offsetAt: (instant: number) => number): number {
  let [low, high] = [from, to];
  while (high - low > SECOND) {
    const middle = Math.floor((low + high) / 2 / SECOND) * SECOND;
    if (offsetAt(middle) === offset) high = middle;
    else low = middle;
  }
  return high;
}
