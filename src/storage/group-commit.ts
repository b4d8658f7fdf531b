import type { Connection } from './database.ts';
import { storageFailure } from './failures.ts';

/** Write transactions that share their way to the disk. */
export interface GroupCommit {
  /** As `Transactions.write`. */
  readonly add: <Result>(work: () => Result) => Promise<Result>;
  /** Runs and settles at once all that waits. */
  readonly flush: () => void;
  /** The transactions that have reached the disk. */
  readonly commits: () => number;
}

export interface GroupCommitOptions {
  /** What all writes are refused with since the storage has failed; undefined while it has not. */
  readonly refusal: () => Error | undefined;
  readonly noteFailure: (error: unknown) => void;
  /** Milliseconds after which a transaction takes no more work; default 10. */
  readonly longestMs?: number | undefined;
}

interface Waiting {
  /** Does the work, and from then on is told of its result by `settle`. */
  readonly run: () => unknown;
  readonly reject: (error: unknown) => void;
  /** Tells how it ended; to be called once nothing can change that any more. */
  settle: () => void;
  /** Whether a transaction with others has failed, so that it gets one of its own. */
  isAlone: boolean;
}

// Most of a write is the wait for the disk, so that a hundred of them take hardly longer than one.
const MOST = 100;
// Works that turn out slow are left for the next turn: whoever only reads waits in the same line.
const LONGEST_MS = 10;

/**
 * Opens the one place where transactions are committed. Work is not run when it is asked for but at the end of the turn
 * of the event loop, together with all that has arrived by then: in one transaction, in the order of arrival, each in a
 * savepoint. While the disk is at work others arrive, who are the next transaction. Nobody is told anything before the
 * commit has returned, since even a refusal may rest on what another one of the group has written.
 *
 * Work that throws is undone up to its savepoint, and the others stand. A transaction that fails as a whole, within a
 * statement or at its commit, has stored nothing. Where that may be the fault of one of them (no room for it, or a
 * deferred constraint that it breaks) each is run again in a transaction of its own, one a turn, before all who came
 * later: so the one that does not fit fails alone. Where it is nobody's (the disk is broken, another process writes, no
 * file can be opened) all of them fail with it.
 */
export function createGroupCommit(connection: Connection, options: GroupCommitOptions): GroupCommit {
  const queue: Waiting[] = [];
  const { commit, commits } = createCommitter(connection, options);
  let isScheduled = false;

  function turn(): void {
    const { done, left } = commit(queue.splice(0, queue[0]?.isAlone === true ? 1 : MOST));
    queue.unshift(...left);
    for (const { settle } of done) settle();
  }

  function schedule(): void {
    if (isScheduled || queue.length === 0) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      if (queue.length > 0) turn();
      schedule();
    });
  }

  return {
    add: (work) =>
      new Promise((resolve, reject) => {
        queue.push(waitingFor(work, resolve, reject));
        schedule();
      }),
    flush: () => {
      while (queue.length > 0) turn();
    },
    commits,
  };
}

interface Committer {
  /** Runs work in one transaction; gives what is to be settled now, and what is to be run in the next ones. */
  readonly commit: (group: readonly Waiting[]) => Committed;
  readonly commits: () => number;
}

interface Committed {
  readonly done: readonly Waiting[];
  readonly left: readonly Waiting[];
}

function createCommitter(connection: Connection, options: GroupCommitOptions): Committer {
  const { refusal, noteFailure, longestMs = LONGEST_MS } = options;
  // A transaction, or within one a savepoint. It refuses work that gives a promise, which would go on after the commit.
  const whole = connection.transaction((run: () => unknown) => run());
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

  function runInSavepoint(one: Waiting): void {
    try {
      whole(one.run);
    } catch (error) {
      fail(one, error);
      // SQLite undoes all of a transaction by itself at some failures, and what has failed is not to be committed.
      if (!connection.inTransaction || refusal()) throw error;
    }
  }

  /** Gives how many there was time for. */
  function runSome(group: readonly Waiting[]): number {
    const started = performance.now();
    for (const [index, one] of group.entries()) {
      if (index > 0 && performance.now() - started > longestMs) return index;
      runInSavepoint(one);
    }
    return group.length;
  }

  function commit(group: readonly Waiting[]): Committed {
    const refused = refusal();
    if (refused) return failAll(group, refused);
    const [first, ...others] = group;
    let count = 1;
    const runAll = (): void => {
      count = runSome(group);
    };
    try {
      whole.immediate(first && others.length === 0 ? first.run : runAll);
      commits += 1;
      return { done: group.slice(0, count), left: group.slice(count) };
    } catch (error) {
      if (others.length === 0 || !mayBeOfOne(error)) return failAll(group, error);
      for (const one of group) one.isAlone = true;
      return { done: [], left: group };
    }
  }

  return { commit, commits: () => commits };
}

/** Whether one work alone may be what a transaction of several has failed of. */
function mayBeOfOne(error: unknown): boolean {
  const kind = storageFailure(error);
  return kind === 'full' || kind === undefined;
}

function waitingFor<Result>(
  work: () => Result,
  resolve: (result: Result) => void,
  reject: (error: unknown) => void,
): Waiting {
  const one: Waiting = {
    run: () => {
      const result = work();
      one.settle = () => {
        resolve(result);
      };
      return result;
    },
    reject,
    settle: () => {
      reject(new Error('a write was settled before it was run'));
    },
    isAlone: false,
  };
  return one;
}
