import zoneAt from '@photostructure/tz-lookup';

// Each check makes a formatter, which takes some 20 microseconds. There are about 400 zones.
const checked = new Map<string, boolean>();

/** Whether a text is the name of a time zone that the runtime knows (IANA Time Zone Database), and no offset. */
export function isTimeZone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The name of the time zone of a place, by degrees; null where the runtime does not know it. */
export function zoneOf(latitude: number, longitude: number): string | null {
  const name = zoneAt(latitude, longitude);
  const isKnown = checked.get(name) ?? isTimeZone(name);
  checked.set(name, isKnown);
  return isKnown ? name : null;
}
