/** Sets of food types by numbers, which many rows share. */
export interface Sets {
  readonly all: () => readonly (readonly number[])[];
  /** The number of a set that one more row has. */
  readonly hold: (ids: readonly number[]) => number;
  /** One row less has it. */
  readonly release: (number: number) => void;
}

/** Sets of ids that many rows share, counted, so that what no row has any more is forgotten. */
export function createSets(): Sets {
  const all: (readonly number[])[] = [[]];
  const holders = [1];
  const numbers = new Map<string | number, number>([['', 0]]);
  const free: number[] = [];
  // Most have one, and a text takes longer to make than all else here.
  const keyOf = (ids: readonly number[]): string | number => (ids.length === 1 ? (ids[0] ?? '') : ids.join());
  return {
    all: () => all,
    hold: (ids) => {
      const key = keyOf(ids);
      const number = numbers.get(key) ?? free.pop() ?? all.length;
      numbers.set(key, number);
      all[number] = ids;
      holders[number] = (holders[number] ?? 0) + 1;
      return number;
    },
    release: (number) => {
      const left = (holders[number] ?? 0) - 1;
      holders[number] = left;
      if (left > 0) return;
      numbers.delete(keyOf(all[number] ?? []));
      all[number] = [];
      free.push(number);
    },
  };
}
