import type { ListName } from '../../catalogue/restaurants/personal.ts';
import type { Entity, Write } from '../../storage/change-log.ts';
import { parseJson } from '../../kit/objects.ts';
import { type QueryFile, assemble } from '../../storage/statements.ts';
import { storedFields } from '../../storage/stored.ts';
import { caseKey } from '../../storage/text.ts';
import type { NewList } from './input.ts';
import { type ItemStore, MOST_ITEMS, createItemStore, subjectOf } from './items.ts';
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
  /** The same, at most `limit`, those behind `after`; nothing may be written until the last one was taken. */
  readonly part: (
    ownerId: number | null,
    after: ListRecord | undefined,
    limit: number,
  ) => Iterable<ListRecord>;
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
  /** Whether it has items that are not those of the log, and came after that moment. */
  readonly hasOthers: (id: number, had: Entity, at: string) => boolean;
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
  const belongings = createBelongings(sql);
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
      const whole = { ...storedList(before), ...belongings.read(id) };
      remove.run({ id });
      write.deleted(subjectOf(before), whole);
      return true;
    },
    stored: (id) => {
      const list = get(id);
      return list && storedList(list);
    },
    hasOthers: belongings.hasOthers,
    restore: createRestore(sql, reader, belongings),
  };
}

type Reader = Pick<ListStore, 'ofOwner' | 'part' | 'find' | 'findNamed'> & {
  readonly get: (id: number) => ListRecord | undefined;
  readonly countOwn: (ownerId: number | null) => number;
};

// Before every list there is.
const START = { isOwn: 0, isFavourites: 0, nameKey: '' };

function placeOf({ kind, name }: ListRecord): typeof START {
  return {
    isOwn: Number(kind === 'own'),
    isFavourites: Number(kind === 'favourites'),
    nameKey: caseKey(name),
  };
}

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
    ofOwner: (ownerId) => ofOwner.all({ ownerId, ...START, limit: -1 }),
    part: (ownerId, after, limit) => ofOwner.iterate({ ownerId, ...(after ? placeOf(after) : START), limit }),
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

/** The items of a list as the log holds them: the first hundred by their restaurants, and how many there were. */
interface Belongings extends Pick<ListStore, 'hasOthers'> {
  readonly read: (listId: number) => { readonly item_ids: unknown; readonly items_total: number };
}

function createBelongings(sql: QueryFile): Belongings {
  const read = sql.prepare<{ item_ids: string; items_total: number }>('belongingsOfList');
  const hasOthers = sql.prepare('hasOtherItems');
  return {
    read: (listId) => {
      const { item_ids = '[]', items_total = 0 } = read.get({ listId }) ?? {};
      return { item_ids: parseJson(item_ids), items_total };
    },
    hasOthers: (listId, had, at) => {
      const { ids, number } = storedFields({ item_ids: [], items_total: 0, ...had });
      const itemIds = ids('item_ids');
      // Those behind the first hundred are known by their time alone.
      const after = number('items_total') > itemIds.length ? at : '';
      return hasOthers.get({ listId, itemIds: JSON.stringify(itemIds), after }) !== undefined;
    },
  };
}

function createRestore(
  sql: QueryFile,
  { get, findNamed, countOwn }: Reader,
  belongings: Belongings,
): ListStore['restore'] {
  const insert = sql.prepare('insertList');
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
    const record = get(id);
    if (!record) throw new Error('a list is gone within its own transaction');
    write.restored(subjectOf(record), { ...storedList(record), ...belongings.read(id) });
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
