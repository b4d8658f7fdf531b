import type { Entity, Subject, Write } from '../storage/change-log.ts';
import type { QueryFile } from '../storage/statements.ts';
import { type PlaceIdentity, identityKey, searchName, searchText } from '../storage/text.ts';
import type { NewRestaurant, RestaurantChange } from './input.ts';
import { type RestaurantRecord, type StoredRestaurant, storedRestaurant } from './record.ts';
import { type TakenAlong, createTakenAlong } from './taken-along.ts';
import { type RecordReaders, createRecordReaders } from './records.ts';

/** When a restaurant was made and last changed; an import brings its own. */
export interface Times {
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Where a restaurant comes from: the suggestion that it is made of, or the file with its own times. */
export interface Origin {
  readonly suggestionId?: number;
  readonly times?: Times;
}

/** Another restaurant that stands in the way, with enough to name it. */
export interface Duplicate {
  readonly id: number;
  readonly name: string;
}

/** How a write ended; nothing was written unless it says `done`. */
export type WriteOutcome =
  | { readonly outcome: 'done'; readonly record: RestaurantRecord }
  | { readonly outcome: 'duplicate'; readonly of: Duplicate }
  | { readonly outcome: 'invalid'; readonly faults: readonly string[] };

/** Restaurants in the database. Writes are to be run inside a transaction. */
export interface RestaurantStore extends RecordReaders {
  readonly get: (id: number) => RestaurantRecord | undefined;
  /**
   * With a suggestion, the restaurant is made from that one. All other open suggestions of the same place are converted by
   * it, too; without one the oldest of them is what it was made from.
   */
  readonly create: (input: NewRestaurant, write: Write, from?: Origin) => WriteOutcome;
  /** Undefined when there is no such restaurant. */
  readonly update: (id: number, change: RestaurantChange, write: Write) => WriteOutcome | undefined;
  /** What keeps these fields from being stored that only the database can tell; with an id, on top of that restaurant. */
  readonly findFaults: (fields: RestaurantChange, id?: number) => readonly string[];
  /** Those of a category and food types alone. `categoryField` is what the category is called in the body. */
  readonly findReferenceFaults: ReferenceChecker;
  /** Its ratings and photos go with it. False when there is no such restaurant. */
  readonly remove: (id: number, write: Write) => boolean;
  /** Brings a deleted one back, with what went with it. */
  readonly restore: (stored: StoredRestaurant, along: TakenAlong, write: Write) => WriteOutcome;
  /** How many ratings and photos it has that are none of these. */
  readonly countOthers: (
    id: number,
    along: TakenAlong,
  ) => { readonly ratings: number; readonly photos: number };
  /** An id that neither a restaurant nor a suggestion has had. */
  readonly nextId: () => number;
  /** The restaurant that this one would double, other than `except`: same place id, or same name and address. */
  readonly findDuplicate: (input: Identity, except?: number) => Duplicate | undefined;
}

type Identity = PlaceIdentity & { readonly googlePlaceId: string | null };

/** Opens the store on restaurants.sql. */
export function createRestaurantStore(sql: QueryFile): RestaurantStore {
  const readers = createRecordReaders(sql);
  const nextId = createIdSource(sql);
  const insertRow = sql.prepare('insertRestaurant');
  const updateRow = sql.prepare('updateRestaurant');
  const deleteRow = sql.prepare('deleteRestaurant');
  const setFoodTypes = createFoodTypeSetter(sql);
  const findDuplicate = createDuplicateFinder(sql);
  const suggestions = openSuggestions(sql);
  const along = createTakenAlong(sql);
  const findReferenceFaults = createReferenceChecker(sql);
  const faultsOf = createFaultFinder(findReferenceFaults);
  const obstacle = createObstacleFinder(faultsOf, findDuplicate);

  const get = (id: number): RestaurantRecord | undefined => readers.getMany([id])[0];

  function required(id: number): RestaurantRecord {
    const record = get(id);
    if (!record) throw new Error(`restaurant ${id} is gone within its own transaction`);
    return record;
  }

  function insert(
    id: number,
    input: NewRestaurant,
    own: Times & { readonly suggestionId: number | null },
  ): void {
    // Food types first: the row's own trigger then writes the search text once, complete.
    setFoodTypes(id, [], input.foodTypeIds);
    insertRow.run({ ...columns(input), id, ...own });
  }

  return {
    ...readers,
    get,
    nextId,
    findDuplicate,
    findReferenceFaults,
    create: (input, write, { suggestionId, times = { createdAt: write.now, updatedAt: write.now } } = {}) => {
      const refused = obstacle(input);
      if (refused) return refused;
      const open = suggestions.open(input, suggestionId);
      const id = nextId();
      insert(id, input, { ...times, suggestionId: suggestionId ?? open[0]?.id ?? null });
      const record = required(id);
      write.created(subjectOf(record), { ...storedRestaurant(record) });
      for (const suggestion of open) suggestions.convert(suggestion, id, write);
      return { outcome: 'done', record };
    },
    update: (id, change, write) => {
      const before = get(id);
      if (!before) return undefined;
      const input: NewRestaurant = { ...currentInput(before), ...change };
      const refused = obstacle(input, id);
      if (refused) return refused;
      updateRow.run({ ...columns(input), id, updatedAt: write.now });
      setFoodTypes(id, currentInput(before).foodTypeIds, input.foodTypeIds);
      const record = required(id);
      write.updated(subjectOf(record), { ...storedRestaurant(before) }, { ...storedRestaurant(record) });
      return { outcome: 'done', record };
    },
    findFaults: (fields, id) => {
      const before = id === undefined ? undefined : get(id);
      return faultsOf({ ...(before && currentInput(before)), ...fields });
    },
    remove: (id, write) => {
      const record = get(id);
      if (!record) return false;
      const whole: Entity = { ...storedRestaurant(record), ...along.read(id) };
      deleteRow.run({ id });
      write.deleted(subjectOf(record), whole);
      return true;
    },
    restore: (stored, taken, write) => {
      const input = inputOf(stored);
      const refused = obstacle(input);
      if (refused) return refused;
      const { id, created_at: createdAt, updated_at: updatedAt } = stored;
      insert(id, input, { createdAt, updatedAt, suggestionId: suggestions.free(stored.suggestion_id) });
      along.restore(id, taken);
      const record = required(id);
      write.restored(subjectOf(record), { ...storedRestaurant(record), ...along.read(id) });
      return { outcome: 'done', record };
    },
    countOthers: along.countOthers,
  };
}

function subjectOf({ id, name }: RestaurantRecord): Subject {
  return { kind: 'restaurant', id, name, restaurantId: id };
}

function createIdSource(sql: QueryFile): () => number {
  const nextId = sql.prepare<{ id: number }>('nextId');
  return () => {
    const id = nextId.get()?.id;
    if (id === undefined) throw new Error('the id sequence is gone');
    return id;
  };
}

/** The stored fields of a record in the form of an input. */
export function currentInput(record: RestaurantRecord): NewRestaurant {
  return inputOf(storedRestaurant(record));
}

/** The same of what the change log holds. */
export function inputOf(stored: StoredRestaurant): NewRestaurant {
  const { name, description, address, phone, website, latitude, longitude, status } = stored;
  return {
    name,
    description,
    address,
    phone,
    website,
    latitude,
    longitude,
    status,
    googlePlaceId: stored.google_place_id,
    categoryId: stored.category_id,
    foodTypeIds: stored.food_type_ids,
  };
}

function columns(input: NewRestaurant): Record<string, string | number | null> {
  const { foodTypeIds: _separateTable, ...own } = input;
  return {
    ...own,
    identityKey: identityKey(input),
    searchName: searchName(input.name),
    searchText: searchText(`${input.address ?? ''} ${input.description ?? ''}`),
  };
}

function createDuplicateFinder(sql: QueryFile): RestaurantStore['findDuplicate'] {
  const findByPlace = sql.prepare<Duplicate>('findByPlace');
  const findByIdentity = sql.prepare<Duplicate>('findByIdentity');
  return (input, except) => {
    const { googlePlaceId } = input;
    const samePlace =
      googlePlaceId === null ? undefined : findByPlace.get({ googlePlaceId, except: except ?? null });
    return samePlace ?? findByIdentity.get({ identityKey: identityKey(input), except: except ?? null });
  };
}

interface OpenSuggestion {
  readonly id: number;
  readonly name: string;
  readonly user_id: number | null;
  readonly status: string;
  readonly updated_at: string;
}

interface Suggestions {
  /** Those that are still open and are the same place as a new restaurant, and the one that it is made of; the oldest first. */
  readonly open: (place: Identity, madeFrom: number | undefined) => OpenSuggestion[];
  readonly convert: (suggestion: OpenSuggestion, restaurantId: number, write: Write) => void;
  /** The suggestion, unless it is gone or another restaurant was made of it. */
  readonly free: (id: number | null) => number | null;
}

function openSuggestions(sql: QueryFile): Suggestions {
  const findOpen = sql.prepare<OpenSuggestion>('findOpenSuggestions');
  const convert = sql.prepare('convertSuggestion');
  const findFree = sql.prepare<{ id: number }>('findFreeSuggestion');
  return {
    open: (place, madeFrom) => {
      const { googlePlaceId } = place;
      return findOpen.all({ identityKey: identityKey(place), googlePlaceId, madeFrom: madeFrom ?? null });
    },
    convert: ({ id, name, user_id: ownerId, status, updated_at }, restaurantId, write) => {
      convert.run({ id, restaurantId, now: write.now });
      write.updated(
        { kind: 'suggestion', id, name, ownerId },
        { status, restaurant_id: null, updated_at },
        { status: 'converted', restaurant_id: restaurantId, updated_at: write.now },
      );
    },
    free: (id) => findFree.get({ id })?.id ?? null,
  };
}

type References = Pick<RestaurantChange, 'categoryId' | 'foodTypeIds'>;
type ReferenceChecker = (references: References, categoryField?: string) => readonly string[];

function createReferenceChecker(sql: QueryFile): ReferenceChecker {
  const categoryExists = sql.prepare('categoryExists');
  const missingFoodTypes = sql.prepare<{ id: number }>('missingFoodTypes');
  return ({ categoryId = null, foodTypeIds = [] }, categoryField = 'category_id') => {
    const faults: string[] = [];
    if (categoryId !== null && !categoryExists.get({ id: categoryId }))
      faults.push(`${categoryField} ${categoryId} does not exist`);
    const missing = missingFoodTypes.all({ ids: JSON.stringify(foodTypeIds) }).map(({ id }) => id);
    if (missing.length > 0) faults.push(`food_type_ids ${missing.join(', ')} do not exist`);
    return faults;
  };
}

type FaultFinder = (fields: RestaurantChange) => readonly string[];

/** Finds the faults that only the database can tell, and half a pair of coordinates, which a change may leave behind. */
function createFaultFinder(findReferenceFaults: ReferenceChecker): FaultFinder {
  return (fields) => {
    const { latitude = null, longitude = null } = fields;
    const isHalf = (latitude === null) !== (longitude === null);
    return [
      ...(isHalf ? ['latitude and longitude must be given together'] : []),
      ...findReferenceFaults(fields),
    ];
  };
}

/** What keeps an input from being stored: its faults, or a duplicate. */
function createObstacleFinder(
  faultsOf: FaultFinder,
  findDuplicate: RestaurantStore['findDuplicate'],
): (input: NewRestaurant, except?: number) => WriteOutcome | undefined {
  return (input, except) => {
    const faults = faultsOf(input);
    if (faults.length > 0) return { outcome: 'invalid', faults };
    const of = findDuplicate(input, except);
    return of && { outcome: 'duplicate', of };
  };
}

function createFoodTypeSetter(
  sql: QueryFile,
): (restaurantId: number, before: readonly number[], after: readonly number[]) => void {
  const insert = sql.prepare('insertFoodType');
  const remove = sql.prepare('deleteFoodType');
  return (restaurantId, before, after) => {
    for (const foodTypeId of before)
      if (!after.includes(foodTypeId)) remove.run({ restaurantId, foodTypeId });
    for (const foodTypeId of after)
      if (!before.includes(foodTypeId)) insert.run({ restaurantId, foodTypeId });
  };
}
