import { BackgroundWork, shareOf } from './background.ts';
import type { QueryFile } from './statements.ts';
import type { Storage } from './storage.ts';
import type { KeyedRequest, StoredAnswer } from '../kit/answers.ts';
import { DAY_MS } from '../kit/time.ts';

const MOST_OF_A_USER = 10_000_000;
const LONGEST = 256 * 1024;
// Rough size of an answer without its body; it caps a user at 10,000 answers.
const BESIDES = 1_000;
// A few milliseconds of a write transaction, and more than any write adds.
const ROWS_AT_ONCE = 200;
const BYTES_AT_ONCE = 1_000_000;

interface Sized {
  readonly id: number;
  readonly bytes: number;
}

/** Answers by user and key, for a day. Call all but `find` inside a write transaction. */
export class Answers {
  readonly #sql;

  /** `sql` is idempotency.sql. */
  constructor(sql: QueryFile) {
    this.#sql = {
      find: sql.prepare<StoredAnswer>('findAnswer'),
      store: sql.prepare<number>('storeAnswer').pluck(),
      removeSurplus: sql.prepare('removeSurplusAnswers'),
      clear: sql.prepare('clearAnswersTo'),
      dropClearing: sql.prepare('dropClearing'),
      addClearing: sql.prepare('addClearing'),
    };
  }

  /** Undefined if there is no answer, or only an expired one. */
  find(userId: number, key: string): StoredAnswer | undefined {
    return this.#sql.find.get({ userId, key, after: dayAgo() });
  }

  /**
   * Stores the answer to the current write, replacing an older one under its key; a long one without its body. Removes
   * the user's oldest answers if there are too many.
   */
  store(answer: StoredAnswer & KeyedRequest): void {
    const body = answer.body.length > LONGEST ? Buffer.alloc(0) : answer.body;
    const bytes = body.length + BESIDES;
    const createdAt = new Date().toISOString();
    const total = this.#sql.store.get({ ...answer, body, bytes, createdAt }) ?? 0;
    // The oldest answer that stays may begin right before the limit.
    const upTo = total - MOST_OF_A_USER + LONGEST + BESIDES;
    if (upTo > 0) this.#sql.removeSurplus.run({ userId: answer.userId, upTo, atOnce: BYTES_AT_ONCE });
  }

  /**
   * Drops the bodies of the answers to the writes with these changes, which the current write forgets for good. The rows
   * stay, so that a repeated request is still not made twice. The write-ahead log is emptied once everything is forgotten.
   */
  forget(changeIds: readonly number[]): void {
    this.#sql.clear.run({ ids: JSON.stringify(changeIds) });
    this.#sql.dropClearing.run();
    this.#sql.addClearing.run();
  }
}

function dayAgo(): string {
  return new Date(Date.now() - DAY_MS).toISOString();
}

type Report = (message: string, fields: Readonly<Record<string, string>>) => void;

const EXPIRY_MS = 60_000;
const RETRY_MS = 500;
// While another connection reads an older state, such as a backup, the write-ahead log cannot be emptied.
const TRIES = 20;

/** Creates the background task that removes expired answers. */
export function createAnswerExpiry(
  { queries, transactions }: Pick<Storage, 'queries' | 'transactions'>,
  report: Report,
): BackgroundWork {
  const sql = queries.file('idempotency');
  const list = sql.prepare<Sized>('listOldAnswers');
  const remove = sql.prepare('removeOldAnswers');
  return new BackgroundWork({
    transactions,
    next: () => {
      const until = dayAgo();
      const ids = shareOf(list.all({ until, limit: ROWS_AT_ONCE })).map(({ id }) => id);
      return ids.length > 0 ? () => remove.run({ ids: JSON.stringify(ids), until }) : undefined;
    },
    idleMs: EXPIRY_MS,
    retryMs: EXPIRY_MS,
    failed: (fields) => {
      report('removing old answers failed', fields);
    },
  });
}

/**
 * Creates the background task that empties the write-ahead log, which still contains removed data. Wake it after each
 * such write, and at startup to finish after a crash.
 */
export function createLogEmptying(
  { queries, transactions }: Pick<Storage, 'queries' | 'transactions'>,
  emptyLog: () => boolean,
  report: Report,
): BackgroundWork {
  const sql = queries.file('idempotency');
  const find = sql.prepare<number>('findClearing').pluck();
  const end = sql.prepare('endClearing');
  let tries = 0;
  return new BackgroundWork({
    transactions,
    next: () => {
      const id = find.get();
      if (id === undefined) return undefined;
      if (!emptyLog()) throw new Error('another connection reads an older state');
      tries = 0;
      return () => end.run({ id });
    },
    retryMs: RETRY_MS,
    failed: () => {
      tries += 1;
      if (tries % TRIES === 0) report('erased text is still in the write-ahead log', {});
    },
  });
}
