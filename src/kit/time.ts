/** In milliseconds. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const WEEK_MS = 7 * DAY_MS;

/** Formats a time to the second for file names, such as 20261121T033000Z. */
export function stampOf(moment: Date): string {
  return moment.toISOString().replace(/[-:]|\.\d+/g, '');
}

// A plus sign that was not encoded arrives as a space.
const INSTANT = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?(?:Z|([+ -])(\d\d)(?::?(\d\d))?)$/i;

/** The milliseconds since 1970 of a time in ISO 8601 with its offset; undefined for any other text. */
export function parseInstant(text: string): number | undefined {
  const [, date, time, seconds = ':00', sign, hours = '00', minutes = '00'] = INSTANT.exec(text) ?? [];
  if (date === undefined || time === undefined) return undefined;
  const instant = Date.parse(`${date}T${time}${seconds}${sign === '-' ? '-' : '+'}${hours}:${minutes}`);
  // `Date.parse` reads February 30 as March 2.
  const isDate = !Number.isNaN(instant) && new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
  return isDate ? instant : undefined;
}
