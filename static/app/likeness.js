/**
 * A place as far as it can be taken for another one.
 * @typedef {{ id: number, name: string, address: string | null, phone: string | null, website: string | null,
 *   category: { id: number } | null }} Likely
 * @typedef {'name' | 'firstWord' | 'beginning' | 'category' | 'street' | 'phone' | 'website'} Trait
 */

// Fewer digits are an extension, or the number of a house.
const DIGITS_OF_PHONE = 6;
const LETTERS_OF_NAME = 4;

/** @param {string | null} text in any script, without accents and signs */
const wordsOf = (text) =>
  (text ?? '')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** @param {string} one @param {string} other @returns {Trait | undefined} */
function likeName(one, other) {
  const [words, others] = [wordsOf(one), wordsOf(other)];
  const [all, allOthers] = [words.join(''), others.join('')];
  if (all === '' || allOthers === '') return undefined;
  if (all === allOthers) return 'name';
  if (words[0] === others[0] && (words[0] ?? '').length >= LETTERS_OF_NAME) return 'firstWord';
  const [short = '', long = ''] = [all, allOthers].sort((a, b) => a.length - b.length);
  return short.length >= LETTERS_OF_NAME && long.startsWith(short) ? 'beginning' : undefined;
}

/** @param {string | null} phone the digits at its end, which a country's prefix does not change */
const digitsOf = (phone) => (phone ?? '').replace(/\D/g, '').slice(-8);

/** @param {string | null} website */
const hostOf = (website) =>
  website ? (/^https?:\/\/(?:www\.)?([^/:?#]+)/i.exec(website)?.[1]?.toLowerCase() ?? '') : '';

/** @param {string | null} address up to its first comma */
const streetOf = (address) => wordsOf((address ?? '').split(',')[0] ?? '').join(' ');

/**
 * Says whether two places near each other look like the same one, and what they share.
 * @param {Likely} one
 * @param {Likely} other
 * @returns {{ isAlike: boolean, same: Trait[], different: Trait[] }}
 */
export function likeness(one, other) {
  const named = likeName(one.name, other.name);
  const compared = /** @type {[Trait, string, string][]} */ ([
    ['category', String(one.category?.id ?? ''), String(other.category?.id ?? '')],
    ['street', streetOf(one.address), streetOf(other.address)],
    ['phone', digitsOf(one.phone), digitsOf(other.phone)],
    ['website', hostOf(one.website), hostOf(other.website)],
  ]).filter(
    ([trait, a, b]) =>
      a !== '' && b !== '' && (trait !== 'phone' || Math.min(a.length, b.length) >= DIGITS_OF_PHONE),
  );
  const same = compared.filter(([, a, b]) => a === b).map(([trait]) => trait);
  const different = compared.filter(([, a, b]) => a !== b).map(([trait]) => trait);
  const isAlike = named !== undefined || same.some((trait) => trait === 'phone' || trait === 'street');
  return { isAlike, same: named ? [named, ...same] : same, different };
}
