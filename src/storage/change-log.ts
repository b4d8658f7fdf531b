import type { Prepared, QueryFile } from './statements.ts';
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

/** The result of a write, and the change by whose id it is known; undefined when it changed nothing. */
export interface Written<Result> {
  readonly result: Result;
  readonly changeId: number | undefined;
}

type ChangeListener = (subject: Subject, restored: Entity | undefined) => void;

/** What the writes of a log share. */
interface Log {
  readonly insert: Prepared<unknown>;
  readonly insertBatch: Prepared<{ id: number }>;
  /** Days for which a deletion can be undone; 0: never. */
  readonly trashDays: number;
  readonly listeners: ChangeListener[];
}

/** The only way to change what is logged. */
export class ChangeLog {
  readonly #log: Log;
  readonly #transactions: Pick<Transactions, 'write'>;
  readonly #changed: (() => void) | undefined;

  /** `sql` is change-log.sql. `changed` is called after each commit with a change. */
  constructor(
    sql: QueryFile,
    transactions: Pick<Transactions, 'write'>,
    trashDays: number,
    changed?: () => void,
  ) {
    const [insert, insertBatch] = [sql.prepare('insertChange'), sql.prepare<{ id: number }>('insertBatch')];
    this.#log = { insert, insertBatch, trashDays, listeners: [] };
    this.#transactions = transactions;
    this.#changed = changed;
  }

  /** As `Transactions.write`, for a write that is logged. */
  async write<Result>(writer: Writer, work: (write: Write) => Result): Promise<Written<Result>> {
    const written = await this.#transactions.write(() => {
      const write = this.begin(writer);
      const result = work(write);
      return { result, changeId: write.changeId() };
    });
    if (written.changeId !== undefined) this.#changed?.();
    return written;
  }

  /** Starts one of several writes of a transaction. Throws where the writer may not write any more. */
  begin(writer: Writer): Write {
    writer.recheck?.();
    return new Write(this.#log, writer);
  }

  /**
   * Calls a listener with each change of this process, within its transaction, which may yet fail; with the entity when it
   * was restored.
   */
  listen(listener: ChangeListener): void {
    this.#log.listeners.push(listener);
  }
}

interface Content {
  readonly action: Action;
  readonly fields?: string;
  readonly before?: string;
  readonly after?: string;
  readonly keptUntil?: string;
}

/** One write while it runs, within a transaction, to which the stores report its changes. */
export class Write {
  /** The moment of the write, as timestamps have it. */
  readonly now = new Date().toISOString();
  /** The owner of new entities. */
  readonly userId: number | null;
  readonly #log: Log;
  readonly #writer: Writer;
  #first: number | undefined;
  #reverts: number | null = null;

  constructor(log: Log, writer: Writer) {
    this.userId = writer.userId;
    this.#log = log;
    this.#writer = writer;
  }

  created(subject: Subject, after: object): void {
    this.#add(subject, { action: 'create', after: JSON.stringify(after) });
  }

  /** Logs the fields that differ. */
  updated(subject: Subject, before: Entity, after: Entity): void {
    this.#add(subject, { action: 'update', ...difference(before, after) });
  }

  /** `before`: all that is needed to restore it. */
  deleted(subject: Subject, before: object): void {
    const { trashDays } = this.#log;
    const keptUntil = new Date(Date.parse(this.now) + trashDays * DAY_MS).toISOString();
    const content = trashDays > 0 ? { before: JSON.stringify(before), keptUntil } : {};
    this.#add(subject, { action: 'delete', ...content });
  }

  restored(subject: Subject, after: Entity): void {
    this.#add(subject, { action: 'restore', after: JSON.stringify(after) }, after);
  }

  /** Changes that are logged until the next call revert this one. */
  reverting(changeId: number): void {
    this.#reverts = changeId;
  }

  /** The first change of this write, by whose id the write is known; undefined while nothing was changed. */
  changeId(): number | undefined {
    return this.#first;
  }

  #add(subject: Subject, content: Content, restored?: Entity): void {
    const { userId, token, via, requestId } = this.#writer;
    // One object of one shape: putting several together takes twice as long as the insert itself.
    const { lastInsertRowid } = this.#log.insert.run({
      at: this.now,
      kind: subject.kind,
      id: subject.id,
      restaurantId: subject.restaurantId ?? null,
      action: content.action,
      name: subject.name,
      fields: content.fields ?? null,
      before: content.before ?? null,
      after: content.after ?? null,
      ownerId: subject.ownerId ?? null,
      actorId: userId,
      tokenId: token?.id ?? null,
      tokenName: token?.name ?? null,
      via,
      requestId,
      writeId: this.#first ?? null,
      batchId: this.#batchId(),
      reverts: this.#reverts,
      keptUntil: content.keptUntil ?? null,
    });
    const changeId = Number(lastInsertRowid);
    this.#first ??= changeId;
    if (this.#writer.batch) this.#writer.batch.firstChange ??= changeId;
    for (const listener of this.#log.listeners) listener(subject, restored);
  }

  #batchId(): number | null {
    const { batch, userId } = this.#writer;
    if (!batch) return null;
    const { file, reverts = null } = batch;
    if (batch.id === undefined) {
      batch.id = this.#log.insertBatch.get({ at: this.now, file, reverts, actorId: userId })?.id;
      delete batch.firstChange;
    }
    return batch.id ?? null;
  }
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
