import { stampOf } from '../../kit/time.ts';

/** A property of a component of a calendar: its name with parameters, and its value as its type is written. */
export type Property = readonly [name: string, value: string];

// Without the line break (RFC 5545 section 3.1).
const MOST_OCTETS = 75;
// Nothing but tabs and line breaks may be in a text (section 3.1, CONTROL).
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** The lines before the components of a calendar (RFC 5545). */
export function calendarStart(name: string): string {
  const lines: readonly Property[] = [
    ['BEGIN', 'VCALENDAR'],
    ['VERSION', '2.0'],
    ['PRODID', '-//Restaurant Catalogue//EN'],
    ['X-WR-CALNAME', textValue(name)],
  ];
  return lines.map(contentLine).join('');
}

export const CALENDAR_END = contentLine(['END', 'VCALENDAR']);

/** An event with the properties that every one needs, and its own; those whose value is empty are left out. */
export function eventText(
  uid: string,
  changedAt: string,
  { createdAt, properties }: { readonly createdAt: string; readonly properties: readonly Property[] },
): string {
  const changed = timeValue(changedAt);
  // Rounded up, so that it counts even a change within the first second.
  const sequence = Math.max(0, Math.ceil((Date.parse(changedAt) - Date.parse(createdAt)) / 1_000));
  const lines: readonly Property[] = [
    ['BEGIN', 'VEVENT'],
    ['UID', uid],
    ['SEQUENCE', String(sequence)],
    ['DTSTAMP', changed],
    ['CREATED', timeValue(createdAt)],
    ['LAST-MODIFIED', changed],
    ...properties.filter(([, value]) => value !== ''),
    ['END', 'VEVENT'],
  ];
  return lines.map(contentLine).join('');
}

/** The value of a text (section 3.3.11). */
export function textValue(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(CONTROLS, '')
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n');
}

/** The value of a moment, in UTC. */
export function timeValue(iso: string): string {
  return stampOf(new Date(iso));
}

/** A property as a line, folded into lines of at most 75 octets between characters. */
function contentLine([name, value]: Property): string {
  const octets = Buffer.from(`${name}:${value}`);
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
