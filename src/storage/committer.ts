import { types } from 'node:util';
import type { Connection } from './database.ts';
import { storageFailure } from './failures.ts';

/** A write that waits to be committed. */
export interface Waiting {
  /** When it was asked for, by the monotonic clock. */
  readonly since: number;
  /** Does the work; from then on `settle` reports its result. */
  readonly run: () => unknown;
  readonly reject: (error: unknown) => void;
  /** Reports its result; must be called once nothing can change that any more. */
  settle: () => void;
  /** Whether a transaction with others has failed, so that it gets one of its own. */
  isAlone: boolean;
}

/** Commits writes, several of them in one transaction. */
export interface Committer {
  /** Runs work in one transaction; returns the writes to settle now, and those to run in the next ones. */
  readonly commit: (group: readonly Waiting[]) => Committed;
  /** Has a write rejected when it is settled. */
  readonly fail: (one: Waiting, error: unknown) => void;
  readonly commits: () => number;
}

export interface Committed {
  readonly done: readonly Waiting[];
  readonly left: readonly Waiting[];
  /** The error of SQLite when another process was writing; then nothing was run, and all of the group is left. */
  readonly busy?: { readonly error: unknown };
}

export interface CommitterOptions {
  /** The error of all writes since the storage has failed; undefined while it has not. */
  readonly refusal: () => Error | undefined;
  readonly noteFailure: (error: unknown) => void;
  /** Milliseconds after which a transaction takes no more work; default 10. */
  readonly longestMs?: number | undefined;
}

// Slow work leaves the others for the next tick: reads wait for the same event loop.
const LONGEST_MS = 10;

/** Opens the one place where transactions are started and committed. */
export function createCommitter(connection: Connection, options: CommitterOptions): Committer {
  const { refusal, noteFailure } = options;
  let commits = 0;

  function fail(one: Waiting, error: unknown): void {
    noteFailure(error);
    one.settle = () => {
      one.reject(error);
    };
  }

  function failAll(group: readonly Waiting[], error: unknown): Committed {
    for (const one of group) fail(one, error);
    return { done: group, left: [] };
  }

  const transaction = createTransaction(connection, fail, options);
  return {
    fail,
    commits: () => commits,
    commit: (group) => {
      const refused = refusal();
      if (refused) return failAll(group, refused);
      try {
        const count = transaction(group);
        commits += 1;
        return { done: group.slice(0, count), left: group.slice(count) };
      } catch (error) {
        if (isBusy(error)) return { done: [], left: group, busy: { error } };
        if (group.length === 1 || !mayBeOfOne(error)) return failAll(group, error);
        for (const one of group) one.isAlone = true;
        return { done: [], left: group };
      }
    },
  };
}

/**
 * Makes a function that runs a group in one transaction and returns how many of it there was time for. A write that throws
 * among others is undone and failed by itself; for that it needs a savepoint, which takes a tenth of a small write's
 * processor time, and few writes throw. So none are set until one does: then all of the group is undone and run again with
 * them, as the next groups are, until nothing throws in one.
 */
function createTransaction(
  connection: Connection,
  fail: Committer['fail'],
  { refusal, longestMs = LONGEST_MS }: CommitterOptions,
): (group: readonly Waiting[]) => number {
  // A transaction, or within one a savepoint. It refuses work that returns a promise, which would go on after the commit.
  const whole = connection.transaction((run: () => unknown) => run());
  let isCareful = false;

  function runAll(group: readonly Waiting[], run: (one: Waiting) => void): number {
    let count = 0;
    whole.immediate(() => {
      count = runSome(group, run, longestMs);
    });
    return count;
  }

  /** Returns undefined when one has thrown. */
  function runPlain(group: readonly Waiting[]): number | undefined {
    try {
      return runAll(group, plain);
    } catch (error) {
      if (error instanceof ThrownError) return undefined;
      throw error;
    }
  }

  function runCarefully(group: readonly Waiting[]): number {
    isCareful = false;
    return runAll(group, inSavepoint);
  }

  function inSavepoint(one: Waiting): void {
    try {
      whole(one.run);
    } catch (error) {
      if (isBusy(error)) throw error;
      isCareful = true;
      fail(one, error);
      // SQLite undoes all of a transaction by itself at some failures, and a failed storage commits nothing.
      if (!connection.inTransaction || refusal()) throw error;
    }
  }

  return (group) => {
    const [first, ...others] = group;
    if (!first || others.length > 0) return (isCareful ? undefined : runPlain(group)) ?? runCarefully(group);
    whole.immediate(first.run);
    return 1;
  };
}

/** A write has thrown for reasons of its own. */
class ThrownError extends Error {
  override readonly name = 'ThrownError';
}

function plain({ run }: Waiting): void {
  try {
    if (types.isPromise(run())) throw new TypeError('a write returned a promise');
  } catch (error) {
    throw storageFailure(error) === undefined ? new ThrownError() : error;
  }
}

/** Runs one after the other and returns how many there was time for. */
function runSome(group: readonly Waiting[], run: (one: Waiting) => void, longestMs: number): number {
  const started = performance.now();
  for (const [index, one] of group.entries()) {
    if (index > 0 && performance.now() - started > longestMs) return index;
    run(one);
  }
  return group.length;
}

/** Whether another process was writing; nothing of the transaction is stored then. */
function isBusy(error: unknown): boolean {
  return storageFailure(error) === 'busy';
}

/** Whether a transaction of several may have failed because of one of its writes. */
function mayBeOfOne(error: unknown): boolean {
  const kind = storageFailure(error);
  return kind === 'full' || kind === undefined;
}
