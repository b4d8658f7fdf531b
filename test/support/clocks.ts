import { stateAt } from '../../src/catalogue/hours/opening.ts';
import { scheduleOf } from '../../src/catalogue/hours/schedule.ts';
import { type Zone, zoneNamed as findZone } from '../../src/catalogue/hours/zones.ts';

/** The clocks of a zone. Throws where the runtime does not know it. */
export function zoneNamed(name: string): Zone {
  const zone = findZone(name);
  if (!zone) throw new Error(`no time zone ${name}`);
  return zone;
}

/** `open` or `closed`, with the end of that where there is one; `unknown` for hours that are not understood. */
export function stateOf(hours: string, time: string, zone = 'Etc/UTC'): string {
  const schedule = scheduleOf(hours);
  if (!schedule || schedule.rules.length === 0) return 'unknown';
  const { isOpen, until } = stateAt(schedule, Date.parse(time), zoneNamed(zone));
  const end = until === undefined ? '' : ` until ${new Date(until).toISOString().slice(0, 16)}Z`;
  return `${isOpen ? 'open' : 'closed'}${end}`;
}

/** The same at a time of a day, which is left out where the end is on that day: `open until 14:00Z`. */
export function stateOn(day: string, time: string, hours: string, zone?: string): string {
  return stateOf(hours, `${day}T${time}Z`, zone).replace(`${day}T`, '');
}
