import { MINUTES_A_DAY, type Rule, type Span } from './rules.ts';
import { type Selectors, readSelectors } from './selectors.ts';
import { type Tokens, numberOf, tokensOf } from './tokens.ts';

/** Parsed opening hours. */
export interface Hours {
  /** In order, without the rules that apply only on holidays. */
  readonly rules: readonly Rule[];
  /** True if the text mentions holidays, whose dates are unknown here. */
  readonly namesHolidays: boolean;
}

interface ReadRule extends Selectors {
  readonly spans: readonly Span[];
  readonly isOpen: boolean;
}

const WHOLE_DAY: readonly Span[] = [[0, MINUTES_A_DAY]];
// Far more than real opening hours have. They limit the cost of each evaluation.
const MAX_RULES = 24;
const MAX_SPANS = 60;
const STATES: ReadonlyMap<string, boolean> = new Map([
  ['open', true],
  ['off', false],
  ['closed', false],
]);

/**
 * Parses the syntax of OpenStreetMap's `opening_hours` tag, except comments, fallbacks, sunrise and sunset, week numbers,
 * years and nth weekdays of a month. Returns undefined if any part is not understood, or for more than 24 rules or 60 time
 * spans.
 */
export function readHours(text: string): Hours | undefined {
  const tokens = tokensOf(text);
  const rules: Rule[] = [];
  let namesHolidays = false;
  let ruleCount = 0;
  let spanCount = 0;
  let isAdded = false;
  // Whether the previous rule names days.
  let wasSelective = true;
  while (tokens.peek() !== '') {
    if (!isAdded && tokens.accept(';')) continue;
    const rule = readRule(tokens);
    if (!rule) return undefined;
    ruleCount += 1;
    if (rule.spans !== WHOLE_DAY) spanCount += rule.spans.length;
    if (ruleCount > MAX_RULES || spanCount > MAX_SPANS) return undefined;
    namesHolidays ||= rule.namesHolidays;
    if (!rule.isForHolidays) {
      // A rule with only times, after a rule that names days, adds to it instead of replacing it.
      const replaces = rule.isOpen && !isAdded && (rule.isSelective || !wasSelective);
      const { weekdays, dates, spans, isOpen } = rule;
      rules.push({ weekdays, dates, spans, isOpen, replaces });
      wasSelective = rule.isSelective;
    }
    isAdded = tokens.accept(',');
    if (!isAdded && !['', ';'].includes(tokens.peek())) return undefined;
  }
  return ruleCount === 0 || isAdded ? undefined : { rules, namesHolidays };
}

function readRule(tokens: Tokens): ReadRule | undefined {
  const selectors = readSelectors(tokens);
  if (!selectors) return undefined;
  const spans = readSpans(tokens);
  if (!spans) return undefined;
  const isOpen = STATES.get(tokens.peek());
  if (isOpen !== undefined) tokens.take();
  else if (!selectors.isSelective && spans.length === 0) return undefined;
  return { ...selectors, spans: spans.length > 0 ? spans : WHOLE_DAY, isOpen: isOpen ?? true };
}

/** The times of a rule; empty if it has none. */
function readSpans(tokens: Tokens): readonly Span[] | undefined {
  if (isAlways(tokens)) {
    for (const token of ['24', '/', '7']) tokens.accept(token);
    return WHOLE_DAY;
  }
  const spans: Span[] = [];
  while (isTime(tokens, spans.length > 0 ? 1 : 0)) {
    if (spans.length > 0) tokens.accept(',');
    const span = readSpan(tokens);
    if (!span) return undefined;
    spans.push(span);
  }
  return spans;
}

function isAlways(tokens: Tokens): boolean {
  return tokens.peek() === '24' && tokens.peek(1) === '/' && tokens.peek(2) === '7';
}

/** True if a time comes next; with `ahead`, after a comma. */
function isTime(tokens: Tokens, ahead: number): boolean {
  if (ahead > 0 && tokens.peek() !== ',') return false;
  return numberOf(tokens.peek(ahead), 0, 99) !== undefined && tokens.peek(ahead + 1) === ':';
}

function readSpan(tokens: Tokens): Span | undefined {
  const from = readTime(tokens);
  if (from === undefined || !tokens.accept('-')) return undefined;
  const to = readTime(tokens);
  if (to === undefined || from >= MINUTES_A_DAY || to > 2 * MINUTES_A_DAY) return undefined;
  return [from, to > from ? to : to + MINUTES_A_DAY];
}

/** Minutes since midnight. */
function readTime(tokens: Tokens): number | undefined {
  const hours = numberOf(tokens.take(), 0, 48);
  if (!tokens.accept(':')) return undefined;
  const token = tokens.take();
  const minutes = token.length === 2 ? numberOf(token, 0, 59) : undefined;
  return hours === undefined || minutes === undefined ? undefined : 60 * hours + minutes;
}
