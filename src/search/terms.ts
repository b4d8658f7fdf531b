import { searchText } from '../storage/text.ts';

/** The terms of the search index (three characters each) that begin with `start`. */
export type IndexTerms = (start: string) => readonly string[];

// Scripts that are written without blanks, and symbols: a short word may stand anywhere in a run of them.
const UNSPACED =
  /^[\p{S}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u{2e80}-\u{10ffff}]/u;

/**
 * A person's words as an expression for the search index, in which every word must match: one of three letters or more
 * anywhere in the text, a shorter one at the start of a word. Undefined when nothing can match. No input is a syntax
 * error, since every term is quoted.
 */
export function matchExpression(words: string, indexTerms: IndexTerms): string | undefined {
  const expressions: string[] = [];
  for (const word of new Set(searchText(words).split(' '))) {
    const expression = wordExpression(word, indexTerms);
    if (expression === undefined) return undefined;
    expressions.push(expression);
  }
  return expressions.join(' AND ');
}

function wordExpression(word: string, indexTerms: IndexTerms): string | undefined {
  if (word === '') return undefined;
  if (Array.from(word).length >= 3) return quoted(word);
  // Two blanks stand before every word in the index.
  if (!UNSPACED.test(word)) return quoted(`  ${word}`);
  const terms = indexTerms(word);
  return terms.length === 0 ? undefined : `(${terms.map(quoted).join(' OR ')})`;
}

function quoted(term: string): string {
  return `"${term.replaceAll('"', '""')}"`;
}
