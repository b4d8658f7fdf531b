import { indexedWord, searchName } from '../storage/text.ts';

/** How well a name fits a search, best first; see `ranking`. */
const RANKS = 6;
const [IS, BEGINS, HAS_WORD, BEGINS_WORD, INSIDE, ELSEWHERE] = [0, 1, 2, 3, 4, 5] as const;

const SPACE = 0x20;
/** Between characters of scripts without spaces. */
const SEAM = 0x7f;

/**
 * The words of a search as the full-text index has them: those of three or more letters are found anywhere in a text,
 * shorter ones at the start of a word, and characters of a script without spaces anywhere. Punctuation counts only if the
 * search has nothing else, for names of only punctuation.
 */
export function indexedWords(words: string): readonly string[] {
  const parts = new Set(searchName(words).split(' '));
  parts.delete('');
  return [...parts].map((part) => {
    const word = indexedWord(part);
    // The index holds only trigrams; in it, two spaces precede every word.
    return Array.from(word).length >= 3 ? word : `  ${word}`;
  });
}

/** True if a search name contains an indexed word. */
export function isInName(word: string, name: string): boolean {
  // Documents differ from names only in their spaces.
  return word.includes(' ') ? documentOf(name).includes(word) : name.includes(word);
}

/** A search name in the form of the SQL views of documents. */
export function documentOf(name: string): string {
  return `  ${name.replaceAll(' ', '  ').replaceAll('\u007f', ' ')} `;
}

/**
 * Returns the rank of the search name of a row that has all the words: the name is the text, begins with it, has it as a
 * word, has a word that begins with it, has all its words somewhere, or has not. Several words are compared as one text.
 */
export function ranking(words: string): (name: string) => number {
  const text = searchName(words);
  const parts = indexedWords(words);
  return (name) => {
    let begins = false;
    for (let at = name.indexOf(text); at !== -1; at = name.indexOf(text, at + 1)) {
      if (at === 0) return name.length === text.length ? IS : BEGINS;
      if (!isGap(name, at - 1)) continue;
      if (isGap(name, at + text.length)) return HAS_WORD;
      begins = true;
    }
    if (begins) return BEGINS_WORD;
    return parts.every((part) => isInName(part, name)) ? INSIDE : ELSEWHERE;
  };
}

/** Splits slots by rank, best first, each part in the order of the slots. */
export function byRank(slots: Uint32Array, rankOf: (slot: number) => number): readonly Uint32Array[] {
  const parts = Array.from({ length: RANKS }, (): number[] => []);
  for (const slot of slots) parts[rankOf(slot)]?.push(slot);
  return parts.map((part) => Uint32Array.from(part));
}

function isGap(name: string, at: number): boolean {
  const code = name.charCodeAt(at);
  return code === SPACE || code === SEAM || at === name.length;
}
