import { indexedWord, searchName } from '../storage/text.ts';

/**
 * A person's words as terms of the search index, every one of which must match: one of three letters or more anywhere
 * in the text, a shorter one at the start of a word, characters of an unspaced script wherever they stand.
 * Punctuation counts only when there is nothing else, for names that are nothing else. Undefined when nothing can match.
 */
export function searchTerms(words: string): readonly string[] | undefined {
  const found = new Set(searchName(words).split(' '));
  return found.has('') ? undefined : [...found].map(termOf);
}

/** An expression for the search index that asks for all of the terms. None is a syntax error: every term is quoted. */
export function allOf(terms: readonly string[]): string {
  return terms.map((term) => `"${term.replaceAll('"', '""')}"`).join(' AND ');
}

/** A person's words as an expression for the search index. Undefined when nothing can match. */
export function matchExpression(words: string): string | undefined {
  const terms = searchTerms(words);
  return terms && allOf(terms);
}

function termOf(word: string): string {
  const indexed = indexedWord(word);
  // The index knows three characters in a row and no fewer; two blanks stand before every word in it.
  return Array.from(indexed).length >= 3 ? indexed : `  ${indexed}`;
}
