import { type Text, fill, inLanguage, isolated, root, texts } from './texts.js';
import type { Means, Opening, Restaurant } from './types.js';

const words = texts.common;

const numbers = (options?: Intl.NumberFormatOptions) => {
  const format = inLanguage((tag) => new Intl.NumberFormat(tag, options));
  return (value: number) => format().format(value);
};
const inUnit = (unit: string, digits = 0) => numbers({ style: 'unit', unit, maximumFractionDigits: digits });
const dates = (options: Intl.DateTimeFormatOptions) => {
  const format = inLanguage((tag) => new Intl.DateTimeFormat(tag, options));
  return (at: string | number | Date) => format().format(dateOf(at));
};

/** @param at such as `2026-01-31`: at noon, so that no zone makes another day of it */
const dateOf = (at: string | number | Date) =>
  new Date(typeof at === 'string' && at.length === 10 ? `${at}T12:00:00` : at);

const metres = inUnit('meter');
const kilometres = inUnit('kilometer');
const tenthsOfKilometres = inUnit('kilometer', 1);
const megabytes = inUnit('megabyte', 1);
const date = dates({ day: 'numeric', month: 'long' });
/** A day with its year. */
export const dateOfYear = dates({ day: 'numeric', month: 'long', year: 'numeric' });
const timeOfDay = dates({ timeStyle: 'short', timeZone: 'UTC' });
const longWeekday = dates({ weekday: 'long', timeZone: 'UTC' });
const relative = inLanguage((tag) => new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }));

const list = inLanguage((tag) => new Intl.ListFormat(tag, { type: 'conjunction' }));

/** Starts a line on the side where the language starts, whatever script its first part is in. */
const fromSide = (line: string) => (root.dir === 'rtl' && line !== '' ? `\u200f${line}` : line);

/** Such as "one, two and three". */
export const allOf = (names: readonly string[]) => fromSide(list().format(names.map(isolated)));
/** Such as "one, two". */
export const listed = (names: readonly string[]) => fromSide(names.map(isolated).join(words.separator));
/** Such as "one · two", without what is empty. */
export const dotted = (parts: readonly (string | false | 0 | null | undefined)[]) =>
  fromSide(parts.flatMap((part) => (part ? isolated(part) : [])).join(' · '));

export const score = numbers({ minimumFractionDigits: 1, maximumFractionDigits: 1 });
export const count = numbers();
/** A number in a few characters. */
export const compact = numbers({ notation: 'compact' });
export const month = dates({ month: 'long', year: 'numeric' });
export const shortMonth = dates({ month: 'short' });
export const weekday = dates({ weekday: 'short' });
export const time = dates({ timeStyle: 'short' });
const dayOfWeek = dates({ weekday: 'short', day: 'numeric', month: 'long' });
/** A day with its weekday, and the time. */
export const moment = (at: string) => fill(words.dayAndTime, { day: dayOfWeek(at), time: time(at) });
/** A day and the time. */
export const dayAndTime = (at: string) => fill(words.dayAndTime, { day: day(at), time: time(at) });

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
export const price = (level: number | null) => (root.dataset.currency ?? '€').repeat(level ?? 0);

/** @param length metres */
export const distance = (length: number) =>
  length < 950
    ? metres(Math.round(length / 10) * 10)
    : (length < 20_000 ? tenthsOfKilometres : kilometres)(length / 1000);

export const bytes = (size: number) => megabytes(size / 1_048_576);

/** A day, with its year unless it is this one. */
export const day = (at: string | number | Date) =>
  (dateOf(at).getFullYear() === new Date().getFullYear() ? date : dateOfYear)(at);

/** @param minutes after midnight */
export const dayTime = (minutes: number) => timeOfDay(minutes * 60_000);

/** @param at 0 for Monday */
export const weekdayName = (at: number) => longWeekday(Date.UTC(2024, 0, 1 + at));

const UNITS = ['year', 'month', 'week', 'day', 'hour', 'minute'] as const;
const SECONDS = { year: 31_557_600, month: 2_629_800, week: 604_800, day: 86_400, hour: 3600, minute: 60 };

/** How long ago something was, such as "2 days ago"; "now" within a minute. */
export function ago(at: string | number | Date) {
  const seconds = (new Date(at).getTime() - Date.now()) / 1000;
  const unit = UNITS.find((one) => Math.abs(seconds) >= SECONDS[one]);
  return unit ? relative().format(Math.trunc(seconds / SECONDS[unit]), unit) : relative().format(0, 'second');
}

/** A time by the clocks of a place, with the day where it is asked for. */
export const clockTime = (at: string, zone: string | null, weekday: 'long' | false = false) =>
  dates({
    ...(weekday ? { weekday, hour: 'numeric', minute: '2-digit' } : { timeStyle: 'short' }),
    ...(zone !== null && { timeZone: zone }),
  })(at);

/** A text with a time, which may have forms for its hour. */
export const atTime = (text: Text, time: string) =>
  fill(text, { time, count: Number(/\d+/.exec(time)?.[0]) });

/** Whether a place is open, in words with its kind; times are those of its clocks, with the day beyond 18 hours. */
export function openingText(opening: Opening | undefined, zone: string | null) {
  if (!opening || opening.reason === 'status') return undefined;
  const { state, until } = opening;
  const kind = state === 'open' ? 'open' : 'soft';
  if (state === 'unknown' || until === null) return { kind, text: words.opening[state] };
  const minutes = Math.ceil((Date.parse(until) - Date.now()) / 60_000);
  // What holds since then is known when the place was asked for again.
  if (minutes <= 0) return undefined;
  if (state === 'open' && minutes <= 60)
    return { kind: 'warn' as const, text: fill(words.opening.closes, { minutes }) };
  const isLater = minutes > 18 * 60;
  const [ofToday, ofLater] =
    state === 'open'
      ? [words.opening.until, words.opening.untilDay]
      : [words.opening.opens, words.opening.opensDay];
  const time = clockTime(until, zone, isLater && 'long');
  return { kind, text: atTime(isLater ? ofLater : ofToday, time) };
}

type Kind = Pick<Restaurant, 'category' | 'food_types' | 'price_level'>;

/** Category, food types and price of a place in one line. */
export function kindLine({ category, food_types: foods, price_level: level }: Kind) {
  const names = foods.map(({ name }) => name).filter((name) => name !== category?.name);
  return dotted([category?.name, listed(names), price(level)]);
}
