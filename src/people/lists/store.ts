import type { ListName } from '../../catalogue/restaurants/filters.ts';
import type { Personal } from '../../catalogue/restaurants/views.ts';
import { parseJson } from '../../kit/objects.ts';
import type { Entity, Write } from '../../storage/change-log.ts';
import type { QueryFile } from '../../storage/statements.ts';
import { isIds, isNumber, readStored } from '../../storage/stored.ts';
import { caseKey } from '../../storage/text.ts';
import type { NewList } from './input.ts';
import { ItemStore, MOST_ITEMS } from './items.ts';
import { LIST_COLUMNS, type ListRecord, type StoredList, isOwner, storedList, subjectOf } from './record.ts';

/** The outcome of a write of a list; nothing was written unless it is `done`. */
export type ListOutcome =
  | { readonly outcome: 'done'; readonly record: ListRecord }
  | { readonly outcome: 'duplicate'; readonly of: ListRecord }
  | { readonly outcome: 'full' };

/** The most lists of kind `own` that a user has. */
export const MOST_LISTS = 200;
export const TOO_MANY_LISTS = `At most ${MOST_LISTS} lists`;
export const TOO_MANY_ITEMS = `A list has at most ${MOST_ITEMS} items`;
// Sorts before every list.
const START = { isOwn: 0, isFavourites: 0, nameKey: '', id: 0 };

/**
 * Lists in the database, and what a user has noted of restaurants. Owners and callers are null for the placeholder of mode
 * none. A caller may read the lists that they own or joined. Writes must run inside a transaction.
 */
export class ListStore implements Personal {
  readonly items: ItemStore;
  readonly #sql;

  constructor(sql: QueryFile) {
    this.items = new ItemStore(sql, (id) => this.get(id));
    this.#sql = {
      get: sql.prepare<ListRecord>('selectList', 'whereId'),
      readable: sql.prepare<ListRecord>('selectList', 'whereReadableId'),
      ofKind: sql.prepare<ListRecord>('selectList', 'whereKind'),
      named: sql.prepare<ListRecord>('selectList', 'whereNameKey', 'orderById'),
      allReadable: sql.prepare<ListRecord>('selectList', 'whereReadable'),
      countOwn: sql.prepare<number>('countOwnLists').pluck(),
      insert: sql.prepare<number>('insertList').pluck(),
      update: sql.prepare('updateList'),
      delete: sql.prepare('deleteList'),
      belongings: sql.prepare<{ item_ids: string; items_total: number }>('belongingsOfList'),
      hasOtherItems: sql.prepare('hasOtherItems'),
      listed: sql.prepare<number>('listedRestaurants').pluck(),
      visited: sql.prepare<number>('visitedRestaurants').pluck(),
      mine: sql.prepare<readonly [id: number, mine: string]>('readMine').raw(),
    };
  }

  /** A list of any owner. */
  get(id: number): ListRecord | undefined {
    return this.#sql.get.get({ id });
  }

  /** The lists that an owner has: the built-in ones first, then the others by name. */
  ofOwner(ownerId: number | null): ListRecord[] {
    return [...this.part(ownerId, undefined, -1)].filter((list) => isOwner(list, ownerId));
  }

  /**
   * At most `limit` lists after `after` of those that a caller may read: the built-in ones first, then the others by name.
   * Do not write to the database while iterating.
   */
  part(callerId: number | null, after: ListRecord | undefined, limit: number): Iterable<ListRecord> {
    const place = after && {
      isOwn: Number(after.kind === 'own'),
      isFavourites: Number(after.kind === 'favourites'),
      nameKey: caseKey(after.name),
      id: after.id,
    };
    return this.#sql.allReadable.iterate({ callerId, ...(place ?? START), limit });
  }

  /** Undefined when there is no such list that the caller may read. */
  find(callerId: number | null, name: ListName): ListRecord | undefined {
    return typeof name === 'number'
      ? this.#sql.readable.get({ callerId, id: name })
      : this.#sql.ofKind.get({ ownerId: callerId, kind: name });
  }

  /** The oldest list of an owner with this name, without case, that a caller may read; a built-in one too. */
  findNamed(ownerId: number | null, name: string, callerId = ownerId): ListRecord | undefined {
    return this.#sql.named.get({ ownerId, nameKey: caseKey(name), callerId });
  }

  create(ownerId: number | null, { name, description }: NewList, write: Write): ListOutcome {
    const of = this.findNamed(ownerId, name);
    if (of) return { outcome: 'duplicate', of };
    if (this.#isFull(ownerId)) return { outcome: 'full' };
    const times = { created_at: write.now, updated_at: write.now };
    const record = this.#insert({ id: null, author_id: ownerId, kind: 'own', name, description, ...times });
    write.created(subjectOf(record), { ...storedList(record), items: [] });
    return { outcome: 'done', record };
  }

  #isFull(ownerId: number | null): boolean {
    return (this.#sql.countOwn.get({ ownerId }) ?? 0) >= MOST_LISTS;
  }

  #insert(list: Omit<StoredList, 'id'> & { readonly id: number | null }): ListRecord {
    const record = this.get(this.#sql.insert.get({ ...list, nameKey: caseKey(list.name) }) ?? 0);
    if (!record) throw new Error('an insert returned no row');
    return record;
  }

  /**
   * Sets the fields of the change. Undefined when there is no such list. A name is taken if another list of the owner has it
   * that the caller can read: a member must not learn of the others, so two lists may have one name. Without a caller, for an
   * undo, every name is free.
   */
  update(
    id: number,
    change: Partial<NewList>,
    write: Write,
    callerId?: number | null,
  ): ListOutcome | undefined {
    const before = this.get(id);
    if (!before) return undefined;
    const record = { ...before, ...change, updated_at: write.now };
    const nameKey = caseKey(record.name);
    const isFree = callerId === undefined || nameKey === caseKey(before.name);
    const of = isFree ? undefined : this.findNamed(before.author_id, record.name, callerId);
    if (of) return { outcome: 'duplicate', of };
    this.#sql.update.run({ ...record, nameKey });
    write.updated(subjectOf(record), storedList(before), storedList(record));
    return { outcome: 'done', record };
  }

  /** Removes it with its items. False when there is no such list. */
  remove(id: number, write: Write): boolean {
    const before = this.get(id);
    if (!before) return false;
    const whole = { ...storedList(before), ...this.#belongings(id) };
    this.#sql.delete.run({ id });
    write.deleted(subjectOf(before), whole);
    return true;
  }

  /** The list as the change log has it, without its items. */
  stored(id: number): StoredList | undefined {
    const list = this.get(id);
    return list && storedList(list);
  }

  /** The items of a list as the change log has them: the restaurants of the first hundred, and how many there were. */
  #belongings(listId: number): { readonly item_ids: unknown; readonly items_total: number } {
    const { item_ids = '[]', items_total = 0 } = this.#sql.belongings.get({ listId }) ?? {};
    return { item_ids: parseJson(item_ids), items_total };
  }

  /** Whether items that the log does not name were added to the list after `at`. */
  hasOthers(listId: number, had: Entity, at: string): boolean {
    const items = { item_ids: [], items_total: 0, ...had };
    const { item_ids, items_total } = readStored(items, { item_ids: isIds, items_total: isNumber });
    // The log names only the first hundred; the others are recognised by their time.
    const after = items_total > item_ids.length ? at : '';
    return this.#sql.hasOtherItems.get({ listId, itemIds: JSON.stringify(item_ids), after }) !== undefined;
  }

  /** Restores a deleted list of the log, with its items. Returns the obstacles, which prevent any write. */
  restore(entity: Entity, write: Write): readonly string[] {
    const list = readStored(entity, LIST_COLUMNS);
    if (this.#isFull(list.author_id)) return [TOO_MANY_LISTS];
    const record = this.#insert(list);
    write.restored(subjectOf(record), { ...storedList(record), ...this.#belongings(list.id) });
    return [];
  }

  listed(callerId: number | null, name: ListName): readonly number[] | undefined {
    const list = this.find(callerId, name);
    return list && this.#sql.listed.all({ listId: list.id });
  }

  visited(ownerId: number | null): readonly number[] {
    return this.#sql.visited.all({ ownerId });
  }

  mine(ownerId: number | null, ids: readonly number[]): ReadonlyMap<number, string> {
    return new Map(this.#sql.mine.all({ ownerId, ids: JSON.stringify(ids) }));
  }
}
