import { copied } from '../../kit/objects.ts';
import { type Wall, isOpenAt, isOpenInWeek, wallAt } from './opening.ts';
import type { Schedule, ScheduleReader } from './schedule.ts';
import type { Zone, Zones } from './clocks.ts';
import { CLOSED, OPEN, type StateCode, UNKNOWN, createJudged } from './judged.ts';

/** The opening hours of many places by slot; evaluates thousands in a millisecond. */
export interface Timetables {
  /** Stores the hours of a place and the name of its time zone. They are parsed later, by `readSome` or on first use. */
  readonly set: (slot: number, hours: string | null, zone: string | null) => void;
  /** Parses stored hours for a few milliseconds. Returns true if some are left. */
  readonly readSome: () => boolean;
  /** Returns a function from slot to state at an instant; do not use it after the next `set`. */
  readonly at: (instant: number) => (slot: number) => StateCode;
}

/**
 * Elements per slot: the kind of schedule, the number of weekly changes, and their minutes. 64 bytes are one cache line;
 * objects instead take ten times as long, nearly all of it waiting for memory.
 */
const WIDTH = 32;
const FIRST_CHANGE = 2;
const NOTHING = 0;
const WEEKLY = 1;
const BY_SCHEDULE = 2;
const LEAST_CAPACITY = 1_024;
const READ_MS = 4;

export function createTimetables(read: ScheduleReader, zones: Zones): Timetables {
  const numbered = createNumberedZones(zones);
  const changes = createChanges();
  const unread = new Map<number, string>();
  const judged = createJudged();
  let zoneNumbers = new Uint16Array(LEAST_CAPACITY);

  function readNow(slot: number, hours: string): void {
    unread.delete(slot);
    changes.set(slot, read(hours));
  }

  function stateOf(slot: number, instant: number, walls: (Wall | undefined)[]): StateCode {
    const hours = unread.size === 0 ? undefined : unread.get(slot);
    if (hours !== undefined) readNow(slot, hours);
    const number = zoneNumbers[slot] ?? 0;
    const zone = numbered.zone(number);
    if (!zone || !changes.areKnown(slot)) return UNKNOWN;
    const wall = (walls[number] ??= wallAt(instant, zone));
    return changes.isOpen(slot, wall) ? OPEN : CLOSED;
  }

  return {
    set: (slot, hours, zone) => {
      if (slot >= zoneNumbers.length) zoneNumbers = copied(zoneNumbers, new Uint16Array(2 * slot));
      zoneNumbers[slot] = hours === null ? 0 : numbered.numberOf(zone);
      judged.forget(slot);
      unread.delete(slot);
      if (hours === null) changes.set(slot, undefined);
      else unread.set(slot, hours);
    },
    readSome: () => {
      const end = performance.now() + READ_MS;
      for (const [slot, hours] of unread) {
        readNow(slot, hours);
        if (performance.now() > end) break;
      }
      return unread.size > 0;
    },
    at: (instant) => {
      const walls: (Wall | undefined)[] = [];
      return judged.within(instant, (slot) => stateOf(slot, instant, walls));
    },
  };
}

interface Changes {
  readonly set: (slot: number, schedule: Schedule | undefined) => void;
  readonly areKnown: (slot: number) => boolean;
  /** Call it only for slots with known changes. */
  readonly isOpen: (slot: number, wall: Wall) => boolean;
}

function createChanges(): Changes {
  let lines = new Uint16Array(LEAST_CAPACITY * WIDTH);
  const others = new Map<number, Schedule>();

  return {
    set: (slot, schedule) => {
      const start = slot * WIDTH;
      if (start >= lines.length) lines = copied(lines, new Uint16Array(2 * start));
      others.delete(slot);
      const week = schedule?.week;
      if (!schedule?.namesOtherDays) lines[start] = NOTHING;
      else if (week && week.length <= WIDTH - FIRST_CHANGE) lines.set([WEEKLY, week.length, ...week], start);
      else {
        lines[start] = BY_SCHEDULE;
        others.set(slot, schedule);
      }
    },
    areKnown: (slot) => (lines[slot * WIDTH] ?? NOTHING) !== NOTHING,
    isOpen: (slot, wall) => {
      const start = slot * WIDTH;
      const first = start + FIRST_CHANGE;
      if (lines[start] === WEEKLY) return isOpenInWeek(lines, first, first + (lines[start + 1] ?? 0), wall);
      const schedule = others.get(slot);
      return schedule !== undefined && isOpenAt(schedule, wall);
    },
  };
}

interface NumberedZones {
  /** 0 for null or a zone that the runtime does not know. */
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
