import { counted } from '../../kit/sentences.ts';

/** A finding of `catalogue doctor`. */
export interface Finding {
  readonly level: 'ok' | 'note' | 'risk' | 'fault';
  /** Says what is wrong, why, and what to do about it. Never contains a secret. */
  readonly text: string;
}

export type Findings = Generator<Finding, void, undefined>;

/** Something as it should be. */
export const good = (text: string): Finding => ({ level: 'ok', text });
/** Something good to know. */
export const note = (text: string): Finding => ({ level: 'note', text });
/** Something that works and is unsafe. */
export const risk = (text: string): Finding => ({ level: 'risk', text });
/** Something that prevents the service from working. */
export const fault = (text: string): Finding => ({ level: 'fault', text });

const LISTED = 20;

/** The first twenty elements of a list, and how many more there are. */
export function shorten(list: readonly string[]): string[] {
  const rest = list.length - LISTED;
  return rest > 0 ? [...list.slice(0, LISTED), `and ${rest} more`] : [...list];
}

/** A number of bytes in the unit that suits it. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return counted(bytes, 'byte');
  const power = Math.min(4, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(1)} ${['', 'kB', 'MB', 'GB', 'TB'][power] ?? ''}`;
}
