import { type StateCode, OPEN, UNKNOWN } from '../hours/judged.ts';
import { type Query, choiceParameter, textParameter } from '../../kit/input/query.ts';
import { type Columns, STATUS_CODES } from './rows.ts';

/** The instant at which places must be open, in milliseconds since 1970, or that of the request. */
export type OpenAt = number | 'now';

/** The filter by opening hours. */
export interface OpenFilter {
  readonly at: OpenAt;
  /** Whether places of which it is not known do not pass. */
  readonly isStrict: boolean;
}

const MAX_TIME = 40;
const FAULT = 'must be now or a time with its offset';
const DATE = /^(\d{4}-\d\d-\d\d)[T ]/i;
const TIME = /^(\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?(Z|[+ -]\d\d(?::?\d\d)?)$/i;
const ACTIVE = STATUS_CODES.indexOf('active');

/** Reads a parameter that is `now` or ISO 8601 with an offset; undefined when it is absent or at fault. */
export function openAtParameter(query: Query, name: string): OpenAt | undefined {
  const text = textParameter(query, name, MAX_TIME);
  if (text === undefined || text === 'now') return text;
  const instant = instantOf(text);
  if (instant === undefined) query.faults.push(`${name} ${FAULT}`);
  return instant;
}

/** Reads the same with `open_strict`. */
export function openFilterParameters(query: Query, name: string): OpenFilter | undefined {
  const at = openAtParameter(query, name);
  const strict = choiceParameter(query, 'open_strict', ['true', 'false']);
  if (strict !== undefined && !query.raw.has(name)) query.faults.push(`open_strict needs ${name}`);
  return at === undefined ? undefined : { at, isStrict: strict === 'true' };
}

function instantOf(text: string): number | undefined {
  const date = DATE.exec(text)?.[1];
  const [, time, seconds = ':00', sent] = TIME.exec(text.slice(11)) ?? [];
  if (date === undefined || time === undefined || sent === undefined || !isDate(date)) return undefined;
  const instant = Date.parse(`${date}T${time}${seconds}${offsetOf(sent)}`);
  return Number.isNaN(instant) ? undefined : instant;
}

/** February 30 would be read as March 2. */
function isDate(date: string): boolean {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date);
}

/** The offset with its minutes. A plus sign that was not encoded arrives as a blank. */
function offsetOf(sent: string): string {
  if (/^z$/i.test(sent)) return 'Z';
  const digits = sent.slice(1).replace(':', '').padEnd(4, '0');
  return `${sent.startsWith('-') ? '-' : '+'}${digits.slice(0, 2)}:${digits.slice(2)}`;
}

/** Returns a function for whether the place of a slot passes. */
export function openTest(
  { isStrict }: OpenFilter,
  stateOf: (slot: number) => StateCode,
  { status }: Columns,
): (slot: number) => boolean {
  return (slot) => {
    if (status[slot] !== ACTIVE) return false;
    const state = stateOf(slot);
    return state === OPEN || (state === UNKNOWN && !isStrict);
  };
}
