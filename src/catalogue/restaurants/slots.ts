const MOST_SPARES = 4;

/** The slots of rows, by their ids. */
export interface Slots {
  readonly of: (id: number) => number | undefined;
  readonly all: () => Iterable<number>;
  /** Finds a slot for a new row. */
  readonly take: (id: number) => number;
  /** Returns the slot that the row had. */
  readonly free: (id: number) => number | undefined;
}

/** Makes an empty table of slots, which count up from 1; those that are free again are taken first. */
export function createSlots(): Slots {
  const slots = new Map<number, number>();
  const free: number[] = [];
  return {
    of: (id) => slots.get(id),
    all: () => slots.values(),
    take: (id) => {
      const slot = free.pop() ?? slots.size + 1;
      slots.set(id, slot);
      return slot;
    },
    free: (id) => {
      const slot = slots.get(id);
      if (slot === undefined) return undefined;
      slots.delete(id);
      free.push(slot);
      return slot;
    },
  };
}

/** Arrays by slots that are used again. */
export interface Spares {
  readonly copyOf: (values: Uint8Array) => Uint8Array;
  readonly release: (array: Uint8Array) => void;
}

/** Makes an empty store of spare arrays. */
export function createSpares(): Spares {
  const spares: Uint8Array[] = [];
  return {
    copyOf: (values) => {
      const spare = spares.pop();
      if (spare?.length !== values.length) return values.slice();
      spare.set(values);
      return spare;
    },
    release: (array) => {
      if (spares.length < MOST_SPARES) spares.push(array);
    },
  };
}
