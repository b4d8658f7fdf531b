import type { Sample } from './exposition.ts';

/** Counts values by how large they are. */
export interface Histogram {
  readonly observe: (value: number) => void;
  /** What the exposition format has of it: cumulative buckets, sum and count, all with `labels`. */
  readonly samples: (labels: Readonly<Record<string, string>>) => readonly Sample[];
}

/** Opens a histogram. `bounds` are the upper ends of its buckets, inclusive and ascending; one without an end follows. */
export function createHistogram(bounds: readonly number[]): Histogram {
  const counts = new Float64Array(bounds.length + 1);
  let sum = 0;
  let count = 0;

  function observe(value: number): void {
    let index = 0;
    // A value that is no number is counted behind all bounds: the buckets must add up to the count.
    while (index < bounds.length && !(value <= (bounds[index] ?? Infinity))) index += 1;
    counts[index] = (counts[index] ?? 0) + 1;
    sum += value;
    count += 1;
  }

  function samples(labels: Readonly<Record<string, string>>): readonly Sample[] {
    let below = 0;
    const buckets = Array.from(counts, (own, index): Sample => {
      below += own;
      const le = index < bounds.length ? String(bounds[index]) : '+Inf';
      return { suffix: '_bucket', labels: { ...labels, le }, value: below };
    });
    return [...buckets, { suffix: '_sum', labels, value: sum }, { suffix: '_count', labels, value: count }];
  }

  return { observe, samples };
}
