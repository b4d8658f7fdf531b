import type { Likely } from '../../src/catalogue/duplicates/traits.ts';
import { cityCentre, cityCount, shifted } from '../bench/generate.ts';
import { randomNumbers } from '../support/catalogue.ts';

const KINDS =
  'Restaurant,La,Le,The,Il,Da,El,Trattoria,Café,Bistro,Bar,Pizzeria,Grill,Sushi,Osteria,Brasserie,Taverna,,,,'.split(
    ',',
  );
const SYLLABLES =
  'ba be bi bo da do fa fi ga ka ke ki la le li lo ma me mi mo na ne ni no pa pe ra re ri ro sa se ta te to va vi zu'.split(
    ' ',
  );
const COMMON =
  'Golden Dragon,Da Mario,Roma,Sakura,Bella Vista,Taj Mahal,El Toro,Le Jardin,Zum Löwen,Central'.split(',');
const STREETS =
  'High Street,Rue du Bac,Via Roma,Hauptstraße,Gran Vía,Main Street,Østergade,Queen’s Road'.split(',');
const FREQUENT = 3_000;
const KM = 5;
const STREETS_OF_A_CITY = 400;
const LONGEST_CHAIN = 300;
const CHAINS = 80;
const HALL = 200;

/**
 * Made-up places in cities, the same in every run: one in twelve belongs to a chain, of which the largest has 300 branches,
 * one in thirty has a name that each city has, and 200 stand at one address with one phone.
 */
export function manyPlaces(count: number): Likely[] {
  const random = randomNumbers(count);
  const below = (most: number): number => Math.floor(random() * most);
  const word = (): string => {
    const text = Array.from({ length: 2 + below(3) }, () => SYLLABLES[below(SYLLABLES.length)] ?? '').join(
      '',
    );
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  };
  const pick = (values: readonly string[]): string => values[below(values.length)] ?? '';
  const digits = (length: number): string => Array.from({ length }, () => below(10)).join('');
  const words = Array.from({ length: 60_000 }, word);
  const streets = Array.from({ length: STREETS_OF_A_CITY }, () => `${pick(words)} ${pick(STREETS)}`);
  // As in real names: the most frequent word is in one of 200, and half of the words are rare.
  const nameWord = (): string =>
    words[Math.floor(random() < 0.5 ? random() * words.length : random() ** 1.6 * FREQUENT)] ?? '';
  const chains = Array.from({ length: CHAINS }, (_, rank) =>
    Array.from(
      { length: Math.ceil(LONGEST_CHAIN / (1 + rank / 4)) },
      () => `${words[rank] ?? ''} ${words[rank * 7] ?? ''}`,
    ),
  )
    .flat()
    .slice(0, Math.floor(count / 12));

  function one(index: number): Likely {
    const city = below(cityCount(count));
    const chain = chains[index];
    const ownName =
      random() < 0.033 ? pick(COMMON) : [nameWord(), random() < 0.6 ? nameWord() : ''].join(' ');
    const isInHall = index >= count - HALL;
    const spot = isInHall
      ? cityCentre(0)
      : shifted(cityCentre(city), (random() - 0.5) * KM, (random() - 0.5) * KM);
    const isPlaced = random() < 0.85;
    return {
      name: chain ?? `${pick(KINDS)} ${ownName}`.trim(),
      address: isInHall ? '1 Market Hall, Town 0' : `${1 + below(200)} ${pick(streets)}, Town ${city}`,
      phone: isInHall ? '+39 055 100100' : random() < 0.8 ? `+39 0${city} ${digits(7)}` : null,
      website:
        chain === undefined
          ? random() < 0.5
            ? `https://r${index}.example/`
            : null
          : `https://www.${chain.replace(' ', '').toLowerCase()}.example/`,
      latitude: isPlaced ? spot.latitude : null,
      longitude: isPlaced ? spot.longitude : null,
      external_ids: { osm: random() < 0.3 ? `node/${index}` : null },
    };
  }

  return Array.from({ length: count }, (_, index) => one(index));
}
