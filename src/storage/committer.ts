import { types } from 'node:util';
import type { Connection } from './database.ts';
import { storageFailure } from './failures.ts';

/** A write that waits to be committed. */
export interface Waiting {
  /** When it was asked for, by the monotonic clock. */
  readonly since: number;
  /** Does the work; from then on `settle` reports its result. */
  readonly run: () => unknown;
  /** From now on `settle` reports this error. */
  readonly fail: (error: unknown) => void;
  /** Must be called once nothing can change the result any more. */
  settle: () => void;
  /** Whether a transaction with others has failed, so that it gets one of its own. */
  isAlone: boolean;
}

/** The writes to settle now, and those to run in the next transactions. */
export interface Committed {
  readonly done: readonly Waiting[];
  readonly left: readonly Waiting[];
  /** The error of SQLite when another process was writing; then nothing was run, and all of the group is left. */
  readonly busy?: { readonly error: unknown };
}

export interface CommitterOptions {
  /** The error of all writes since the storage has failed; undefined while it has not. */
  readonly refusal: () => Error | undefined;
  /** Called after each commit. */
  readonly committed: () => void;
  /** Milliseconds after which a transaction takes no more work. */
  readonly longestMs: number;
}

/** Makes a function that runs a group of writes in one transaction. */
export function createCommitter(
  connection: Connection,
  { refusal, committed, longestMs }: CommitterOptions,
): (group: readonly Waiting[]) => Committed {
  const run = createTransaction(connection, refusal, longestMs);

  function failAll(group: readonly Waiting[], error: unknown): Committed {
    for (const one of group) one.fail(error);
    return { done: group, left: [] };
  }

  return (group) => {
    const refused = refusal();
    if (refused) return failAll(group, refused);
    try {
      const count = run(group);
      committed();
      return { done: group.slice(0, count), left: group.slice(count) };
    } catch (error) {
      const failure = storageFailure(error);
      if (failure === 'busy') return { done: [], left: group, busy: { error } };
      const mayBeOfOne = group.length > 1 && (failure === 'full' || failure === undefined);
      if (!mayBeOfOne) return failAll(group, error);
      for (const one of group) one.isAlone = true;
      return { done: [], left: group };
    }
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
  refusal: CommitterOptions['refusal'],
  longestMs: number,
): (group: readonly Waiting[]) => number {
  // A transaction, or within one a savepoint. It refuses work that returns a promise, which would go on after the commit.
  const whole = connection.transaction((work: () => unknown) => work());
  let isCareful = false;

  function runAll(group: readonly Waiting[], run: (one: Waiting) => void): number {
    const started = performance.now();
    let count = 0;
    whole.immediate(() => {
      for (const one of group) {
        if (count > 0 && performance.now() - started > longestMs) return;
        run(one);
        count += 1;
      }
    });
    return count;
  }

  function inSavepoint(one: Waiting): void {
    try {
      whole(one.run);
    } catch (error) {
      if (storageFailure(error) === 'busy') throw error;
      isCareful = true;
      one.fail(error);
      // SQLite undoes all of a transaction by itself at some failures, and a failed storage commits nothing.
      if (!connection.inTransaction || refusal()) throw error;
    }
  }

  return (group) => {
    const [first, ...others] = group;
    if (first && others.length === 0) {
      whole.immediate(first.run);
      return 1;
    }
    try {
      if (!isCareful) return runAll(group, plain);
    } catch (error) {
      if (storageFailure(error) !== undefined) throw error;
    }
    isCareful = false;
    return runAll(group, inSavepoint);
  };
}

function plain({ run }: Waiting): void {
  if (types.isPromise(run())) throw new TypeError('a write returned a promise');
}
