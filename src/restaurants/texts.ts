import { type Point, distanceTo } from './geo.ts';
import { restaurantJson } from './record.ts';
import type { RecordReaders } from './records.ts';
import type { Resident } from './resident.ts';

/**
 * The JSON texts of restaurants, and of pending suggestions among them: those of the ids that exist, in the order given,
 * with their distances in kilometres where there is a centre.
 */
export type RestaurantTexts = (ids: readonly number[], centre?: Point) => Promise<readonly string[]>;

/** Opens the reader of texts. */
export function createRestaurantTexts(
  { getListed }: Pick<RecordReaders, 'getListed'>,
  resident: Resident,
): RestaurantTexts {
  return async (ids, centre) => {
    const { lookups } = await resident.current();
    return ids.flatMap((id) => {
      const record = getListed(id);
      if (!record) return [];
      return JSON.stringify(restaurantJson(record, lookups, centre && distanceTo(centre, record)));
    });
  };
}
