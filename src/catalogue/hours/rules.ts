/** Minutes from the midnight that a day begins with, from 0 up to two days: from the first to before the second. */
export type Span = readonly [from: number, to: number];

/** Days of any year from one to another, both included; the first may be later in the year. See `dayKey`. */
export type Dates = readonly [from: number, to: number];

/** One rule of opening hours: on its days it opens or closes its spans. */
export interface Rule {
  /** Bit 0 for Mondays to bit 6 for Sundays. */
  readonly weekdays: number;
  /** The days must lie in one of these; undefined where they need not. */
  readonly dates: readonly Dates[] | undefined;
  /** In their order. */
  readonly spans: readonly Span[];
  readonly isOpen: boolean;
  /** Whether the rules before it no longer count on its days. */
  readonly replaces: boolean;
}

/** A day of a calendar. */
export interface Day {
  /** From 0 for Mondays. */
  readonly weekday: number;
  readonly key: number;
}

export const MINUTES_A_DAY = 1_440;
export const EVERY_WEEKDAY = 0b1111111;

/** A number for a month, from 1, and a day of it, from 1, that grows with both. */
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

// One array for all: to make one takes as long as to fill it.
const minutes = new Uint8Array(2 * MINUTES_A_DAY);

/** The spans of a day: they neither overlap nor touch, and are in order. */
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

/** Whether a minute of a day is open, by the last rule that has a say in it: the same as by `spansOf`, but faster. */
export function isOpenOn(rules: readonly Rule[], day: Day, minute: number): boolean {
  for (let index = rules.length - 1; index >= 0; index -= 1) {
    const rule = rules[index];
    if (!rule || !isOn(rule, day)) continue;
    for (const span of rule.spans) if (minute >= span[0] && minute < span[1]) return rule.isOpen;
    if (rule.replaces) return false;
  }
  return false;
}

/** Spans in any order as ones that neither overlap nor touch, in order; the numbers may be any of one scale. */
export function joined(spans: readonly Span[]): readonly Span[] {
  const result: Span[] = [];
  for (const [from, to] of spans.toSorted(([left], [right]) => left - right)) {
    const last = result.at(-1);
    if (last && from <= last[1]) result[result.length - 1] = [last[0], Math.max(last[1], to)];
    else result.push([from, to]);
  }
  return result;
}
