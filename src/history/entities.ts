import type { LookupOutcome, LookupStore } from '../catalogue/lookups/store.ts';
import { readPhoto } from '../catalogue/photos/record.ts';
import { readRating, readRatingChange } from '../catalogue/ratings/record.ts';
import { storedFieldsOf } from '../catalogue/restaurants/fields.ts';
import {
  CASCADED,
  type Cascaded,
  type RestaurantRecord,
  type WriteOutcome,
} from '../catalogue/restaurants/store.ts';
import { CatalogueStores } from '../catalogue/stores.ts';
import { readSuggestion } from '../catalogue/suggestions/record.ts';
import type { SuggestionOutcome } from '../catalogue/suggestions/store.ts';
import { isObject } from '../kit/objects.ts';
import { alreadyExistsText, counted } from '../kit/sentences.ts';
import { ITEM_COLUMNS, type StoredItem, storedItem } from '../people/lists/record.ts';
import { ListStore, TOO_MANY_ITEMS } from '../people/lists/store.ts';
import { VISIT_FIELDS } from '../people/visits/record.ts';
import { VisitStore } from '../people/visits/store.ts';
import type { Entity, EntityKind, Write } from '../storage/change-log.ts';
import type { Queries } from '../storage/statements.ts';
import { isIds, isNumber, isNumberOrNull, isText, isTextOrNull, readStored } from '../storage/stored.ts';

/** Why something could not be undone; nothing was written then. */
type Obstacles = readonly string[];

/** Writes reverts to the entities of one kind. */
export interface EntityAccess {
  readonly get: (id: number) => object | undefined;
  /** Sets these values only. `made` are the values being undone. */
  readonly update: (id: number, values: Entity, write: Write, made: Entity) => Obstacles;
  /** `made` is the creation or restoration that is undone. */
  readonly remove: (id: number, write: Write, made?: Entity) => unknown;
  readonly restore: (entity: Entity, write: Write) => Obstacles;
  /** The current values that the update concerned; if absent, all of them. */
  readonly narrowed?: (current: Entity, before: Entity, made: Entity) => Entity;
  /** Describes what was added to an entity since a moment, such as `2 ratings and 1 photo`; undefined for nothing. */
  readonly others?: (id: number, had: Entity, at: string) => string | undefined;
}

/** Writes reverts to the entities of every kind. */
export type Entities = Readonly<Record<EntityKind, EntityAccess>>;

/** The obstacle when a deletion is too old to be undone. */
export const FORGOTTEN = 'what was deleted is no longer kept';

/** Opens the access to entities of each kind with stores for them. */
export function openEntities(queries: Pick<Queries, 'file'>): Entities {
  const { restaurants, ratings, photos, suggestions, categories, foodTypes } = new CatalogueStores(queries);
  const lists = new ListStore(queries.file('lists'));
  const visits = new VisitStore(queries.file('visits'));

  /** The category and food types that no longer exist. */
  const missing = (categoryId: number | null, foodTypeIds: readonly number[]): Obstacles => [
    ...(categoryId === null || categories.get(categoryId) ? [] : [`category ${categoryId} does not exist`]),
    ...foodTypeIds.filter((id) => !foodTypes.get(id)).map((id) => `food type ${id} does not exist`),
  ];
  const storeRestaurant = (stored: RestaurantRecord, work: () => WriteOutcome | undefined): Obstacles => {
    const obstacles = missing(stored.category_id, stored.food_type_ids);
    return obstacles.length > 0 ? obstacles : obstaclesOf('Restaurant', work());
  };

  return {
    restaurant: {
      get: (id) => restaurants.get(id),
      update: (id, values, write) => {
        const stored = readRestaurant({ ...restaurants.get(id), ...values });
        return storeRestaurant(stored, () => restaurants.update(id, stored, write));
      },
      remove: (id, write, made = {}) => restaurants.remove(id, write, mergedInto(made)),
      restore: (before, write) => {
        const stored = readRestaurant(before);
        return storeRestaurant(stored, () => restaurants.restore(stored, readAlong(before), write));
      },
      others: (id, had) => {
        // They move along when it is merged again.
        if (mergedInto(had) !== undefined) return undefined;
        const others = restaurants.countOthers(id, readAlong(had));
        return andMore(others.ratings, 'rating', others.photos, 'photo');
      },
    },
    category: lookupAccess(categories, 'Category'),
    food_type: lookupAccess(foodTypes, 'Food type'),
    suggestion: {
      get: (id) => suggestions.stored(id),
      update: (id, values, write) => {
        const before = suggestions.stored(id);
        const after = readSuggestion({ ...before, ...values });
        const twin = before?.status === 'rejected' ? suggestions.findTwin(after) : undefined;
        if (twin) return [alreadyExistsText(twin.noun, twin.of)];
        suggestions.setStatus(id, after.status, write, after.restaurant_id);
        return [];
      },
      remove: (id, write) => suggestions.remove(id, write),
      restore: (before, write) => {
        const stored = readSuggestion(before);
        const obstacles = missing(stored.suggested_category_id, stored.food_type_ids);
        if (obstacles.length > 0) return obstacles;
        // The restaurants that were made of it; the log did not always name them.
        const { restaurant_ids } = readStored({ restaurant_ids: [], ...before }, { restaurant_ids: isIds });
        return obstaclesOf('Suggestion', suggestions.restore(stored, restaurant_ids, write));
      },
    },
    rating: {
      get: (id) => ratings.stored(id),
      update: (id, values, write) =>
        noObstacles(() => ratings.update(id, readRatingChange({ ...ratings.stored(id), ...values }), write)),
      remove: (id, write) => ratings.remove(id, write),
      restore: (before, write) => {
        ratings.restore(readRating(before), write);
        return [];
      },
    },
    photo: {
      get: (id) => photos.stored(id),
      update: (id, values, write) =>
        noObstacles(() => photos.setCaption(id, readStored(values, { caption: isText }).caption, write)),
      remove: (id, write) => photos.remove(id, write),
      restore: (before, write) => noObstacles(() => photos.restore(readPhoto(before), write)),
    },
    list: listAccess(lists),
    visit: {
      get: (id) => visits.stored(id),
      update: (id, values, write) =>
        noObstacles(() =>
          visits.update(id, readStored({ ...visits.stored(id), ...values }, VISIT_FIELDS), write),
        ),
      remove: (id, write) => visits.remove(id, write),
      restore: (before, write) => noObstacles(() => visits.restore(before, write)),
    },
  };
}

/** The restaurant into which a restaurant of the log was merged; undefined if it was not. */
export function mergedInto({ merged_into: id }: Entity): number | undefined {
  return isNumber(id) ? id : undefined;
}

/** Makes a write that meets no obstacles. */
function noObstacles(write: () => unknown): Obstacles {
  write();
  return [];
}

const REFERENCES = { restaurant_ids: isIds, suggestion_ids: isIds };

function lookupAccess(store: LookupStore, noun: string): EntityAccess {
  const obstacles = (outcome: LookupOutcome | undefined): Obstacles =>
    outcome ? obstaclesOf(noun, outcome) : [FORGOTTEN];
  return {
    get: (id) => store.get(id),
    update: (id, values, write) => {
      const { name } = readStored({ ...store.get(id), ...values }, { name: isText });
      return obstacles(store.rename(id, name, write));
    },
    remove: (id, write) => store.remove(id, write),
    restore: (before, write) => {
      const { id, ...had } = readStored(before, { id: isNumber, ...REFERENCES });
      return obstacles(store.restore(id, had, write));
    },
    others: (id, entity) => {
      const had = readStored({ restaurant_ids: [], suggestion_ids: [], ...entity }, REFERENCES);
      const now = store.references(id);
      const more = (name: keyof typeof had): number =>
        now[name].filter((reference) => !had[name].includes(reference)).length;
      return andMore(more('restaurant_ids'), 'restaurant', more('suggestion_ids'), 'suggestion');
    },
  };
}

/** An update of a list is about its name and description, or about one of its items. */
function listAccess(lists: ListStore): EntityAccess {
  /** Sets an item back from `made` to `wanted`. */
  function updateItem(
    listId: number,
    wanted: StoredItem | undefined,
    made: StoredItem | undefined,
    write: Write,
  ): Obstacles {
    if (!wanted) {
      if (made) lists.items.remove(listId, made.restaurant_id, write);
      return [];
    }
    const { restaurant_id, position, note } = wanted;
    const change = { note, ...(position !== made?.position && { position }) };
    const outcome = lists.items.put(listId, restaurant_id, change, write, wanted)?.outcome;
    if (outcome === 'no restaurant') return [`restaurant ${restaurant_id} does not exist`];
    return outcome === 'full' ? [TOO_MANY_ITEMS] : [];
  }

  return {
    get: (id) => lists.stored(id),
    narrowed: (current, before, made) => {
      if (!('items' in made)) return current;
      const [had, has] = [itemIn(before), itemIn(made)];
      const item = lists.items.get(
        readStored(current, { id: isNumber }).id,
        (has ?? had)?.restaurant_id ?? 0,
      );
      if (!item) return { ...current, items: [] };
      // Retain the current position unless the change was a move: other items that come and go shift it as well.
      const isMove = had && has && had.position !== has.position;
      const placed = isMove ? item : { ...item, position: has?.position ?? item.position };
      // As the log has it, or lacks it: who added an item changes only by losing the account.
      return { ...current, items: [{ ...storedItem(placed), author_id: fieldsIn(made)?.['author_id'] }] };
    },
    update: (id, values, write, made) => {
      if ('items' in values) return updateItem(id, itemIn(values), itemIn(made), write);
      const columns = { name: isText, description: isTextOrNull };
      lists.update(id, readStored({ ...lists.stored(id), ...values }, columns), write);
      return [];
    },
    remove: (id, write) => lists.remove(id, write),
    restore: (before, write) => lists.restore(before, write),
    // Not how many: administrators read the obstacles of a batch.
    others: (id, had, at) => (lists.hasOthers(id, had, at) ? 'other items' : undefined),
  };
}

/** The one item of a change. */
function itemIn(entity: Entity): StoredItem | undefined {
  const item = fieldsIn(entity);
  // Older changes do not say who added an item.
  return item && readStored({ author_id: null, ...item }, ITEM_COLUMNS);
}

function fieldsIn({ items }: Entity): Entity | undefined {
  const item: unknown = Array.isArray(items) ? items.find(isObject) : undefined;
  return isObject(item) ? { ...item } : undefined;
}

/** Reads a restaurant of the change log. */
function readRestaurant(stored: Entity): RestaurantRecord {
  const columns = { id: isNumber, suggestion_id: isNumberOrNull, created_at: isText, updated_at: isText };
  return { ...storedFieldsOf(stored), ...readStored(stored, columns) };
}

/** Reads the belongings of a deleted restaurant; a created one has none. */
function readAlong(stored: Entity): Cascaded {
  const nothing: Record<string, unknown> = {};
  for (const [name, isValid] of Object.entries(CASCADED)) nothing[name] = isValid(0) ? 0 : [];
  return readStored({ ...nothing, ...stored }, CASCADED);
}

function obstaclesOf(
  noun: string,
  outcome: WriteOutcome | SuggestionOutcome | LookupOutcome | undefined,
): Obstacles {
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

/** Two numbers of things, without those of which there are none; undefined if there are neither. */
function andMore(one: number, noun: string, other: number, otherNoun: string): string | undefined {
  const found = [one > 0 ? counted(one, noun) : '', other > 0 ? counted(other, otherNoun) : ''];
  return found.filter(Boolean).join(' and ') || undefined;
}
