import { type Authored, withoutAuthorName } from '../authors.ts';
import { PLACE_NAMES } from '../restaurants/fields.ts';
import {
  type Duplicate,
  type Identity,
  type RestaurantStore,
  createDuplicateFinder,
} from '../restaurants/store.ts';
import { numbersIn } from '../../kit/objects.ts';
import type { Entity, Subject, Write } from '../../storage/change-log.ts';
import type { QueryFile } from '../../storage/statements.ts';
import { identityKey, searchName, searchText } from '../../storage/text.ts';
import type { NewSuggestion, SuggestionListQuery } from './input.ts';
import type { SuggestionRecord, SuggestionStatus } from './record.ts';

/** A record that is the same place already. */
export interface Twin {
  readonly of: Duplicate;
  readonly noun: 'Restaurant' | 'Suggestion';
}

/** The outcome of a creation; nothing was written unless it says `done`. */
export type SuggestionOutcome =
  | { readonly outcome: 'done'; readonly record: Authored<SuggestionRecord> }
  | ({ readonly outcome: 'duplicate' } & Twin)
  | { readonly outcome: 'invalid'; readonly faults: readonly string[] };

/** Suggestions in the database. Writes must be run inside a transaction. */
export interface SuggestionStore {
  readonly get: (id: number) => Authored<SuggestionRecord> | undefined;
  /** The suggestion as the change log holds it. */
  readonly stored: (id: number) => SuggestionRecord | undefined;
  /** Newest first, those behind `after`. */
  readonly list: (
    status: SuggestionListQuery['status'],
    after: SuggestionRecord | undefined,
    limit: number,
    offset: number,
  ) => Iterable<Authored<SuggestionRecord>>;
  readonly create: (input: NewSuggestion, write: Write) => SuggestionOutcome;
  /** A conversion names the restaurant. Undefined when there is no such suggestion. */
  readonly setStatus: (
    id: number,
    status: SuggestionStatus,
    write: Write,
    restaurantId?: number | null,
  ) => Authored<SuggestionRecord> | undefined;
  /** Restores a deleted one, as the source of the restaurants `made` of it. */
  readonly restore: (stored: SuggestionRecord, made: readonly number[], write: Write) => SuggestionOutcome;
  /** A restaurant, or another suggestion that is not rejected, that is the same place as this suggestion. */
  readonly findTwin: (record: SuggestionRecord) => Twin | undefined;
  /** False when there is no such suggestion. */
  readonly remove: (id: number, write: Write) => boolean;
}

interface OwnColumns {
  readonly id: number;
  readonly userId: number | null;
  readonly status: SuggestionStatus;
  readonly restaurantId: number | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

// Behind every moment there is.
const START = { created_at: '~', id: 0 };

type Restaurants = Pick<RestaurantStore, 'nextId' | 'findDuplicate' | 'findReferenceFaults'>;

/** Opens the store on suggestions.sql; restaurants provide ids and find duplicates. */
export function createSuggestionStore(sql: QueryFile, restaurants: Restaurants): SuggestionStore {
  const reader = createReader(sql);
  const findTwin = createTwinFinder(sql, restaurants);
  return {
    get: reader.get,
    stored: (id) => {
      const record = reader.get(id);
      return record && withoutAuthorName(record);
    },
    list: createLister(sql, reader),
    ...createMaker(sql, reader, restaurants, findTwin),
    ...createChanger(sql, reader),
    findTwin: (record) => findTwin(record, record.id),
  };
}

interface Reader extends Pick<SuggestionStore, 'get'> {
  /** One that must be there. */
  readonly required: (id: number) => Authored<SuggestionRecord>;
  /** As the change log holds it, with the restaurants that were made of it. */
  readonly whole: (record: Authored<SuggestionRecord>) => Entity;
}

function createReader(sql: QueryFile): Reader {
  const getRow = sql.prepareFor<
    Omit<Authored<SuggestionRecord>, 'food_type_ids'> & { food_type_ids: string }
  >(PLACE_NAMES, 'getSuggestion');
  const madeOf = sql.prepare<number>('restaurantsMadeOf').pluck();
  const get = (id: number): Authored<SuggestionRecord> | undefined => {
    const row = getRow.get({ id });
    return row && { ...row, food_type_ids: numbersIn(row.food_type_ids) };
  };
  return {
    get,
    required: (id) => {
      const record = get(id);
      if (!record) throw new Error(`suggestion ${id} is gone within its own transaction`);
      return record;
    },
    whole: (record) => ({ ...withoutAuthorName(record), restaurant_ids: madeOf.all({ id: record.id }) }),
  };
}

/** Finds the twin of a suggestion: a restaurant, or a suggestion other than `except` that is not rejected. */
type TwinFinder = (place: Identity, except?: number) => Twin | undefined;

function createTwinFinder(sql: QueryFile, restaurants: Restaurants): TwinFinder {
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

function createMaker(
  sql: QueryFile,
  { required, whole }: Reader,
  restaurants: Restaurants,
  findTwin: TwinFinder,
): Pick<SuggestionStore, 'create' | 'restore'> {
  const insertRow = sql.prepareFor(PLACE_NAMES, 'insertSuggestion');
  const insertFoodType = sql.prepare('insertSuggestionFoodType');
  const relink = sql.prepare('relinkRestaurants');

  function insert(input: NewSuggestion, own: OwnColumns): Authored<SuggestionRecord> {
    // Food types first: the row's own trigger then writes the search text once, complete.
    for (const foodTypeId of input.food_type_ids) insertFoodType.run({ suggestionId: own.id, foodTypeId });
    insertRow.run({ ...columns(input), ...own });
    return required(own.id);
  }

  function obstacle(input: NewSuggestion, twin: Twin | undefined): SuggestionOutcome | undefined {
    const faults = restaurants.findReferenceFaults(input, input.categoryField);
    if (faults.length > 0) return { outcome: 'invalid', faults };
    return twin && { outcome: 'duplicate', ...twin };
  }

  return {
    create: (input, write) => {
      const refused = obstacle(input, findTwin(input));
      if (refused) return refused;
      const { now, userId } = write;
      const own = { id: restaurants.nextId(), userId, status: 'pending', restaurantId: null } as const;
      const record = insert(input, { ...own, createdAt: now, updatedAt: now });
      write.created(subjectOf(record), withoutAuthorName(record));
      return { outcome: 'done', record };
    },
    restore: (stored, restaurantIds, write) => {
      const input = { ...stored, category_id: stored.suggested_category_id, categoryField: 'category' };
      const isOpen = stored.status !== 'rejected' && stored.status !== 'converted';
      const refused = obstacle(input, isOpen ? findTwin(input) : undefined);
      if (refused) return refused;
      const { id, author_id: userId, status, restaurant_id: restaurantId } = stored;
      const { created_at: createdAt, updated_at: updatedAt } = stored;
      const record = insert(input, { id, userId, status, restaurantId, createdAt, updatedAt });
      relink.run({ id, ids: JSON.stringify(restaurantIds) });
      write.restored(subjectOf(record), whole(record));
      return { outcome: 'done', record };
    },
  };
}

function createChanger(
  sql: QueryFile,
  { get, required, whole }: Reader,
): Pick<SuggestionStore, 'setStatus' | 'remove'> {
  const setStatus = sql.prepare('setStatus');
  const deleteRow = sql.prepare('deleteSuggestion');
  return {
    setStatus: (id, status, write, restaurantId = null) => {
      const before = get(id);
      if (!before) return undefined;
      setStatus.run({ id, status, restaurantId, now: write.now });
      const after = required(id);
      write.updated(subjectOf(after), { ...withoutAuthorName(before) }, { ...withoutAuthorName(after) });
      return after;
    },
    remove: (id, write) => {
      const record = get(id);
      if (!record) return false;
      const before = whole(record);
      deleteRow.run({ id });
      write.deleted(subjectOf(record), before);
      return true;
    },
  };
}

function createLister(sql: QueryFile, { get }: Reader): SuggestionStore['list'] {
  const open = sql.prepare<number>('listOpen').pluck();
  const all = sql.prepare<number>('listAll').pluck();
  const withStatus = sql.prepare<number>('listWithStatus').pluck();
  return function* (status, after, limit, offset) {
    const { created_at: createdAt, id } = after ?? START;
    const page = { createdAt, id, limit, offset };
    const found = (): number[] => {
      if (status === undefined) return open.all(page);
      return status === 'all' ? all.all(page) : withStatus.all({ ...page, status });
    };
    for (const one of found()) {
      const record = get(one);
      if (record) yield record;
    }
  };
}

function subjectOf({ id, name, author_id: ownerId }: SuggestionRecord): Subject {
  return { kind: 'suggestion', id, name, ownerId };
}

function columns(input: NewSuggestion): Record<string, string | number | null> {
  const { food_type_ids: _separateTable, categoryField: _name, ...own } = input;
  return {
    ...own,
    identityKey: identityKey(input),
    searchName: searchName(input.name),
    searchText: searchText(input.address ?? ''),
  };
}
