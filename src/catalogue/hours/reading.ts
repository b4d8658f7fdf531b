import { type Dates, EVERY_WEEKDAY, MINUTES_A_DAY, type Rule, type Span, dayKey } from './rules.ts';

/** Parsed opening hours. */
export interface Hours {
  /** In order, without the rules that apply only on holidays. */
  readonly rules: readonly Rule[];
  /** True if the text mentions holidays, whose dates are unknown here. */
  readonly namesHolidays: boolean;
}

/** The days of a rule. */
interface Days extends Pick<Rule, 'weekdays' | 'dates'> {
  /** False if the rule names no days: it applies every day. */
  readonly isSelective: boolean;
  /** True if it names public or school holidays. */
  readonly namesHolidays: boolean;
  /** True if it applies only on holidays. */
  readonly isForHolidays: boolean;
}

const WEEKDAYS = numbered(
  'mo mon monday',
  'tu tue tues tuesday',
  'we wed wednesday',
  'th thu thur thurs thursday',
  'fr fri friday',
  'sa sat saturday',
  'su sun sunday',
);
const MONTHS = numbered(
  'jan january',
  'feb february',
  'mar march',
  'apr april',
  'may',
  'jun june',
  'jul july',
  'aug august',
  'sep sept september',
  'oct october',
  'nov november',
  'dec december',
);
const DAYS_OF_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const LAST_DAY = 31;
const WHOLE_DAY: readonly Span[] = [[0, MINUTES_A_DAY]];
const STATES: ReadonlyMap<string, boolean> = new Map([
  ['open', true],
  ['off', false],
  ['closed', false],
]);
// Far more than real opening hours have. They limit the cost of each evaluation.
const MAX_RULES = 24;
const MAX_SPANS = 60;

// Any other character is a token that no rule accepts. Whitespace of any width is skipped.
const TOKEN = /\d+|[a-z]+|[^\s\u200b]/gu;
const DASHES = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/gu;

/** The index of each name; each argument lists the spellings of one index. */
function numbered(...names: readonly string[]): ReadonlyMap<string, number> {
  return new Map(names.flatMap((same, index) => same.split(' ').map((name) => [name, index])));
}

class NotUnderstoodError extends Error {}

function check(condition: boolean): asserts condition {
  if (!condition) throw new NotUnderstoodError();
}

/**
 * Parses the syntax of OpenStreetMap's `opening_hours` tag, except comments, fallbacks, sunrise and sunset, week numbers,
 * years and nth weekdays of a month. Returns undefined if any part is not understood, or for more than 24 rules or 60 time
 * spans.
 */
export function readHours(text: string): Hours | undefined {
  try {
    return new Parser(text).hours();
  } catch (error) {
    if (error instanceof NotUnderstoodError) return undefined;
    throw error;
  }
}

/** Each method reads what its name says from the next tokens, and throws if they are anything else. */
class Parser {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = text.toLowerCase().replace(DASHES, '-').match(TOKEN) ?? [];
  }

  hours(): Hours {
    const rules: Rule[] = [];
    let namesHolidays = false;
    let ruleCount = 0;
    let spanCount = 0;
    let isAdded = false;
    // Whether the previous rule names days.
    let wasSelective = true;
    while (this.#peek() !== '') {
      if (!isAdded && this.#accept(';')) continue;
      const { weekdays, dates, isSelective, ...days } = this.#days();
      const spans = this.#spans();
      const state = STATES.get(this.#peek());
      check(isSelective || spans.length > 0 || state !== undefined);
      if (state !== undefined) this.#at += 1;
      ruleCount += 1;
      if (spans !== WHOLE_DAY) spanCount += spans.length;
      check(ruleCount <= MAX_RULES && spanCount <= MAX_SPANS);
      namesHolidays ||= days.namesHolidays;
      if (!days.isForHolidays) {
        const isOpen = state ?? true;
        // A rule with only times, after a rule that names days, adds to it instead of replacing it.
        const replaces = isOpen && !isAdded && (isSelective || !wasSelective);
        rules.push({ weekdays, dates, spans: spans.length > 0 ? spans : WHOLE_DAY, isOpen, replaces });
        wasSelective = isSelective;
      }
      isAdded = this.#accept(',');
      check(isAdded || ['', ';'].includes(this.#peek()));
    }
    check(ruleCount > 0 && !isAdded);
    return { rules, namesHolidays };
  }

  /**
   * The days at the start of a rule, if any: a list of dates, then one of weekdays, either perhaps with holidays. Anything
   * else would leave open whether two lists add days or intersect.
   */
  #days(): Days {
    let weekdays = 0;
    const dates: Dates[] = [];
    let [isSelective, namesHolidays, isForHolidays] = [false, false, false];
    while (this.#isDay()) {
      check(weekdays === 0);
      const isFirst = !isSelective;
      const datesBefore = dates.length;
      do {
        if (this.#accept('ph') || this.#accept('sh')) namesHolidays = true;
        else if (WEEKDAYS.has(this.#peek())) weekdays |= this.#weekdays();
        else dates.push(...this.#dates());
      } while (this.#accept(','));
      const hasDates = dates.length > datesBefore;
      check(!hasDates || (isFirst && weekdays === 0));
      if (!hasDates && weekdays === 0) {
        check(!isForHolidays);
        isForHolidays = true;
      }
      isSelective = true;
      this.#accept(':');
    }
    return {
      weekdays: weekdays || EVERY_WEEKDAY,
      dates: dates.length > 0 ? dates : undefined,
      isSelective,
      namesHolidays,
      isForHolidays,
    };
  }

  #isDay(): boolean {
    const token = this.#peek();
    return token === 'ph' || token === 'sh' || WEEKDAYS.has(token) || MONTHS.has(token);
  }

  /** `Mo` or `Fr-Mo`. */
  #weekdays(): number {
    const from = this.#named(WEEKDAYS);
    const to = this.#accept('-') ? this.#named(WEEKDAYS) : from;
    let weekdays = 1 << to;
    for (let day = from; day !== to; day = (day + 1) % 7) weekdays |= 1 << day;
    return weekdays;
  }

  /** `Jun`, `Nov-Feb`, `Dec 24`, `Dec 24-26,31` or `Dec 24-Jan 2`. */
  #dates(): readonly Dates[] {
    const month = this.#named(MONTHS);
    if (!this.#isDayOfMonth()) {
      const last = this.#accept('-') ? this.#named(MONTHS) : month;
      check(!this.#isDayOfMonth());
      return [[dayKey(month + 1, 1), dayKey(last + 1, LAST_DAY)]];
    }
    const dates: Dates[] = [];
    do {
      const from = this.#dayOf(month);
      let to = from;
      if (this.#accept('-')) {
        const other = this.#isDayOfMonth() ? month : this.#named(MONTHS);
        to = this.#dayOf(other);
        // In "Dec 24-Jan 2,5", the 5 could belong to either month.
        check(other === month ? to >= from : !this.#isDayOfMonth(1));
      }
      dates.push([from, to]);
    } while (this.#isDayOfMonth(1) && this.#accept(','));
    return dates;
  }

  /** True if a day of a month comes next, or after the next token, rather than a time or 24/7. */
  #isDayOfMonth(ahead = 0): boolean {
    const second = this.#peek(ahead + 1);
    if (!isNumber(this.#peek(ahead)) || second === '/') return false;
    return !(second === ':' && isNumber(this.#peek(ahead + 2)) && this.#peek(ahead + 3) === '-');
  }

  #dayOf(month: number): number {
    return dayKey(month + 1, this.#number(1, DAYS_OF_MONTHS[month] ?? 0));
  }

  /** `10:00-14:00,18:00-02:00` or `24/7`; empty if there are no times. */
  #spans(): readonly Span[] {
    if (['24', '/', '7'].every((token, index) => this.#peek(index) === token)) {
      this.#at += 3;
      return WHOLE_DAY;
    }
    const spans: Span[] = [];
    if (!this.#isTime()) return spans;
    do {
      const from = this.#time();
      check(this.#accept('-'));
      const to = this.#time();
      check(from < MINUTES_A_DAY && to <= 2 * MINUTES_A_DAY);
      spans.push([from, to > from ? to : to + MINUTES_A_DAY]);
    } while (this.#isTime(1) && this.#accept(','));
    return spans;
  }

  #isTime(ahead = 0): boolean {
    return isNumber(this.#peek(ahead)) && this.#peek(ahead + 1) === ':';
  }

  /** Minutes since midnight. */
  #time(): number {
    const hours = this.#number(0, 48);
    check(this.#accept(':') && this.#peek().length === 2);
    return 60 * hours + this.#number(0, 59);
  }

  #number(least: number, most: number): number {
    const token = this.#take();
    const number = Number(token);
    check(isNumber(token) && number >= least && number <= most);
    return number;
  }

  #named(names: ReadonlyMap<string, number>): number {
    const index = names.get(this.#take());
    check(index !== undefined);
    return index;
  }

  /** The next token, or the one `ahead` after it; empty at the end. */
  #peek(ahead = 0): string {
    return this.#tokens[this.#at + ahead] ?? '';
  }

  #take(): string {
    const token = this.#peek();
    this.#at += 1;
    return token;
  }

  /** Skips the next token if it equals `token`; returns whether it did. */
  #accept(token: string): boolean {
    if (this.#peek() !== token) return false;
    this.#at += 1;
    return true;
  }
}

function isNumber(token: string): boolean {
  return /^\d{1,2}$/.test(token);
}
