/** Takes lines one by one and hands them on together. */
export interface LineWriter {
  readonly write: (line: string) => void;
  /** Hands on what is there now, for a process that is about to end. */
  readonly flush: () => void;
}

// Short for whoever watches, and many lines where there is much to do.
const WAIT_MS = 10;
const MOST_WAITING = 64 * 1024;

/** Hands on lines together, 10 ms after the first of them: a write of its own for each takes a tenth of an answer's time. */
export function createLineWriter(write: (text: string) => void): LineWriter {
  let waiting = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting !== '') write(waiting);
    waiting = '';
  };
  return {
    write: (line) => {
      waiting += line;
      if (waiting.length > MOST_WAITING) flush();
      else timer ??= setTimeout(flush, WAIT_MS);
    },
    flush,
  };
}
