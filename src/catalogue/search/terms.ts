import type { Lookup, Lookups } from '../restaurants/lookups.ts';
import type { Rows } from '../restaurants/rows.ts';
import { indexedWord, searchName } from '../../storage/text.ts';

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
  const [categoryNames, foodTypeNames] = [documentsOf(categories), documentsOf(foodTypes)];
  return texts.map((text) => ({
    text,
    categories: having(categoryNames, text),
    foodTypes: having(foodTypeNames, text),
  }));
}

function documentsOf(lookups: ReadonlyMap<number, Lookup>): readonly (readonly [id: number, text: string])[] {
  return Array.from(lookups, ([id, { searchName: name }]) => [id, documentOf(name)]);
}

function having(documents: ReturnType<typeof documentsOf>, text: string): ReadonlySet<number> {
  return new Set(documents.flatMap(([id, document]) => (document.includes(text) ? [id] : [])));
}

function termOf(word: string): string {
  const indexed = indexedWord(word);
  // The index has three characters in a row and no fewer; two blanks stand before every word in it.
  return Array.from(indexed).length >= 3 ? indexed : `  ${indexed}`;
}

/** Whether categories or food types have the term. */
export function hasLookups({ categories, foodTypes }: Term): boolean {
  return categories.size + foodTypes.size > 0;
}

/** Whether a row has a category or food type with the term. To be used at once. */
export function lookupTest(term: Term, rows: Rows): (slot: number) => boolean {
  if (!hasLookups(term)) return () => false;
  const { categories, foodTypes: wanted } = term;
  const { category, foodTypes } = rows.columns();
  const passes = rows.setsWith(wanted);
  return (slot) => categories.has(category[slot] ?? 0) || passes[foodTypes[slot] ?? 0] === 1;
}

/** Whether a search name has a word, which stands as in documents. */
export function isInName(word: string, name: string): boolean {
  // Documents differ from names only in their blanks.
  return word.includes(' ') ? documentOf(name).includes(word) : name.includes(word);
}

/** A search name as the views of documents have it. */
function documentOf(name: string): string {
  return `  ${name.replaceAll(' ', '  ').replaceAll('\u007f', ' ')} `;
}
