/** Runs functions at its end: a test's context, or a benchmark. */
export interface Cleanup {
  readonly after: (stop: () => void | Promise<void>) => void;
}

type Stop = () => unknown;

const stopsOf = new WeakMap<Cleanup, Stop[]>();

/**
 * Runs a function when the test ends. Those of a test run last first, so that a service stops before its folder is
 * removed, and all of them run, whichever of them fails: hooks of node:test end with the first that throws, which would
 * leave servers behind and a file that never ends.
 */
export function atEnd(t: Cleanup, stop: Stop): void {
  const known = stopsOf.get(t);
  if (known) {
    known.push(stop);
    return;
  }
  const stops = [stop];
  stopsOf.set(t, stops);
  t.after(() => runAll(stops));
}

/** Does work that is no test, and then runs what it registered for its end. */
export async function withCleanup<Result>(work: (t: Cleanup) => Promise<Result>): Promise<Result> {
  const stops: (() => void | Promise<void>)[] = [];
  try {
    return await work({ after: (stop) => stops.push(stop) });
  } finally {
    for (const stop of stops) await stop();
  }
}

/** Runs the functions, last first, and those that they add. Throws what they threw. */
async function runAll(stops: Stop[]): Promise<void> {
  const errors: Error[] = [];
  for (let stop = stops.pop(); stop; stop = stops.pop())
    try {
      await stop();
    } catch (error) {
      errors.push(error instanceof Error ? error : new Error(String(error)));
    }
  const [first, ...more] = errors;
  if (first && more.length === 0) throw first;
  if (first) throw new AggregateError(errors, errors.map(String).join('\n'));
}
