/** Behind which changes a list begins. */
export type Since =
  | { readonly kind: 'start' }
  | { readonly kind: 'change'; readonly id: number }
  | { readonly kind: 'time'; readonly at: string };

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const CHANGE = /^\d{1,15}$/;
const SPAN = /^(?<count>\d{1,6})(?<unit>[smhdw])$/;
const TIME =
  /^(?<day>\d{4}-\d\d-\d\d)(?:[T ](?<clock>\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(?<zone>Z|[+-]\d\d:\d\d)?)?$/i;

/** Reads what was typed; undefined where it is nothing of the kind. A span counts back from `now`. */
export function parseSince(text: string, now: Date): Since | undefined {
  if (text === 'start') return { kind: 'start' };
  if (CHANGE.test(text)) return { kind: 'change', id: Number(text) };
  const time = millisecondsOf(text, now);
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? undefined : { kind: 'time', at: date.toISOString() };
}

function millisecondsOf(text: string, now: Date): number {
  const { count, unit } = SPAN.exec(text)?.groups ?? {};
  const unitMs = Object.entries(UNIT_MS).find(([name]) => name === unit)?.[1];
  if (unitMs !== undefined) return now.getTime() - Number(count) * unitMs;
  const { day, clock = '00:00', zone = 'Z' } = TIME.exec(text)?.groups ?? {};
  return day === undefined ? NaN : Date.parse(`${day}T${clock}${zone.toUpperCase()}`);
}
