import type { Connection } from './database.ts';
import { type Committed, type CommitterOptions, type Waiting, createCommitter } from './committer.ts';

/** Write transactions that share their way to the disk. */
export interface GroupCommit {
  /** As `Transactions.write`. */
  readonly add: <Result>(work: () => Result) => Promise<Result>;
  /** Runs and settles all waiting writes at once, without another try when another process is writing. */
  readonly flush: () => void;
  /** The transactions that have reached the disk. */
  readonly commits: () => number;
}

export interface GroupCommitOptions extends CommitterOptions {
  readonly patience?: Patience | undefined;
}

/** The time for which writes wait while another process writes. */
export interface Patience {
  /** Milliseconds after which a write fails. */
  readonly limitMs: number;
  /** Called at each failed try, with the milliseconds that the oldest write has waited. */
  readonly waiting?: (waitedMs: number) => void;
}

// Most of a write is the wait for the disk, so that a hundred of them take hardly longer than one.
const MOST = 100;
const PATIENCE: Patience = { limitMs: 5_000 };
// Short compared with the time for which another process holds the lock, long compared with the cost of a try.
const RETRY_MS = 2;

/**
 * Opens the one place where transactions are committed. Work is not run when it is asked for but at the end of the event
 * loop's tick, together with all that has arrived by then: in one transaction, in the order of arrival. While the disk is
 * at work others arrive, which are the next transaction. No caller gets a result before the commit has returned, since
 * even a refusal may rest on what another one of the group has written.
 *
 * Work that throws is undone, and the others stand. A transaction that fails as a whole, within a statement or at its
 * commit, has stored nothing. Where one of them may be the cause (too large for the disk, or breaking a deferred
 * constraint) each is run again in a transaction of its own, one a tick, before all that came later: so the one that does
 * not fit fails alone. Where none is the cause (the disk is broken, no file can be opened) all of them fail.
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
