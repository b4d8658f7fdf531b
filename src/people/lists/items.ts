import { PLACEHOLDER_ID, type Subject, type Write } from '../../storage/change-log.ts';
import type { QueryFile } from '../../storage/statements.ts';
import type { ListRecord, StoredItem } from './record.ts';

/** An item where it stands in its list. */
export interface ItemRecord extends StoredItem {
  /** Items are ordered by it, then by restaurant. */
  readonly rank: number;
}

/** What is set of an item; the rest stays, or is that of a new item: at the end, without a note. */
export interface ItemChange {
  /** From 1; beyond the end it is the end. */
  readonly position?: number;
  readonly note?: string | null;
}

/** The outcome of a write of an item; `isWritten` is false where nothing had to change. */
export type ItemOutcome =
  | { readonly outcome: 'done'; readonly item: ItemRecord; readonly isWritten: boolean }
  | { readonly outcome: 'full' }
  | { readonly outcome: 'no restaurant' };

/**
 * The items of lists in the database; those whose restaurant is deleted are seen by no one. Writes must be run inside a
 * transaction.
 */
export interface ItemStore {
  readonly get: (listId: number, restaurantId: number) => ItemRecord | undefined;
  /** At most `limit`, those behind `after`, or without it those behind the first `offset`; nothing may be written until the last one was taken. */
  readonly read: (
    listId: number,
    after: ItemRecord | undefined,
    limit: number,
    offset: number,
  ) => Iterable<ItemRecord>;
  /** Those behind the first `offset`, at most `limit`, in slices of `size`; the caller may pause between slices. */
  readonly slices: (
    listId: number,
    part: { readonly offset: number; readonly limit: number | undefined },
    size: number,
  ) => Generator<readonly ItemRecord[]>;
  /** Undefined when there is no such list. A restored item has its own `createdAt`. */
  readonly put: (
    listId: number,
    restaurantId: number,
    change: ItemChange,
    write: Write,
    createdAt?: string,
  ) => ItemOutcome | undefined;
  /** False when there is no such item. */
  readonly remove: (listId: number, restaurantId: number, write: Write) => boolean;
}

/** The most items of a list. */
export const MOST_ITEMS = 5_000;
/** Between the ranks of neighbours. */
export const GAP = 1_048_576;
// Before every item there is.
const START = { rank: Number.MIN_SAFE_INTEGER, restaurant_id: 0 };

/** The list as the subject of a change. */
export function subjectOf({ id, name, author_id }: ListRecord): Subject {
  return { kind: 'list', id, name, ownerId: author_id ?? PLACEHOLDER_ID };
}

/** The item as the change log holds it. */
export function storedItem({ restaurant_id, position, note, created_at }: StoredItem): StoredItem {
  return { restaurant_id, position, note, created_at };
}

/** Opens the store on lists.sql. */
export function createItemStore(sql: QueryFile, getList: (id: number) => ListRecord | undefined): ItemStore {
  const getRow = sql.prepare<ItemRecord>('getItem');
  const restaurantExists = sql.prepare('restaurantExists');
  const insert = sql.prepare('insertItem');
  const update = sql.prepare('updateItem');
  const remove = sql.prepare('deleteItem');
  const ranks = createRanks(sql);
  const log = createItemLog(sql);
  const get = (listId: number, restaurantId: number): ItemRecord | undefined =>
    getRow.get({ listId, restaurantId });

  function store(list: ListRecord, before: ItemRecord | undefined, wanted: Wanted, createdAt: string): void {
    const { restaurantId, position, note, isLast } = wanted;
    const place = { wanted: position, isLast };
    const stays = before?.position === position;
    const rank = stays ? before.rank : ranks.at(list.id, restaurantId, place);
    const row = { listId: list.id, restaurantId, rank, note };
    if (before) update.run(row);
    else insert.run({ ...row, createdAt });
  }

  return {
    get,
    ...createReader(sql),
    put: (listId, restaurantId, change, write, createdAt = write.now) => {
      const list = getList(listId);
      if (!list) return undefined;
      if (!restaurantExists.get({ restaurantId })) return { outcome: 'no restaurant' };
      const before = get(listId, restaurantId);
      if (!before && list.item_count >= MOST_ITEMS) return { outcome: 'full' };
      const wanted = { restaurantId, ...wantedOf(list, before, change) };
      if (before?.position === wanted.position && before.note === wanted.note)
        return { outcome: 'done', item: before, isWritten: false };
      store(list, before, wanted, createdAt);
      const item = get(listId, restaurantId);
      if (!item) throw new Error('an item is gone within its own transaction');
      log(list, before, item, write);
      return { outcome: 'done', item, isWritten: true };
    },
    remove: (listId, restaurantId, write) => {
      const [list, before] = [getList(listId), get(listId, restaurantId)];
      if (!list || !before) return false;
      remove.run({ listId, restaurantId });
      log(list, before, undefined, write);
      return true;
    },
  };
}

/** An item as it must be, within the list. */
interface Wanted {
  readonly restaurantId: number;
  readonly position: number;
  readonly note: string | null;
  readonly isLast: boolean;
}

function wantedOf(
  { item_count }: ListRecord,
  before: ItemRecord | undefined,
  { position, note = before?.note ?? null }: ItemChange,
): Omit<Wanted, 'restaurantId'> {
  const last = before ? item_count : item_count + 1;
  const wanted = Math.min(position ?? before?.position ?? last, last);
  return { position: wanted, note, isLast: wanted === last };
}

/** Logs that a list has another item now, and writes the time of the list. */
function createItemLog(
  sql: QueryFile,
): (list: ListRecord, before: ItemRecord | undefined, after: ItemRecord | undefined, write: Write) => void {
  const touch = sql.prepare('touchList');
  const itemsOf = (item: ItemRecord | undefined): readonly StoredItem[] => (item ? [storedItem(item)] : []);
  return (list, before, after, write) => {
    touch.run({ id: list.id, updatedAt: write.now });
    write.updated(
      subjectOf(list),
      { items: itemsOf(before), updated_at: list.updated_at },
      { items: itemsOf(after), updated_at: write.now },
    );
  };
}

function createReader(sql: QueryFile): Pick<ItemStore, 'read' | 'slices'> {
  const list = sql.prepare<Omit<ItemRecord, 'position'>>('listItems');

  function* read(
    listId: number,
    after: ItemRecord | undefined,
    limit: number,
    offset: number,
  ): Generator<ItemRecord> {
    const { rank, restaurant_id: restaurantId } = after ?? START;
    let position = after?.position ?? offset;
    for (const row of list.iterate({ listId, rank, restaurantId, limit, offset })) {
      position += 1;
      yield { ...row, position };
    }
  }

  return {
    read,
    slices: function* (listId, { offset, limit = Infinity }, size) {
      let last: ItemRecord | undefined;
      for (let left = limit; left > 0;) {
        const wanted = Math.min(size, left);
        const items = [...read(listId, last, wanted, last ? 0 : offset)];
        if (items.length > 0) yield items;
        if (items.length < wanted) return;
        last = items.at(-1);
        left -= items.length;
      }
    },
  };
}

interface Ranks {
  /** A rank by which the item of a restaurant stands where it is wanted. */
  readonly at: (
    listId: number,
    restaurantId: number,
    place: { readonly wanted: number; readonly isLast: boolean },
  ) => number;
}

function createRanks(sql: QueryFile): Ranks {
  const lastRank = sql.prepare<number>('lastRank').pluck();
  const rankOfOther = sql.prepare<number>('rankOfOther').pluck();
  const renumber = sql.prepare('renumberItems');

  function between(listId: number, restaurantId: number, wanted: number): number | undefined {
    const other = (offset: number): number | undefined => rankOfOther.get({ listId, restaurantId, offset });
    const next = other(wanted - 1) ?? GAP;
    const previous = wanted === 1 ? next - 2 * GAP : (other(wanted - 2) ?? 0);
    const middle = Math.floor((previous + next) / 2);
    return middle > previous ? middle : undefined;
  }

  return {
    at: (listId, restaurantId, { wanted, isLast }) => {
      if (isLast) return (lastRank.get({ listId }) ?? 0) + GAP;
      const found = between(listId, restaurantId, wanted);
      if (found !== undefined) return found;
      // Some twenty moves to one place have used up the gap there.
      renumber.run({ listId, gap: GAP });
      return between(listId, restaurantId, wanted) ?? 0;
    },
  };
}
