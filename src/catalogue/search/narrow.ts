import type { Term } from './terms.ts';

/** How many documents an expression finds, counted up to a limit. */
export type MatchCounter = (match: string, limit: number) => number;

// An expression of the index that finds fewer documents than this is worth asking for.
const RARE = 300;
// Counting takes some 20 microseconds a choice.
const MOST_CHOICES = 24;
// Each one beyond the first costs a walk along a list of documents and saves reading texts.
const MOST_USED = 3;
// Each name is a list of its own to be merged.
const MOST_NAMES = 50;

/**
 * An expression for the index that finds all the few documents that have all the terms, and some others; undefined when
 * none of the terms is rare. The index walks along one list of documents for every three characters that it is asked for.
 */
export function narrow(terms: readonly Term[], count: MatchCounter): string | undefined {
  const usable = terms.filter(({ categories, foodTypes }) => categories.size + foodTypes.size <= MOST_NAMES);
  const each = Math.max(1, Math.floor(MOST_CHOICES / usable.length));
  const rare = usable
    .flatMap((term) => choicesOf(term, each))
    .map((expression) => ({ expression, documents: count(expression, RARE) }))
    .filter(({ documents }) => documents < RARE)
    .sort((left, right) => left.documents - right.documents)
    .slice(0, MOST_USED);
  return rare.length === 0 ? undefined : rare.map(({ expression }) => expression).join(' AND ');
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
