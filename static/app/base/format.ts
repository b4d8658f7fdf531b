import { fill, texts } from './texts.js';
import type { Means, Opening, Restaurant } from './types.js';

const words = texts.common;

const SOON = 60;
const ONE = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const WHOLE = new Intl.NumberFormat();
const DATE = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'long' });
const DATE_OF_YEAR = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'long', year: 'numeric' });
const TIME = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
const DAY_TIME = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' });
const WEEKDAY_NAME = new Intl.DateTimeFormat(undefined, { weekday: 'long', timeZone: 'UTC' });
const MONTH = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric' });
const SHORT_MONTH = new Intl.DateTimeFormat(undefined, { month: 'short' });
const WEEKDAY = new Intl.DateTimeFormat(undefined, { weekday: 'short' });
const AGO = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const inUnit = (unit: string, digits = 0) =>
  new Intl.NumberFormat(undefined, { style: 'unit', unit, maximumFractionDigits: digits });
const METRES = inUnit('meter');
const KILOMETRES = inUnit('kilometer');
const TENTHS_OF_KILOMETRES = inUnit('kilometer', 1);
const MEGABYTES = inUnit('megabyte', 1);
const COMPACT = new Intl.NumberFormat(undefined, { notation: 'compact' });

export const score = (value: number) => ONE.format(value);

export const count = (value: number) => WHOLE.format(value);

/** A number in a few characters. */
export const compact = (value: number) => COMPACT.format(value);

/** The mean of all ratings in words, for those who do not see the bars. */
export const means = ({ overall, count: ratings, food, service, ambiance }: Means) =>
  ratings === 0
    ? words.notRated
    : fill(words.score, {
        overall: score(overall),
        count: ratings,
        food: score(food),
        service: score(service),
        ambience: score(ambiance),
      });

/** @param level 1 to 4 */
export const price = (level: number | null) => '€'.repeat(level ?? 0);

export const distance = (metres: number) =>
  metres < 950
    ? METRES.format(Math.round(metres / 10) * 10)
    : (metres < 20_000 ? TENTHS_OF_KILOMETRES : KILOMETRES).format(metres / 1000);

/** @param size bytes */
export const bytes = (size: number) => MEGABYTES.format(size / 1_048_576);

/** A day, with its year unless it is this one. */
export function day(at: string | number | Date) {
  const date = typeof at === 'string' && at.length === 10 ? noon(at) : new Date(at);
  return (date.getFullYear() === new Date().getFullYear() ? DATE : DATE_OF_YEAR).format(date);
}

// At noon, so that no zone makes another day of it.
const noon = (day: string) => new Date(`${day}T12:00:00`);

/** @param day such as `2026-01-31` */
export const month = (day: string) => MONTH.format(noon(day));

export const shortMonth = (day: string) => SHORT_MONTH.format(noon(day));

export const weekday = (day: string) => WEEKDAY.format(noon(day));

export const dayOfMonth = (day: string) => String(noon(day).getDate());

export const time = (at: string | number | Date) => TIME.format(new Date(at));

/** @param minutes after midnight */
export const dayTime = (minutes: number) => DAY_TIME.format(minutes * 60_000);

/** @param at 0 for Monday */
export const weekdayName = (at: number) => WEEKDAY_NAME.format(Date.UTC(2024, 0, 1 + at));

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** How long ago something was, such as "2 days ago". */
export function ago(at: string | number | Date) {
  const seconds = (new Date(at).getTime() - Date.now()) / 1000;
  const [unit, length] = STEPS.find(([, size]) => Math.abs(seconds) >= size) ?? ['minute', 60];
  return AGO.format(Math.trunc(seconds / length), unit);
}

/** Whether a place is open, in words with its kind: `open`, `warn` (closes soon), `soft` (closed, unknown). */
export function openingText(
  opening: Opening | undefined,
  zone: string | null,
): { kind: 'open' | 'warn' | 'soft'; text: string } | undefined {
  if (!opening || opening.reason === 'status') return undefined;
  const { state, until } = opening;
  if (state === 'unknown') return { kind: 'soft', text: words.opening.unknown };
  if (until === null)
    return state === 'open'
      ? { kind: 'open', text: words.opening.open }
      : { kind: 'soft', text: words.opening.closed };
  const left = new Date(until).getTime() - Date.now();
  // What holds since then is known when the place was asked for again.
  if (left <= 0) return undefined;
  const minutes = Math.ceil(left / 60_000);
  if (state === 'closed')
    return { kind: 'soft', text: fill(words.opening.opens, { time: clock(until, zone) }) };
  if (minutes <= SOON) return { kind: 'warn', text: fill(words.opening.closes, { minutes }) };
  return { kind: 'open', text: fill(words.opening.until, { time: clock(until, zone) }) };
}

/** A time on the clocks of the place, with its day unless it is within 18 hours. */
function clock(at: string, zone: string | null) {
  const isNear = new Date(at).getTime() - Date.now() < 18 * 3_600_000;
  return new Intl.DateTimeFormat(undefined, {
    hour: 'numeric',
    minute: '2-digit',
    ...(!isNear && { weekday: 'long' }),
    ...(zone !== null && { timeZone: zone }),
  }).format(new Date(at));
}

/** Category, food types and price of a place in one line. */
export const kindLine = ({
  category,
  food_types: foods,
  price_level: level,
}: Pick<Restaurant, 'category' | 'food_types' | 'price_level'>) =>
  [
    category?.name,
    foods
      .map(({ name }) => name)
      .filter((name) => name !== category?.name)
      .join(', '),
    price(level),
  ]
    .filter(Boolean)
    .join(' · ');
