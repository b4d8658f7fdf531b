/** Work is refused because too much of it waits already, or has waited for too long. */
export class OverloadedError extends Error {
  override readonly name = 'OverloadedError';
}

export interface QueueOptions {
  /** How many pieces of work run at once. */
  readonly atOnce: number;
  /** How many may wait, and for how many milliseconds. */
  readonly maxWaiting?: number;
  readonly maxWaitMs?: number;
}

/** Runs a few pieces of work at once; the others wait. */
export interface Queue {
  /** Rejects like `work`, or with an OverloadedError. Work of equal keys runs in order; the keys take turns. */
  readonly run: <Result>(work: () => Promise<Result>, key?: string) => Promise<Result>;
  readonly load: () => { readonly running: number; readonly waiting: number };
}

/** Makes an empty queue. */
export function createQueue({ atOnce, maxWaiting = Infinity, maxWaitMs }: QueueOptions): Queue {
  const waiting = createRoundRobin();
  let running = 0;

  function startWaiting(): void {
    while (running < atOnce && waiting.size() > 0) waiting.next()?.();
  }

  function start(key: string): Promise<void> {
    return new Promise((resolve, reject) => {
      if (running === atOnce && waiting.size() >= maxWaiting) {
        reject(new OverloadedError('too many wait'));
        return;
      }
      const run = (): void => {
        clearTimeout(timer);
        // Before the caller's own code runs, since the next one is chosen at once.
        running += 1;
        resolve();
      };
      const giveUp = (): void => {
        waiting.remove(key, run);
        reject(new OverloadedError('waited too long'));
      };
      const timer = maxWaitMs === undefined ? undefined : setTimeout(giveUp, maxWaitMs);
      waiting.add(key, run);
      startWaiting();
    });
  }

  return {
    run: async (work, key = '') => {
      await start(key);
      try {
        return await work();
      } finally {
        running -= 1;
        startWaiting();
      }
    },
    load: () => ({ running, waiting: waiting.size() }),
  };
}

/** Callbacks that wait, by key. */
export interface RoundRobin {
  readonly add: (key: string, callback: () => void) => void;
  readonly remove: (key: string, callback: () => void) => void;
  /** Takes the oldest callback of the first key, which is the last one of the next round. */
  readonly next: () => (() => void) | undefined;
  readonly size: () => number;
}

/** Makes an empty list. */
export function createRoundRobin(): RoundRobin {
  // A Map iterates in the order in which keys were added, which is the order of a round.
  const byKey = new Map<string, (() => void)[]>();
  let size = 0;
  return {
    add: (key, callback) => {
      const callbacks = byKey.get(key);
      if (callbacks) callbacks.push(callback);
      else byKey.set(key, [callback]);
      size += 1;
    },
    remove: (key, callback) => {
      const callbacks = byKey.get(key) ?? [];
      const left = callbacks.filter((one) => one !== callback);
      size -= callbacks.length - left.length;
      if (left.length > 0) byKey.set(key, left);
      else byKey.delete(key);
    },
    next: () => {
      const [first] = byKey;
      if (!first) return undefined;
      const [key, callbacks] = first;
      byKey.delete(key);
      const callback = callbacks.shift();
      if (callbacks.length > 0) byKey.set(key, callbacks);
      size -= 1;
      return callback;
    },
    size: () => size,
  };
}
