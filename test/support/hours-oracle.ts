import OpeningHours from 'opening_hours';
import { stateAt } from '../../src/catalogue/hours/opening.ts';
import { scheduleOf } from '../../src/catalogue/hours/schedule.ts';
import type { Zone } from '../../src/catalogue/hours/zones.ts';
import type { RandomHours } from './random-hours.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

/** An instant at which clocks of a zone show a time that they show once. */
export interface Moment {
  readonly zone: Zone;
  readonly instant: number;
}

/**
 * How the answers differ from those of opening_hours, the reference implementation of the language, a line each. It reads
 * the clocks of this process alone, and so is asked with dates that show here what clocks show in the zone.
 */
export function differences({ text, cutUpTo }: RandomHours, moments: readonly Moment[]): readonly string[] {
  const schedule = scheduleOf(text);
  if (!schedule) return [`${text}: not understood`];
  const oracle = new OpeningHours(text, null);
  return moments.flatMap(({ zone, instant }) => {
    const wall = instant + zone.offsetAt(instant);
    // There a later rule cuts the span of the day before in the oracle, but not here.
    if (((wall % DAY) + DAY) % DAY < cutUpTo * MINUTE) return [];
    const { isOpen, until } = stateAt(schedule, instant, zone);
    const at = localDate(wall);
    const expected = oracle.getState(at);
    const name = `${text} in ${zone.name} at ${new Date(instant).toISOString()}`;
    if (isOpen !== expected) return [`${name}: open is ${isOpen}`];
    if (cutUpTo > 0) return [];
    const next = nextInstant(oracle, at, zone);
    const due = next !== undefined && next - instant <= 7 * DAY ? next : undefined;
    return due === until ? [] : [`${name}: changes at ${shown(until)}, not ${shown(due)}`];
  });
}

/**
 * When the state changes next. It opens when clocks show the time first, and closes when they show it last. Where it closes
 * within skipped time and opens at its end, nothing changes.
 */
function nextInstant(oracle: OpeningHours, at: Date, zone: Zone): number | undefined {
  const isOpen = oracle.getState(at);
  const next = oracle.getNextChange(at, new Date(at.getTime() + 9 * DAY));
  if (!next) return undefined;
  const [first, last] = zone.instantsOf(wallOf(next));
  const change = isOpen ? last : first;
  const then = localDate(change + zone.offsetAt(change));
  return then > next && oracle.getState(then) === isOpen ? nextInstant(oracle, then, zone) : change;
}

/** The date whose fields here are those of a wall-clock time. */
function localDate(wall: number): Date {
  const date = new Date(wall);
  return new Date(
    ...([date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()] as const),
    ...([date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()] as const),
  );
}

function wallOf(date: Date): number {
  return Date.UTC(
    ...([date.getFullYear(), date.getMonth(), date.getDate()] as const),
    ...([date.getHours(), date.getMinutes(), date.getSeconds()] as const),
  );
}

function shown(instant: number | undefined): string {
  return instant === undefined ? 'no time' : new Date(instant).toISOString();
}
