import type { ListStore } from '../people/lists/store.ts';
import type { LookupOutcome, LookupStore } from '../catalogue/lookups/store.ts';
import type { PhotoStore } from '../catalogue/photos/store.ts';
import type { RatingStore } from '../catalogue/ratings/store.ts';
import { type StoredRestaurant, storedRestaurant } from '../catalogue/restaurants/record.ts';
import type { RestaurantStore, WriteOutcome } from '../catalogue/restaurants/store.ts';
import { alreadyExistsText } from '../kit/sentences.ts';
import type { Entity, Kind } from '../storage/change-log.ts';
import { storedFields } from '../storage/stored.ts';
import type { SuggestionOutcome, SuggestionStore } from '../catalogue/suggestions/store.ts';
import type { VisitStore } from '../people/visits/store.ts';
import type { EntityAccess } from './entity-access.ts';
import { listAccess, visitAccess } from './private-entities.ts';
import {
  readAlong,
  readMadeOf,
  readPhoto,
  readRating,
  readRestaurant,
  readSuggestion,
} from './stored-entities.ts';

export interface EntityStores {
  readonly restaurants: RestaurantStore;
  readonly ratings: RatingStore;
  readonly photos: PhotoStore;
  readonly suggestions: SuggestionStore;
  readonly categories: LookupStore;
  readonly foodTypes: LookupStore;
  readonly lists: ListStore;
  readonly visits: VisitStore;
}

/** Writes reverts to the entities of every kind. */
export type Entities = Readonly<Record<Kind, EntityAccess>>;

/** The obstacle when a deletion is too old to be undone. */
export const FORGOTTEN = 'what was deleted is no longer kept';

/** Joins the stores whose writes can be reverted. */
export function createEntities(stores: EntityStores): Entities {
  const missing = createMissing(stores);
  return {
    restaurant: restaurantAccess(stores, missing),
    category: lookupAccess(stores.categories, 'Category'),
    food_type: lookupAccess(stores.foodTypes, 'Food type'),
    suggestion: suggestionAccess(stores, missing),
    rating: ratingAccess(stores),
    photo: photoAccess(stores),
    list: listAccess(stores.lists),
    visit: visitAccess(stores.visits),
  };
}

type Missing = (categoryId: number | null, foodTypeIds: readonly number[]) => readonly string[];

/** Names the category and the food types that are not there. */
function createMissing({ categories, foodTypes }: EntityStores): Missing {
  return (categoryId, foodTypeIds) => [
    ...(categoryId === null || categories.get(categoryId) ? [] : [`category ${categoryId} does not exist`]),
    ...foodTypeIds.filter((id) => !foodTypes.get(id)).map((id) => `food type ${id} does not exist`),
  ];
}

function restaurantAccess({ restaurants }: EntityStores, missing: Missing): EntityAccess {
  const store = (stored: StoredRestaurant, work: () => WriteOutcome | undefined): readonly string[] => {
    const reasons = missing(stored.category_id, stored.food_type_ids);
    return reasons.length > 0 ? reasons : reasonsOf('Restaurant', work());
  };
  const get = (id: number): StoredRestaurant | undefined => {
    const record = restaurants.get(id);
    return record && storedRestaurant(record);
  };
  return {
    get: (id) => entity(get(id)),
    update: (id, values, write) => {
      const stored = readRestaurant({ ...get(id), ...values });
      return store(stored, () => restaurants.update(id, stored, write));
    },
    remove: restaurants.remove,
    restore: (before, write) => {
      const stored = readRestaurant(before);
      return store(stored, () => restaurants.restore(stored, readAlong(before), write));
    },
    others: (id, had) => {
      const { ratings, photos } = restaurants.countOthers(id, readAlong(had));
      return joined(counted(ratings, 'rating'), counted(photos, 'photo'));
    },
  };
}

function lookupAccess(store: LookupStore, noun: string): EntityAccess {
  const reasons = (outcome: LookupOutcome | undefined): readonly string[] => {
    if (!outcome) return [FORGOTTEN];
    return outcome.outcome === 'done' ? [] : [alreadyExistsText(noun, outcome.of)];
  };
  return {
    get: (id) => entity(store.get(id)),
    update: (id, values, write) => {
      const { text } = storedFields({ ...store.get(id), ...values });
      return reasons(store.rename(id, text('name'), write));
    },
    remove: store.remove,
    restore: (before, write) => {
      const { number, ids } = storedFields(before);
      const had = { restaurant_ids: ids('restaurant_ids'), suggestion_ids: ids('suggestion_ids') };
      return reasons(store.restore(number('id'), had, write));
    },
    others: (id, had) => {
      const now = store.references(id);
      const more = (name: keyof typeof now): number => {
        const own = new Set(name in had ? storedFields(had).ids(name) : []);
        return now[name].filter((reference) => !own.has(reference)).length;
      };
      return joined(
        counted(more('restaurant_ids'), 'restaurant'),
        counted(more('suggestion_ids'), 'suggestion'),
      );
    },
  };
}

function suggestionAccess({ suggestions }: EntityStores, missing: Missing): EntityAccess {
  return {
    get: (id) => entity(suggestions.stored(id)),
    update: (id, values, write) => {
      const before = suggestions.stored(id);
      const after = readSuggestion({ ...before, ...values });
      const twin = before?.status === 'rejected' ? suggestions.findTwin(after) : undefined;
      if (twin) return [alreadyExistsText(twin.noun, twin.of)];
      suggestions.setStatus(id, after.status, write, after.restaurant_id);
      return [];
    },
    remove: suggestions.remove,
    restore: (before, write) => {
      const stored = readSuggestion(before);
      const reasons = missing(stored.suggested_category_id, stored.food_type_ids);
      if (reasons.length > 0) return reasons;
      return reasonsOf('Suggestion', suggestions.restore(stored, readMadeOf(before), write));
    },
  };
}

function ratingAccess({ ratings }: EntityStores): EntityAccess {
  return {
    get: (id) => entity(ratings.stored(id)),
    update: (id, values, write) => {
      const { food_rating, service_rating, ambiance_rating, comment } = readRating({
        ...ratings.stored(id),
        ...values,
      });
      ratings.update(id, { food_rating, service_rating, ambiance_rating, comment }, write);
      return [];
    },
    remove: (id, write) => ratings.remove(id, write),
    restore: (before, write) => {
      ratings.restore(readRating(before), write);
      return [];
    },
  };
}

function photoAccess({ photos }: EntityStores): EntityAccess {
  return {
    get: (id) => entity(photos.stored(id)),
    update: (id, values, write) => {
      photos.setCaption(id, storedFields(values).text('caption'), write);
      return [];
    },
    remove: photos.remove,
    restore: (before, write) => {
      photos.restore(readPhoto(before), write);
      return [];
    },
  };
}

function entity(stored: object | undefined): Entity | undefined {
  return stored && { ...stored };
}

function reasonsOf(noun: string, outcome: WriteOutcome | SuggestionOutcome | undefined): readonly string[] {
  switch (outcome?.outcome) {
    case undefined:
      return [`${noun} not found`];
    case 'done':
      return [];
    case 'invalid':
      return outcome.faults;
    case 'duplicate':
      return [alreadyExistsText('noun' in outcome ? outcome.noun : noun, outcome.of)];
  }
}

function counted(count: number, noun: string): string | undefined {
  return count === 0 ? undefined : `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function joined(...parts: readonly (string | undefined)[]): string | undefined {
  const there = parts.filter((part) => part !== undefined);
  return there.length === 0 ? undefined : there.join(' and ');
}
