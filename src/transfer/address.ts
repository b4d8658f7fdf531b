import { searchText } from '../storage/text.ts';
import type { Target } from './names.ts';

// Countries that write the house number before the street and the postcode after the city.
const ENGLISH: ReadonlySet<string> = new Set(
  `us usa united_states united_states_of_america ca canada gb uk united_kingdom great_britain england scotland wales
  ie ireland au australia nz new_zealand za south_africa in india sg singapore`
    .split(/\s+/)
    .map((name) => name.replaceAll('_', ' ')),
);
// Countries that write the house number before the street and the postcode before the city.
const FRENCH: readonly string[] = [
  'fr',
  'france',
  'frankreich',
  'francia',
  'lu',
  'luxembourg',
  'mc',
  'monaco',
];
const STATE_CODE = /^[A-Z]{2,3}$/;
const DUTCH_POSTCODE = /^\d{4} ?[a-z]{2}$/i;
const EAST_ASIAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/**
 * Joins the parts of an address in the order of its country, or as `Ufer 1, 00000 Neustadt, DE` if the country is unknown. A whole
 * line comes first, followed by the parts that it lacks. Undefined if nothing is more exact than a region.
 */
export function joinedAddress(parts: ReadonlyMap<Target, string>): string | undefined {
  // Programs without integers write 75001.0.
  const of = (name: Target): string =>
    parts
      .get(name)
      ?.trim()
      .replace(/^(\d+)\.0+$/, '$1') ?? '';
  const [whole, number, unit, district, postcode, city, country] = [
    of('address'),
    of('house_number'),
    of('unit'),
    of('district'),
    of('postcode'),
    of('city'),
    of('country'),
  ];
  const street = of('street') || of('place');
  if (joined('', [whole, street, district, postcode, city]) === '') return undefined;
  if (whole !== '' && hasCity(whole, city, postcode)) return whole;
  const region = searchText(of('region')) === searchText(city) ? '' : of('region');
  // From the largest to the smallest, without blanks.
  if (EAST_ASIAN.test(region + city + whole + street))
    return joined(' ', [postcode, joined('', [region, city, district, whole || street + number])]);

  const isEnglish = ENGLISH.has(searchText(country)) || (country === '' && STATE_CODE.test(region));
  const isNumberFirst = isEnglish || FRENCH.includes(searchText(country));
  const line = ` ${searchText(street)} `.includes(` ${searchText(number)} `)
    ? street
    : joined(' ', isNumberFirst ? [number, street] : [street, number]);
  const isBehind = isEnglish || (/[a-z]/i.test(postcode) && !DUTCH_POSTCODE.test(postcode));
  const town = isBehind ? [city, joined(' ', [region, postcode])] : [joined(' ', [postcode, city]), region];
  return joined(', ', [whole || line, unit, district, ...town, country]);
}

function joined(between: string, texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join(between);
}

/** Whether a line names the city, other than in the name of its street. */
function hasCity(line: string, city: string, postcode: string): boolean {
  const [town = ''] = city.split(',', 1).map(searchText);
  if (town === '') return false;
  const words = searchText(line);
  if (EAST_ASIAN.test(city)) return words.includes(town);
  const [, ...behind] = line.split(/[,;\n]/).map((part) => ` ${searchText(part)} `);
  const isLast = words === town || (postcode !== '' && words.endsWith(`${searchText(postcode)} ${town}`));
  return isLast || behind.some((part) => part.includes(` ${town} `));
}
