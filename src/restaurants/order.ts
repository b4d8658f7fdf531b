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

/** Walks several sorted runs as one sorted list, taking from a run only as the list is read. */
export function* mergeRuns(runs: readonly (readonly Position[])[], compare: Compare): Generator<Position> {
  const next = runs.map(() => 0);
  for (;;) {
    let best: Position | undefined;
    let from = -1;
    for (const [run, positions] of runs.entries()) {
      const head = positions[next[run] ?? 0];
      if (head !== undefined && (best === undefined || compare(head, best) < 0)) {
        best = head;
        from = run;
      }
    }
    if (best === undefined) return;
    next[from] = (next[from] ?? 0) + 1;
    yield best;
  }
}
