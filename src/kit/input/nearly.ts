const ENDINGS = ['', 's', '_id', '_ids'] as const;
const ONE_EDIT_FROM = 4;
const TWO_EDITS_FROM = 8;

/**
 * Those of `names` that `given` was probably meant to be, the nearest alone; none when it is one of them, or like none.
 * Nearly the same are, from the nearest on: names that differ in case, `-` and `_`; in a final `s`, `_id` or `_ids`; in
 * one edit (a character inserted, deleted, replaced, or swapped with its neighbour), of a name of 4 characters or more;
 * in two edits, of a name of 8 or more.
 */
export function nearlyNamed(given: string, names: Iterable<string>): readonly string[] {
  let nearest: readonly string[] = [];
  let best = Infinity;
  for (const name of names) {
    if (name === given) return [];
    const rank = rankOf(given, name);
    if (rank < best) nearest = [];
    best = Math.min(best, rank);
    if (rank === best && rank < Infinity) nearest = [...nearest, name];
  }
  return nearest;
}

/** How unlike the two are: 0 is the most alike, Infinity not alike. */
function rankOf(given: string, name: string): number {
  const [left, right] = [folded(given), folded(name)];
  if (left === '') return Infinity;
  if (left === right) return 0;
  const stems = stemsOf(name);
  if (stemsOf(given).some((stem) => stems.includes(stem))) return 1;
  const most = name.length < ONE_EDIT_FROM ? 0 : name.length < TWO_EDITS_FROM ? 1 : 2;
  const edits = editsBetween(left, right, most);
  return edits > most ? Infinity : 1 + edits;
}

function folded(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '');
}

/** The name without each of the endings that it has. */
function stemsOf(name: string): readonly string[] {
  const plain = name.toLowerCase().replaceAll('-', '_');
  return ENDINGS.filter((ending) => plain.endsWith(ending))
    .map((ending) => folded(plain.slice(0, plain.length - ending.length)))
    .filter((stem) => stem !== '');
}

/** The fewest edits that make one text the other (optimal string alignment), or any number above `most`. */
function editsBetween(left: string, right: string, most: number): number {
  if (Math.abs(left.length - right.length) > most) return Infinity;
  let before: readonly number[] = [];
  let above = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      current.push(
        Math.min(
          (above[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (above[column - 1] ?? 0) + (isSame ? 0 : 1),
          row > 1 && column > 1 && isSwapped ? (before[column - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    [before, above] = [above, current];
  }
  return above[right.length] ?? Infinity;
}
