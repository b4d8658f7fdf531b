// About the time that a running server waits for one batch, and the part of it that is left to rows where the disk is slow.
const AIM_MS = 20;
const LEAST_WORK_MS = 10;
const MOST = 500;
const GROWTH = 2;

/** The rows of the first batch of an import: few. */
export const FIRST_BATCH = 10;

/**
 * How many rows the next batch of an import has, so that each holds the write lock for about 20 ms, by the size of the
 * last one and its milliseconds from the start of the transaction by a clock that does not jump: until all rows were
 * written, and until it was on the disk and the write lock was free. The time of a commit does not depend on the number
 * of rows, so it is subtracted beforehand.
 */
export function nextBatch(size: number, workMs: number, heldMs: number): number {
  const budget = Math.max(LEAST_WORK_MS, AIM_MS - (heldMs - workMs));
  const fitting = Math.floor((size * budget) / Math.max(workMs, 0.01));
  return Math.max(1, Math.min(MOST, size * GROWTH, fitting));
}
