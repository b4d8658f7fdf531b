import type { Below } from './random-places.ts';

/** Opening hours with what a comparison has to know of them. */
export interface RandomHours {
  readonly text: string;
  /** The minute of a day at which the last span of the day before ends, where other rules might cut it. */
  readonly cutUpTo: number;
}

const WEEKDAYS = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MINUTES = [0, 0, 0, 0, 30, 30, 15, 45, 1, 59];
const DAY = 1_440;

/** Opening hours of one to five rules, in the language that is understood. */
export function randomHours(below: Below): RandomHours {
  const count = 1 + Math.min(below(5), below(5));
  const rules: Rule[] = [];
  for (let index = 0; index < count; index += 1) rules.push(randomRule(below, index));
  // Behind 24/7 the oracle reads no comma.
  const canAdd = ({ days }: Rule, index: number): boolean => days !== '' && rules[index - 1]?.rest !== '24/7';
  const joints = rules.map((rule, index) =>
    canAdd(rule, index) && below(4) === 0 ? ', ' : oneOf(below, ['; ', ';']),
  );
  const parts = rules.map(({ days, rest }, index) => {
    const text = [days, rest].filter((part) => part !== '').join(oneOf(below, [' ', ' ', ' ', ': ']));
    return (index === 0 ? '' : (joints[index] ?? '')) + (days === '' ? rest : text);
  });
  const isPlain = rules.every(({ isOpen }, index) => isOpen && (index === 0 || joints[index] === ', '));
  const text = varied(parts.join(''), below);
  return { text, cutUpTo: isPlain ? 0 : Math.max(0, ...rules.map(({ lastMinute }) => lastMinute - DAY)) };
}

interface Rule {
  readonly days: string;
  readonly rest: string;
  readonly isOpen: boolean;
  readonly lastMinute: number;
}

function randomRule(below: Below, index: number): Rule {
  const days = index === 0 && below(4) === 0 ? '' : randomDays(below);
  const kind = below(12);
  if (kind === 0) return { days, rest: oneOf(below, ['off', 'closed']), isOpen: false, lastMinute: 0 };
  if (kind === 1) return { days, rest: oneOf(below, ['24/7', 'open']), isOpen: true, lastMinute: DAY };
  const spans = randomSpans(below);
  const times = spans
    .map(([from, to]) => `${time(from, below)}-${time(to, below)}`)
    .join(oneOf(below, [',', ', ']));
  const isOpen = kind !== 2;
  const lastMinute = Math.max(...spans.map(([from, to]) => (to > from ? to : to + DAY)));
  return { days, rest: isOpen ? times : `${times} off`, isOpen, lastMinute };
}

function randomSpans(below: Below): readonly (readonly [number, number])[] {
  const minute = (from: number, hours: number): number =>
    60 * (from + below(hours)) + (MINUTES[below(10)] ?? 0);
  const lunch = [minute(8, 5), minute(13, 4)] as const;
  const dinner = [minute(16, 5), minute(21, 3)] as const;
  const late = [minute(17, 6), minute(0, 5)] as const;
  const long = [minute(9, 10), minute(24, 8)] as const;
  const any = [minute(0, 24), minute(0, 24)] as const;
  const twoDays = [minute(0, 24), DAY + minute(0, 24)] as const;
  const kinds = [[lunch], [lunch], [lunch, dinner], [lunch, dinner], [dinner], [lunch, late], [late], [long]];
  return oneOf(below, below(8) === 0 ? [[any], [twoDays], [any, lunch, any]] : kinds);
}

function randomDays(below: Below): string {
  const weekdays = below(6) === 0 ? '' : listOf(below, () => range(below, WEEKDAYS));
  if (below(3) > 0) return weekdays;
  const dates = below(2) === 0 ? listOf(below, () => range(below, MONTHS)) : listOf(below, () => date(below));
  return [dates, weekdays].filter((part) => part !== '').join(' ');
}

function listOf(below: Below, item: () => string): string {
  const count = 1 + Math.min(below(3), below(3));
  return Array.from({ length: count }, item).join(oneOf(below, [',', ', ']));
}

function range(below: Below, names: readonly string[]): string {
  const [first, last] = [oneOf(below, names), oneOf(below, names)];
  return below(3) === 0 || first === last ? first : `${first}-${last}`;
}

/** Without the last days of February: years differ in them, and the oracle sees no change ahead in a range up to the 28th. */
function date(below: Below): string {
  const [month, other] = [below(12), below(12)];
  const day = 1 + below(27);
  const start = `${MONTHS[month] ?? ''} ${below(4) === 0 ? String(day).padStart(2, '0') : day}`;
  const kind = below(4);
  if (kind === 0 && day < 27) return `${start}-${day + 1 + below(27 - day)}`;
  if (kind === 1 && other !== month) return `${start}-${MONTHS[other] ?? ''} ${1 + below(27)}`;
  return start;
}

function time(minute: number, below: Below): string {
  const hours = String(Math.floor(minute / 60));
  return `${below(6) === 0 ? hours : hours.padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
}

/** The same as people type it. */
function varied(text: string, below: Below): string {
  const kind = below(10);
  if (kind === 0) return text.toLowerCase();
  if (kind === 1) return text.replaceAll('-', oneOf(below, ['–', '—', ' - ', ' – ']));
  if (kind === 2) return text.replaceAll(' ', '\u00a0');
  if (kind === 3) return `${text};`;
  return text;
}

function oneOf<Item>(below: Below, items: readonly Item[]): Item {
  const item = items[below(items.length)];
  if (item === undefined) throw new Error('nothing to choose from');
  return item;
}
