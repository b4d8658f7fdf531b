import type { Write } from '../../storage/change-log.ts';
import type { QueryFile } from '../../storage/statements.ts';
import { type ItemRecord, type ListRecord, type StoredItem, storedItem, subjectOf } from './record.ts';

/** The fields of an item to set; the others stay as they are. A new item is at the end, without a note. */
export interface ItemChange {
  /** Counts from 1; anything beyond the end means the end. */
  readonly position?: number;
  readonly note?: string | null;
}

/** The outcome of writing an item; `isWritten` is false if nothing had to change. */
export type ItemOutcome =
  | { readonly outcome: 'done'; readonly item: ItemRecord; readonly isWritten: boolean }
  | { readonly outcome: 'full' }
  | { readonly outcome: 'no restaurant' };

export const MOST_ITEMS = 5_000;
// The distance between ranks at the end of a list.
const GAP = 1_048_576;
// The least distance on both sides within which ranks are spread.
const NEAR = 64;
// Sorts before every item.
const START = { rank: Number.MIN_SAFE_INTEGER, restaurant_id: 0 };

/**
 * The items of lists in the database. Items whose restaurant is deleted are hidden. Writes must run inside a transaction.
 */
export class ItemStore {
  readonly #getList: (id: number) => ListRecord | undefined;
  readonly #sql;

  constructor(sql: QueryFile, getList: (id: number) => ListRecord | undefined) {
    this.#getList = getList;
    this.#sql = {
      get: sql.prepare<ItemRecord>('getItem'),
      list: sql.prepare<Omit<ItemRecord, 'position'>>('listItems'),
      restaurantExists: sql.prepare('restaurantExists'),
      insert: sql.prepare('insertItem'),
      update: sql.prepare('updateItem'),
      delete: sql.prepare('deleteItem'),
      touchList: sql.prepare('touchList'),
      lastRank: sql.prepare<number>('lastRank').pluck(),
      rankOfOther: sql.prepare<number>('rankOfOther').pluck(),
      countNear: sql.prepare<number>('countNear').pluck(),
      spread: sql.prepare('spreadItems'),
    };
  }

  get(listId: number, restaurantId: number): ItemRecord | undefined {
    return this.#sql.get.get({ listId, restaurantId });
  }

  /**
   * At most `limit` items after `after`, or after the first `offset` if it is absent. Do not write to the database while
   * iterating.
   */
  *read(listId: number, after: ItemRecord | undefined, limit: number, offset: number): Generator<ItemRecord> {
    const { rank, restaurant_id: restaurantId } = after ?? START;
    let position = after?.position ?? offset;
    for (const row of this.#sql.list.iterate({ listId, rank, restaurantId, limit, offset })) {
      position += 1;
      yield { ...row, position };
    }
  }

  /**
   * Adds an item or changes it. Undefined when there is no such list. An item that was there before has the time and the
   * author that it `had`.
   */
  put(
    listId: number,
    restaurantId: number,
    { position, note: wantedNote }: ItemChange,
    write: Write,
    had?: Pick<StoredItem, 'created_at' | 'author_id'>,
  ): ItemOutcome | undefined {
    const list = this.#getList(listId);
    if (!list) return undefined;
    if (!this.#sql.restaurantExists.get({ restaurantId })) return { outcome: 'no restaurant' };
    const before = this.get(listId, restaurantId);
    if (!before && list.item_count >= MOST_ITEMS) return { outcome: 'full' };
    const last = before ? list.item_count : list.item_count + 1;
    const wanted = Math.min(position ?? before?.position ?? last, last);
    const note = wantedNote === undefined ? (before?.note ?? null) : wantedNote;
    if (before?.position === wanted && before.note === note)
      return { outcome: 'done', item: before, isWritten: false };
    const stays = before?.position === wanted;
    const rank = stays ? before.rank : this.#rankAt(listId, restaurantId, wanted, wanted === last);
    if (before) this.#sql.update.run({ listId, restaurantId, rank, note });
    else {
      // The placeholder of mode none writes under an id as well, the command line without one.
      const author_id = list.author_id && (write.userId ?? list.author_id);
      const origin = had ?? { created_at: write.now, author_id };
      this.#sql.insert.run({ ...origin, listId, restaurantId, rank, note });
    }
    const item = this.get(listId, restaurantId);
    if (!item) throw new Error('an item is gone within its own transaction');
    this.#log(list, before, item, write);
    return { outcome: 'done', item, isWritten: true };
  }

  /** False when there is no such item. */
  remove(listId: number, restaurantId: number, write: Write): boolean {
    const [list, before] = [this.#getList(listId), this.get(listId, restaurantId)];
    if (!list || !before) return false;
    this.#sql.delete.run({ listId, restaurantId });
    this.#log(list, before, undefined, write);
    return true;
  }

  /** Logs that a list has another item now, and writes the time of the list. */
  #log(list: ListRecord, before: ItemRecord | undefined, after: ItemRecord | undefined, write: Write): void {
    const itemsOf = (item: ItemRecord | undefined): readonly StoredItem[] => (item ? [storedItem(item)] : []);
    this.#sql.touchList.run({ id: list.id, updatedAt: write.now });
    write.updated(
      subjectOf(list),
      { items: itemsOf(before), updated_at: list.updated_at },
      { items: itemsOf(after), updated_at: write.now },
    );
  }

  /** A rank that puts the item of a restaurant at the position. */
  #rankAt(listId: number, restaurantId: number, position: number, isLast: boolean): number {
    if (isLast) return (this.#sql.lastRank.get({ listId }) ?? 0) + GAP;
    const rankOfOther = (offset: number): number | undefined =>
      this.#sql.rankOfOther.get({ listId, restaurantId, offset });
    for (;;) {
      const next = rankOfOther(position - 1) ?? GAP;
      const previous = position === 1 ? next - 2 * GAP : (rankOfOther(position - 2) ?? 0);
      const middle = Math.floor((previous + next) / 2);
      if (middle > previous) return middle;
      this.#spread(listId, previous);
    }
  }

  /**
   * Spreads the ranks around one evenly. The wider the neighbourhood, the sparser it must be, so that a narrow one has room
   * again after a wider one was spread, and thousands of moves to one place rarely touch many items.
   */
  #spread(listId: number, rank: number): void {
    for (let span = NEAR; ; span *= 2) {
      const near = { listId, first: rank - span, last: rank + span };
      const count = this.#sql.countNear.get(near) ?? 0;
      if (count ** 4 > span ** 3) continue;
      this.#sql.spread.run({ ...near, gap: Math.floor((2 * span) / (count + 1)) });
      return;
    }
  }
}
