import type { QueryFile } from './statements.ts';

/** An answer to a write, as it is stored for a repeated request. */
export interface Answer {
  /** A digest of the request that it answers. */
  readonly hash: string;
  readonly status: number;
  readonly location: string | null;
  readonly changeId: number | null;
  readonly body: Buffer;
}

/** An answer with its user and the key that the user has chosen for the request. */
export interface KeyedAnswer extends Answer {
  readonly userId: number;
  readonly key: string;
}

/** Answers by user and key, for a day. */
export interface Answers {
  /** Undefined also for one that is too old. */
  readonly find: (userId: number, key: string) => Answer | undefined;
  /**
   * Stores one in place of an older one of the key, and removes some of those that are too old or too many. Must be run
   * inside the transaction of the write that is answered.
   */
  readonly store: (answer: KeyedAnswer) => void;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const MOST_OF_A_USER = 10_000;
// More than a write adds, so that a crowd of old answers is gone in the end, and few, so that no write takes long.
const MOST_REMOVED = 20;

/** Opens them on idempotency.sql. */
export function createAnswers(sql: QueryFile): Answers {
  const find = sql.prepare<Answer>('findAnswer');
  const store = sql.prepare<number>('storeAnswer').pluck();
  const removeOld = sql.prepare('removeOldAnswers');
  const removeSurplus = sql.prepare('removeSurplusAnswers');
  const dayBefore = (now: number): string => new Date(now - DAY_MS).toISOString();
  return {
    find: (userId, key) => find.get({ userId, key, after: dayBefore(Date.now()) }),
    store: (answer) => {
      const now = Date.now();
      const number = store.get({ ...answer, createdAt: new Date(now).toISOString() }) ?? 0;
      removeOld.run({ until: dayBefore(now), limit: MOST_REMOVED });
      removeSurplus.run({ userId: answer.userId, upTo: number - MOST_OF_A_USER });
    },
  };
}
