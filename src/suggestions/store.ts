import { PLACE_NAMES } from '../restaurants/fields.ts';
import type { RestaurantStore } from '../restaurants/store.ts';
import type { Entity, Subject, Write } from '../storage/change-log.ts';
import type { QueryFile } from '../storage/statements.ts';
import { identityKey, searchName, searchText } from '../storage/text.ts';
import type { NewSuggestion, SuggestionListQuery } from './input.ts';
import { withFoodTypes } from '../restaurants/records.ts';
import type { SuggestionRecord, SuggestionStatus } from './record.ts';
import { type Twin, type TwinFinder, createTwinFinder } from './twins.ts';

/** The outcome of a creation; nothing was written unless it says `done`. */
export type SuggestionOutcome =
  | { readonly outcome: 'done'; readonly record: SuggestionRecord }
  | ({ readonly outcome: 'duplicate' } & Twin)
  | { readonly outcome: 'invalid'; readonly faults: readonly string[] };

/** Suggestions in the database. Writes must be run inside a transaction. */
export interface SuggestionStore {
  readonly get: (id: number) => SuggestionRecord | undefined;
  /** Newest first, those behind `after`. */
  readonly list: Lister<SuggestionRecord>;
  readonly create: (input: NewSuggestion, write: Write) => SuggestionOutcome;
  /** A conversion names the restaurant. Undefined when there is no such suggestion. */
  readonly setStatus: (
    id: number,
    status: SuggestionStatus,
    write: Write,
    restaurantId?: number | null,
  ) => SuggestionRecord | undefined;
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
  const getRow = sql.prepareFor<Omit<SuggestionRecord, 'food_type_ids'> & { food_type_ids: string }>(
    PLACE_NAMES,
    'getSuggestion',
  );
  const listIds = createLister(sql);
  const madeOf = sql.prepare<{ id: number }>('restaurantsMadeOf');
  const findTwin = createTwinFinder(sql, restaurants);

  function get(id: number): SuggestionRecord | undefined {
    const row = getRow.get({ id });
    return row && withFoodTypes(row);
  }

  function whole(record: SuggestionRecord): Entity {
    return { ...record, restaurant_ids: idsOf(madeOf.all({ id: record.id })) };
  }

  return {
    get,
    list: (...asked) => listIds(...asked).flatMap((id) => get(id) ?? []),
    ...createMaker(sql, { restaurants, findTwin, get, whole }),
    ...createChanger(sql, { get, whole }),
    findTwin: (record) => findTwin(record, record.id),
  };
}

interface ChangerOptions {
  readonly get: SuggestionStore['get'];
  /** With the restaurants that were made of it. */
  readonly whole: (record: SuggestionRecord) => Entity;
}

interface MakerOptions extends ChangerOptions {
  readonly restaurants: Restaurants;
  readonly findTwin: TwinFinder;
}

function createMaker(
  sql: QueryFile,
  { restaurants, findTwin, get, whole }: MakerOptions,
): Pick<SuggestionStore, 'create' | 'restore'> {
  const insertRow = sql.prepareFor(PLACE_NAMES, 'insertSuggestion');
  const insertFoodType = sql.prepare('insertSuggestionFoodType');
  const relink = sql.prepare('relinkRestaurants');

  function insert(input: NewSuggestion, own: OwnColumns): SuggestionRecord {
    // Food types first: the row's own trigger then writes the search text once, complete.
    for (const foodTypeId of input.food_type_ids) insertFoodType.run({ suggestionId: own.id, foodTypeId });
    insertRow.run({ ...columns(input), ...own });
    return required(get, own.id);
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
      write.created(subjectOf(record), { ...record });
      return { outcome: 'done', record };
    },
    restore: (stored, restaurantIds, write) => {
      const input = inputOf(stored);
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
  { get, whole }: ChangerOptions,
): Pick<SuggestionStore, 'setStatus' | 'remove'> {
  const setStatus = sql.prepare('setStatus');
  const deleteRow = sql.prepare('deleteSuggestion');
  return {
    setStatus: (id, status, write, restaurantId = null) => {
      const before = get(id);
      if (!before) return undefined;
      setStatus.run({ id, status, restaurantId, now: write.now });
      const after = required(get, id);
      write.updated(subjectOf(after), { ...before }, { ...after });
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

function required(get: SuggestionStore['get'], id: number): SuggestionRecord {
  const record = get(id);
  if (!record) throw new Error(`suggestion ${id} is gone within its own transaction`);
  return record;
}

function subjectOf({ id, name, author_id: ownerId }: SuggestionRecord): Subject {
  return { kind: 'suggestion', id, name, ownerId };
}

function inputOf(stored: SuggestionRecord): NewSuggestion {
  return {
    ...stored,
    category_id: stored.suggested_category_id,
    categoryField: 'category',
  };
}

type Lister<Element> = (
  status: SuggestionListQuery['status'],
  after: SuggestionRecord | undefined,
  limit: number,
  offset: number,
) => Element[];

function createLister(sql: QueryFile): Lister<number> {
  const listOpen = sql.prepare<{ id: number }>('listOpen');
  const listAll = sql.prepare<{ id: number }>('listAll');
  const listWithStatus = sql.prepare<{ id: number }>('listWithStatus');
  return (status, after, limit, offset) => {
    const { created_at: createdAt, id: behind } = after ?? START;
    const page = { createdAt, id: behind, limit, offset };
    if (status === undefined) return idsOf(listOpen.all(page));
    return idsOf(status === 'all' ? listAll.all(page) : listWithStatus.all({ ...page, status }));
  };
}

function idsOf(rows: readonly { readonly id: number }[]): number[] {
  return rows.map(({ id }) => id);
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
