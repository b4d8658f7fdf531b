import { DAY_MS } from '../../kit/time.ts';

/** Minutes since a day's midnight, up to two days; `to` is excluded. */
export type Span = readonly [from: number, to: number];

/** Days of every year as `dayKey`s, both included; `from` may be later in the year than `to`. */
export type Dates = readonly [from: number, to: number];

/** A rule of opening hours: opens or closes its spans on its days. */
export interface Rule {
  /** Bit 0 is Monday, bit 6 Sunday. */
  readonly weekdays: number;
  /** Applies only on these dates; undefined for every date. */
  readonly dates: readonly Dates[] | undefined;
  readonly spans: readonly Span[];
  readonly isOpen: boolean;
  /** True if it overrides all earlier rules on its days. */
  readonly replaces: boolean;
}

export interface Day {
  /** 0 is Monday. */
  readonly weekday: number;
  readonly key: number;
}

/** The day that is a number of days after 1970-01-01. */
export function dayOf(number: number): Day {
  const date = new Date(number * DAY_MS);
  return { weekday: (date.getUTCDay() + 6) % 7, key: dayKey(date.getUTCMonth() + 1, date.getUTCDate()) };
}

export const MINUTES_A_DAY = 1_440;
export const EVERY_WEEKDAY = 0b1111111;

/** A sortable number for a month and its day, both from 1. */
export function dayKey(month: number, day: number): number {
  return 32 * month + day;
}

function isOn(rule: Rule, day: Day): boolean {
  if (((rule.weekdays >> day.weekday) & 1) === 0) return false;
  const { dates } = rule;
  if (!dates) return true;
  for (const range of dates) if (isWithin(range, day.key)) return true;
  return false;
}

function isWithin(dates: Dates, key: number): boolean {
  const from = dates[0];
  const to = dates[1];
  return from <= to ? key >= from && key <= to : key >= from || key <= to;
}

// Shared, because allocating it takes as long as filling it.
const minutes = new Uint8Array(2 * MINUTES_A_DAY);

/** The open spans of a day, in order; they neither overlap nor touch. */
export function spansOf(rules: readonly Rule[], day: Day): readonly Span[] {
  minutes.fill(0);
  for (const rule of rules) {
    if (!isOn(rule, day)) continue;
    if (rule.replaces) minutes.fill(0);
    for (const [from, to] of rule.spans) minutes.fill(rule.isOpen ? 1 : 0, from, to);
  }
  const open: Span[] = [];
  for (let from = minutes.indexOf(1); from >= 0;) {
    const end = minutes.indexOf(0, from);
    const to = end < 0 ? minutes.length : end;
    open.push([from, to]);
    from = minutes.indexOf(1, to);
  }
  return open;
}

/** True if a minute is open. Agrees with `spansOf`, but is faster: the last rule that covers the minute decides. */
export function isOpenAt(rules: readonly Rule[], day: Day, minute: number): boolean {
  for (let index = rules.length - 1; index >= 0; index -= 1) {
    const rule = rules[index];
    if (!rule || !isOn(rule, day)) continue;
    for (const span of rule.spans) if (minute >= span[0] && minute < span[1]) return rule.isOpen;
    if (rule.replaces) return false;
  }
  return false;
}

/** Sorts spans and merges those that overlap or touch; any unit will do. */
export function joined(spans: readonly Span[]): readonly Span[] {
  const result: Span[] = [];
  for (const [from, to] of spans.toSorted(([left], [right]) => left - right)) {
    const last = result.at(-1);
    if (last && from <= last[1]) result[result.length - 1] = [last[0], Math.max(last[1], to)];
    else result.push([from, to]);
  }
  return result;
}

/** The same span a number of days later. */
export function later([from, to]: Span, days: number): Span {
  return [from + days * MINUTES_A_DAY, to + days * MINUTES_A_DAY];
}
