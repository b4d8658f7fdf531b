/** Work was refused because too much is waiting, or it waited too long. */
export class OverloadedError extends Error {
  override readonly name = 'OverloadedError';
}

export interface QueueOptions {
  /** How many jobs run at the same time. */
  readonly atOnce: number;
  /** How many jobs may wait, and for how many milliseconds. */
  readonly maxWaiting?: number;
  readonly maxWaitMs?: number;
}

/** Runs a few jobs at a time; the rest wait. */
export class Queue {
  readonly #options: QueueOptions;
  readonly #waiting = new RoundRobin();
  #running = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** Rejects like `work`, or with an OverloadedError. Jobs with the same key run in order; keys take turns. */
  async run<Result>(work: () => Promise<Result>, key = ''): Promise<Result> {
    await this.#start(key);
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#startWaiting();
    }
  }

  load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running, waiting: this.#waiting.size() };
  }

  #start(key: string): Promise<void> {
    const { atOnce, maxWaiting = Infinity, maxWaitMs } = this.#options;
    return new Promise((resolve, reject) => {
      if (this.#running === atOnce && this.#waiting.size() >= maxWaiting) {
        reject(new OverloadedError('too many wait'));
        return;
      }
      const run = (): void => {
        clearTimeout(timer);
        // Before the caller's own code runs, since the next job is chosen at once.
        this.#running += 1;
        resolve();
      };
      const giveUp = (): void => {
        this.#waiting.remove(key, run);
        reject(new OverloadedError('waited too long'));
      };
      const timer = maxWaitMs === undefined ? undefined : setTimeout(giveUp, maxWaitMs);
      this.#waiting.add(key, run);
      this.#startWaiting();
    });
  }

  #startWaiting(): void {
    while (this.#running < this.#options.atOnce && this.#waiting.size() > 0) this.#waiting.next()?.();
  }
}

/** Waiting callbacks, by key. */
export class RoundRobin {
  // A Map iterates in insertion order, which is the order of a round.
  readonly #byKey = new Map<string, (() => void)[]>();
  #size = 0;

  add(key: string, callback: () => void): void {
    const callbacks = this.#byKey.get(key);
    if (callbacks) callbacks.push(callback);
    else this.#byKey.set(key, [callback]);
    this.#size += 1;
  }

  remove(key: string, callback: () => void): void {
    const callbacks = this.#byKey.get(key) ?? [];
    const left = callbacks.filter((one) => one !== callback);
    this.#size -= callbacks.length - left.length;
    if (left.length > 0) this.#byKey.set(key, left);
    else this.#byKey.delete(key);
  }

  /** Takes the oldest callback of the first key, and moves the key to the end of the round. */
  next(): (() => void) | undefined {
    const [first] = this.#byKey;
    if (!first) return undefined;
    const [key, callbacks] = first;
    this.#byKey.delete(key);
    const callback = callbacks.shift();
    if (callbacks.length > 0) this.#byKey.set(key, callbacks);
    this.#size -= 1;
    return callback;
  }

  size(): number {
    return this.#size;
  }
}
