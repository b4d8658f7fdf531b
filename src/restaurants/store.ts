import type { QueryFile } from '../storage/statements.ts';
import { type PlaceIdentity, identityKey, searchName, searchText } from '../storage/text.ts';
import type { NewRestaurant, RestaurantChange } from './input.ts';
import type { RestaurantRecord } from './record.ts';
import { type RecordReaders, createRecordReaders } from './records.ts';

/** When a restaurant was made and last changed; an import brings its own. */
export interface Times {
  readonly createdAt: string;
  readonly updatedAt: string;
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
  readonly create: (input: NewRestaurant, times: Times, suggestionId?: number) => WriteOutcome;
  /** Undefined when there is no such restaurant. */
  readonly update: (id: number, change: RestaurantChange, updatedAt: string) => WriteOutcome | undefined;
  /** What keeps these fields from being stored that only the database can tell; with an id, on top of that restaurant. */
  readonly findFaults: (fields: RestaurantChange, id?: number) => readonly string[];
  /** Those of a category and food types alone. `categoryField` is what the category is called in the body. */
  readonly findReferenceFaults: ReferenceChecker;
  /** False when there is no such restaurant. */
  readonly remove: (id: number) => boolean;
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
  const findReferenceFaults = createReferenceChecker(sql);
  const faultsOf = createFaultFinder(findReferenceFaults);
  const obstacle = createObstacleFinder(faultsOf, findDuplicate);

  const get = (id: number): RestaurantRecord | undefined => readers.getMany([id])[0];

  return {
    ...readers,
    get,
    nextId,
    findDuplicate,
    findReferenceFaults,
    create: (input, { createdAt, updatedAt }, madeFrom) => {
      const refused = obstacle(input);
      if (refused) return refused;
      const id = nextId();
      // Food types first: the row's own trigger then writes the search text once, complete.
      setFoodTypes(id, [], input.foodTypeIds);
      const oldest = suggestions.oldest(input);
      const suggestionId = madeFrom ?? oldest ?? null;
      insertRow.run({ ...columns(input), id, suggestionId, createdAt, updatedAt });
      if (oldest !== undefined) suggestions.convert(input, id);
      return done(id, get(id));
    },
    update: (id, change, updatedAt) => {
      const before = get(id);
      if (!before) return undefined;
      const input: NewRestaurant = { ...currentInput(before), ...change };
      const refused = obstacle(input, id);
      if (refused) return refused;
      updateRow.run({ ...columns(input), id, updatedAt });
      setFoodTypes(id, currentInput(before).foodTypeIds, input.foodTypeIds);
      return done(id, get(id));
    },
    findFaults: (fields, id) => {
      const before = id === undefined ? undefined : get(id);
      return faultsOf({ ...(before && currentInput(before)), ...fields });
    },
    remove: (id) => deleteRow.run({ id }).changes > 0,
  };
}

function done(id: number, record: RestaurantRecord | undefined): WriteOutcome {
  if (!record) throw new Error(`restaurant ${id} is gone within its own transaction`);
  return { outcome: 'done', record };
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
  const { name, description, address, phone, website, latitude, longitude, status } = record;
  return {
    name,
    description,
    address,
    phone,
    website,
    latitude,
    longitude,
    status,
    googlePlaceId: record.google_place_id,
    categoryId: record.category_id,
    foodTypeIds: record.food_types.map((foodType) => foodType.id),
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

/** The suggestions that are still open and are the same place as a new restaurant. */
interface OpenSuggestions {
  readonly oldest: (place: Identity) => number | undefined;
  readonly convert: (place: Identity, restaurantId: number) => void;
}

function openSuggestions(sql: QueryFile): OpenSuggestions {
  const oldest = sql.prepare<{ id: number }>('findOpenSuggestion');
  const convert = sql.prepare('convertOpenSuggestions');
  return {
    oldest: (place) =>
      oldest.get({ identityKey: identityKey(place), googlePlaceId: place.googlePlaceId })?.id,
    convert: (place, id) => {
      const { googlePlaceId } = place;
      convert.run({ identityKey: identityKey(place), googlePlaceId, id, now: new Date().toISOString() });
    },
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
