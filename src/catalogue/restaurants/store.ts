import type { Entity, Subject, Write } from '../../storage/change-log.ts';
import type { QueryFile } from '../../storage/statements.ts';
import { identityKey, searchName, searchText } from '../../storage/text.ts';
import { COLUMN_NAMES, type NewRestaurant, type RestaurantChange, changed, columnsOf } from './fields.ts';
import { type RestaurantRecord, type StoredRestaurant, storedRestaurant } from './record.ts';
import { type TakenAlong, type TakenAlongAccess, createTakenAlong } from './taken-along.ts';
import { type Suggestions, openSuggestions } from './open-suggestions.ts';
import { type Obstacle, type Obstacles, createObstacles } from './obstacles.ts';
import { createRecordReader } from './records.ts';

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

/** The outcome of a write; nothing was written unless it says `done`. */
export type WriteOutcome = { readonly outcome: 'done'; readonly record: RestaurantRecord } | Obstacle;

/** Restaurants in the database. Writes must be run inside a transaction. */
export interface RestaurantStore extends Pick<Obstacles, 'findDuplicate' | 'findReferenceFaults'> {
  readonly get: (id: number) => RestaurantRecord | undefined;
  /**
   * With a suggestion, the restaurant is made from that one. All other open suggestions of the same place are converted by
   * it, too; without one it counts as made from the oldest of them.
   */
  readonly create: (input: NewRestaurant, write: Write, from?: Origin) => WriteOutcome;
  /** Undefined when there is no such restaurant. */
  readonly update: (id: number, change: RestaurantChange, write: Write) => WriteOutcome | undefined;
  /** The faults of these fields that only the database can find; with an id, for a change of that restaurant. */
  readonly findFaults: (fields: RestaurantChange, id?: number) => readonly string[];
  /** Its ratings and photos go with it. False when there is no such restaurant. */
  readonly remove: (id: number, write: Write) => boolean;
  /** Restores a deleted one, with its belongings. */
  readonly restore: (stored: StoredRestaurant, along: TakenAlong, write: Write) => WriteOutcome;
  /** How many ratings and photos it has that are none of these. */
  readonly countOthers: (
    id: number,
    along: TakenAlong,
  ) => { readonly ratings: number; readonly photos: number };
  /** The next ids after an id. */
  readonly idsAfter: (afterId: number, limit: number) => number[];
  /** An id that neither a restaurant nor a suggestion has had. */
  readonly nextId: () => number;
}

/** Opens the store on restaurants.sql. */
export function createRestaurantStore(sql: QueryFile): RestaurantStore {
  const get = createRecordReader(sql);
  const { findDuplicate, findReferenceFaults, faultsOf, obstacle } = createObstacles(sql);
  const along = createTakenAlong(sql);
  const nextId = createIdSource(sql);
  const rows = createRows(sql);
  const idsAfter = sql.prepare<{ id: number }>('idsAfter');
  const used: Used = { ...rows, get, nextId, obstacle, along, suggestions: openSuggestions(sql) };
  return {
    ...{ get, nextId, findDuplicate, findReferenceFaults },
    ...createWriter(used),
    ...createDeletion(used),
    findFaults: (fields, id) => {
      const before = id === undefined ? undefined : get(id);
      return faultsOf({ ...(before && storedRestaurant(before)), ...fields });
    },
    countOthers: along.countOthers,
    idsAfter: (afterId, limit) => idsAfter.all({ afterId, limit }).map(({ id }) => id),
  };
}

/** The functions that the writes of the store use. */
interface Used extends Rows, Pick<RestaurantStore, 'get' | 'nextId'> {
  readonly obstacle: Obstacles['obstacle'];
  readonly along: TakenAlongAccess;
  readonly suggestions: Suggestions;
}

function createWriter({
  insert,
  change,
  get,
  nextId,
  obstacle,
  suggestions,
}: Used): Pick<RestaurantStore, 'create' | 'update'> {
  return {
    create: (
      fields,
      write,
      { suggestionId, times = { createdAt: write.now, updatedAt: write.now } } = {},
    ) => {
      const input = changed(fields, {});
      const refused = obstacle(input);
      if (refused) return refused;
      const open = suggestions.open(input, suggestionId);
      const id = nextId();
      insert(id, input, { ...times, suggestionId: suggestionId ?? open[0]?.id ?? null });
      const record = required(get, id);
      write.created(subjectOf(record), { ...storedRestaurant(record) });
      for (const suggestion of open) suggestions.convert(suggestion, id, write);
      return { outcome: 'done', record };
    },
    update: (id, fields, write) => {
      const before = get(id);
      if (!before) return undefined;
      const current = storedRestaurant(before);
      const input = changed(current, fields);
      const refused = obstacle(input, id);
      if (refused) return refused;
      change(id, current.food_type_ids, input, write.now);
      const record = required(get, id);
      write.updated(subjectOf(record), { ...storedRestaurant(before) }, { ...storedRestaurant(record) });
      return { outcome: 'done', record };
    },
  };
}

function createDeletion({
  insert,
  remove,
  get,
  obstacle,
  along,
  suggestions,
}: Used): Pick<RestaurantStore, 'remove' | 'restore'> {
  return {
    remove: (id, write) => {
      const record = get(id);
      if (!record) return false;
      const whole: Entity = { ...storedRestaurant(record), ...along.read(id) };
      remove(id);
      write.deleted(subjectOf(record), whole);
      return true;
    },
    restore: (stored, taken, write) => {
      const refused = obstacle(stored);
      if (refused) return refused;
      const { id, created_at: createdAt, updated_at: updatedAt } = stored;
      insert(id, stored, { createdAt, updatedAt, suggestionId: suggestions.free(stored.suggestion_id) });
      along.restore(id, taken);
      const record = required(get, id);
      write.restored(subjectOf(record), { ...storedRestaurant(record), ...along.read(id) });
      return { outcome: 'done', record };
    },
  };
}

function required(get: RestaurantStore['get'], id: number): RestaurantRecord {
  const record = get(id);
  if (!record) throw new Error(`restaurant ${id} is gone within its own transaction`);
  return record;
}

/** The rows of a restaurant and of its food types. */
interface Rows {
  readonly insert: (
    id: number,
    input: NewRestaurant,
    own: Times & { readonly suggestionId: number | null },
  ) => void;
  readonly change: (
    id: number,
    foodTypesBefore: readonly number[],
    input: NewRestaurant,
    updatedAt: string,
  ) => void;
  readonly remove: (id: number) => void;
}

function createRows(sql: QueryFile): Rows {
  const insertRow = sql.prepareFor(COLUMN_NAMES, 'insertRestaurant');
  const updateRow = sql.prepareFor(COLUMN_NAMES, 'updateRestaurant');
  const deleteRow = sql.prepare('deleteRestaurant');
  const setFoodTypes = createFoodTypeSetter(sql);
  return {
    insert: (id, input, own) => {
      // Food types first: the row's own trigger then writes the search text once, complete.
      setFoodTypes(id, [], input.food_type_ids);
      insertRow.run({ ...columns(input), id, ...own });
    },
    change: (id, foodTypesBefore, input, updatedAt) => {
      updateRow.run({ ...columns(input), id, updatedAt });
      setFoodTypes(id, foodTypesBefore, input.food_type_ids);
    },
    remove: (id) => {
      deleteRow.run({ id });
    },
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

function columns(input: NewRestaurant): Record<string, string | number | null> {
  return {
    ...columnsOf(input),
    category_id: input.category_id,
    identityKey: identityKey(input),
    searchName: searchName(input.name),
    searchText: searchText(`${input.address ?? ''} ${input.description ?? ''}`),
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
