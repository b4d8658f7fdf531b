import { CLOSED, OPEN, type OpenState, UNKNOWN } from '../../index/request.ts';
import { copied } from '../../kit/objects.ts';
import { MINUTE_MS } from '../../kit/time.ts';
import { type WallMinute, isOpenAt, isOpenInWeek, wallMinuteAt } from './opening.ts';
import { type Schedule, scheduleOf } from './schedule.ts';
import { type Zone, zoneNamed } from './zones.ts';

/**
 * Numbers per slot: of the zone, or 0 if the state is unknown; of weekly changes, or BY_SCHEDULE; and the minutes of these
 * changes. 64 bytes are one cache line; objects instead take ten times as long, nearly all of it waiting for memory.
 */
const WIDTH = 32;
const FIRST_CHANGE = 2;
const BY_SCHEDULE = 0xffff;
const LEAST_CAPACITY = 1_024;
const READ_MS = 4;
// Until 1972 some zones were off UTC by a fraction of a minute.
const FIRST_WITH_MINUTES = Date.UTC(1973, 0);
const LAST_WITH_MINUTES = Date.UTC(4000, 0);

/** The opening hours of many places by slot; evaluates thousands in a millisecond. */
export class Timetables {
  /** Hours that are not parsed yet. */
  readonly #unread = new Map<number, string>();
  /** The schedules of slots that are BY_SCHEDULE. */
  readonly #schedules = new Map<number, Schedule>();
  /** By number, from 1. */
  readonly #zones: (Zone | undefined)[] = [undefined];
  #lines = new Uint16Array(LEAST_CAPACITY * WIDTH);
  // A cache of states, which do not change within a minute: 4 * (minutes since 1970) + state; 0 if not cached.
  #states = new Uint32Array(LEAST_CAPACITY);

  /** Stores the hours of a place and the name of its time zone. They are parsed later, by `readSome` or on first use. */
  set(slot: number, hours: string | null, zoneName: string | null): void {
    if (slot >= this.#states.length) {
      this.#states = copied(this.#states, new Uint32Array(2 * slot));
      this.#lines = copied(this.#lines, new Uint16Array(2 * slot * WIDTH));
    }
    const zone = hours === null || zoneName === null ? undefined : zoneNamed(zoneName);
    const known = this.#zones.indexOf(zone);
    this.#lines[slot * WIDTH] = known === -1 ? this.#zones.push(zone) - 1 : known;
    this.#states[slot] = 0;
    this.#schedules.delete(slot);
    if (hours === null) this.#unread.delete(slot);
    else this.#unread.set(slot, hours);
  }

  /** Parses stored hours for a few milliseconds. Returns true if some are left. */
  readSome(): boolean {
    const end = performance.now() + READ_MS;
    for (const [slot, hours] of this.#unread) {
      this.#read(slot, hours);
      if (performance.now() > end) break;
    }
    return this.#unread.size > 0;
  }

  /** Returns a function from slot to state at an instant; do not use it after the next `set`. */
  at(instant: number): (slot: number) => OpenState {
    const walls: (WallMinute | undefined)[] = [];
    if (!(instant >= FIRST_WITH_MINUTES && instant < LAST_WITH_MINUTES))
      return (slot) => this.#stateOf(slot, instant, walls);
    const minute = 4 * Math.floor(instant / MINUTE_MS);
    return (slot) => {
      const known = (this.#states[slot] ?? 0) - minute;
      if (known === OPEN || known === CLOSED || known === UNKNOWN) return known;
      const state = this.#stateOf(slot, instant, walls);
      this.#states[slot] = minute + state;
      return state;
    };
  }

  /** `walls` caches wall-clock times at the instant by the numbers of their zones. */
  #stateOf(slot: number, instant: number, walls: (WallMinute | undefined)[]): OpenState {
    const hours = this.#unread.size === 0 ? undefined : this.#unread.get(slot);
    if (hours !== undefined) this.#read(slot, hours);
    const start = slot * WIDTH;
    const number = this.#lines[start] ?? 0;
    const zone = this.#zones[number];
    if (!zone) return UNKNOWN;
    const wall = (walls[number] ??= wallMinuteAt(instant, zone));
    const count = this.#lines[start + 1] ?? 0;
    const first = start + FIRST_CHANGE;
    const schedule = count === BY_SCHEDULE ? this.#schedules.get(slot) : undefined;
    const isOpen = schedule
      ? isOpenAt(schedule, wall)
      : isOpenInWeek(this.#lines, first, first + count, wall);
    return isOpen ? OPEN : CLOSED;
  }

  #read(slot: number, hours: string): void {
    this.#unread.delete(slot);
    const start = slot * WIDTH;
    const schedule = scheduleOf(hours);
    if (!schedule || schedule.rules.length === 0) {
      this.#lines[start] = 0;
      return;
    }
    const { week } = schedule;
    if (week && week.length <= WIDTH - FIRST_CHANGE) this.#lines.set([week.length, ...week], start + 1);
    else {
      this.#lines[start + 1] = BY_SCHEDULE;
      this.#schedules.set(slot, schedule);
    }
  }
}
