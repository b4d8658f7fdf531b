import { stateAt } from './opening.ts';
import type { ScheduleReader } from './schedule.ts';
import type { Zones } from './clocks.ts';

/** The facts that decide whether a place is open. */
export interface Place {
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

/** Returns whether a place is open at an instant, in milliseconds since 1970. */
export type Openings = (place: Place, instant: number) => Opening;

export function createOpenings(read: ScheduleReader, zones: Zones): Openings {
  return ({ isActive, hours, zone: name }, instant) => {
    if (!isActive) return { state: 'closed', until: null, reason: 'status' };
    if (hours === null) return unknown('no_hours');
    const zone = name === null ? undefined : zones.named(name);
    if (!zone) return unknown('no_time_zone');
    const schedule = read(hours);
    if (!schedule) return unknown('not_understood');
    const { namesHolidays, namesOtherDays } = schedule;
    if (!namesOtherDays) return unknown('holidays');
    const { isOpen, until } = stateAt(schedule, instant, zone);
    return {
      state: isOpen ? 'open' : 'closed',
      until: until === undefined ? null : new Date(until).toISOString(),
      reason: namesHolidays ? 'holidays' : null,
    };
  };
}

function unknown(reason: Opening['reason']): Opening {
  return { state: 'unknown', until: null, reason };
}
