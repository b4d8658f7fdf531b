// Letters that Unicode does not decompose, but that people type as plain ones; and ς, the only other letter that the
// index folds into another.
const PLAIN_LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ß: 'ss',
    æ: 'ae',
    œ: 'oe',
    ø: 'o',
    ł: 'l',
    đ: 'd',
    ð: 'd',
    þ: 'th',
    ı: 'i',
    ħ: 'h',
    ς: 'σ',
  }),
);

// Scripts written without spaces, and symbols: a word may start and end anywhere within them.
const UNSPACED = String.raw`[\p{S}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u{2e80}-\u{10ffff}]`;
const SEAMS = new RegExp(`(?<=${UNSPACED})(?=[^ ])|(?<=[^ ])(?=${UNSPACED})`, 'gu');
const UNSPACED_START = new RegExp(`^${UNSPACED}`, 'u');
// A lookbehind, because in Node 26 the class right before `$` does not match an emoji.
const UNSPACED_END = new RegExp(`(?<=${UNSPACED})$`, 'u');
// Invisible characters: joiners, direction marks, soft hyphens.
const FORMAT = /\p{Cf}+/gu;
// Anything but letters, digits, blanks and punctuation of ASCII.
const BEYOND_ASCII = /[^ -~]|[$+<=>^`|~]/;
// A control character, so that no stored text contains it. Like the gaps it marks, it sorts after the space.
const SEAM = '\u007f';

/**
 * Normalises text for search: lower case, without diacritics, punctuation as single spaces. Letters, digits and
 * symbols (including emoji) stay. Characters of scripts without spaces are separated by U+007F, which the index
 * treats as a space. Stored texts and search words both go through this function.
 */
export function searchText(text: string): string {
  // The usual case, and an import or an index has millions of them.
  if (!BEYOND_ASCII.test(text))
    return text
      .toLowerCase()
      .replace(/[^a-z\d]+/g, ' ')
      .trim();
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

/** A word of `searchText` as the index has it: characters of unspaced scripts have a space on both sides. */
export function indexedWord(word: string): string {
  const before = UNSPACED_START.test(word) ? ' ' : '';
  const behind = UNSPACED_END.test(word) ? ' ' : '';
  return `${before}${word.replaceAll(SEAM, ' ')}${behind}`;
}

/**
 * A name normalised for search and sorting. One that is all punctuation is left as it is, with single spaces.
 */
export function searchName(name: string): string {
  return searchText(name) || name.replace(/[\p{Cc}\p{Z}]+/gu, ' ').trim();
}

/** Normalises text for comparison without case and without invisible characters. */
export function caseKey(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text.toLowerCase();
  return text.replace(FORMAT, '').normalize('NFC').toLowerCase().normalize('NFC');
}

/** The fields that identify a place. */
export interface PlaceIdentity {
  readonly name: string;
  readonly address: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
}

/**
 * Equal for two entries of the same place: same name and address, ignoring case. Without an address,
 * coordinates to five decimals take its place, so that branches of a chain known only by position stay
 * distinct.
 */
export function identityKey({ name, address, latitude, longitude }: PlaceIdentity): string {
  const position =
    latitude === null || longitude === null
      ? ''
      : `@${rounded(latitude)},${rounded(westOfDateLine(longitude))}`;
  return `${caseKey(name)}\u0001${address === null ? position : caseKey(address)}`;
}

/** Degrees to five decimals, without negative zero. */
function rounded(degrees: number): string {
  const text = degrees.toFixed(5);
  return Number(text) === 0 ? text.replace('-', '') : text;
}

/** Maps -180 degrees to 180, the same meridian. */
function westOfDateLine(longitude: number): number {
  return Number(longitude.toFixed(5)) === -180 ? 180 : longitude;
}
