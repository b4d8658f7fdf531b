import { type Wall, changesUpTo, isOpen, wallAt } from './opening.ts';
import type { Schedule, ScheduleReader } from './schedule.ts';
import type { Zone, Zones } from './clocks.ts';

export const CLOSED = 0;
export const OPEN = 1;
export const UNKNOWN = 2;
/** One of these. */
export type StateCode = typeof CLOSED | typeof OPEN | typeof UNKNOWN;

/** The opening hours of many places, by their slots, so that thousands are evaluated in a millisecond. */
export interface Timetables {
  /** Stores the hours of a place and the name of its time zone. */
  readonly set: (slot: number, hours: string | null, zone: string | null) => void;
  /** Returns a function for the state of a slot's place at an instant, which must be used before anything is set. */
  readonly at: (instant: number) => (slot: number) => StateCode;
}

/**
 * What one slot has in the array: how its hours are known, how many changes a week has, and the minutes of these. With 64
 * bytes it is what a processor reads at once: objects in the place of these take ten times as long, nearly all of it
 * waiting for memory.
 */
const WIDTH = 32;
const FIRST_CHANGE = 2;
const NOTHING = 0;
const WEEKLY = 1;
const OTHERWISE = 2;
const LEAST_CAPACITY = 1_024;

/** Makes timetables without any. */
export function createTimetables(read: ScheduleReader, zones: Zones): Timetables {
  const numbered = createNumberedZones(zones);
  let weeks = new Uint16Array(LEAST_CAPACITY * WIDTH);
  let zoneNumbers = new Uint16Array(LEAST_CAPACITY);
  const others = new Map<number, Schedule>();

  function grow(slot: number): void {
    const capacity = Math.max(2 * zoneNumbers.length, slot + 1);
    weeks = longer(weeks, capacity * WIDTH);
    zoneNumbers = longer(zoneNumbers, capacity);
  }

  function setHours(slot: number, schedule: Schedule | undefined): void {
    const start = slot * WIDTH;
    const week = schedule?.week;
    others.delete(slot);
    weeks[start] = NOTHING;
    if (!schedule?.namesOtherDays) return;
    if (week && week.length <= WIDTH - FIRST_CHANGE) {
      weeks.set([WEEKLY, week.length, ...week], start);
    } else {
      weeks[start] = OTHERWISE;
      others.set(slot, schedule);
    }
  }

  return {
    set: (slot, hours, zone) => {
      if (slot >= zoneNumbers.length) grow(slot);
      zoneNumbers[slot] = hours === null ? 0 : numbered.numberOf(zone);
      setHours(slot, hours === null ? undefined : read(hours));
    },
    at: (instant) => {
      const walls: (Wall | undefined)[] = [];
      return (slot) => {
        const start = slot * WIDTH;
        const kind = weeks[start] ?? NOTHING;
        const number = zoneNumbers[slot] ?? 0;
        const zone = numbered.zone(number);
        if (kind === NOTHING || !zone) return UNKNOWN;
        const wall = (walls[number] ??= wallAt(instant, zone));
        if (kind === WEEKLY && wall.isSteady) {
          const end = start + FIRST_CHANGE + (weeks[start + 1] ?? 0);
          return changesUpTo(weeks, wall.weekMinute, start + FIRST_CHANGE, end) % 2 === 1 ? OPEN : CLOSED;
        }
        const schedule = others.get(slot) ?? weeklyOf(weeks, start);
        return isOpen(schedule, instant, zone, wall) ? OPEN : CLOSED;
      };
    },
  };
}

interface NumberedZones {
  /** 0 for none, or for one that the runtime does not know. */
  readonly numberOf: (name: string | null) => number;
  readonly zone: (number: number) => Zone | undefined;
}

function createNumberedZones(zones: Zones): NumberedZones {
  const known: (Zone | undefined)[] = [undefined];
  const numbers = new Map<string | null, number>([[null, 0]]);
  return {
    numberOf: (name) => {
      const number = numbers.get(name);
      if (number !== undefined || name === null) return number ?? 0;
      const zone = zones.named(name);
      const next = zone ? known.push(zone) - 1 : 0;
      numbers.set(name, next);
      return next;
    },
    zone: (number) => known[number],
  };
}

function longer(numbers: Uint16Array<ArrayBuffer>, length: number): Uint16Array<ArrayBuffer> {
  const next = new Uint16Array(length);
  next.set(numbers);
  return next;
}

function weeklyOf(weeks: Uint16Array, start: number): Schedule {
  const end = start + FIRST_CHANGE + (weeks[start + 1] ?? 0);
  const week = Array.from(weeks.subarray(start + FIRST_CHANGE, end));
  return { week, rules: [], namesHolidays: false, namesOtherDays: true };
}
