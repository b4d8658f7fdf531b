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
  readonly create: (name: string, now: string) => LookupOutcome;
  /** Undefined when there is no such record. */
  readonly rename: (id: number, name: string, now: string) => LookupOutcome | undefined;
  /**
   * False when there is no such record. Restaurants and suggestions that had it lose it at once, as far as any reader can
   * tell; what refers to it is taken away later, by the sweeper.
   */
  readonly remove: (id: number, now: string) => boolean;
}

/** Opens the store on lookups.sql for one of the two tables. */
export function createLookupStore(sql: QueryFile): LookupStore {
  const list = sql.prepare<LookupRecord>('list');
  const get = sql.prepare<LookupRecord>('get');
  const findByKey = sql.prepare<LookupRecord>('findByKey');
  const insert = sql.prepare<LookupRecord>('insert');
  const rename = sql.prepare<LookupRecord>('rename');
  const retire = sql.prepare('retire');
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
    create: (name, now) => {
      const of = find(name);
      if (of) return { outcome: 'duplicate', of };
      const record = insert.get({ ...keys(name), now });
      if (!record) throw new Error('an insert gave no row');
      return { outcome: 'done', record };
    },
    rename: (id, name, now) => {
      const of = find(name);
      if (of && of.id !== id) return get.get({ id }) && { outcome: 'duplicate', of };
      const record = rename.get({ ...keys(name), id, now });
      return record && { outcome: 'done', record };
    },
    remove: (id, now) => retire.run({ id, now }).changes > 0,
  };
}
