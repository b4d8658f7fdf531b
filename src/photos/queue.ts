/** Runs work one by one, in the order in which it was asked for. What fails, fails alone. */
export type Queue = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Makes an empty queue. */
export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
}
