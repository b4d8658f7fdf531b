import type { Connection } from './database.ts';
import { storageFailure } from './failures.ts';

/** Write transactions that share their way to the disk. */
export interface GroupCommit {
  /** As `Transactions.write`. */
  readonly add: <Result>(work: () => Result) => Promise<Result>;
  /** Runs and settles at once all that waits, without another try where another process is writing. */
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
  readonly patience?: Patience | undefined;
}

/** How long writes wait while another process writes. */
export interface Patience {
  /** Milliseconds after which a write fails. */
  readonly limitMs: number;
  /** Called at each try in vain, with the milliseconds that the oldest write has waited. */
  readonly waiting?: (waitedMs: number) => void;
}

interface Waiting {
  /** When it was asked for, by the monotonic clock. */
  readonly since: number;
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
const PATIENCE: Patience = { limitMs: 5_000 };
// Short compared with the time for which another process holds the lock, long compared with the cost of a try.
const RETRY_MS = 2;

/**
 * Opens the one place where transactions are committed. Work is not run when it is asked for but at the end of the turn
 * of the event loop, together with all that has arrived by then: in one transaction, in the order of arrival, each in a
 * savepoint. While the disk is at work others arrive, who are the next transaction. Nobody is told anything before the
 * commit has returned, since even a refusal may rest on what another one of the group has written.
 *
 * Work that throws is undone up to its savepoint, and the others stand. A transaction that fails as a whole, within a
 * statement or at its commit, has stored nothing. Where that may be the fault of one of them (no room for it, or a
 * deferred constraint that it breaks) each is run again in a transaction of its own, one a turn, before all who came
 * later: so the one that does not fit fails alone. Where it is the fault of none (the disk is broken, no file can be
 * opened) all of them fail with it.
 *
 * While another process writes, the group goes back to the front of the queue and is tried again by a timer: reads go on
 * meanwhile. SQLite's own way to wait would put the whole process to sleep, so the connection has to have a busy time-out
 * of a few milliseconds at most.
 */
export function createGroupCommit(connection: Connection, options: GroupCommitOptions): GroupCommit {
  const { patience = PATIENCE } = options;
  const queue: Waiting[] = [];
  const { commit, fail, commits } = createCommitter(connection, options);
  let isScheduled = false;

  function runGroup(): Committed {
    const committed = commit(queue.splice(0, queue[0]?.isAlone === true ? 1 : MOST));
    queue.unshift(...committed.left);
    for (const { settle } of committed.done) settle();
    return committed;
  }

  function failWaiting(error: unknown, waitedMs: number): void {
    for (const one of takeWaiting(queue, waitedMs)) {
      fail(one, error);
      one.settle();
    }
  }

  function tick(): void {
    isScheduled = false;
    const busy = queue.length > 0 ? runGroup().busy : undefined;
    if (busy === undefined) {
      schedule();
      return;
    }
    failWaiting(busy.error, patience.limitMs);
    if (queue[0] === undefined) return;
    patience.waiting?.(performance.now() - queue[0].since);
    isScheduled = true;
    setTimeout(tick, RETRY_MS);
  }

  function schedule(): void {
    if (isScheduled || queue.length === 0) return;
    isScheduled = true;
    setImmediate(tick);
  }

  return {
    add: (work) =>
      new Promise((resolve, reject) => {
        queue.push(waitingFor(work, resolve, reject));
        schedule();
      }),
    flush: () => {
      while (queue.length > 0) {
        const { busy } = runGroup();
        if (busy) failWaiting(busy.error, 0);
      }
    },
    commits,
  };
}

/** Takes the writes from the front of the queue that have waited for `waitedMs` or longer. */
function takeWaiting(queue: Waiting[], waitedMs: number): readonly Waiting[] {
  const before = performance.now() - waitedMs;
  const young = queue.findIndex(({ since }) => since > before);
  return queue.splice(0, young === -1 ? queue.length : young);
}

interface Committer {
  /** Runs work in one transaction; gives what is to be settled now, and what is to be run in the next ones. */
  readonly commit: (group: readonly Waiting[]) => Committed;
  /** Has a write rejected when it is settled. */
  readonly fail: (one: Waiting, error: unknown) => void;
  readonly commits: () => number;
}

interface Committed {
  readonly done: readonly Waiting[];
  readonly left: readonly Waiting[];
  /** The error of SQLite where another process was writing; then nothing was run, and all of the group is left. */
  readonly busy?: { readonly error: unknown };
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
      if (isBusy(error)) throw error;
      fail(one, error);
      // SQLite undoes all of a transaction by itself at some failures, and what has failed is not to be committed.
      if (!connection.inTransaction || refusal()) throw error;
    }
  }

  function commit(group: readonly Waiting[]): Committed {
    const refused = refusal();
    if (refused) return failAll(group, refused);
    const [first, ...others] = group;
    let count = 1;
    const runAll = (): void => {
      count = runSome(group, runInSavepoint, longestMs);
    };
    try {
      whole.immediate(first && others.length === 0 ? first.run : runAll);
      commits += 1;
      return { done: group.slice(0, count), left: group.slice(count) };
    } catch (error) {
      if (isBusy(error)) return { done: [], left: group, busy: { error } };
      if (others.length === 0 || !mayBeOfOne(error)) return failAll(group, error);
      for (const one of group) one.isAlone = true;
      return { done: [], left: group };
    }
  }

  return { commit, fail, commits: () => commits };
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
    since: performance.now(),
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
