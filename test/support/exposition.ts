import assert from 'node:assert/strict';

/** A sample as it stands in the text format of Prometheus. */
export interface ReadSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The families of a scrape by name. */
export type Scrape = ReadonlyMap<string, ReadFamily>;

interface ReadFamily {
  readonly type: string;
  readonly samples: readonly ReadSample[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = String.raw`([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"`;
const SAMPLE = new RegExp(`^(${NAME})(?:\\{((?:${LABEL},?)+)\\})? (\\S+)$`);
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: [''],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
};

/** Reads a scrape by every rule of the text format 0.0.4, and of good names. Throws an AssertionError that names the line. */
export function readScrape(text: string): Scrape {
  assert.ok(text.endsWith('\n'), 'the last line does not end');
  const families = new Map<string, { type: string; samples: ReadSample[] }>();
  let current: { name: string; type: string; samples: ReadSample[] } | undefined;
  let described = '';
  for (const line of text.slice(0, -1).split('\n')) {
    const help = new RegExp(`^# HELP (${NAME}) (?:[^\\\\]|\\\\[\\\\n])+$`).exec(line)?.[1];
    const [, name, type = ''] =
      new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram|summary)$`).exec(line) ?? [];
    if (help !== undefined) described = help;
    else if (name !== undefined) {
      assert.ok(!families.has(name), `two families in ${line}`);
      assert.equal(described, name, `no help before ${line}`);
      assert.equal(name.endsWith('_total'), type === 'counter', line);
      current = { name, type, samples: [] };
      families.set(name, current);
    } else {
      assert.ok(current, `no type before ${line}`);
      const sample = readSample(line);
      const { name: family } = current;
      const known = (SUFFIXES[current.type] ?? []).map((suffix) => family + suffix);
      assert.ok(known.includes(sample.name), `strange to ${family}: ${line}`);
      current.samples.push(sample);
    }
  }
  for (const [name, family] of families) checkFamily(name, family);
  return families;
}

function readSample(line: string): ReadSample {
  const [, name = '', pairs = '', , , number = ''] = SAMPLE.exec(line) ?? [];
  assert.ok(name !== '' && !pairs.endsWith(','), `no sample: ${line}`);
  const labels = [...pairs.matchAll(new RegExp(LABEL, 'g'))].map(
    ([, label = '', value = '']) => [label, value] as const,
  );
  assert.equal(new Set(labels.map(([label]) => label)).size, labels.length, `a label stands twice: ${line}`);
  const value = number === '+Inf' ? Infinity : number === '-Inf' ? -Infinity : Number(number);
  assert.ok(number === 'NaN' || !Number.isNaN(value), `no number: ${line}`);
  return { name, labels: Object.fromEntries(labels), value };
}

function checkFamily(name: string, { type, samples }: ReadFamily): void {
  assert.ok(samples.length > 0, `${name} has no samples`);
  const keys = samples.map(({ name: own, labels }) => `${own} ${keyOf(labels)}`);
  assert.equal(new Set(keys).size, keys.length, `${name} has the same labels twice`);
  const isNegative = samples.some(({ value }) => value < 0);
  if (type === 'counter') assert.ok(!isNegative, `${name} counts down`);
  if (type === 'histogram') checkHistogram(name, samples);
}

/** Of each set of labels: buckets that rise to the one without end, which is the count; and a sum. */
function checkHistogram(name: string, samples: readonly ReadSample[]): void {
  const withoutBound = ({ labels: { le, ...labels } }: ReadSample): string => keyOf(labels);
  for (const key of new Set(samples.map(withoutBound))) {
    const own = samples.filter((sample) => withoutBound(sample) === key);
    const buckets = own.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => (labels['le'] === '+Inf' ? Infinity : Number(labels['le'])));
    const counts = buckets.map(({ value }) => value);
    assert.deepEqual(bounds, ascending(bounds), `${name} ${key}: bounds`);
    assert.deepEqual(counts, ascending(counts), `${name} ${key}: not cumulative`);
    assert.equal(bounds.at(-1), Infinity, `${name} ${key}: no bucket without end`);
    const count = own.find((sample) => sample.name === `${name}_count`);
    assert.equal(counts.at(-1), count?.value, `${name} ${key}: count`);
    const hasSum = own.some((sample) => sample.name === `${name}_sum`);
    assert.ok(hasSum, `${name} ${key}: no sum`);
  }
}

function ascending(values: readonly number[]): number[] {
  return values.toSorted((left, right) => left - right);
}

function keyOf(labels: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(labels).toSorted());
}

/** The value of the one sample with this name and at least these labels. Throws when there is not exactly one. */
export function valueOf(scrape: Scrape, name: string, labels: Readonly<Record<string, string>> = {}): number {
  const all = [...scrape.values()].flatMap(({ samples }) => samples);
  const found = all.filter(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  assert.equal(found.length, 1, `${name} ${JSON.stringify(labels)}: ${JSON.stringify(found)}`);
  return found[0]?.value ?? NaN;
}
