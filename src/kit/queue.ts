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
  /** How many jobs of the same key run at the same time. */
  readonly perKey?: number;
}

/** How a job waits. */
export interface Turn {
  readonly key?: string;
  /** Jobs that go first are ahead of all others that wait. */
  readonly goesFirst?: boolean;
  readonly maxWaitMs?: number | undefined;
  /** Ends the wait when the caller leaves. */
  readonly signal?: AbortSignal;
}

/** Runs a few jobs at a time; the rest wait. */
export class Queue {
  readonly #options: QueueOptions;
  readonly #first = new RoundRobin();
  readonly #others = new RoundRobin();
  readonly #runningOf = new Map<string, number>();
  #running = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** Rejects like `work`, or with an OverloadedError. Jobs with the same key run in order; keys take turns. */
  async run<Result>(work: () => Promise<Result>, key = ''): Promise<Result> {
    const end = await this.take({ key });
    try {
      return await work();
    } finally {
      end();
    }
  }

  load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running, waiting: this.#first.size() + this.#others.size() };
  }

  /** For a job that runs elsewhere: resolves when its turn comes. Call the function at its end, once. Rejects as `run`. */
  take({
    key = '',
    goesFirst = false,
    maxWaitMs = this.#options.maxWaitMs,
    signal,
  }: Turn): Promise<() => void> {
    const { atOnce, maxWaiting = Infinity } = this.#options;
    // None of the jobs that wait can run now, so this one overtakes none.
    if (this.#running < atOnce && this.#mayRun(key)) return Promise.resolve(this.#begin(key));
    if (this.load().waiting >= maxWaiting) return Promise.reject(new OverloadedError('too many wait'));
    const waiting = goesFirst ? this.#first : this.#others;
    return new Promise((resolve, reject) => {
      const endWaiting = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
      };
      const run = (): void => {
        endWaiting();
        // Before the caller's own code runs, since the next job is chosen at once.
        resolve(this.#begin(key));
      };
      const giveUp = (): void => {
        endWaiting();
        waiting.remove(key, run);
        reject(new OverloadedError('waited too long, or the caller left'));
      };
      const timer = maxWaitMs === undefined ? undefined : setTimeout(giveUp, maxWaitMs);
      signal?.addEventListener('abort', giveUp);
      waiting.add(key, run);
    });
  }

  /** Counts a job as running, until the returned function is called. */
  #begin(key: string): () => void {
    this.#running += 1;
    this.#runningOf.set(key, (this.#runningOf.get(key) ?? 0) + 1);
    return () => {
      this.#running -= 1;
      const left = (this.#runningOf.get(key) ?? 1) - 1;
      if (left > 0) this.#runningOf.set(key, left);
      else this.#runningOf.delete(key);
      this.#startWaiting();
    };
  }

  #mayRun(key: string): boolean {
    return (this.#runningOf.get(key) ?? 0) < (this.#options.perKey ?? Infinity);
  }

  #startWaiting(): void {
    const mayRun = (key: string): boolean => this.#mayRun(key);
    while (this.#running < this.#options.atOnce) {
      const next = this.#first.next(mayRun) ?? this.#others.next(mayRun);
      if (!next) return;
      next();
    }
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

  /** Takes the oldest callback of the first key that may run, and moves the key to the end of the round. */
  next(mayRun: (key: string) => boolean = () => true): (() => void) | undefined {
    for (const [key, callbacks] of this.#byKey) {
      if (!mayRun(key)) continue;
      this.#byKey.delete(key);
      const callback = callbacks.shift();
      if (callbacks.length > 0) this.#byKey.set(key, callbacks);
      this.#size -= 1;
      return callback;
    }
    return undefined;
  }

  size(): number {
    return this.#size;
  }
}
