import { type Wall, changesOfDay, changesUpTo, stateAt, wallAt } from './opening.ts';
import type { Schedule, ScheduleReader } from './schedule.ts';
import { MINUTES_A_DAY } from './rules.ts';
import type { Zone, Zones } from './clocks.ts';
import { CLOSED, OPEN, type StateCode, UNKNOWN, createJudged } from './judged.ts';

/** The opening hours of many places, by their slots, so that thousands are evaluated in a millisecond. */
export interface Timetables {
  /** Stores the hours of a place and the name of its time zone. They are read when there is time, or when they are needed. */
  readonly set: (slot: number, hours: string | null, zone: string | null) => void;
  /** Reads some of the hours that were stored, in a few milliseconds. Returns whether more are to be read. */
  readonly readSome: () => boolean;
  /** Returns a function for the state of a slot's place at an instant, which must be used before anything is set. */
  readonly at: (instant: number) => (slot: number) => StateCode;
}

/**
 * What one slot has in the array: how its hours are known, the number of changes, the day of these where not all weeks are
 * the same, and their minutes of the week or of that day. With 64 bytes it is what a processor reads at once: objects in
 * the place of these take ten times as long, nearly all of it waiting for memory.
 */
const WIDTH = 32;
const FIRST_CHANGE = 3;
const NOTHING = 0;
const WEEKLY = 1;
const BY_DAY = 2;
const NO_DAY = 0;
const LAST_DAY = 65_535;
const LEAST_CAPACITY = 1_024;
// Each takes up to some ten microseconds.
const READ_AT_ONCE = 100;

/** Makes timetables without any. */
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
    return changes.isOpen(slot, instant, zone, wall) ? OPEN : CLOSED;
  }

  return {
    set: (slot, hours, zone) => {
      if (slot >= zoneNumbers.length) zoneNumbers = longer(zoneNumbers, 2 * slot);
      zoneNumbers[slot] = hours === null ? 0 : numbered.numberOf(zone);
      judged.forget(slot);
      unread.delete(slot);
      if (hours === null) changes.set(slot, undefined);
      else unread.set(slot, hours);
    },
    readSome: () => {
      let count = 0;
      for (const [slot, hours] of unread) {
        readNow(slot, hours);
        if ((count += 1) === READ_AT_ONCE) break;
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
  /** Whether a place whose changes are known is open, when the clocks of its zone show that. */
  readonly isOpen: (slot: number, instant: number, zone: Zone, wall: Wall) => boolean;
}

function createChanges(): Changes {
  let lines = new Uint16Array(LEAST_CAPACITY * WIDTH);
  const others = new Map<number, Schedule>();

  /** Whether it was done: a few days have more changes, or are too far away. */
  function setDay(slot: number, { number }: Wall): boolean {
    const schedule = others.get(slot);
    if (!schedule || number <= NO_DAY || number > LAST_DAY) return false;
    const changes = changesOfDay(schedule, number);
    if (changes.length > WIDTH - FIRST_CHANGE) return false;
    lines.set([BY_DAY, changes.length, number, ...changes], slot * WIDTH);
    return true;
  }

  return {
    set: (slot, schedule) => {
      const start = slot * WIDTH;
      if (start >= lines.length) lines = longer(lines, 2 * start);
      others.delete(slot);
      const week = schedule?.week;
      if (!schedule?.namesOtherDays) lines[start] = NOTHING;
      else if (week && week.length <= WIDTH - FIRST_CHANGE)
        lines.set([WEEKLY, week.length, NO_DAY, ...week], start);
      else {
        lines.set([BY_DAY, 0, NO_DAY], start);
        others.set(slot, schedule);
      }
    },
    areKnown: (slot) => (lines[slot * WIDTH] ?? NOTHING) !== NOTHING,
    isOpen: (slot, instant, zone, wall) => {
      const start = slot * WIDTH;
      const isWeekly = lines[start] === WEEKLY;
      if (!isWeekly && (!isOfOneDay(wall) || (lines[start + 2] !== wall.number && !setDay(slot, wall)))) {
        const schedule = others.get(slot);
        return schedule !== undefined && stateAt(schedule, instant, zone).isOpen;
      }
      return isOpenBy(lines, start, isWeekly ? wall.weekMinute : wall.minute, wall.openIfChanged);
    },
  };
}

/** Whether all minutes that count lie within the day, neither at its start nor at its end. */
function isOfOneDay({ minute, openIfChanged }: Wall): boolean {
  if (!openIfChanged) return true;
  const [from, upTo] = openIfChanged;
  return minute + from > 0 && minute + upTo < MINUTES_A_DAY;
}

function isOpenBy(
  lines: Uint16Array,
  start: number,
  minute: number,
  openIfChanged: Wall['openIfChanged'],
): boolean {
  const first = start + FIRST_CHANGE;
  const end = first + (lines[start + 1] ?? 0);
  const count = changesUpTo(lines, minute, first, end);
  if (count % 2 === 1 || !openIfChanged) return count % 2 === 1;
  const [from, upTo] = openIfChanged;
  return changesUpTo(lines, minute + from - 1, first, end) < changesUpTo(lines, minute + upTo, first, end);
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
