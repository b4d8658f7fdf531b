import type { QueryFile } from './statements.ts';
import type { Transactions } from './transaction.ts';
import { DAY_MS } from '../kit/time.ts';

/** Kinds whose changes are public; account changes are never logged. */
export const KINDS = ['restaurant', 'category', 'food_type', 'suggestion', 'rating', 'photo'] as const;
/** Kinds whose changes only the owner may read, not even administrators. */
export const PRIVATE_KINDS = ['list', 'visit'] as const;
export type PublicKind = (typeof KINDS)[number];
export type Kind = PublicKind | (typeof PRIVATE_KINDS)[number];

/** The user id that private changes get in mode none; no account has it. */
export const PLACEHOLDER_ID = 1;

/** `restore` brings back a deleted entity. */
export const ACTIONS = ['create', 'update', 'delete', 'restore'] as const;
export type Action = (typeof ACTIONS)[number];

/** The writes of one import, or of one revert of an import. Its row is inserted with the first change. */
export interface Batch {
  /** The name of the imported file; null for a revert. */
  readonly file: string | null;
  /** The id of the batch that this one reverts. */
  readonly reverts?: number;
  id: number | undefined;
  /** The id of its first change. */
  firstChange?: number;
}

/** Who writes, and through which interface. */
export interface Writer {
  readonly userId: number | null;
  readonly token: { readonly id: number; readonly name: string } | null;
  readonly via: 'api' | 'cli';
  readonly requestId: string | null;
  readonly batch?: Batch;
  /** Called in the transaction of each write; throws once the writer has lost its rights. */
  readonly recheck?: () => void;
}

export const COMMAND_LINE: Writer = { userId: null, token: null, via: 'cli', requestId: null };

/** The entity that a change affects. */
export interface Subject {
  readonly kind: Kind;
  readonly id: number;
  /** The entity's name, or that of its restaurant. */
  readonly name: string;
  /** Set for restaurants, ratings and photos. */
  readonly restaurantId?: number;
  /** The owner, for kinds that have one; the only reader of a private kind. */
  readonly ownerId?: number | null;
}

/** An entity as logged: API field names, stored fields only, nothing computed. */
export type Entity = Readonly<Record<string, unknown>>;

/** One write inside its transaction: its author, and the log to which stores report changes. */
export interface Write {
  /** The ISO timestamp of the write. */
  readonly now: string;
  /** Owner of the entities that this write creates. */
  readonly userId: number | null;
  readonly created: (subject: Subject, after: object) => void;
  /** Logs only the fields that differ. */
  readonly updated: (subject: Subject, before: Entity, after: Entity) => void;
  /** `before` must be enough to restore the entity. */
  readonly deleted: (subject: Subject, before: object) => void;
  readonly restored: (subject: Subject, after: Entity) => void;
  /** Marks the changes logged from here to the next call as reverts of this one. */
  readonly reverting: (changeId: number) => void;
  /** The id of the first change, which identifies the write; undefined while nothing has changed. */
  readonly changeId: () => number | undefined;
}

/** The result of a write with the id of its first change; undefined if it changed nothing. */
export interface Written<Result> {
  readonly result: Result;
  readonly changeId: number | undefined;
}

/** All writes to logged entities go through this. */
export interface ChangeLog {
  /** Like `Transactions.write`, but logged. */
  readonly write: <Result>(writer: Writer, work: (write: Write) => Result) => Promise<Written<Result>>;
  /** Starts one of several writes in a transaction. Throws if the writer has lost its rights. */
  readonly begin: (writer: Writer) => Write;
  /**
   * Registers a listener for each change of this process. It runs inside the transaction, which may still fail,
   * and gets the entity if it was restored.
   */
  readonly listen: (listener: ChangeListener) => void;
}

type ChangeListener = (subject: Subject, restored: Entity | undefined) => void;

export interface ChangeLogOptions {
  readonly sql: QueryFile;
  readonly transactions: Pick<Transactions, 'write'>;
  /** Days for which a deletion can be undone; 0 means never. */
  readonly trashDays: number;
  /** Called after each commit that logged a change. */
  readonly changed?: () => void;
}

export function createChangeLog(options: ChangeLogOptions): ChangeLog {
  const { transactions, changed } = options;
  const listeners: ChangeListener[] = [];
  const begin = createBegin(options, listeners);
  return {
    begin,
    listen: (listener) => {
      listeners.push(listener);
    },
    write: async (writer, work) => {
      const written = await transactions.write(() => {
        const write = begin(writer);
        const result = work(write);
        return { result, changeId: write.changeId() };
      });
      if (written.changeId !== undefined) changed?.();
      return written;
    },
  };
}

interface Content {
  readonly action: Action;
  readonly fields?: string;
  readonly before?: string;
  readonly after?: string;
  readonly keptUntil?: string;
}

/** State shared by the rows of a write. */
interface Running {
  readonly at: string;
  readonly writer: Writer;
  /** The id of the first change. */
  first: number | undefined;
  reverts: number | null;
}

/** Returns the function that inserts a row into the log. */
function createAdder(sql: QueryFile): (subject: Subject, content: Content, running: Running) => void {
  const insert = sql.prepare('insertChange');
  const insertBatch = sql.prepare<{ id: number }>('insertBatch');

  function batchOf({ batch, userId }: Writer, at: string): number | null {
    if (!batch) return null;
    const { file, reverts = null } = batch;
    if (batch.id === undefined) {
      batch.id = insertBatch.get({ at, file, reverts, actorId: userId })?.id;
      delete batch.firstChange;
    }
    return batch.id ?? null;
  }

  return (subject, { action, fields = null, before = null, after = null, keptUntil = null }, running) => {
    const { at, writer, first = null, reverts } = running;
    const { userId, token, via, requestId } = writer;
    // One literal: spreading several objects together takes twice as long as the insert.
    const { lastInsertRowid } = insert.run({
      at,
      kind: subject.kind,
      id: subject.id,
      restaurantId: subject.restaurantId ?? null,
      action,
      name: subject.name,
      fields,
      before,
      after,
      ownerId: subject.ownerId ?? null,
      actorId: userId,
      tokenId: token?.id ?? null,
      tokenName: token?.name ?? null,
      via,
      requestId,
      writeId: first,
      batchId: batchOf(writer, at),
      reverts,
      keptUntil,
    });
    const changeId = Number(lastInsertRowid);
    running.first ??= changeId;
    if (writer.batch) writer.batch.firstChange ??= changeId;
  };
}

function createBegin(
  { sql, trashDays }: ChangeLogOptions,
  listeners: readonly ChangeListener[],
): ChangeLog['begin'] {
  const addRow = createAdder(sql);
  return (writer) => {
    writer.recheck?.();
    const time = new Date();
    const at = time.toISOString();
    const running: Running = { at, writer, first: undefined, reverts: null };
    const add = (subject: Subject, content: Content, restored?: Entity): void => {
      addRow(subject, content, running);
      for (const listener of listeners) listener(subject, restored);
    };
    return {
      now: at,
      userId: writer.userId,
      created: (subject, after) => {
        add(subject, { action: 'create', after: JSON.stringify(after) });
      },
      updated: (subject, before, after) => {
        add(subject, { action: 'update', ...difference(before, after) });
      },
      deleted: (subject, before) => {
        const keptUntil = new Date(time.getTime() + trashDays * DAY_MS).toISOString();
        const content = trashDays > 0 ? { before: JSON.stringify(before), keptUntil } : {};
        add(subject, { action: 'delete', ...content });
      },
      restored: (subject, after) => {
        add(subject, { action: 'restore', after: JSON.stringify(after) }, after);
      },
      reverting: (changeId) => {
        running.reverts = changeId;
      },
      changeId: () => running.first,
    };
  };
}

/** The names of the changed fields; their values before and after, with those of `updated_at`. */
function difference(before: Entity, after: Entity): Pick<Content, 'fields' | 'before' | 'after'> {
  const fields = Object.keys(after).filter(
    (name) => name !== 'updated_at' && !isSame(before[name], after[name]),
  );
  const names = [...fields, ...('updated_at' in after ? ['updated_at'] : [])];
  const pick = (entity: Entity): string =>
    JSON.stringify(Object.fromEntries(names.map((name) => [name, entity[name]])));
  return { fields: JSON.stringify(fields), before: pick(before), after: pick(after) };
}

/** Compares two field values; lists are equal if all elements are. */
export function isSame(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}
