import type { Lookup, Lookups } from '../restaurants/lookups.ts';
import { indexedWord, searchName } from '../storage/text.ts';

/** One word that must be found: in a text, or in the name of the category or of a food type. */
export interface Term {
  /** As it stands in the documents of the index. */
  readonly text: string;
  /** The ids of the categories whose names have it. */
  readonly categories: ReadonlySet<number>;
  readonly foodTypes: ReadonlySet<number>;
}

/**
 * Words of a search as they stand in documents, every one of which must be found: one of three letters or more anywhere in
 * the text, a shorter one at the start of a word, characters of a script without blanks wherever they stand. Punctuation
 * counts only when there is nothing else, for names that are nothing else. Undefined when nothing can match.
 */
export function parseWords(words: string): readonly string[] | undefined {
  const found = new Set(searchName(words).split(' '));
  return found.has('') ? undefined : [...found].map(termOf);
}

/** Finds the categories and food types that have each of the words. */
export function termsOf(texts: readonly string[], { categories, foodTypes }: Lookups): readonly Term[] {
  return texts.map((text) => ({
    text,
    categories: having(categories, text),
    foodTypes: having(foodTypes, text),
  }));
}

function having(lookups: ReadonlyMap<number, Lookup>, text: string): ReadonlySet<number> {
  return new Set(
    [...lookups].flatMap(([id, { searchName: name }]) => (documentOf(name).includes(text) ? [id] : [])),
  );
}

function termOf(word: string): string {
  const indexed = indexedWord(word);
  // The index has three characters in a row and no fewer; two blanks stand before every word in it.
  return Array.from(indexed).length >= 3 ? indexed : `  ${indexed}`;
}

/** A search name as the views of documents have it. */
export function documentOf(name: string): string {
  return `  ${name.replaceAll(' ', '  ').replaceAll('\u007f', ' ')} `;
}
