import { indexedWord, searchName } from '../storage/text.ts';

/**
 * A person's words as an expression for the search index, in which every word must match: one of three letters or more
 * anywhere in the text, a shorter one at the start of a word, characters of an unspaced script wherever they stand.
 * Punctuation counts only when there is nothing else, for names that are nothing else. Undefined when nothing can match.
 * No input is a syntax error, since every term is quoted.
 */
export function matchExpression(words: string): string | undefined {
  const found = new Set(searchName(words).split(' '));
  return found.has('') ? undefined : [...found].map(wordExpression).join(' AND ');
}

function wordExpression(word: string): string {
  const indexed = indexedWord(word);
  // The index knows three characters in a row and no fewer; two blanks stand before every word in it.
  return quoted(Array.from(indexed).length >= 3 ? indexed : `  ${indexed}`);
}

function quoted(term: string): string {
  return `"${term.replaceAll('"', '""')}"`;
}
