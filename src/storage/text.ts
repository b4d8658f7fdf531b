// Letters that Unicode does not take apart into a base letter and a mark, though readers do.
const PLAIN_LETTERS: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['ł', 'l'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['þ', 'th'],
  ['ı', 'i'],
  ['ħ', 'h'],
]);

// Scripts that are written without blanks, and symbols: a word may begin and end anywhere in a run of them.
const UNSPACED = String.raw`[\p{S}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u{2e80}-\u{10ffff}]`;
const SEAMS = new RegExp(`(?<=${UNSPACED})(?=[^ ])|(?<=[^ ])(?=${UNSPACED})`, 'gu');
const UNSPACED_START = new RegExp(`^${UNSPACED}`, 'u');
const UNSPACED_END = new RegExp(`${UNSPACED}$`, 'u');
// A control character, so that no name and no text has it. It sorts behind the blank, as what it parts did.
const SEAM = '\u007f';

/**
 * Text as search sees it: lower case, without diacritics, punctuation as single blanks. Letters, digits and symbols
 * (emoji among them) stay. Characters of scripts without blanks are parted from their neighbours by U+007F, which the
 * index takes for one blank. The same function makes what is stored and what is looked for.
 */
export function searchText(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .normalize('NFC')
    .replace(/[ßæœøłđðþıħ]/g, (letter) => PLAIN_LETTERS.get(letter) ?? letter)
    .replace(/[^\p{L}\p{N}\p{S}]+/gu, ' ')
    .trim()
    .replace(SEAMS, SEAM);
}

/** One word of `searchText` as it stands in the index: every character of an unspaced script between two blanks. */
export function indexedWord(word: string): string {
  const before = UNSPACED_START.test(word) ? ' ' : '';
  const behind = UNSPACED_END.test(word) ? ' ' : '';
  return `${before}${word.replaceAll(SEAM, ' ')}${behind}`;
}

/** A name as search and sorting see it; one that is all punctuation keeps it, with single blanks. */
export function searchName(name: string): string {
  return searchText(name) || name.replace(/[\p{Cc}\p{Z}]+/gu, ' ').trim();
}

/** Text as the rule "without case" compares it. */
export function caseKey(text: string): string {
  return text.normalize('NFC').toLowerCase().normalize('NFC');
}
