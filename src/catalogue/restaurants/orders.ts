import { compareCells } from './grid.ts';
import type { Columns, OrderName, Rows } from './rows.ts';

/** The slots of all rows in an order. */
export interface Order {
  /** Sorts all rows, in steps of a few milliseconds. */
  readonly build: () => Generator<undefined>;
  /** As they are now; the returned array never changes. */
  readonly slots: () => Uint32Array;
  /** A row came, went, or may have another place than before. */
  readonly moved: (slot: number) => void;
}

/** Which of two slots comes first; 0 only for the same. */
type Compare = (left: number, right: number) => number;

/** Compares slots by the columns as they are now. */
export function compareSlots(order: OrderName, columns: Columns): Compare {
  const { id, created, overall, latitude, name } = columns;
  const at = (values: Float64Array, slot: number): number => values[slot] ?? 0;
  const newerId = (left: number, right: number): number => at(id, right) - at(id, left);
  switch (order) {
    case 'newest':
      return (left, right) => at(created, right) - at(created, left) || newerId(left, right);
    case 'rating':
      return (left, right) => at(overall, right) - at(overall, left) || newerId(left, right);
    case 'name':
      return (left, right) => {
        const [mine, other] = [name[left] ?? '', name[right] ?? ''];
        return mine < other ? -1 : mine > other ? 1 : at(id, left) - at(id, right);
      };
    case 'latitude':
      return (left, right) => {
        const [mine, other] = [at(latitude, left), at(latitude, right)];
        if (mine === other || (Number.isNaN(mine) && Number.isNaN(other))) return newerId(left, right);
        return mine < other || Number.isNaN(other) ? -1 : 1;
      };
    case 'grid': {
      const byCell = compareCells(columns);
      return (left, right) => byCell(left, right) || newerId(left, right);
    }
  }
}

/**
 * An order that is put right when it is next asked for: all that moved since is taken out in one pass and merged in again,
 * which takes a millisecond for a million rows, however many moved. Memory is used again: large arrays cost the system and
 * the garbage collector more than the pass.
 */
export function createOrder(rows: Rows, name: OrderName): Order {
  let slots: Uint32Array = new Uint32Array(0);
  let stayed = new Uint32Array(0);
  let isMoved = new Uint8Array(0);
  const moved = new Set<number>();

  function update(): void {
    const columns = rows.columns();
    const compare = compareSlots(name, columns);
    if (isMoved.length < columns.id.length) isMoved = new Uint8Array(columns.id.length);
    if (stayed.length < slots.length) stayed = new Uint32Array(columns.id.length);
    for (const slot of moved) isMoved[slot] = 1;
    const length = without(slots, isMoved, stayed);
    for (const slot of moved) isMoved[slot] = 0;
    const added = Uint32Array.from([...moved].filter((slot) => columns.id[slot] !== 0).sort(compare));
    slots = merged(stayed.subarray(0, length), added, compare);
    moved.clear();
  }

  return {
    build: function* () {
      slots = yield* sorted(Uint32Array.from(rows.slots()), compareSlots(name, rows.columns()));
    },
    slots: () => {
      if (moved.size > 0) update();
      return slots;
    },
    moved: (slot) => {
      moved.add(slot);
    },
  };
}

const RUN = 4_096;
const STEP = 20_000;

/** Merge sort, from sorted runs up. */
function* sorted(slots: Uint32Array, compare: Compare): Generator<undefined, Uint32Array> {
  for (let start = 0; start < slots.length; start += RUN) {
    slots.subarray(start, start + RUN).sort(compare);
    yield;
  }
  let from = slots;
  let to: Uint32Array = new Uint32Array(slots.length);
  for (let run = RUN; run < slots.length; run *= 2) {
    for (let start = 0; start < slots.length; start += 2 * run)
      yield* mergeRuns(
        [from.subarray(start, start + run), from.subarray(start + run, start + 2 * run)],
        to.subarray(start, start + 2 * run),
        compare,
      );
    [from, to] = [to, from];
  }
  return from;
}

function* mergeRuns(
  [left, right]: readonly [Uint32Array, Uint32Array],
  target: Uint32Array,
  compare: Compare,
): Generator<undefined> {
  let [mine, other] = [0, 0];
  for (let at = 0; at < target.length; at += 1) {
    const isMine =
      other === right.length || (mine < left.length && compare(left[mine] ?? 0, right[other] ?? 0) <= 0);
    target[at] = (isMine ? left[mine] : right[other]) ?? 0;
    if (isMine) mine += 1;
    else other += 1;
    if (at % STEP === 0) yield;
  }
}

/** Puts the slots that did not move into `stayed`, and returns their number. */
function without(slots: Uint32Array, isMoved: Uint8Array, stayed: Uint32Array): number {
  let count = 0;
  // eslint-disable-next-line @typescript-eslint/prefer-for-of -- which takes twice as long
  for (let at = 0; at < slots.length; at += 1) {
    const slot = slots[at] ?? 0;
    stayed[count] = slot;
    if (isMoved[slot] === 0) count += 1;
  }
  return count;
}

function merged(left: Uint32Array, right: Uint32Array, compare: Compare): Uint32Array {
  const all = new Uint32Array(left.length + right.length);
  let [at, mine] = [0, 0];
  for (const other of right) {
    const end = firstBehind(left, mine, (slot) => compare(slot, other));
    all.set(left.subarray(mine, end), at);
    at += end - mine;
    all[at] = other;
    at += 1;
    mine = end;
  }
  all.set(left.subarray(mine), at);
  return all;
}

/** The first index from `from` on whose slot does not come before: `compare` is negative for those that do. */
export function firstBehind(slots: Uint32Array, from: number, compare: (slot: number) => number): number {
  let [low, high] = [from, slots.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(slots[middle] ?? 0) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
