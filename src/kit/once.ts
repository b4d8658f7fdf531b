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

/**
 * Returns a function that returns the same result of `make` every time. It drops that once it has not been called for
 * `idleMs`, and then makes another one at the next call.
 */
export function whileUsed<Made>(make: () => Made, idleMs: number): () => Made {
  let [made, timer]: [Made | undefined, NodeJS.Timeout?] = [make()];
  return () => {
    clearTimeout(timer);
    timer = setTimeout(() => (made = undefined), idleMs).unref();
    return (made ??= make());
  };
}
