import { type BackgroundWork, createBackgroundWork } from './background.ts';
import { shareOf } from './share.ts';
import type { QueryFile } from './statements.ts';
import type { Storage } from './storage.ts';
import { DAY_MS } from '../kit/time.ts';

/** An answer to a write, stored for repeats of its request. */
export interface Answer {
  /** Digest of the request. */
  readonly hash: string;
  readonly status: number;
  readonly location: string | null;
  readonly changeId: number | null;
  readonly body: Buffer;
}

/** An answer under its user and that user's Idempotency-Key. */
export interface KeyedAnswer extends Answer {
  readonly userId: number;
  readonly key: string;
}

/** Stores answers by user and key for a day. */
export interface Answers {
  /** Undefined if there is no answer, or only an expired one. */
  readonly find: (userId: number, key: string) => Answer | undefined;
  /**
   * Stores an answer, replacing an older one under the same key. A long body is left out, and the user's oldest
   * answers go when there are too many. Call inside the transaction of the write that it answers.
   */
  readonly store: (answer: KeyedAnswer) => void;
  /**
   * Marks the bodies of all stored answers for clearing. Call in the transaction that removes something for good,
   * since any body may contain it. From then on a repeated request is answered without a body; the rows stay, so that
   * it is still not executed twice.
   */
  readonly clearAll: () => void;
  /** Clears the next slice of bodies; call inside a transaction. False when none are left. */
  readonly clearSome: () => boolean;
}

const MOST_OF_A_USER = 10_000_000;
const LONGEST = 256 * 1024;
// Rough size of an answer without its body; it caps a user at 10,000 answers.
const BESIDES = 1_000;
// A few milliseconds of a write transaction, and more than any write adds.
const ROWS_AT_ONCE = 200;
const BYTES_AT_ONCE = 1_000_000;

/** The rowids still to be cleared: above `cleared`, up to `upTo`. */
interface Clearing {
  readonly id: number;
  readonly cleared: number;
  readonly upTo: number;
}

interface Sized {
  readonly id: number;
  readonly bytes: number;
}

/** `sql` is idempotency.sql. */
export function createAnswers(sql: QueryFile): Answers {
  const find = sql.prepare<Answer>('findAnswer');
  const store = sql.prepare<number>('storeAnswer').pluck();
  const removeSurplus = sql.prepare('removeSurplusAnswers');
  const dropClearing = sql.prepare('dropClearing');
  const clearAll = sql.prepare('clearAllAnswers');
  const findClearing = sql.prepare<Clearing>('findClearing');
  const listToClear = sql.prepare<Sized>('listAnswersToClear');
  const clear = sql.prepare('clearAnswers');
  const setCleared = sql.prepare('setCleared');
  return {
    find: (userId, key) => find.get({ userId, key, after: dayBefore(Date.now()) }),
    store: (answer) => {
      const body = answer.body.length > LONGEST ? Buffer.alloc(0) : answer.body;
      const bytes = body.length + BESIDES;
      const createdAt = new Date().toISOString();
      const total = store.get({ ...answer, body, bytes, createdAt }) ?? 0;
      // One answer further, since the oldest that remains may begin that much earlier.
      const upTo = total - MOST_OF_A_USER + LONGEST + BESIDES;
      if (upTo > 0) removeSurplus.run({ userId: answer.userId, upTo, atOnce: BYTES_AT_ONCE });
    },
    clearAll: () => {
      dropClearing.run();
      clearAll.run();
    },
    clearSome: () => {
      const clearing = findClearing.get();
      if (!clearing || clearing.cleared >= clearing.upTo) return false;
      const { cleared, upTo } = clearing;
      const ids = idsOf(listToClear.all({ cleared, upTo, limit: ROWS_AT_ONCE }));
      clear.run({ ids: JSON.stringify(ids) });
      setCleared.run({ cleared: ids.at(-1) ?? upTo });
      return true;
    },
  };
}

/** The ids of as many rows as one slice may write. */
function idsOf(rows: readonly Sized[]): number[] {
  return shareOf(rows).map(({ id }) => id);
}

function dayBefore(now: number): string {
  return new Date(now - DAY_MS).toISOString();
}

export interface AnswerWorkOptions {
  readonly storage: Pick<Storage, 'queries' | 'transactions' | 'emptyLog'>;
  readonly report: (message: string, fields: Readonly<Record<string, string>>) => void;
}

const EXPIRY_MS = 60_000;
const RETRY_MS = 500;
// A reader of an older state, such as a backup, keeps the write-ahead log from being emptied meanwhile.
const TRIES = 20;

/** Removes expired answers periodically once woken. */
export function createAnswerExpiry({ storage, report }: AnswerWorkOptions): BackgroundWork {
  const sql = storage.queries.file('idempotency');
  const list = sql.prepare<Sized>('listOldAnswers');
  const remove = sql.prepare('removeOldAnswers');
  return createBackgroundWork({
    transactions: storage.transactions,
    next: () => {
      const until = dayBefore(Date.now());
      const ids = idsOf(list.all({ until, limit: ROWS_AT_ONCE }));
      return ids.length > 0 ? () => remove.run({ ids: JSON.stringify(ids), until }) : undefined;
    },
    ...{ idleMs: EXPIRY_MS, retryMs: EXPIRY_MS },
    failed: (fields) => {
      report('removing old answers failed', fields);
    },
  });
}

/**
 * Clears the bodies after `clearAll`, then empties the write-ahead log, which still contains them and anything
 * else that was removed. Wake it after each such write, and at startup to finish after a crash.
 */
export function createAnswerClearing({ storage, report }: AnswerWorkOptions): BackgroundWork {
  const sql = storage.queries.file('idempotency');
  const answers = createAnswers(sql);
  const findClearing = sql.prepare<Clearing>('findClearing');
  const end = sql.prepare('endClearing');
  let tries = 0;
  return createBackgroundWork({
    transactions: storage.transactions,
    next: () => {
      const clearing = findClearing.get();
      if (!clearing) return undefined;
      if (clearing.cleared < clearing.upTo) return answers.clearSome;
      if (!storage.emptyLog()) throw new Error('another connection reads an older state');
      tries = 0;
      return () => end.run({ id: clearing.id });
    },
    retryMs: RETRY_MS,
    failed: () => {
      tries += 1;
      if (tries % TRIES === 0) report('erased text is still in the write-ahead log', {});
    },
  });
}
