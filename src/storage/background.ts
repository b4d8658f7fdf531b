import { reasonOf } from '../kit/system-error.ts';
import type { Transactions } from './transaction.ts';

/** Work done in slices while the service runs, each in its own write transaction. */
export interface BackgroundWork {
  /** Starts now, unless already running or waiting to retry after a failure. */
  readonly wake: () => void;
  /** Nothing is written afterwards. */
  readonly stop: () => void;
}

export interface BackgroundOptions {
  readonly transactions: Pick<Transactions, 'write'>;
  /** Returns the next slice, or undefined when there is nothing to do. */
  readonly next: () => (() => unknown) | undefined;
  /** Called when the last of some work is done. */
  readonly ended?: () => void;
  /** Milliseconds until the next check when there was nothing to do; undefined waits for `wake`. */
  readonly idleMs?: number;
  /** Milliseconds until the next attempt after a slice failed. */
  readonly retryMs: number;
  readonly failed: (fields: { readonly error: string }) => void;
}

// Leaves other writes as much time as a slice takes.
const PAUSE_MS = 5;

/** Nothing runs until the first `wake`. */
export function createBackgroundWork(options: BackgroundOptions): BackgroundWork {
  const { transactions, next, ended, idleMs, retryMs, failed } = options;
  let timer: NodeJS.Timeout | undefined;
  let hasBegun = false;
  let isIdle = true;
  let isStopped = false;

  function schedule(ms: number | undefined, idle = false): void {
    isIdle = idle;
    timer = isStopped || ms === undefined ? undefined : setTimeout(() => void run(), ms).unref();
  }

  async function run(): Promise<void> {
    try {
      const slice = next();
      if (!slice && hasBegun) ended?.();
      hasBegun = slice !== undefined;
      if (slice) await transactions.write(slice);
      schedule(slice ? PAUSE_MS : idleMs, !slice);
    } catch (error) {
      if (!isStopped) failed({ error: reasonOf(error) });
      schedule(retryMs);
    }
  }

  return {
    wake: () => {
      if (!isIdle) return;
      clearTimeout(timer);
      schedule(0);
    },
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
