import type { Cleanup } from '../support/cleanup.ts';

/** The result of a program: the figures, and whether each bound holds. */
export interface Found {
  readonly figures: Readonly<Record<string, unknown>>;
  readonly bounds: Readonly<Record<string, boolean>>;
}

/** Runs a program that measures: one line of JSON, and exit code 1 where a bound was exceeded. */
export async function report(fault: string, work: (t: Cleanup) => Promise<Found>): Promise<void> {
  const stops: (() => void | Promise<void>)[] = [];
  try {
    const { figures, bounds } = await work({ after: (stop) => stops.unshift(stop) });
    const missed = Object.keys(bounds).filter((name) => bounds[name] !== true);
    const pass = missed.length === 0;
    console.log(JSON.stringify({ fault, ...figures, ...(pass ? {} : { missed }), pass }));
    if (!pass) process.exitCode = 1;
  } finally {
    for (const stop of stops) await stop();
  }
}

/** The value that a share of the values does not exceed, rounded to hundredths; 0 of no values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return hundredths(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}

/** A number as figures show it. */
export function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
