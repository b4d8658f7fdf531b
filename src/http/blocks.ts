/** Bytes that arrive in chunks of any size. */
export interface Blocks {
  readonly add: (chunk: Buffer) => void;
  /** All bytes in blocks of some size, in order; none of them is empty. */
  readonly all: () => readonly Buffer[];
}

const BLOCK = 64 * 1024;
const SMALL = BLOCK / 4;

/**
 * Collects chunks without joining all of them: that would copy megabytes at once. Small ones are joined, since a million
 * chunks of one byte would take a hundred times as much if each stood for itself.
 */
export function createBlocks(): Blocks {
  const blocks: Buffer[] = [];
  let open: Buffer = Buffer.alloc(0);
  let used = 0;

  function close(): void {
    if (used > 0) blocks.push(open.subarray(0, used));
    used = 0;
  }

  return {
    add: (chunk) => {
      // Most bodies are one small chunk, of which no copy is made.
      const isWhole = chunk.length > SMALL || open.length === 0;
      if (isWhole || used + chunk.length > open.length) {
        close();
        open = isWhole ? chunk : Buffer.allocUnsafeSlow(BLOCK);
      }
      used += isWhole ? chunk.length : chunk.copy(open, used);
    },
    all: () => {
      close();
      return blocks;
    },
  };
}
