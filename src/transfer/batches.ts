// About the time that a running server waits for one batch, and the part of it that is left to rows where the disk is slow.
const AIM_MS = 20;
const LEAST_WORK_MS = 10;
const FIRST_SIZE = 10;
const MOST = 500;
const GROWTH = 2;

/** How many rows the batches of an import have, so that each holds the write lock for about 20 ms. */
export interface BatchSizer {
  readonly size: () => number;
  /**
   * How one batch went, in milliseconds from the start of the transaction by a clock that does not jump: until all rows
   * were written, and until it was on the disk and the write lock was free.
   */
  readonly learn: (times: { readonly workMs: number; readonly heldMs: number }) => void;
}

/** Starts with few rows. The time of a commit does not depend on their number, so it is subtracted beforehand. */
export function createBatchSizer(): BatchSizer {
  let size = FIRST_SIZE;
  return {
    size: () => size,
    learn: ({ workMs, heldMs }) => {
      const budget = Math.max(LEAST_WORK_MS, AIM_MS - (heldMs - workMs));
      const fitting = Math.floor((size * budget) / Math.max(workMs, 0.01));
      size = Math.max(1, Math.min(MOST, size * GROWTH, fitting));
    },
  };
}
