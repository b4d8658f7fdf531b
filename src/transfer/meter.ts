/** How far an import has come, and whether it must end: shared by the thread that does it and the one that waits. */
export interface Meter {
  /** To be handed to the other thread. */
  readonly memory: SharedArrayBuffer;
  readonly read: () => { readonly rows: number; readonly share: number };
  /** Another so many rows are stored, and this share of the file is read. */
  readonly advance: (rows: number, share: number) => void;
  /** The batch of what is stored; undefined while nothing is. */
  readonly batchId: () => number | undefined;
  readonly setBatch: (id: number) => void;
  readonly stop: () => void;
  readonly isStopped: () => boolean;
}

const [STOPPED, ROWS, SHARE, BATCH] = [0, 1, 2, 3];
const CELLS = 4;
// A share is stored as a whole number.
const WHOLE = 1_000;

/** Opens a meter, of the other thread's memory where there is one. */
export function openMeter(memory = new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT)): Meter {
  const cells = new Int32Array(memory);
  return {
    memory,
    read: () => ({ rows: Atomics.load(cells, ROWS), share: Atomics.load(cells, SHARE) / WHOLE }),
    advance: (rows, share) => {
      Atomics.add(cells, ROWS, rows);
      Atomics.store(cells, SHARE, Math.floor(share * WHOLE));
    },
    // Ids begin with 1.
    batchId: () => Atomics.load(cells, BATCH) || undefined,
    setBatch: (id) => void Atomics.store(cells, BATCH, id),
    stop: () => void Atomics.store(cells, STOPPED, 1),
    isStopped: () => Atomics.load(cells, STOPPED) === 1,
  };
}
