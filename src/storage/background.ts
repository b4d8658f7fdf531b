import { reasonOf } from '../kit/system-error.ts';
import type { Transactions } from './transaction.ts';

export interface BackgroundOptions {
  readonly transactions: Pick<Transactions, 'write'>;
  /** Returns the next slice, or undefined when there is nothing to do. */
  readonly next: () => (() => unknown) | undefined;
  /** Called once no work is left after some was done. */
  readonly ended?: () => void;
  /** Milliseconds until the next check when there was nothing to do; undefined waits for `wake`. */
  readonly idleMs?: number;
  /** Milliseconds until the next attempt after a slice failed. */
  readonly retryMs: number;
  readonly failed: (fields: { readonly error: string }) => void;
}

// Leaves other writes as much time as a slice takes.
const PAUSE_MS = 5;

/** Work done in slices while the service runs, each in its own write transaction. Starts with `wake`. */
export class BackgroundWork {
  readonly #options: BackgroundOptions;
  #timer: NodeJS.Timeout | undefined;
  #isWorking = false;
  #isIdle = true;
  #isStopped = false;

  constructor(options: BackgroundOptions) {
    this.#options = options;
  }

  /** Starts now, unless it is running or has just failed. */
  wake(): void {
    if (!this.#isIdle) return;
    clearTimeout(this.#timer);
    this.#schedule(0);
  }

  /** Nothing is written after this. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(ms: number | undefined, idle = false): void {
    this.#isIdle = idle;
    this.#timer =
      this.#isStopped || ms === undefined ? undefined : setTimeout(() => void this.#run(), ms).unref();
  }

  async #run(): Promise<void> {
    const { transactions, next, ended, idleMs, retryMs, failed } = this.#options;
    try {
      const slice = next();
      if (!slice && this.#isWorking) ended?.();
      this.#isWorking = slice !== undefined;
      if (slice) await transactions.write(slice);
      this.#schedule(slice ? PAUSE_MS : idleMs, !slice);
    } catch (error) {
      if (!this.#isStopped) failed({ error: reasonOf(error) });
      this.#schedule(retryMs);
    }
  }
}

// A few milliseconds of writing.
const BYTES_OF_SLICE = 1_000_000;

/** The first rows, up to and including the one that reaches a megabyte. */
export function shareOf<Row extends { readonly bytes: number }>(rows: readonly Row[]): readonly Row[] {
  let bytes = 0;
  const end = rows.findIndex((row) => {
    bytes += row.bytes;
    return bytes >= BYTES_OF_SLICE;
  });
  return end === -1 ? rows : rows.slice(0, end + 1);
}
