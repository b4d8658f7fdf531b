/** Takes lines one by one and hands them on together. */
export interface LineWriter {
  readonly write: (line: string) => void;
  /** Hands on what is there now, for a process that is about to end. */
  readonly flush: () => void;
}

/** Hands on the lines of one turn of the event loop at once: a write of its own for each costs as much as an answer. */
export function createLineWriter(write: (text: string) => void): LineWriter {
  let waiting = '';
  const flush = (): void => {
    if (waiting !== '') write(waiting);
    waiting = '';
  };
  return {
    write: (line) => {
      if (waiting === '') setImmediate(flush);
      waiting += line;
    },
    flush,
  };
}
