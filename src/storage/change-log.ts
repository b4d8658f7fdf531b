import type { QueryFile } from './statements.ts';
import type { Transactions } from './transaction.ts';
import { DAY_MS } from '../kit/time.ts';

/** The kinds of entities whose changes everyone may read; accounts are never logged. */
export const KINDS = ['restaurant', 'category', 'food_type', 'suggestion', 'rating', 'photo'] as const;
/** The kinds of entities whose changes their owner alone may read, administrators included. */
export const PRIVATE_KINDS = ['list', 'visit'] as const;
export type PublicKind = (typeof KINDS)[number];
export type Kind = PublicKind | (typeof PRIVATE_KINDS)[number];

/** The user to whom private changes of the placeholder of mode none belong; no account has this id. */
export const PLACEHOLDER_ID = 1;

/** The changes of an entity; a restore brings a deleted one back. */
export const ACTIONS = ['create', 'update', 'delete', 'restore'] as const;
export type Action = (typeof ACTIONS)[number];

/** The writes of one import, or of one revert of an import. Its row is made with its first change. */
export interface Batch {
  /** The name of what is imported; null for a revert. */
  readonly file: string | null;
  /** The batch that this one reverts. */
  readonly reverts?: number;
  id: number | undefined;
  /** Its first change. */
  firstChange?: number;
}

/** The author of a write, and the interface used. */
export interface Writer {
  /** Null for the command line. */
  readonly userId: number | null;
  readonly token: { readonly id: number; readonly name: string } | null;
  readonly via: 'api' | 'cli';
  readonly requestId: string | null;
  readonly batch?: Batch;
  /** Called in the transaction of each write; throws once the writer may not write any more. */
  readonly recheck?: () => void;
}

/** The writer of a command. */
export const COMMAND_LINE: Writer = { userId: null, token: null, via: 'cli', requestId: null };

/** The entity that a change is about. */
export interface Subject {
  readonly kind: Kind;
  readonly id: number;
  /** Its own name, or that of its restaurant. */
  readonly name: string;
  /** Of a restaurant, its ratings and its photos. */
  readonly restaurantId?: number;
  /** Its owner, for kinds that have one; of private kinds the only reader. */
  readonly ownerId?: number | null;
}

/** An entity with the names of the API, as the log holds it: stored fields, and none that are computed. */
export type Entity = Readonly<Record<string, unknown>>;

/** One write while it runs, within a transaction: its author, and the log to which the stores report its changes. */
export interface Write {
  /** The moment of the write, as timestamps have it. */
  readonly now: string;
  /** The owner of new entities. */
  readonly userId: number | null;
  readonly created: (subject: Subject, after: object) => void;
  /** Logs the fields that differ. */
  readonly updated: (subject: Subject, before: Entity, after: Entity) => void;
  /** `before`: all that is needed to restore it. */
  readonly deleted: (subject: Subject, before: object) => void;
  readonly restored: (subject: Subject, after: Entity) => void;
  /** Changes that are logged until the next call revert this one. */
  readonly reverting: (changeId: number) => void;
  /** The first change of this write, by whose id the write is known; undefined while nothing was changed. */
  readonly changeId: () => number | undefined;
}

/** The result of a write, and the change by whose id it is known; undefined when it changed nothing. */
export interface Written<Result> {
  readonly result: Result;
  readonly changeId: number | undefined;
}

/** The only way to change what is logged. */
export interface ChangeLog {
  /** As `Transactions.write`, for a write that is logged. */
  readonly write: <Result>(writer: Writer, work: (write: Write) => Result) => Promise<Written<Result>>;
  /** Starts one of several writes of a transaction. Throws where the writer may not write any more. */
  readonly begin: (writer: Writer) => Write;
  /**
   * Has a listener called with each change of this process, within its transaction, which may yet fail; with the entity
   * when it was restored.
   */
  readonly listen: (listener: ChangeListener) => void;
}

type ChangeListener = (subject: Subject, restored: Entity | undefined) => void;

export interface ChangeLogOptions {
  /** change-log.sql */
  readonly sql: QueryFile;
  readonly transactions: Pick<Transactions, 'write'>;
  /** Days for which a deletion can be undone; 0: never. */
  readonly trashDays: number;
  /** Called after each commit with a change. */
  readonly changed?: () => void;
}

/** Opens the change log on change-log.sql. */
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

/** What the rows of a write share. */
interface Running {
  readonly at: string;
  readonly writer: Writer;
  /** The id of its first change. */
  first: number | undefined;
  reverts: number | null;
}

/** Makes a function that adds a row to the log. */
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
    // One object of one shape: putting several together takes twice as long as the insert itself.
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

/** The names of the fields that differ, with their values before and after, and those of `updated_at`. */
function difference(before: Entity, after: Entity): Pick<Content, 'fields' | 'before' | 'after'> {
  const fields = Object.keys(after).filter(
    (name) => name !== 'updated_at' && !isSame(before[name], after[name]),
  );
  const names = [...fields, ...('updated_at' in after ? ['updated_at'] : [])];
  const pick = (entity: Entity): string =>
    JSON.stringify(Object.fromEntries(names.map((name) => [name, entity[name]])));
  return { fields: JSON.stringify(fields), before: pick(before), after: pick(after) };
}

/** Whether two values of a field are the same; lists are compared as a whole. */
export function isSame(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}
