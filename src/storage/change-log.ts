import type { Prepared, QueryFile } from './statements.ts';
import type { Transactions } from './transaction.ts';
import { DAY_MS } from '../kit/time.ts';

/** Kinds whose changes are public; account changes are never logged. */
export const PUBLIC_KINDS = ['restaurant', 'category', 'food_type', 'suggestion', 'rating', 'photo'] as const;
/** Kinds whose changes only the owner may read, not even administrators. */
export const PRIVATE_KINDS = ['list', 'visit'] as const;
export type PublicKind = (typeof PUBLIC_KINDS)[number];
export type EntityKind = PublicKind | (typeof PRIVATE_KINDS)[number];

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
  readonly kind: EntityKind;
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

/** The result of a write, and the id of its first change; undefined if it changed nothing. */
export interface Written<Result> {
  readonly result: Result;
  readonly changeId: number | undefined;
}

type ChangeListener = (subject: Subject) => void;

/** Shared by all writes of a log. */
interface Log {
  readonly insert: Prepared<unknown>;
  readonly countAdded: Prepared<unknown>;
  readonly insertBatch: Prepared<{ id: number }>;
  /** Days for which a deletion can be undone; 0: never. */
  readonly trashDays: number;
  readonly listeners: ChangeListener[];
}

// About the size of the columns that every change has.
const ROW_BYTES = 200;

/** The only way to change logged data. */
export class ChangeLog {
  readonly #log: Log;
  readonly #added: Prepared<number>;
  readonly #checkAdded: ((bytes: number) => void) | undefined;
  readonly #transactions: Pick<Transactions, 'write'>;
  readonly #changed: (() => void) | undefined;

  /**
   * `sql` is change-log.sql. `changed` is called after each commit with a change. `checkAdded` is called with the bytes that a
   * user has added today, and throws if they may add no more.
   */
  constructor(
    sql: QueryFile,
    transactions: Pick<Transactions, 'write'>,
    trashDays: number,
    changed?: () => void,
    checkAdded?: (bytes: number) => void,
  ) {
    const [insert, insertBatch] = [sql.prepare('insertChange'), sql.prepare<{ id: number }>('insertBatch')];
    this.#log = { insert, insertBatch, countAdded: sql.prepare('countAdded'), trashDays, listeners: [] };
    this.#added = sql.prepare<number>('addedToday').pluck();
    this.#checkAdded = checkAdded;
    this.#transactions = transactions;
    this.#changed = changed;
  }

  /** Like `Transactions.write`, for a write that is logged. */
  async write<Result>(writer: Writer, work: (write: Write) => Result): Promise<Written<Result>> {
    const written = await this.#transactions.write(() => {
      const write = this.begin(writer);
      const result = work(write);
      return { result, changeId: write.changeId() };
    });
    if (written.changeId !== undefined) this.#changed?.();
    return written;
  }

  /** Starts one of several writes of a transaction. Throws if the writer has lost its rights, or may add no more today. */
  begin(writer: Writer): Write {
    writer.recheck?.();
    this.checkAdded(writer.userId);
    return new Write(this.#log, writer);
  }

  /** Throws if a user may add no more today. Call it before long work; work that has started may exceed the limit. */
  checkAdded(userId: number | null): void {
    if (userId !== null) this.#checkAdded?.(this.#added.get({ userId, day: today() }) ?? 0);
  }

  /**
   * Calls a listener with the subject of each change of this process, within its transaction, which may yet fail.
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

/** A write in progress, inside a transaction; stores report its changes to it. */
export class Write {
  /** The time of the write, for timestamps. */
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

  /** `fileBytes` is the size of its files. */
  created(subject: Subject, after: object, fileBytes = 0): void {
    this.#add(subject, { action: 'create', after: JSON.stringify(after) }, fileBytes);
  }

  /** The creation of a rating or restaurant, which the log reads from its row until it is changed or deleted. */
  createdRow(subject: Subject, row: object): void {
    this.#add(
      subject,
      { action: 'create', after: '[]' },
      this.userId === null ? 0 : bytesOf(JSON.stringify(row)),
    );
  }

  /** Logs the fields that differ. */
  updated(subject: Subject, before: Entity, after: Entity): void {
    this.#add(subject, { action: 'update', ...difference(before, after) });
  }

  /** `before` is everything needed to restore it, but for `moreBytes` that are stored elsewhere. */
  deleted(subject: Subject, before: object, moreBytes = 0): void {
    const { trashDays } = this.#log;
    const keptUntil = new Date(Date.parse(this.now) + trashDays * DAY_MS).toISOString();
    const content = trashDays > 0 ? { before: JSON.stringify(before), keptUntil } : {};
    this.#add(subject, { action: 'delete', ...content }, moreBytes);
  }

  restored(subject: Subject, after: Entity): void {
    this.#add(subject, { action: 'restore', after: JSON.stringify(after) });
  }

  /** Logs the changes that follow, until the next call, as reverting this one. */
  reverting(changeId: number): void {
    this.#reverts = changeId;
  }

  /** The id of this write's first change, which identifies the write; undefined while it has changed nothing. */
  changeId(): number | undefined {
    return this.#first;
  }

  #add(subject: Subject, content: Content, moreBytes = 0): void {
    const { userId, token, via, requestId } = this.#writer;
    const { fields, before, after } = content;
    if (userId !== null) {
      const bytes = ROW_BYTES + bytesOf(fields) + bytesOf(before) + bytesOf(after) + moreBytes;
      this.#log.countAdded.run({ userId, day: today(), bytes });
    }
    // One object literal: merging several would take twice as long as the insert itself.
    const { lastInsertRowid } = this.#log.insert.run({
      at: this.now,
      kind: subject.kind,
      id: subject.id,
      restaurantId: subject.restaurantId ?? null,
      action: content.action,
      name: subject.name,
      fields: fields ?? null,
      before: before ?? null,
      after: after ?? null,
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
    for (const listener of this.#log.listeners) listener(subject);
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

const bytesOf = (text: string | undefined): number => (text === undefined ? 0 : Buffer.byteLength(text));

/** In UTC. */
const today = (): string => new Date().toISOString().slice(0, 10);

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
