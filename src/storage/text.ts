// Letters that Unicode does not decompose into a base letter and a mark, though readers do.
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
  // The one other letter that the index treats as another one.
  ['ς', 'σ'],
]);

// Scripts that are written without blanks, and symbols: a word may start and end anywhere in a run of them.
const UNSPACED = String.raw`[\p{S}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u{2e80}-\u{10ffff}]`;
const SEAMS = new RegExp(`(?<=${UNSPACED})(?=[^ ])|(?<=[^ ])(?=${UNSPACED})`, 'gu');
const UNSPACED_START = new RegExp(`^${UNSPACED}`, 'u');
const UNSPACED_END = new RegExp(`${UNSPACED}$`, 'u');
// Invisible: joiners, marks of direction, soft hyphens.
const FORMAT = /\p{Cf}+/gu;
// A control character, so that no name and no text has it. It sorts behind the blank, as what it parts did.
const SEAM = '\u007f';

/**
 * Text as search sees it: lower case, without diacritics, punctuation as single blanks. Letters, digits and symbols
 * (emoji among them) stay. Characters of scripts without blanks are parted from their neighbours by U+007F, which the
 * index treats as one blank. The same function makes the stored texts and the words of a search.
 */
export function searchText(text: string): string {
  return text
    .replace(FORMAT, '')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .normalize('NFC')
    .replace(/[ßæœøłđðþıħς]/g, (letter) => PLAIN_LETTERS.get(letter) ?? letter)
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

/** A name as search and sorting see it; one that is all punctuation retains it, with single blanks. */
export function searchName(name: string): string {
  return searchText(name) || name.replace(/[\p{Cc}\p{Z}]+/gu, ' ').trim();
}

/** Text as the rule "without case" compares it, without characters that no one sees. */
export function caseKey(text: string): string {
  return text.replace(FORMAT, '').normalize('NFC').toLowerCase().normalize('NFC');
}

/** The fields by which two places are the same one. */
export interface PlaceIdentity {
  readonly name: string;
  readonly address: string | null;
  /** Degrees. */
  readonly latitude: number | null;
  /** Degrees. */
  readonly longitude: number | null;
}

/**
 * Equal for two places that are the same one: by name and address without case. Without an address the coordinates, to
 * five decimals, stand in for it, so that the branches of a chain that are known by their position alone stay apart.
 */
export function identityKey({ name, address, latitude, longitude }: PlaceIdentity): string {
  const position =
    latitude === null || longitude === null
      ? ''
      : `@${rounded(latitude)},${rounded(westOfDateLine(longitude))}`;
  return `${caseKey(name)}\u0001${address === null ? position : caseKey(address)}`;
}

/** Degrees to five decimals, where zero has no sign. */
function rounded(degrees: number): string {
  const text = degrees.toFixed(5);
  return Number(text) === 0 ? text.replace('-', '') : text;
}

/** The meridian of 180 degrees has two names. */
function westOfDateLine(longitude: number): number {
  return Number(longitude.toFixed(5)) === -180 ? 180 : longitude;
}
