/**
 * What a look at the service has found: `ok` is as it should be; `note` is good to know; `risk` works and is unsafe;
 * `fault` keeps the service from working.
 */
export interface Finding {
  readonly level: 'ok' | 'note' | 'risk' | 'fault';
  /** What, why, and what to do about it. Never a secret. */
  readonly text: string;
}

/** What is as it should be. */
export function ok(text: string): Finding {
  return { level: 'ok', text };
}

/** What is good to know. */
export function note(text: string): Finding {
  return { level: 'note', text };
}

/** What works and is unsafe. */
export function risk(text: string): Finding {
  return { level: 'risk', text };
}

/** What keeps the service from working. */
export function fault(text: string): Finding {
  return { level: 'fault', text };
}

/** A number of things, each of which is called by the noun: `1 photo`, `2 photos`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A number of bytes as people read it. */
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
