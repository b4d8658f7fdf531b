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

/**
 * Text as search sees it: lower case, without diacritics, punctuation as single blanks. Letters, digits and symbols
 * (emoji among them) stay. The same function makes what is stored and what is looked for.
 */
export function searchText(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .normalize('NFC')
    .replace(/[ßæœøłđðþıħ]/g, (letter) => PLAIN_LETTERS.get(letter) ?? letter)
    .replace(/[^\p{L}\p{N}\p{S}]+/gu, ' ')
    .trim();
}

/** A name as search and sorting see it; one that is all punctuation stays as it is, in lower case. */
export function searchName(name: string): string {
  return searchText(name) || name.toLowerCase();
}

/** Text as the rule "without case" compares it. */
export function caseKey(text: string): string {
  return text.normalize('NFC').toLowerCase().normalize('NFC');
}
