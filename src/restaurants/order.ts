export type Sort = 'newest' | 'name' | 'rating' | 'distance';

/** A restaurant's place in a sorted list: what it is sorted by, then its id. A distance is null without coordinates. */
export interface Position {
  readonly key: string | number | null;
  readonly id: number;
}

/** Compares two positions of one list; 0 only for the same restaurant. */
export type Compare = (left: Position, right: Position) => number;

const DESCENDING: Readonly<Record<Sort, boolean>> = {
  newest: true,
  name: false,
  rating: true,
  distance: false,
};

/** The order of a sort; ties go to the newer id, but by name to the older. Null keys come last. */
export function comparePositions(sort: Sort): Compare {
  const direction = DESCENDING[sort] ? -1 : 1;
  const idDirection = sort === 'name' ? 1 : -1;
  return (left, right) => {
    if (left.key !== right.key) {
      if (left.key === null) return 1;
      if (right.key === null) return -1;
      return left.key < right.key ? -direction : direction;
    }
    return (left.id - right.id) * idDirection;
  };
}

type Run = readonly Position[];

// Some two milliseconds.
const MERGED_AT_ONCE = 10_000;

/** The first positions of several sorted runs, as many as are needed, merged two by two with pauses in between. */
export async function mergeRuns(
  runs: readonly Run[],
  compare: Compare,
  needed: number,
  pause: () => Promise<void>,
): Promise<Run> {
  let left = runs;
  let merged = 0;
  while (left.length > 1) {
    const next: Run[] = [];
    for (let index = 0; index < left.length; index += 2) {
      const target: Position[] = [];
      for (const position of mergeTwo(left[index] ?? [], left[index + 1] ?? [], compare)) {
        if (target.length === needed) break;
        target.push(position);
        merged += 1;
        if (merged % MERGED_AT_ONCE === 0) await pause();
      }
      next.push(target);
    }
    left = next;
  }
  return left[0] ?? [];
}

function* mergeTwo(left: Run, right: Run, compare: Compare): Generator<Position> {
  let [mine, other] = [0, 0];
  for (;;) {
    const [head, rival] = [left[mine], right[other]];
    if (head !== undefined && (rival === undefined || compare(head, rival) < 0)) {
      mine += 1;
      yield head;
    } else if (rival !== undefined) {
      other += 1;
      yield rival;
    } else return;
  }
}

type Slices = AsyncIterable<Run>;

/** Two sorted lists that come in slices as one, read no further ahead than a slice of each. */
export async function* mergeSlices(
  left: Slices,
  right: Slices,
  compare: Compare,
): AsyncGenerator<readonly Position[]> {
  const [ours, theirs] = [sliceReader(left), sliceReader(right)];
  let [mine, other] = [await ours(), await theirs()];
  for (;;) {
    const [myEnd, otherEnd] = [mine.at(-1), other.at(-1)];
    if (myEnd === undefined || otherEnd === undefined) break;
    // Behind the nearer end of the two, the slice that follows may still have something to say.
    const end = compare(myEnd, otherEnd) < 0 ? myEnd : otherEnd;
    const [myPart, otherPart] = [upTo(mine, end, compare), upTo(other, end, compare)];
    yield [...mergeTwo(myPart, otherPart, compare)];
    mine = myPart.length < mine.length ? mine.slice(myPart.length) : await ours();
    other = otherPart.length < other.length ? other.slice(otherPart.length) : await theirs();
  }
  for (; mine.length > 0; mine = await ours()) yield mine;
  for (; other.length > 0; other = await theirs()) yield other;
}

/** Gives one slice after the other, an empty one at the end only. */
function sliceReader(slices: Slices): () => Promise<readonly Position[]> {
  const iterator = slices[Symbol.asyncIterator]();
  return async () => {
    for (;;) {
      const next = await iterator.next();
      if (next.done === true) return [];
      if (next.value.length > 0) return next.value;
    }
  };
}

function upTo(positions: readonly Position[], end: Position, compare: Compare): readonly Position[] {
  const behind = positions.findIndex((position) => compare(position, end) > 0);
  return behind === -1 ? positions : positions.slice(0, behind);
}
