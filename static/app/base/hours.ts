/** Days as OpenStreetMap's opening hours name them, Monday first; PH are public holidays. */
export const DAYS = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su', 'PH'];

const DAY = `(?:${DAYS.join('|')})`;
const DAY_RANGE = `${DAY}(?:-${DAY})?`;
const TIME = String.raw`\d{1,2}:\d\d-\d{1,2}:\d\d`;
const RULE = new RegExp(`^(${DAY_RANGE}(?:,${DAY_RANGE})*)? ?(off|closed|24/7|${TIME}(?:,${TIME})*)$`);

// A rule behind a comma adds to those before it; one behind a semicolon takes their place.
const ADDED = new RegExp(`(?<=\\d|off|closed),(?=${DAY})`, 'g');

/** minutes after midnight; none where it is closed */
type Spans = readonly (readonly [from: number, to: number])[];

/**
 * The hours of the days of a week, and of public holidays where they are named, in the order of DAYS. Undefined for
 * all but weekdays with times: those hours are shown as they were typed.
 * @param text OpenStreetMap's `opening_hours`
 */
export function weekOf(text: string): (Spans | undefined)[] | undefined {
  const week: (Spans | undefined)[] = DAYS.map((day) => (day === 'PH' ? undefined : []));
  const rules = text
    .replace(/[‐-―−]/g, '-')
    .replace(/\s+/g, ' ')
    .replace(/ ?([,;-]) ?/g, '$1')
    .trim()
    .replace(ADDED, ';+')
    .split(';');
  for (const rule of rules.filter(Boolean)) {
    const isAdded = rule.startsWith('+');
    const match = RULE.exec(isAdded ? rule.slice(1) : rule);
    if (!match) return undefined;
    const [, days = 'Mo-Su', times = ''] = match;
    for (const at of days.split(',').flatMap(daysOf))
      week[at] = [...(isAdded ? (week[at] ?? []) : []), ...spansOf(times)];
  }
  return week;
}

/** @param range such as `Fr-Mo` */
function daysOf(range: string) {
  const [from = 0, to = from] = range.split('-').map((day) => DAYS.indexOf(day));
  if (from === to) return [from];
  const length = ((to - from + 7) % 7) + 1;
  return Array.from({ length }, (_, at) => (from + at) % 7);
}

function spansOf(times: string): Spans {
  if (times === '24/7') return [[0, 1440]];
  if (!times.includes(':')) return [];
  return times.split(',').map((span) => {
    const [hour = 0, minute = 0, endHour = 0, endMinute = 0] = span.split(/[:-]/).map(Number);
    return [hour * 60 + minute, endHour * 60 + endMinute];
  });
}

/** Where the day in a time zone, by its IANA name, stands in DAYS. */
export const dayIn = (zone: string, at: Date = new Date()) =>
  DAYS.indexOf(new Intl.DateTimeFormat('en', { weekday: 'short', timeZone: zone }).format(at).slice(0, 2));
