type Labels = Readonly<Record<string, string>>;

/** One number of a family. */
export interface Sample {
  readonly value: number;
  readonly labels?: Labels;
  readonly suffix?: '_bucket' | '_sum' | '_count';
}

/** The numbers of one name, and what they mean. */
export interface Family {
  /** In snake_case with a base unit; that of a counter ends in `_total`. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly samples: readonly Sample[];
}

/** The media type of `exposition`. */
export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Families as text of the Prometheus exposition format 0.0.4
 * (prometheus.io/docs/instrumenting/exposition_formats). A family without samples is left out.
 */
export function exposition(families: readonly Family[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(familyText)
    .join('');
}

/** What goes up and down: one number, nothing where it is unknown, or samples. */
export function gauge(name: string, help: string, value: number | readonly Sample[] | undefined): Family {
  return { name, type: 'gauge', help, samples: samplesOf(value) };
}

/** What only grows: likewise. */
export function counter(name: string, help: string, value: number | readonly Sample[]): Family {
  return { name, type: 'counter', help, samples: samplesOf(value) };
}

/** A sample for each value of one label. */
export function by(label: string, values: Iterable<readonly [string, number]>): readonly Sample[] {
  return Array.from(values, ([key, value]) => ({ labels: { [label]: key }, value }));
}

/** What `read` returns; undefined when it throws: the rest of a scrape matters most where the storage has failed. */
export function ifReadable<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Counts values by how large they are. */
export interface Histogram {
  readonly observe: (value: number) => void;
  /** Cumulative buckets, sum and count, all with `labels`. */
  readonly samples: (labels: Labels) => readonly Sample[];
}

/** Makes a histogram. `bounds` are the upper ends of its buckets, inclusive and ascending; one without an end follows. */
export function createHistogram(bounds: readonly number[]): Histogram {
  const counts = new Float64Array(bounds.length + 1);
  let sum = 0;
  let count = 0;
  return {
    observe: (value) => {
      const index = bounds.findIndex((bound) => value <= bound);
      // NaN is counted behind all bounds: the buckets must add up to the count.
      const bucket = index === -1 ? bounds.length : index;
      counts[bucket] = (counts[bucket] ?? 0) + 1;
      sum += value;
      count += 1;
    },
    samples: (labels) => {
      let below = 0;
      const buckets = Array.from(counts, (own, index): Sample => {
        below += own;
        return {
          suffix: '_bucket',
          labels: { ...labels, le: String(bounds[index] ?? '+Inf') },
          value: below,
        };
      });
      return [...buckets, { suffix: '_sum', labels, value: sum }, { suffix: '_count', labels, value: count }];
    },
  };
}

function samplesOf(value: number | readonly Sample[] | undefined): readonly Sample[] {
  if (value === undefined) return [];
  return typeof value === 'number' ? [{ value }] : value;
}

function familyText({ name, help, type, samples }: Family): string {
  const lines = samples.map(
    ({ suffix = '', labels = {}, value }) => `${name}${suffix}${labelsText(labels)} ${numberText(value)}\n`,
  );
  return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function labelsText(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function numberText(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}
