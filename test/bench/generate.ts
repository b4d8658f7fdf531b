import type { Storage } from '../../src/storage/storage.ts';
import { createCatalogueStores } from '../../src/cli/stores.ts';
import { randomNumbers } from '../support/catalogue.ts';
import { openWrites } from '../support/log.ts';

/** What names are made of. */
export const WORDS =
  'Golden Dragon House River Royal Garden Bistro Petit Maison Roma Sakura Tokyo Paris Kitchen Grill Taverna Osteria Casa Luna'.split(
    ' ',
  );
const STREETS =
  'High Street,Rue du Bac,Via Roma,Hauptstraße,Gran Vía,Main Street,Queen’s Road,Østergade'.split(',');
const BATCH = 1_000;
/** How dense restaurants are: kilometres between neighbours do not change with their number, the area grows with it. */
export const PER_SQUARE_DEGREE = 1_000;

/**
 * Fills a catalogue with `count` restaurants and `ratings` ratings each, the same in every run. A hundred of them are
 * cafés, whatever the number, so that a search for them finds as many.
 */
export async function generateCatalogue(storage: Storage, count: number, ratings: number): Promise<void> {
  const { restaurants, ratings: ratingStore } = createCatalogueStores(storage);
  const begin = openWrites(storage);
  const random = randomNumbers(count);
  const pick = <Value>(values: readonly Value[]): Value | undefined =>
    values[Math.floor(random() * values.length)];
  const side = Math.sqrt(count / PER_SQUARE_DEGREE);
  const start = Date.parse('2026-01-01T00:00:00.000Z');

  function one(index: number): void {
    const isCafe = index % Math.ceil(count / 100) === 0;
    const createdAt = new Date(start + index * 1_000).toISOString();
    const outcome = restaurants.create(
      {
        name: `${isCafe ? 'Café ' : ''}${pick(WORDS) ?? ''} ${pick(WORDS) ?? ''} ${index}`,
        description: null,
        address: `${1 + Math.floor(random() * 200)} ${pick(STREETS) ?? ''}, Springfield`,
        phone: '+1 555 0100',
        website: `https://r${index}.example/`,
        latitude: 40 + random() * side,
        longitude: -3 + random() * side,
        google_place_id: `place-${index}`,
        category_id: 1 + (index % 10),
        food_type_ids: [1 + (index % 10), 1 + ((index * 7 + 3) % 10)].filter(
          (id, at, all) => all.indexOf(id) === at,
        ),
        status: 'active',
      },
      begin(),
      { times: { createdAt, updatedAt: createdAt } },
    );
    if (outcome.outcome !== 'done') throw new Error(JSON.stringify(outcome));
    for (let rating = 0; rating < ratings; rating += 1) {
      const value = (): number => 1 + Math.floor(random() * 5);
      const input = { foodRating: value(), serviceRating: value(), ambianceRating: value(), comment: null };
      ratingStore.create({ ...input, restaurantId: outcome.record.id }, begin(), createdAt);
    }
  }

  for (let from = 0; from < count; from += BATCH)
    await storage.transactions.write(() => {
      for (let index = from; index < Math.min(count, from + BATCH); index += 1) one(index);
    });
}
