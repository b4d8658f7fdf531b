/** Collects pieces of a file and writes them together. */
export interface Gatherer {
  /** A promise when there is something to be awaited before the next piece; the bytes may change only after that. */
  readonly add: (bytes: Buffer) => Promise<void> | undefined;
  /** Writes the rest. */
  readonly end: () => Promise<void>;
}

const MOST = 256 * 1024;

/**
 * Opens a collector of pieces. A write to a file takes as long as copying thousands of bytes, so that a file in tens of
 * thousands of pieces must not cost as many writes. No more than 256 KiB are held.
 */
export function createGatherer(write: (bytes: Buffer) => Promise<void>): Gatherer {
  let held = Buffer.alloc(0);
  let size = 0;

  async function flush(): Promise<void> {
    if (size === 0) return;
    const bytes = held.subarray(0, size);
    size = 0;
    await write(bytes);
  }

  async function writeThrough(bytes: Buffer): Promise<void> {
    await flush();
    if (bytes.length > MOST) await write(bytes);
    else keep(bytes);
  }

  function keep(bytes: Buffer): void {
    if (held.length === 0) held = Buffer.allocUnsafe(MOST);
    size += bytes.copy(held, size);
  }

  return {
    add: (bytes) => {
      if (size + bytes.length > MOST) return writeThrough(bytes);
      keep(bytes);
      return undefined;
    },
    end: flush,
  };
}
