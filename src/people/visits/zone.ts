import { isTimeZone, zoneOf } from '../../catalogue/hours/zones.ts';
import type { VisitedPlace } from './store.ts';

/** The day, YYYY-MM-DD, that it is at a place; in UTC where its time zone is not known. */
export function todayAt(place: VisitedPlace, now: Date): string {
  const timeZone = zoneAt(place);
  if (timeZone === null || !isTimeZone(timeZone)) return now.toISOString().slice(0, 10);
  // The order of ISO 8601.
  return new Intl.DateTimeFormat('sv-SE', { timeZone }).format(now);
}

function zoneAt({ time_zone: own, latitude, longitude }: VisitedPlace): string | null {
  return own ?? (latitude === null || longitude === null ? null : zoneOf(latitude, longitude));
}
