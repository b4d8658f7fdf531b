import { type Duplicate, type Identity, createDuplicateFinder } from '../restaurants/obstacles.ts';
import type { RestaurantStore } from '../restaurants/store.ts';
import type { QueryFile } from '../storage/statements.ts';

/** A record that is the same place already. */
export interface Twin {
  readonly of: Duplicate;
  readonly noun: 'Restaurant' | 'Suggestion';
}

/** Finds the twin of a suggestion: a restaurant, or a suggestion other than `except` that is not rejected. */
export type TwinFinder = (place: Identity, except?: number) => Twin | undefined;

/** Makes the finder on suggestions.sql. */
export function createTwinFinder(
  sql: QueryFile,
  restaurants: Pick<RestaurantStore, 'findDuplicate'>,
): TwinFinder {
  const findSuggestion = createDuplicateFinder(
    sql.prepare('findSuggestionByPlace'),
    sql.prepare('findSuggestionByIdentity'),
  );
  return (place, except) => {
    const restaurant = restaurants.findDuplicate(place);
    if (restaurant) return { of: restaurant, noun: 'Restaurant' };
    const of = findSuggestion(place, except);
    return of && { of, noun: 'Suggestion' };
  };
}
