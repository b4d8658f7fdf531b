import timeZoneAt from '@photostructure/tz-lookup';
import type { VisitedPlace } from './store.ts';

/** The day, YYYY-MM-DD, that it is at a place; in UTC where the place has no coordinates. */
export function todayAt({ latitude, longitude }: VisitedPlace, now: Date): string {
  const isPlaced = latitude !== null && longitude !== null;
  return dayIn(isPlaced ? timeZoneAt(latitude, longitude) : 'UTC', now) ?? now.toISOString().slice(0, 10);
}

/** Undefined for a zone that this runtime does not know. */
function dayIn(timeZone: string, now: Date): string | undefined {
  try {
    // The order of ISO 8601.
    return new Intl.DateTimeFormat('sv-SE', { timeZone }).format(now);
  } catch {
    return undefined;
  }
}
