import type { Kind, Write } from '../storage/change-log.ts';
import type { QueryFile } from '../storage/statements.ts';
import { caseKey, searchName } from '../storage/text.ts';

/** A category or food type as it is stored and answered. */
export interface LookupRecord {
  readonly id: number;
  readonly name: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** How a write ended: with the record, or with the other one that has the name. */
export type LookupOutcome =
  | { readonly outcome: 'done'; readonly record: LookupRecord }
  | { readonly outcome: 'duplicate'; readonly of: LookupRecord };

/** Categories or food types in the database. Writes are to be run inside a transaction. */
export interface LookupStore {
  /** Ordered by name. */
  readonly list: () => LookupRecord[];
  readonly get: (id: number) => LookupRecord | undefined;
  /** By name, without case. */
  readonly find: (name: string) => LookupRecord | undefined;
  readonly create: (name: string, write: Write) => LookupOutcome;
  /** Undefined when there is no such record. */
  readonly rename: (id: number, name: string, write: Write) => LookupOutcome | undefined;
  /**
   * False when there is no such record. Restaurants and suggestions that had it lose it at once, as far as any reader can
   * tell; what refers to it stays as long as the deletion can be undone, and is taken away by the sweeper then.
   */
  readonly remove: (id: number, write: Write) => boolean;
  /** Brings a deleted one back, with what had it then and has nothing in its place. Undefined when it is gone for good. */
  readonly restore: (id: number, had: References, write: Write) => LookupOutcome | undefined;
  /** What has it now. */
  readonly references: (id: number) => References;
}

/** The ids of restaurants and of suggestions that have a category or food type, as the change log holds them. */
export interface References {
  readonly restaurant_ids: readonly number[];
  readonly suggestion_ids: readonly number[];
}

/** Opens the store on lookups.sql for one of the two tables, whose references are in attach.sql. */
export function createLookupStore(sql: QueryFile, attach: QueryFile, kind: LookupKind): LookupStore {
  const { read: references, restore: attachAgain } = createReferences(attach, kind);
  const list = sql.prepare<LookupRecord>('list');
  const get = sql.prepare<LookupRecord>('get');
  const findByKey = sql.prepare<LookupRecord>('findByKey');
  const insert = sql.prepare<LookupRecord>('insert');
  const rename = sql.prepare<LookupRecord>('rename');
  const retire = sql.prepare('retire');
  const getRetired = sql.prepare<LookupRecord>('getRetired');
  const revive = sql.prepare('revive');
  const subjectOf = ({ id, name }: LookupRecord): { kind: LookupKind; id: number; name: string } => ({
    kind,
    id,
    name,
  });
  const find = (name: string): LookupRecord | undefined => findByKey.get({ nameKey: caseKey(name) });
  const keys = (name: string): Record<string, string> => ({
    name,
    nameKey: caseKey(name),
    searchName: searchName(name),
  });

  return {
    list: () => list.all(),
    get: (id) => get.get({ id }),
    find,
    create: (name, write) => {
      const of = find(name);
      if (of) return { outcome: 'duplicate', of };
      const record = insert.get({ ...keys(name), now: write.now });
      if (!record) throw new Error('an insert returned no row');
      write.created(subjectOf(record), { ...record });
      return { outcome: 'done', record };
    },
    rename: (id, name, write) => {
      const before = get.get({ id });
      if (!before) return undefined;
      const of = find(name);
      if (of && of.id !== id) return { outcome: 'duplicate', of };
      const record = rename.get({ ...keys(name), id, now: write.now });
      if (!record) return undefined;
      write.updated(subjectOf(record), { ...before }, { ...record });
      return { outcome: 'done', record };
    },
    remove: (id, write) => {
      const before = get.get({ id });
      if (!before) return false;
      const whole = { ...before, ...references(id) };
      retire.run({ id, now: write.now });
      write.deleted(subjectOf(before), whole);
      return true;
    },
    restore: (id, had, write) => {
      const record = getRetired.get({ id });
      if (!record) return undefined;
      const of = find(record.name);
      if (of) return { outcome: 'duplicate', of };
      revive.run({ id, nameKey: caseKey(record.name) });
      attachAgain(id, had);
      write.restored(subjectOf(record), { ...record, ...references(id) });
      return { outcome: 'done', record };
    },
    references,
  };
}

type LookupKind = Extract<Kind, 'category' | 'food_type'>;

interface ReferenceAccess {
  readonly read: (id: number) => References;
  readonly restore: (id: number, had: References) => void;
}

/** What refers to a category or food type. */
function createReferences(sql: QueryFile, kind: LookupKind): ReferenceAccess {
  const scope = kind === 'category' ? 'Category' : 'FoodType';
  const access = (['restaurant', 'suggestion'] as const).map((noun) => ({
    list: sql.prepare<{ id: number }>(`${noun}sOf${scope}`),
    attach: sql.prepare(`attach${scope}To${noun === 'restaurant' ? 'Restaurants' : 'Suggestions'}`),
  }));
  const [restaurants, suggestions] = access;
  if (!restaurants || !suggestions) throw new Error('two tables refer to a lookup table');
  const idsIn = ({ list }: typeof restaurants, id: number): number[] => list.all({ id }).map((row) => row.id);
  const read = (id: number): References => ({
    restaurant_ids: idsIn(restaurants, id),
    suggestion_ids: idsIn(suggestions, id),
  });
  return {
    read,
    restore: (id, had) => {
      // Nearly always nothing was taken away, and nothing has to be looked for.
      const now = read(id);
      if (now.restaurant_ids.length < had.restaurant_ids.length)
        restaurants.attach.run({ id, ids: JSON.stringify(had.restaurant_ids) });
      if (now.suggestion_ids.length < had.suggestion_ids.length)
        suggestions.attach.run({ id, ids: JSON.stringify(had.suggestion_ids) });
    },
  };
}
