/** How far an import has come, and whether it must end: shared by the thread that does it and the one that waits. */
export interface Meter {
  /** To be handed to the other thread. */
  readonly memory: SharedArrayBuffer;
  readonly read: () => { readonly rows: number; readonly share: number };
  /** Another so many rows are stored, and this share of the file is read. */
  readonly advance: (rows: number, share: number) => void;
  readonly stop: () => void;
  readonly isStopped: () => boolean;
}

const [STOPPED, ROWS, SHARE] = [0, 1, 2];
const CELLS = 3;
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
    stop: () => void Atomics.store(cells, STOPPED, 1),
    isStopped: () => Atomics.load(cells, STOPPED) === 1,
  };
}
