import { type Dates, EVERY_WEEKDAY, dayKey } from './rules.ts';
import { type Tokens, numberOf } from './tokens.ts';

/** The days that a rule applies to. */
export interface Selectors {
  readonly weekdays: number;
  readonly dates: readonly Dates[] | undefined;
  /** True if the rule names days; one without them applies every day. */
  readonly isSelective: boolean;
  /** True if it names public or school holidays. */
  readonly namesHolidays: boolean;
  /** True if it applies only on holidays. */
  readonly isForHolidays: boolean;
}

/** A list of days: `Mo-Fr,PH` or `Jan 1,Dec 24-26`. */
interface DayList {
  weekdays: number;
  readonly dates: Dates[];
  hasHolidays: boolean;
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

/** The index of each name; each argument lists the spellings of one index. */
function numbered(...names: readonly string[]): ReadonlyMap<string, number> {
  return new Map(names.flatMap((same, index) => same.split(' ').map((name) => [name, index])));
}

/** Reads the days at the start of a rule, if any; returns undefined if they are not understood. */
export function readSelectors(tokens: Tokens): Selectors | undefined {
  const lists: DayList[] = [];
  while (isDay(tokens.peek())) {
    const list = readList(tokens);
    if (!list || lists.some((earlier) => isOutOfPlace(earlier, list))) return undefined;
    lists.push(list);
    tokens.accept(':');
  }
  const dates = lists.flatMap((list) => list.dates);
  return {
    weekdays: lists.reduce((all, { weekdays }) => all | weekdays, 0) || EVERY_WEEKDAY,
    dates: dates.length > 0 ? dates : undefined,
    isSelective: lists.length > 0,
    namesHolidays: lists.some(({ hasHolidays }) => hasHolidays),
    isForHolidays: lists.some(isOfHolidays),
  };
}

function isDay(token: string): boolean {
  return token === 'ph' || token === 'sh' || WEEKDAYS.has(token) || MONTHS.has(token);
}

function isOfHolidays({ weekdays, dates }: DayList): boolean {
  return weekdays === 0 && dates.length === 0;
}

/** Only dates, then weekdays, each once: otherwise it is unclear whether two lists add days or intersect. */
function isOutOfPlace(earlier: DayList, later: DayList): boolean {
  if (earlier.weekdays !== 0) return true;
  return later.dates.length > 0 || (isOfHolidays(earlier) && isOfHolidays(later));
}

function readList(tokens: Tokens): DayList | undefined {
  const list: DayList = { weekdays: 0, dates: [], hasHolidays: false };
  do if (!readItem(tokens, list)) return undefined;
  while (tokens.accept(','));
  return list.weekdays !== 0 && list.dates.length > 0 ? undefined : list;
}

/** Adds a holiday, a weekday, a date or a range to the list; returns false for anything else. */
function readItem(tokens: Tokens, list: DayList): boolean {
  if (tokens.accept('ph') || tokens.accept('sh')) {
    list.hasHolidays = true;
    return true;
  }
  if (WEEKDAYS.has(tokens.peek())) {
    const weekdays = readWeekdays(tokens);
    list.weekdays |= weekdays ?? 0;
    return weekdays !== undefined;
  }
  const dates = readDates(tokens);
  list.dates.push(...(dates ?? []));
  return dates !== undefined;
}

function readWeekdays(tokens: Tokens): number | undefined {
  const from = WEEKDAYS.get(tokens.take());
  const to = tokens.accept('-') ? WEEKDAYS.get(tokens.take()) : from;
  if (from === undefined || to === undefined) return undefined;
  let weekdays = 1 << from;
  for (let day = from; day !== to; day = (day + 1) % 7) weekdays |= 1 << ((day + 1) % 7);
  return weekdays;
}

/** `Jun`, `Nov-Feb`, `Dec 24`, `Dec 24-26,31` or `Dec 24-Jan 2`. */
function readDates(tokens: Tokens): readonly Dates[] | undefined {
  const month = readMonth(tokens);
  if (month === undefined) return undefined;
  if (!isDayOfMonth(tokens)) {
    const last = tokens.accept('-') ? readMonth(tokens) : month;
    if (last === undefined || isDayOfMonth(tokens)) return undefined;
    return [[dayKey(month, 1), dayKey(last, LAST_DAY)]];
  }
  const all: Dates[] = [];
  do {
    const dates = readDatesOf(month, tokens);
    if (!dates) return undefined;
    all.push(dates);
  } while (isDayOfMonth(tokens, 1) && tokens.accept(','));
  return all;
}

/** A day of a month, or a range that starts with one. */
function readDatesOf(month: number, tokens: Tokens): Dates | undefined {
  const from = readDay(month, tokens);
  if (from === undefined) return undefined;
  if (!tokens.accept('-')) return [from, from];
  const other = isDayOfMonth(tokens) ? month : readMonth(tokens);
  const to = other === undefined ? undefined : readDay(other, tokens);
  if (to === undefined || (other === month && to < from)) return undefined;
  // In "Dec 24-Jan 2,5", the 5 could belong to either month.
  if (other !== month && isDayOfMonth(tokens, 1)) return undefined;
  return [from, to];
}

function readMonth(tokens: Tokens): number | undefined {
  const index = MONTHS.get(tokens.take());
  return index === undefined ? undefined : index + 1;
}

function readDay(month: number, tokens: Tokens): number | undefined {
  const day = numberOf(tokens.take(), 1, DAYS_OF_MONTHS[month - 1] ?? 0);
  return day === undefined ? undefined : dayKey(month, day);
}

/** True if a day of a month comes next, rather than a time or 24/7. */
function isDayOfMonth(tokens: Tokens, ahead = 0): boolean {
  const [token, second, third, fourth] = [0, 1, 2, 3].map((more) => tokens.peek(ahead + more));
  if (!isNumber(token) || second === '/') return false;
  return !(second === ':' && isNumber(third) && fourth === '-');
}

function isNumber(token = ''): boolean {
  return numberOf(token, 0, 99) !== undefined;
}
