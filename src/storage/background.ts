import { reasonOf } from '../kit/system-error.ts';
import type { Transactions } from './transaction.ts';

/** Work that is done in slices while the service runs, each in a write transaction of its own. */
export interface BackgroundWork {
  /** Starts at once, unless it is under way or has just failed. */
  readonly wake: () => void;
  /** Nothing is written after this. */
  readonly stop: () => void;
}

export interface BackgroundOptions {
  readonly transactions: Pick<Transactions, 'write'>;
  /** Finds the next slice; undefined when nothing is left. */
  readonly next: () => (() => unknown) | undefined;
  /** Called when nothing is left after there was something. */
  readonly ended?: () => void;
  /** Milliseconds after which it checks again when nothing was left; undefined: when it is woken. */
  readonly idleMs?: number;
  /** Milliseconds after which it goes on when a slice has failed. */
  readonly retryMs: number;
  /** Called when a slice has failed. */
  readonly failed: (fields: { readonly error: string }) => void;
}

// As much time for other writes as a slice takes.
const PAUSE_MS = 5;

/** Makes work that is not scheduled yet. */
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
