/** A place as far as it can be taken for another one. */
export interface Likely {
  id: number;
  name: string;
  address: string | null;
  phone: string | null;
  website: string | null;
  category: { id: number } | null;
}
export type Trait = 'name' | 'firstWord' | 'beginning' | 'category' | 'street' | 'phone' | 'website';

// Fewer digits are an extension, or the number of a house.
const DIGITS_OF_PHONE = 6;
const LETTERS_OF_NAME = 4;

/** @param text in any script, without accents and signs */
const wordsOf = (text: string | null) =>
  (text ?? '')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .match(/[\p{L}\p{N}]+/gu) ?? [];

function likeName(one: string, other: string): Trait | undefined {
  const [words, others] = [wordsOf(one), wordsOf(other)];
  const [all, allOthers] = [words.join(''), others.join('')];
  if (all === '' || allOthers === '') return undefined;
  if (all === allOthers) return 'name';
  if (words[0] === others[0] && (words[0] ?? '').length >= LETTERS_OF_NAME) return 'firstWord';
  const [short = '', long = ''] = [all, allOthers].sort((a, b) => a.length - b.length);
  return short.length >= LETTERS_OF_NAME && long.startsWith(short) ? 'beginning' : undefined;
}

/** @param phone the digits at its end, which a country's prefix does not change */
const digitsOf = (phone: string | null) => (phone ?? '').replace(/\D/g, '').slice(-8);

const hostOf = (website: string | null) =>
  website ? (/^https?:\/\/(?:www\.)?([^/:?#]+)/i.exec(website)?.[1]?.toLowerCase() ?? '') : '';

/** @param address up to its first comma */
const streetOf = (address: string | null) => wordsOf((address ?? '').split(',')[0] ?? '').join(' ');

/** Says whether two places near each other look like the same one, and what they share. */
export function likeness(
  one: Likely,
  other: Likely,
): { isAlike: boolean; same: Trait[]; different: Trait[] } {
  const named = likeName(one.name, other.name);
  const compared = (
    [
      ['category', String(one.category?.id ?? ''), String(other.category?.id ?? '')],
      ['street', streetOf(one.address), streetOf(other.address)],
      ['phone', digitsOf(one.phone), digitsOf(other.phone)],
      ['website', hostOf(one.website), hostOf(other.website)],
    ] as [Trait, string, string][]
  ).filter(
    ([trait, a, b]) =>
      a !== '' && b !== '' && (trait !== 'phone' || Math.min(a.length, b.length) >= DIGITS_OF_PHONE),
  );
  const same = compared.filter(([, a, b]) => a === b).map(([trait]) => trait);
  const different = compared.filter(([, a, b]) => a !== b).map(([trait]) => trait);
  const isAlike = named !== undefined || same.some((trait) => trait === 'phone' || trait === 'street');
  return { isAlike, same: named ? [named, ...same] : same, different };
}
