/** Days as the API writes them, `2026-01-31`, on the calendar of the reader. */
export const textOf = (date: Date) =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((number) => String(number).padStart(2, '0'))
    .join('-');

const dateOf = (day: string) => new Date(`${day}T12:00:00`);

/** The twelve months that end with the month of tomorrow: where a place is, tomorrow may have begun. */
export function currentYear(now: Date) {
  const tomorrow = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
  const [year, month] = [tomorrow.getFullYear(), tomorrow.getMonth()];
  return { from: textOf(new Date(year, month - 11, 1)), to: textOf(new Date(year, month + 1, 0)) };
}

/** The same day of another year; the last day of a month stays that, since it is the one before a first. */
export function shiftYears(day: string, years: number) {
  const date = dateOf(day);
  date.setDate(date.getDate() + 1);
  date.setFullYear(date.getFullYear() + years);
  date.setDate(date.getDate() - 1);
  return textOf(date);
}

/** The twelve months that a day lies in, of those that end with the current ones. */
export function spanOf(day: string, now: Date) {
  let { from, to } = currentYear(now);
  while (day < from) [from, to] = [shiftYears(from, -1), shiftYears(to, -1)];
  return { from, to };
}

/** Weeks from Monday, with the days that lie within the span; two years are the most that an address may ask for. */
export function weeksOf({ from, to }: { from: string; to: string }) {
  const weeks: (string | undefined)[][] = [];
  const at = dateOf(from);
  at.setDate(at.getDate() - ((at.getDay() + 6) % 7));
  const next = () => {
    const day = textOf(at);
    at.setDate(at.getDate() + 1);
    return day >= from && day <= to ? day : undefined;
  };
  while (textOf(at) <= to && weeks.length < 106) weeks.push(Array.from({ length: 7 }, next));
  return weeks;
}
