import type { Restaurant } from './types.js';

// Such as `94123`, `1432 K`, `111 22` or `SW1A 1AA`.
const POSTCODE = /^(?=[^a-z]*\d)[A-Z]{0,2}\d[\dA-Z]*(?:[ -][\dA-Z]{1,4})?$|^[A-Z]{1,2}\d[\dA-Z]? \d[A-Z]{2}$/;

const partsOf = (address: string) =>
  address
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '' && !POSTCODE.test(part));

/** The city of an address, as far as its commas tell: in front of the country, behind the street; '' for a street alone. */
export function cityOf(address: string) {
  const parts = partsOf(address);
  const [before = '', last = ''] = parts.slice(-2);
  if (parts.length < 2) return '';
  const city = parts.length > 2 && !/\d/.test(before) ? before : last;
  // A postcode may stand in front of it or behind it.
  return city.replace(/^[\d-]+ |^[A-Z]{1,2}-\d+ | \d+$/g, '');
}

/**
 * Says of each place of a list where it is, in the fewest words that tell it apart: its street within the city that
 * most of them are in, its city elsewhere, and both for places of one name.
 */
export function whereIn(places: readonly Pick<Restaurant, 'name' | 'address'>[]) {
  const counts = new Map<string, number>();
  const count = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const { name, address } of places) {
    count(cityOf(address ?? ''));
    count(`name ${name} ${cityOf(address ?? '')}`);
  }
  return ({ name, address }: (typeof places)[number]) => {
    const [street, city] = [partsOf(address ?? '')[0] ?? '', cityOf(address ?? '')];
    if (city === '') return street;
    if ((counts.get(`name ${name} ${city}`) ?? 0) > 1) return `${street}, ${city}`;
    return (counts.get(city) ?? 0) * 2 > places.length && places.length > 1 ? street : city;
  };
}
