import type { Restaurant } from '../base/types.js';

/** A place as far as it can be taken for another one. */
type Likely = Pick<Restaurant, 'name' | 'address' | 'phone' | 'website' | 'category'>;

// Shorter ones say little: an article, an extension, the number of a house.
const LETTERS = 4;
const DIGITS = 6;

/** @param text in any script, without accents and signs */
const wordsOf = (text: string | null | undefined) =>
  (text ?? '')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .match(/[\p{L}\p{N}]+/gu) ?? [];

function likeName(one: string, other: string): 'same' | 'alike' | undefined {
  const [words, others] = [wordsOf(one), wordsOf(other)];
  const [short = '', long = ''] = [words.join(''), others.join('')].sort((a, b) => a.length - b.length);
  if (short === long) return short === '' ? undefined : 'same';
  const beginning = words[0] === others[0] ? (words[0] ?? '') : short;
  return beginning.length >= LETTERS && long.startsWith(beginning) ? 'alike' : undefined;
}

function traitsOf({ category, address, phone, website }: Likely) {
  const digits = (phone ?? '').replace(/\D/g, '');
  return {
    category: String(category?.id ?? ''),
    street: wordsOf(address?.split(',')[0]).join(' '),
    // A country's prefix does not change its end.
    phone: digits.length < DIGITS ? '' : digits.slice(-8),
    website: /^https?:\/\/(?:www\.)?([^/:?#]+)/i.exec(website ?? '')?.[1]?.toLowerCase() ?? '',
  };
}

/** What two places near each other share and what differs; undefined where they do not look like the same one. */
export function likeness(one: Likely, other: Likely) {
  const name = likeName(one.name, other.name);
  const [traits, others] = [traitsOf(one), traitsOf(other)];
  const compared = (['category', 'street', 'phone', 'website'] as const).filter(
    (trait) => traits[trait] !== '' && others[trait] !== '',
  );
  const same = compared.filter((trait) => traits[trait] === others[trait]);
  if (!name && !same.includes('street') && !same.includes('phone')) return undefined;
  return { name, same, different: compared.filter((trait) => !same.includes(trait)) };
}
