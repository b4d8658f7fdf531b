const EARLIEST = Date.parse('1970-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * A timestamp of an import file as it is stored (ISO 8601, UTC, milliseconds); absent and null give undefined. Anything
 * else, and a moment outside 1970 to 9999, is added to `faults`: beyond those years the text no longer sorts by time.
 */
export function timestampField(value: unknown, name: string, faults: string[]): string | undefined {
  if (value === undefined || value === null) return undefined;
  const time = typeof value === 'string' ? Date.parse(value) : NaN;
  if (Number.isNaN(time)) faults.push(`${name} must be a timestamp`);
  else if (time < EARLIEST || time > LATEST) faults.push(`${name} must be between 1970-01-01 and 9999-12-31`);
  else return new Date(time).toISOString();
  return undefined;
}
