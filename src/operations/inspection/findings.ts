/** The result of one check of the service. */
export interface Finding {
  readonly level: 'ok' | 'note' | 'risk' | 'fault';
  /** What, why, and what to do about it. Never a secret. */
  readonly text: string;
}

/** Something as it should be. */
export const ok = (text: string): Finding => ({ level: 'ok', text });
/** Something good to know. */
export const note = (text: string): Finding => ({ level: 'note', text });
/** Something that works and is unsafe. */
export const risk = (text: string): Finding => ({ level: 'risk', text });
/** Something that keeps the service from working. */
export const fault = (text: string): Finding => ({ level: 'fault', text });

const LISTED = 20;

/** The first twenty of a list, and how many more there are. */
export function shorten(list: readonly string[]): string[] {
  const rest = list.length - LISTED;
  return rest > 0 ? [...list.slice(0, LISTED), `and ${rest} more`] : [...list];
}

/** A number of things, each of which is called by the noun: `1 photo`, `2 photos`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A number of bytes for people. */
export function sizeText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;
  let size = bytes;
  let index = 0;
  while (size >= 1000 && index < units.length - 1) {
    size /= 1000;
    index += 1;
  }
  return index === 0 ? counted(bytes, 'byte') : `${size.toFixed(1)} ${units[index] ?? ''}`;
}
