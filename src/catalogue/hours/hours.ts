import { type Openings, createOpenings } from './answer.ts';
import { createZones } from './clocks.ts';
import { createScheduleReader } from './schedule.ts';
import { type Timetables, createTimetables } from './timetables.ts';

/** Opening hours and the clocks that they go by, with what was read of both in memory. */
export interface Hours {
  readonly openings: Openings;
  /** Makes timetables without any. */
  readonly timetables: () => Timetables;
}

/** Makes the one that all modules share. */
export function createHours(): Hours {
  const read = createScheduleReader();
  const zones = createZones();
  return { openings: createOpenings(read, zones), timetables: () => createTimetables(read, zones) };
}
