import { type Openings, createOpenings } from './answer.ts';
import { createZones } from './clocks.ts';
import { createScheduleReader } from './schedule.ts';
import { type Timetables, createTimetables } from './timetables.ts';

/** Opening hours, with shared caches of parsed schedules and time zones. */
export interface Hours {
  readonly openings: Openings;
  /** Creates empty timetables. */
  readonly timetables: () => Timetables;
}

/** Called once: all modules share the result. */
export function createHours(): Hours {
  const read = createScheduleReader();
  const zones = createZones();
  return { openings: createOpenings(read, zones), timetables: () => createTimetables(read, zones) };
}
