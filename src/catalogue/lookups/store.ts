import type { Subject, Write } from '../../storage/change-log.ts';
import type { QueryFile } from '../../storage/statements.ts';
import { caseKey, searchName } from '../../storage/text.ts';
import { type LookupKind, type ReferenceAccess, type References, createReferences } from './references.ts';

/** A category or food type as it is stored and answered. */
export interface LookupRecord {
  readonly id: number;
  readonly name: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The names of its fields in an answer. */
export const LOOKUP_ANSWER = Object.keys({
  id: true,
  name: true,
  created_at: true,
  updated_at: true,
} satisfies Record<keyof LookupRecord, true>);

/** The outcome of a write: the record, or the other one that has the name. */
export type LookupOutcome =
  | { readonly outcome: 'done'; readonly record: LookupRecord }
  | { readonly outcome: 'duplicate'; readonly of: LookupRecord };

/** Categories or food types in the database. Writes must be run inside a transaction. */
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
   * False when there is no such record. Restaurants and suggestions lose it at once for every reader; the stored references
   * stay as long as the deletion can be undone, and are removed by the sweeper then.
   */
  readonly remove: (id: number, write: Write) => boolean;
  /** Restores a deleted one, with the records that had it and have no other now. Undefined when it is gone for good. */
  readonly restore: (id: number, had: References, write: Write) => LookupOutcome | undefined;
  /** The records that have it now. */
  readonly references: (id: number) => References;
}

/** Opens the store on lookups.sql for one of the two tables, whose references are in attach.sql. */
export function createLookupStore(sql: QueryFile, attach: QueryFile, kind: LookupKind): LookupStore {
  const list = sql.prepare<LookupRecord>('list');
  const get = sql.prepare<LookupRecord>('get');
  const findByKey = sql.prepare<LookupRecord>('findByKey');
  const insert = sql.prepare<LookupRecord>('insert');
  const rename = sql.prepare<LookupRecord>('rename');
  const find = (name: string): LookupRecord | undefined => findByKey.get({ nameKey: caseKey(name) });
  const subjectOf = ({ id, name }: LookupRecord): Subject => ({ kind, id, name });

  return {
    list: () => list.all(),
    get: (id) => get.get({ id }),
    find,
    create: (name, write) => {
      const of = find(name);
      if (of) return { outcome: 'duplicate', of };
      const record = insert.get({ ...keys(name), now: write.now });
      if (!record) throw new Error('an insert returned no row');
      write.created(subjectOf(record), record);
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
    ...createDeletion(sql, createReferences(attach, kind), { find, subjectOf }),
  };
}

interface Shared {
  readonly find: LookupStore['find'];
  readonly subjectOf: (record: LookupRecord) => Subject;
}

/** A deletion marks the record, so that it can be brought back with all that has it. */
function createDeletion(
  sql: QueryFile,
  { read, restore }: ReferenceAccess,
  { find, subjectOf }: Shared,
): Pick<LookupStore, 'remove' | 'restore' | 'references'> {
  const get = sql.prepare<LookupRecord>('get');
  const retire = sql.prepare('retire');
  const getRetired = sql.prepare<LookupRecord>('getRetired');
  const revive = sql.prepare('revive');
  return {
    references: read,
    remove: (id, write) => {
      const before = get.get({ id });
      if (!before) return false;
      const whole = { ...before, ...read(id) };
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
      write.restored(subjectOf(record), { ...record, ...restore(id, had) });
      return { outcome: 'done', record };
    },
  };
}

function keys(name: string): Record<string, string> {
  return { name, nameKey: caseKey(name), searchName: searchName(name) };
}
