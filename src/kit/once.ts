/**
 * Runs `make` on the first call and returns its promise to every caller. After a failure the next call tries again.
 */
export function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}

/** Returns a function for what `make` makes, which it forgets, and makes anew, once nobody has called it for a time. */
export function whileUsed<Made>(make: () => Made, idleMs: number): () => Made {
  let [made, timer]: [Made | undefined, NodeJS.Timeout?] = [make()];
  return () => {
    clearTimeout(timer);
    timer = setTimeout(() => (made = undefined), idleMs).unref();
    return (made ??= make());
  };
}
