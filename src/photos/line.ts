/** Runs work one by one, in the order in which it was asked for. What fails, fails alone. */
export type Line = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Opens a line that nobody stands in yet. */
export function createLine(): Line {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
}
