/**
 * The fewest letters to insert, remove, replace or swap with their neighbours that make one text of another (optimal string
 * alignment distance); Infinity above `most`.
 */
export function editsBetween(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return Infinity;
  let before: readonly number[] = [];
  let above = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      // More edits than allowed, however the texts go on.
      if (Math.abs(row - column) > most) {
        current.push(Infinity);
        continue;
      }
      const isSame = one[row - 1] === other[column - 1];
      const isSwap = row > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current.push(
        Math.min(
          (above[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (above[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwap ? (before[column - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    if (Math.min(...current) > most) return Infinity;
    [before, above] = [above, current];
  }
  const edits = above[other.length] ?? Infinity;
  return edits > most ? Infinity : edits;
}
