type Labels = Readonly<Record<string, string>>;

/** One line of a family. */
export interface Sample {
  readonly value: number;
  readonly labels?: Labels;
  readonly suffix?: '_bucket' | '_sum' | '_count';
}

/** All samples of one metric. */
export interface Family {
  /** In snake_case with a base unit; a counter's ends in `_total`. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly samples: readonly Sample[];
}

/** Makes a family of one number, of samples, or of nothing if the value is unknown. */
type FamilyMaker = (name: string, help: string, value: number | readonly Sample[] | undefined) => Family;

function maker(type: Family['type']): FamilyMaker {
  return (name, help, value = []) => {
    return { name, help, type, samples: typeof value === 'number' ? [{ value }] : value };
  };
}

export const counter = maker('counter');
export const gauge = maker('gauge');
export const histogram = maker('histogram');
export const summary = maker('summary');

/** A sample for each value of one label. */
export function by(label: string, values: Iterable<readonly [string, number]>): readonly Sample[] {
  return Array.from(values, ([key, value]) => ({ labels: { [label]: key }, value }));
}

/** What `read` returns; undefined if it throws, since the other metrics matter most when the storage has failed. */
export function ifReadable<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Counts values by size. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;
  #count = 0;

  /** `bounds` are the inclusive upper ends of the buckets, ascending; an unbounded bucket follows. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const index = this.#bounds.findIndex((bound) => value <= bound);
    // NaN counts in the last bucket, so that the buckets add up to the count.
    const bucket = index === -1 ? this.#bounds.length : index;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
    this.#count += 1;
  }

  /** Cumulative buckets, sum and count, each with `labels`. */
  samples(labels: Labels): readonly Sample[] {
    let value = 0;
    const samples = Array.from(this.#counts, (count, index): Sample => {
      value += count;
      return { suffix: '_bucket', labels: { ...labels, le: String(this.#bounds[index] ?? '+Inf') }, value };
    });
    samples.push(
      { suffix: '_sum', labels, value: this.#sum },
      { suffix: '_count', labels, value: this.#count },
    );
    return samples;
  }
}

/** The media type of `exposition`. */
export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Families in the Prometheus text format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats), without those that
 * have no samples.
 */
export function exposition(families: readonly Family[]): string {
  let text = '';
  for (const { name, help, type, samples } of families) {
    if (samples.length > 0) text += `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n`;
    for (const { suffix = '', labels = {}, value } of samples) {
      const pairs = Object.entries(labels).map(
        ([label, of]) => `${label}="${escaped(of).replaceAll('"', '\\"')}"`,
      );
      const inBraces = pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
      text += `${name}${suffix}${inBraces} ${value === Infinity ? '+Inf' : value}\n`;
    }
  }
  return text;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
