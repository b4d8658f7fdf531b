import type { Openings } from '../hours/answer.ts';
import { isUnderstood } from '../hours/schedule.ts';
import type { QueryFile } from '../../storage/statements.ts';
import { zoneOfPlace } from './facts.ts';
import type { RestaurantStatus } from './field-table.ts';
import type { RestaurantChange } from './fields.ts';

/** Reads the JSON texts of `opening` of restaurants at an instant, in milliseconds, by their ids. */
export type OpeningReader = (ids: readonly number[], instant: number) => ReadonlyMap<number, string>;

interface Row {
  readonly id: number;
  readonly status: RestaurantStatus;
  readonly opening_hours: string | null;
  readonly time_zone: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
}

/** Opens the reader on restaurants.sql. */
export function createOpeningReader(sql: QueryFile, openings: Openings): OpeningReader {
  const readHours = sql.prepare<Row>('readHours');
  return (ids, instant) =>
    new Map(
      readHours.all({ ids: JSON.stringify(ids) }).map((row) => {
        const { id, status, opening_hours: hours, time_zone, latitude, longitude } = row;
        const zone = zoneOfPlace(time_zone, latitude, longitude);
        return [id, JSON.stringify(openings({ isActive: status === 'active', hours, zone }, instant))];
      }),
    );
}

/** Warns of opening hours that are stored as they are, but not understood. */
export function hoursWarnings({ opening_hours: hours }: RestaurantChange): readonly string[] {
  return typeof hours === 'string' && !isUnderstood(hours) ? ['opening_hours is not understood'] : [];
}
