/** The part of one body in the memory that all bodies share. */
export interface Charge {
  /** Counts bytes that have arrived; bodies that are larger, or this one, may be refused for them. */
  readonly add: (bytes: number) => void;
  /** The body is whole: it can be refused no more. */
  readonly complete: () => void;
  /** Its bytes are freed. May be called again. */
  readonly release: () => void;
}

/** The memory for all JSON bodies that arrive or are being handled. */
export interface BodyBudget {
  /** Starts to count a body; `refuse` is called, once at most, when it has to make way. Its bytes count no more then. */
  readonly open: (refuse: () => void) => Charge;
  /** Bytes that count now. */
  readonly used: () => number;
}

interface Entry {
  bytes: number;
  readonly refuse: () => void;
}

/**
 * A budget of `limit` bytes. When it is exceeded, the largest of the bodies that still arrive is refused first, so that
 * a few large ones do not shut out the many small ones.
 *
 * A body counts with its bytes from their arrival until its handler is done. While it is parsed it takes several times
 * as much: bytes, text and values are there at once, the text with up to two bytes a character. That holds for one body
 * at a time, since parsing does not wait; afterwards the values remain.
 */
export function createBodyBudget(limit: number): BodyBudget {
  const arriving = new Set<Entry>();
  let used = 0;

  function release(entry: Entry): void {
    arriving.delete(entry);
    used -= entry.bytes;
    entry.bytes = 0;
  }

  function makeRoom(): void {
    while (used > limit) {
      const largest = largestOf(arriving);
      if (!largest) return;
      release(largest);
      largest.refuse();
    }
  }

  return {
    open: (refuse) => {
      const entry: Entry = { bytes: 0, refuse };
      arriving.add(entry);
      return {
        add: (bytes) => {
          if (!arriving.has(entry)) return;
          entry.bytes += bytes;
          used += bytes;
          makeRoom();
        },
        complete: () => arriving.delete(entry),
        release: () => {
          release(entry);
        },
      };
    },
    used: () => used,
  };
}

function largestOf(entries: Iterable<Entry>): Entry | undefined {
  let largest: Entry | undefined;
  for (const entry of entries) if (largest === undefined || entry.bytes > largest.bytes) largest = entry;
  return largest;
}
