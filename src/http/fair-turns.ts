/**
 * Shares the event loop among requests that have much to do. A request pauses between the slices of its work, the slices
 * of one tick take some milliseconds together, and clients take turns: however many requests one of them makes, another
 * one waits for a slice of each client, not of each request.
 */
export interface FairTurns {
  /**
   * To be awaited before a request is handled: undefined as long as the requests before it in this tick have taken no more
   * than a few milliseconds together. Many that arrive at once must not hold the event loop one after the other.
   */
  readonly enter: (client: string) => Promise<void> | undefined;
  /** Resolves when the client's next slice may run. */
  readonly pause: (client: string) => Promise<void>;
  /**
   * Runs work that holds many results in memory until it resolves: two pieces at a time for a client, four in all. The
   * clients whose work waits take turns here, too.
   */
  readonly gather: <Result>(client: string, work: () => Promise<Result>) => Promise<Result>;
}

const TICK_MS = 5;
const MOST_GATHERING = 4;
const MOST_OF_ONE_CLIENT = 2;

/** Opens turns that no one waits for yet. */
export function createFairTurns(): FairTurns {
  const paused = createRounds();
  let isGoing = false;
  let tickBegan: number | undefined;

  /** Milliseconds that this tick has been busy with requests. */
  function busyMs(): number {
    const now = performance.now();
    if (tickBegan !== undefined) return now - tickBegan;
    tickBegan = now;
    setImmediate(() => {
      tickBegan = undefined;
    });
    return 0;
  }

  function goOn(): void {
    busyMs();
    paused.next(() => true)?.();
    // Behind all that the slice does without waiting for anything.
    queueMicrotask(() => {
      process.nextTick(goOnOrRest);
    });
  }

  function goOnOrRest(): void {
    isGoing = !paused.isEmpty();
    if (!isGoing) return;
    if (busyMs() > TICK_MS) setImmediate(goOn);
    else goOn();
  }

  function begin(): void {
    if (isGoing) return;
    isGoing = true;
    setImmediate(goOn);
  }

  const pause = (client: string): Promise<void> =>
    new Promise((resolve) => {
      paused.add(client, resolve);
      begin();
    });

  return {
    enter: (client) => (busyMs() > TICK_MS ? pause(client) : undefined),
    pause,
    gather: createGatherings(),
  };
}

function createGatherings(): FairTurns['gather'] {
  const waiting = createRounds();
  const running = new Map<string, number>();
  let total = 0;

  const runningOf = (client: string): number => running.get(client) ?? 0;
  const mayStart = (client: string): boolean =>
    total < MOST_GATHERING && runningOf(client) < MOST_OF_ONE_CLIENT;

  function count(client: string, change: 1 | -1): void {
    const left = runningOf(client) + change;
    if (left === 0) running.delete(client);
    else running.set(client, left);
    total += change;
  }

  function start(): void {
    for (let next = waiting.next(mayStart); next; next = waiting.next(mayStart)) next();
  }

  return async (client, work) => {
    await new Promise<void>((resolve) => {
      // Counted before the promise's own callback, since the next one is chosen at once.
      waiting.add(client, () => {
        count(client, 1);
        resolve();
      });
      start();
    });
    try {
      return await work();
    } finally {
      count(client, -1);
      start();
    }
  };
}

interface Rounds {
  readonly add: (client: string, waiter: () => void) => void;
  /** The oldest waiter of the first client that may go on; that client is the last one of the next round. */
  readonly next: (mayGoOn: (client: string) => boolean) => (() => void) | undefined;
  readonly isEmpty: () => boolean;
}

/** Waiters by client. A Map keeps the order in which clients were put in, which is the order of a round. */
function createRounds(): Rounds {
  const clients = new Map<string, (() => void)[]>();
  return {
    add: (client, waiter) => {
      const waiters = clients.get(client);
      if (waiters) waiters.push(waiter);
      else clients.set(client, [waiter]);
    },
    next: (mayGoOn) => {
      for (const [client, waiters] of clients) {
        if (!mayGoOn(client)) continue;
        clients.delete(client);
        const waiter = waiters.shift();
        if (waiters.length > 0) clients.set(client, waiters);
        return waiter;
      }
      return undefined;
    },
    isEmpty: () => clients.size === 0,
  };
}
