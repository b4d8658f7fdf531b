/** Sets of food types by numbers, which many rows share. */
export interface Sets {
  /** By their numbers: 1 for each that has one of these. */
  readonly having: (ids: ReadonlySet<number>) => Uint8Array;
  /** The number of a set that one more row has. */
  readonly hold: (ids: readonly number[]) => number;
  /** One row less has it. */
  readonly release: (number: number) => void;
}

interface CountedSet {
  readonly ids: readonly number[];
  holders: number;
}

/** Sets of ids that many rows share, counted, so that what no row has any more is forgotten. */
export function createSets(): Sets {
  const all: (CountedSet | undefined)[] = [];
  const numbers = new Map<string | number, number>();
  const numbersById = new Map<number, Set<number>>();
  const free: number[] = [];
  // Most have one, and a text takes longer to make than all else here.
  const keyOf = (ids: readonly number[]): string | number => (ids.length === 1 ? (ids[0] ?? '') : ids.join());

  function add(ids: readonly number[]): number {
    const number = free.pop() ?? all.length;
    all[number] = { ids, holders: 0 };
    numbers.set(keyOf(ids), number);
    for (const id of ids) {
      const having = numbersById.get(id) ?? new Set();
      numbersById.set(id, having.add(number));
    }
    return number;
  }

  return {
    having: (ids) => {
      const marks = new Uint8Array(all.length);
      for (const id of ids) for (const number of numbersById.get(id) ?? []) marks[number] = 1;
      return marks;
    },
    hold: (ids) => {
      const number = numbers.get(keyOf(ids)) ?? add(ids);
      const set = all[number];
      if (set) set.holders += 1;
      return number;
    },
    release: (number) => {
      const set = all[number];
      if (!set) return;
      set.holders -= 1;
      if (set.holders > 0) return;
      all[number] = undefined;
      free.push(number);
      numbers.delete(keyOf(set.ids));
      for (const id of set.ids) numbersById.get(id)?.delete(number);
    },
  };
}
