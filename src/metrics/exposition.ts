/** One number of a family. */
export interface Sample {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
  /** What stands behind the family's name, such as `_bucket`. */
  readonly suffix?: '_bucket' | '_sum' | '_count';
}

/** The numbers of one name, with what they are. */
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

/** A family of one number, or of none where it is not known. */
export function single(
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  value: number | undefined,
): Family {
  return { name, type, help, samples: value === undefined ? [] : [{ value }] };
}

/** A family of a number for each value of one label. */
export function labelled(
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  label: string,
  values: Iterable<readonly [string, number]>,
): Family {
  const samples = Array.from(values, ([key, value]) => ({ labels: { [label]: key }, value }));
  return { name, type, help, samples };
}

function familyText({ name, help, type, samples }: Family): string {
  const lines = samples.map(
    ({ suffix = '', labels = {}, value }) => `${name}${suffix}${labelsText(labels)} ${numberText(value)}\n`,
  );
  const told = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return `# HELP ${name} ${told}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function numberText(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}
