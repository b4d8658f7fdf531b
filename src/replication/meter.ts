/** When a replica heard from its primary, and whether it must end: shared by the thread that follows and the one that waits. */
export interface FollowMeter {
  /** To be handed to the other thread. */
  readonly memory: SharedArrayBuffer;
  /** All that the primary had at this moment is applied. */
  readonly heard: () => void;
  /** When that was last, in milliseconds since 1970; 0: never. */
  readonly heardAt: () => number;
  readonly stop: () => void;
  readonly isStopped: () => boolean;
}

const [STOPPED, HEARD] = [0, 1];
const CELLS = 2;

/** Opens a meter, of the other thread's memory where there is one. */
export function openFollowMeter(
  memory = new SharedArrayBuffer(CELLS * BigInt64Array.BYTES_PER_ELEMENT),
): FollowMeter {
  const cells = new BigInt64Array(memory);
  return {
    memory,
    heard: () => void Atomics.store(cells, HEARD, BigInt(Date.now())),
    heardAt: () => Number(Atomics.load(cells, HEARD)),
    stop: () => void Atomics.store(cells, STOPPED, 1n),
    isStopped: () => Atomics.load(cells, STOPPED) === 1n,
  };
}
