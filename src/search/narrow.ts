import type { Term } from './terms.ts';

/** How many documents an expression finds, counted up to a limit. */
export type MatchCounter = (match: string, limit: number) => number;

// An expression found in fewer documents than this is rare enough to be used alone.
const COMMON = 300;
const VERY_COMMON = 20_000;
// Counting takes some 20 microseconds a choice up to the first of these limits, and a millisecond up to the second.
const MOST_CHOICES = 24;
const MOST_COMMON_CHOICES = 6;
// Each one beyond the first costs a walk along a list of documents and saves reading texts.
const MOST_USED = 3;
// Each name is a list of its own to be merged.
const MOST_NAMES = 50;

/** Expressions for the index that find everything that has all the terms, and more; texts have to be checked afterwards. */
export interface Narrowing {
  /** Cheap for the newest few; undefined when the index is of no help. */
  readonly first: string | undefined;
  /** For all the others: made in some milliseconds, and leaves fewer texts to check. */
  readonly rest: () => string | undefined;
}

/**
 * The index walks along one list of documents for every three characters that it is asked for. So it is asked for the
 * rarest few of them, and where all are common, first for any: words that often meet are found among the newest.
 */
export function narrow(terms: readonly Term[], count: MatchCounter): Narrowing {
  const usable = terms.filter(({ categories, foodTypes }) => categories.size + foodTypes.size <= MOST_NAMES);
  const each = Math.max(1, Math.floor(MOST_CHOICES / usable.length));
  const choices = usable.flatMap((term) => choicesOf(term, each));
  const rare = ranked(choices, COMMON, count).filter((choice) => choice.count < COMMON);
  const all = joined(rare);
  if (all !== undefined) return { first: all, rest: () => all };
  const sample = spread(choices, MOST_COMMON_CHOICES);
  return { first: sample[0], rest: () => joined(ranked(sample, VERY_COMMON, count)) };
}

function joined(choices: readonly Choice[]): string | undefined {
  const expressions = choices.slice(0, MOST_USED).map(({ expression }) => expression);
  return expressions.length === 0 ? undefined : expressions.join(' AND ');
}

interface Choice {
  readonly expression: string;
  readonly count: number;
}

/** Expressions with their counts, the rarest first. */
function ranked(expressions: readonly string[], limit: number, count: MatchCounter): readonly Choice[] {
  return expressions
    .map((expression) => ({ expression, count: count(expression, limit) }))
    .sort((left, right) => left.count - right.count);
}

/** Expressions of which everything that has the term matches each: some three of its characters, or one of its names. */
function choicesOf({ text, categories, foodTypes }: Term, most: number): readonly string[] {
  const names = [
    ...Array.from(categories, (id) => token(CATEGORY, id)),
    ...Array.from(foodTypes, (id) => token(FOOD_TYPE, id)),
  ];
  const characters = Array.from(text);
  const starts = Array.from({ length: characters.length - 2 }, (_, start) => start);
  return spread(starts, Math.min(most, Math.ceil(characters.length / 3))).map((start) => {
    const alternatives = [characters.slice(start, start + 3).join(''), ...names].map(quoted).join(' OR ');
    return names.length === 0 ? alternatives : `(${alternatives})`;
  });
}

/** At most so many of the values, from the first to the last. */
function spread<Value>(values: readonly Value[], most: number): readonly Value[] {
  if (values.length <= most) return values;
  const step = (values.length - 1) / Math.max(1, most - 1);
  return values.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

const CATEGORY = 0x100000;
const FOOD_TYPE = 0x100001;
const DIGITS = 60_000;
const ZERO = 0xf0000;

/** The text of a category or food type in the index, as the views of documents make it. */
function token(kind: number, id: number): string {
  return String.fromCodePoint(kind, ZERO + Math.floor(id / DIGITS), ZERO + (id % DIGITS));
}

/** Quoted, no text is a syntax error. */
function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
