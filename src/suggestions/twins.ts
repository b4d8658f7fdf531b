import type { Duplicate } from '../restaurants/obstacles.ts';
import type { RestaurantStore } from '../restaurants/store.ts';
import type { QueryFile } from '../storage/statements.ts';
import { identityKey } from '../storage/text.ts';

/** A record that is the same place already. */
export interface Twin {
  readonly of: Duplicate;
  readonly noun: 'Restaurant' | 'Suggestion';
}

/** Finds the twin of a suggestion, other than `except`. */
export type TwinFinder = (
  place: Parameters<RestaurantStore['findDuplicate']>[0],
  except?: number,
) => Twin | undefined;

/** A finder of restaurants, and of suggestions that are not rejected, on suggestions.sql. */
export function createTwinFinder(
  sql: QueryFile,
  restaurants: Pick<RestaurantStore, 'findDuplicate'>,
): TwinFinder {
  const findByPlace = sql.prepare<Duplicate>('findSuggestionByPlace');
  const findByIdentity = sql.prepare<Duplicate>('findSuggestionByIdentity');
  return (place, except = 0) => {
    const restaurant = restaurants.findDuplicate(place);
    if (restaurant) return { of: restaurant, noun: 'Restaurant' };
    const { google_place_id } = place;
    const samePlace = google_place_id === null ? undefined : findByPlace.get({ google_place_id, except });
    const of = samePlace ?? findByIdentity.get({ identityKey: identityKey(place), except });
    return of && { of, noun: 'Suggestion' };
  };
}
