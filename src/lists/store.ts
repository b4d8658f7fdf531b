import type { ListName } from '../restaurants/personal.ts';
import type { Entity, Write } from '../storage/change-log.ts';
import { parseJson } from '../objects.ts';
import { type QueryFile, assemble } from '../storage/statements.ts';
import { storedFields } from '../storage/stored.ts';
import { caseKey } from '../storage/text.ts';
import type { NewList } from './input.ts';
import { GAP, type ItemStore, MOST_ITEMS, createItemStore, subjectOf } from './items.ts';
import { LIST_KINDS, type ListRecord } from './record.ts';

/** The outcome of a write of a list; nothing was written unless it says `done`. */
export type ListOutcome =
  | { readonly outcome: 'done'; readonly record: ListRecord }
  | { readonly outcome: 'duplicate'; readonly of: ListRecord }
  | { readonly outcome: 'full' };

/** Lists in the database, of owners who are null for the placeholder of mode none. Writes must be run inside a transaction. */
export interface ListStore {
  readonly items: ItemStore;
  /** All of an owner: the built-in ones first, then the others by name. */
  readonly ofOwner: (ownerId: number | null) => ListRecord[];
  /** Undefined when the owner has no such list. */
  readonly find: (ownerId: number | null, name: ListName) => ListRecord | undefined;
  /** By name without case, a built-in one too. */
  readonly findNamed: (ownerId: number | null, name: string) => ListRecord | undefined;
  readonly create: (ownerId: number | null, input: NewList, write: Write) => ListOutcome;
  /** The list of a name without case, which may be a built-in one; it is made where there is none. Undefined: too many lists. */
  readonly findOrCreate: (ownerId: number | null, name: string, write: Write) => ListRecord | undefined;
  /** Sets what is in the change. Undefined when there is no such list. */
  readonly update: (id: number, change: Partial<NewList>, write: Write) => ListOutcome | undefined;
  /** Its items go with it. False when there is no such list. */
  readonly remove: (id: number, write: Write) => boolean;
  /** The list as the change log holds it, without its items. */
  readonly stored: (id: number) => Omit<ListRecord, 'item_count'> | undefined;
  /** Restores a deleted one of the log, with its items. Returns the obstacles, by which nothing was written. */
  readonly restore: (stored: Entity, write: Write) => readonly string[];
}

/** The most lists of its own that a user has. */
export const MOST_LISTS = 200;
export const TOO_MANY_LISTS = `At most ${MOST_LISTS} lists`;
export const TOO_MANY_ITEMS = `A list has at most ${MOST_ITEMS} items`;

/** Opens the store on lists.sql. */
export function createListStore(sql: QueryFile): ListStore {
  const reader = createReader(sql);
  const { get, findNamed } = reader;
  const update = sql.prepare('updateList');
  const remove = sql.prepare('deleteList');
  const readItems = createAllItems(sql);
  const create = createCreation(sql, reader);
  return {
    items: createItemStore(sql, get),
    ...reader,
    create,
    findOrCreate: (ownerId, name, write) => {
      const found = findNamed(ownerId, name);
      if (found) return found;
      const made = create(ownerId, { name, description: null }, write);
      return made.outcome === 'done' ? made.record : undefined;
    },
    update: (id, change, write) => {
      const before = get(id);
      if (!before) return undefined;
      const record = { ...before, ...change, updated_at: write.now };
      const of = findNamed(before.author_id, record.name);
      if (of && of.id !== id) return { outcome: 'duplicate', of };
      const { name, description, updated_at: updatedAt } = record;
      update.run({ id, name, nameKey: caseKey(name), description, updatedAt });
      write.updated(subjectOf(record), storedList(before), storedList(record));
      return { outcome: 'done', record };
    },
    remove: (id, write) => {
      const before = get(id);
      if (!before) return false;
      const whole = { ...storedList(before), items: readItems(id) };
      remove.run({ id });
      write.deleted(subjectOf(before), whole);
      return true;
    },
    stored: (id) => {
      const list = get(id);
      return list && storedList(list);
    },
    restore: createRestore(sql, reader, readItems),
  };
}

type Reader = Pick<ListStore, 'ofOwner' | 'find' | 'findNamed'> & {
  readonly get: (id: number) => ListRecord | undefined;
  readonly countOwn: (ownerId: number | null) => number;
};

function createReader(sql: QueryFile): Reader {
  const get = assemble<ListRecord>(sql, 'selectList', 'whereId');
  const owned = assemble<ListRecord>(sql, 'selectList', 'whereOwnedId');
  const ofKind = assemble<ListRecord>(sql, 'selectList', 'whereKind');
  const named = assemble<ListRecord>(sql, 'selectList', 'whereNameKey');
  const ofOwner = assemble<ListRecord>(sql, 'selectList', 'whereOwner');
  const count = sql.prepare<number>('countOwnLists').pluck();
  return {
    get: (id) => get.get({ id }),
    countOwn: (ownerId) => count.get({ ownerId }) ?? 0,
    ofOwner: (ownerId) => ofOwner.all({ ownerId }),
    find: (ownerId, name) =>
      typeof name === 'number' ? owned.get({ ownerId, id: name }) : ofKind.get({ ownerId, kind: name }),
    findNamed: (ownerId, name) => named.get({ ownerId, nameKey: caseKey(name) }),
  };
}

function createCreation(sql: QueryFile, { get, findNamed, countOwn }: Reader): ListStore['create'] {
  const insert = sql.prepare<number>('insertList').pluck();
  return (ownerId, { name, description }, write) => {
    const of = findNamed(ownerId, name);
    if (of) return { outcome: 'duplicate', of };
    if (countOwn(ownerId) >= MOST_LISTS) return { outcome: 'full' };
    const times = { createdAt: write.now, updatedAt: write.now };
    const row = { id: null, kind: 'own', ownerId, name, nameKey: caseKey(name), description, ...times };
    const record = get(insert.get(row) ?? 0);
    if (!record) throw new Error('an insert returned no row');
    write.created(subjectOf(record), { ...storedList(record), items: [] });
    return { outcome: 'done', record };
  };
}

/** All items of a list, those of deleted restaurants as well, as the change log holds them. */
type AllItems = (listId: number) => unknown;

function createAllItems(sql: QueryFile): AllItems {
  const read = sql.prepare<string>('readAllItems').pluck();
  return (listId) => parseJson(read.get({ listId }) ?? '[]');
}

function createRestore(
  sql: QueryFile,
  { get, findNamed, countOwn }: Reader,
  readItems: AllItems,
): ListStore['restore'] {
  const insert = sql.prepare('insertList');
  const restoreItems = sql.prepare('restoreItems');
  return (stored, write) => {
    const { number, numberOrNull, text, textOrNull, choice } = storedFields(stored);
    const [id, ownerId, name] = [number('id'), numberOrNull('author_id'), text('name')];
    const of = findNamed(ownerId, name);
    // Not by its name: the obstacles of a batch are read by administrators.
    if (of) return [`list ${of.id} already exists`];
    if (countOwn(ownerId) >= MOST_LISTS) return [TOO_MANY_LISTS];
    const own = { kind: choice('kind', LIST_KINDS), description: textOrNull('description') };
    const times = { createdAt: text('created_at'), updatedAt: text('updated_at') };
    insert.get({ id, ownerId, name, nameKey: caseKey(name), ...own, ...times });
    restoreItems.run({ listId: id, gap: GAP, items: JSON.stringify(stored['items'] ?? []) });
    const record = get(id);
    if (!record) throw new Error('a list is gone within its own transaction');
    write.restored(subjectOf(record), { ...storedList(record), items: readItems(id) });
    return [];
  };
}

/** The list as the change log holds it. */
function storedList({
  item_count: _computed,
  ...stored
}: ListRecord): Omit<ListRecord, 'item_count'> & Entity {
  return stored;
}
