import { storedFieldsOf } from '../../src/catalogue/restaurants/fields.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { CatalogueStores } from '../../src/catalogue/stores.ts';
import { randomNumbers } from '../support/catalogue.ts';
import { openWrites } from '../support/log.ts';
import { hoursOf } from './hours.ts';

/** The words that names are made of. */
const WORDS =
  'Golden Dragon House River Royal Garden Bistro Petit Maison Roma Sakura Tokyo Paris Kitchen Grill Taverna Osteria Casa Luna'.split(
    ' ',
  );
/** The words that descriptions are made of, the most frequent first; each of the first 21 stands in every third or so. */
export const PROSE = (
  'with fresh fish and wine local from the menu lunch dinner open terrace view small family cooking daily bread seasonal house ' +
  'grilled lamb vegetables handmade noodles spicy soup sweet dessert coffee quiet garden bar cocktails music live late night ' +
  'cheap generous portions friendly waiters slow service booking advised cash only cards welcome dogs children corner square ' +
  'harbour station market museum bridge old modern wooden tables candles mirrors tiles kitchen counter charcoal oven smoked ' +
  'pickled fermented raw oysters truffle saffron cardamom tamarind coconut lemon rosemary almond walnut honey fig quince'
).split(' ');
const STREETS =
  'High Street,Rue du Bac,Via Roma,Hauptstraße,Gran Vía,Main Street,Queen’s Road,Østergade'.split(',');
const BATCH = 1_000;
const DESCRIBED_BY = 14;
/** The number of categories, of which a new catalogue has ten. */
export const CATEGORIES = 20;
/** The number of food types, of which a new catalogue has ten. */
export const FOOD_TYPES = 30;

/** How many restaurants a city has, all within `CITY_KM` of its centre. */
export const CITY_SIZE = 5_000;
export const CITY_KM = 5;
const KM_PER_DEGREE = 111.195;
const DEVIATION_KM = 1.5;
const CITIES_ON_A_LATITUDE = 4;

/** A place on the map, in degrees. */
export interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

/** How many cities a catalogue of `count` restaurants has. */
export function cityCount(count: number): number {
  return Math.ceil(count / CITY_SIZE);
}

/** The centre of a city; four of them lie on each latitude, so that a band of latitudes never holds one alone. */
export function cityCentre(city: number): Place {
  const row = Math.floor(city / CITIES_ON_A_LATITUDE);
  return { latitude: 40 + 0.7 * row, longitude: -3 + 2.1 * (city % CITIES_ON_A_LATITUDE) };
}

/** The place that lies so many kilometres to the north and to the east. */
export function shifted({ latitude, longitude }: Place, northKm: number, eastKm: number): Place {
  const wide = KM_PER_DEGREE * Math.cos((latitude * Math.PI) / 180);
  return { latitude: latitude + northKm / KM_PER_DEGREE, longitude: longitude + eastKm / wide };
}

/**
 * Fills a catalogue with `count` restaurants and `ratings` ratings each, the same in every run. They lie in cities,
 * densest at the centre. A hundred of them are cafés, whatever the number, so that a search for them finds as many.
 */
export async function generateCatalogue(storage: Storage, count: number, ratings: number): Promise<void> {
  const stores = new CatalogueStores(storage.queries);
  const begin = openWrites(storage);
  const random = randomNumbers(count);
  // Of their own, so that all else is what it was without them.
  const randomOfHours = randomNumbers(count + 1);
  const pick = <Value>(values: readonly Value[], skew = 1): Value | undefined =>
    values[Math.floor(random() ** skew * values.length)];
  const start = Date.parse('2026-01-01T00:00:00.000Z');

  function placeIn(city: number): Place {
    const distance = Math.min(DEVIATION_KM * Math.sqrt(-2 * Math.log(1 - random())), CITY_KM - 0.5);
    const direction = random() * 2 * Math.PI;
    return shifted(cityCentre(city), distance * Math.cos(direction), distance * Math.sin(direction));
  }

  function one(index: number): void {
    const isCafe = index % Math.ceil(count / 100) === 0;
    const createdAt = new Date(start + index * 1_000).toISOString();
    const described = Array.from({ length: DESCRIBED_BY }, () => pick(PROSE, 1.5) ?? '');
    const foodTypes = Array.from({ length: 2 }, () => 1 + Math.floor(random() * FOOD_TYPES));
    const outcome = stores.restaurants.create(
      storedFieldsOf({
        name: `${isCafe ? 'Café ' : ''}${pick(WORDS) ?? ''} ${pick(WORDS) ?? ''} ${index}`,
        description: described.join(' '),
        address: `${1 + Math.floor(random() * 200)} ${pick(STREETS) ?? ''}, Springfield`,
        phone: '+1 555 0100',
        website: `https://r${index}.example/`,
        ...placeIn(index % cityCount(count)),
        google_place_id: `place-${index}`,
        category_id: 1 + Math.floor(random() * CATEGORIES),
        food_type_ids: [...new Set(foodTypes)],
        status: 'active',
        opening_hours: hoursOf(randomOfHours),
      }),
      begin(),
      { times: { createdAt, updatedAt: createdAt } },
    );
    if (outcome.outcome !== 'done') throw new Error(JSON.stringify(outcome));
    for (let rating = 0; rating < ratings; rating += 1) {
      const value = (): number => 1 + Math.floor(random() * 5);
      const stars = { food_rating: value(), service_rating: value(), ambiance_rating: value() };
      const input = { restaurant_id: outcome.record.id, ...stars, comment: null };
      stores.ratings.create(input, begin(), { createdAt });
    }
  }

  await storage.transactions.write(() => {
    for (let index = stores.categories.list().length; index < CATEGORIES; index += 1)
      stores.categories.create(`Category ${index + 1}`, begin());
    for (let index = stores.foodTypes.list().length; index < FOOD_TYPES; index += 1)
      stores.foodTypes.create(`Food type ${index + 1}`, begin());
  });
  for (let from = 0; from < count; from += BATCH)
    await storage.transactions.write(() => {
      for (let index = from; index < Math.min(count, from + BATCH); index += 1) one(index);
    });
}
