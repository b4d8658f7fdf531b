import { stampOf } from './time.ts';

/** A property of a component of a calendar: its name with parameters, and its value as its type is written. */
export type Property = readonly [name: string, value: string];

// Without the line break (RFC 5545 section 3.1).
const MOST_OCTETS = 75;
// Nothing but tabs and line breaks may be in a text (section 3.1, CONTROL).
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** A calendar (RFC 5545) begins and ends with these lines. */
export function calendarStart(name: string): string {
  return contentLines([
    ['BEGIN', 'VCALENDAR'],
    ['VERSION', '2.0'],
    ['PRODID', '-//Restaurant Catalogue//EN'],
    ['X-WR-CALNAME', textValue(name)],
  ]);
}
export const CALENDAR_END = 'END:VCALENDAR\r\n';
export const CALENDAR_TYPE = 'text/calendar; charset=utf-8';

/** The lines of a calendar for these properties; those whose value is empty are left out. */
function contentLines(properties: readonly Property[]): string {
  return properties
    .filter(([, value]) => value !== '')
    .map(([name, value]) => folded(`${name}:${value}`))
    .join('');
}

/** What every event has; times are in ISO 8601. */
interface EventHead {
  readonly uid: string;
  readonly sequence: number;
  readonly created: string;
  readonly changed: string;
}

/** An event (RFC 5545 section 3.6.1) with further properties. */
export function calendarEvent(
  { uid, sequence, created, changed }: EventHead,
  more: readonly Property[],
): string {
  const stamp = stampOf(new Date(changed));
  return contentLines([
    ['BEGIN', 'VEVENT'],
    ['UID', uid],
    ['SEQUENCE', String(sequence)],
    ['DTSTAMP', stamp],
    ['CREATED', stampOf(new Date(created))],
    ['LAST-MODIFIED', stamp],
    ...more,
    ['END', 'VEVENT'],
  ]);
}

/** The value of a position (section 3.8.1.6); empty without one. */
export function geoValue(latitude: number | null, longitude: number | null): string {
  return latitude === null || longitude === null ? '' : `${latitude};${longitude}`;
}

/** The value of a text (section 3.3.11). */
export function textValue(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(CONTROLS, '')
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n');
}

/** A line, folded into lines of at most 75 octets between characters. */
function folded(line: string): string {
  const octets = Buffer.from(line);
  let [lines, start] = ['', 0];
  // Further lines begin with a space, which counts.
  for (let most = MOST_OCTETS; start < octets.length; most = MOST_OCTETS - 1) {
    let end = start + most;
    while (isWithinCharacter(octets[end])) end -= 1;
    lines += `${start === 0 ? '' : ' '}${octets.toString('utf8', start, end)}\r\n`;
    start = end;
  }
  return lines;
}

/** Whether an octet of UTF-8 continues a character. */
function isWithinCharacter(octet = 0): boolean {
  return (octet & 0b1100_0000) === 0b1000_0000;
}
