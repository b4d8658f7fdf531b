import type { QueryFile } from '../storage/statements.ts';
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
 * A person's words as terms, every one of which must be found: one of three letters or more anywhere in the text, a
 * shorter one at the start of a word, characters of a script without blanks wherever they stand. Punctuation counts only
 * when there is nothing else, for names that are nothing else. Undefined when nothing can match.
 */
export type TermReader = (words: string) => readonly Term[] | undefined;

interface NameRow {
  readonly id: number;
  readonly search_name: string;
}

/** Opens the reader on lookups.sql for categories and for food types. */
export function createTermReader(categories: QueryFile, foodTypes: QueryFile): TermReader {
  const namesIn = (sql: QueryFile): (() => ReadonlyMap<number, string>) => {
    const list = sql.prepare<NameRow>('listSearchNames');
    return () => new Map(list.all().map((row) => [row.id, documentOf(row.search_name)]));
  };
  const [categoryNames, foodTypeNames] = [namesIn(categories), namesIn(foodTypes)];

  return (words) => {
    const found = new Set(searchName(words).split(' '));
    if (found.has('')) return undefined;
    const names = { categories: categoryNames(), foodTypes: foodTypeNames() };
    return [...found].map((word) => {
      const text = termOf(word);
      return { text, categories: having(names.categories, text), foodTypes: having(names.foodTypes, text) };
    });
  };
}

function having(names: ReadonlyMap<number, string>, text: string): ReadonlySet<number> {
  return new Set([...names].flatMap(([id, name]) => (name.includes(text) ? [id] : [])));
}

function termOf(word: string): string {
  const indexed = indexedWord(word);
  // The index has three characters in a row and no fewer; two blanks stand before every word in it.
  return Array.from(indexed).length >= 3 ? indexed : `  ${indexed}`;
}

/** A search name as the views of documents have it. */
function documentOf(name: string): string {
  return `  ${name.replaceAll(' ', '  ').replaceAll('\u007f', ' ')} `;
}
