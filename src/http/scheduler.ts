import type { Socket } from 'node:net';
import { RoundRobin } from '../kit/queue.ts';
import type { Work } from './context.ts';
import { ClientGoneError } from './errors.ts';

/**
 * Shares the event loop among requests that have much to do. A request pauses between the slices of its work, the slices
 * of one tick take some milliseconds together, and clients take turns: however many requests one of them makes, another
 * one waits for a slice of each client, not of each request.
 */
export interface Scheduler {
  /**
   * To be awaited before a request is handled, and before it does much: undefined as long as the requests before it in this tick have taken no more
   * than a few milliseconds together. Many that arrive at once must not hold the event loop one after the other.
   */
  readonly enter: (client: string) => Promise<void> | undefined;
  /** Resolves when the client's next slice may run. */
  readonly pause: (client: string) => Promise<void>;
}

const TICK_MS = 5;

/** Makes a scheduler of the event loop. */
export function createScheduler(): Scheduler {
  const paused = new RoundRobin();
  let isRunning = false;
  let tickStarted: number | undefined;

  /** Milliseconds that this tick has been busy with requests. */
  function busyMs(): number {
    const now = performance.now();
    if (tickStarted !== undefined) return now - tickStarted;
    tickStarted = now;
    setImmediate(() => {
      tickStarted = undefined;
    });
    return 0;
  }

  function runNext(): void {
    busyMs();
    paused.next()?.();
    // After all that the slice does without waiting for anything.
    queueMicrotask(() => {
      process.nextTick(runOrStop);
    });
  }

  function runOrStop(): void {
    isRunning = paused.size() > 0;
    if (!isRunning) return;
    if (busyMs() > TICK_MS) setImmediate(runNext);
    else runNext();
  }

  const pause = (client: string): Promise<void> =>
    new Promise((resolve) => {
      paused.add(client, resolve);
      if (!isRunning) setImmediate(runNext);
      isRunning = true;
    });

  return {
    enter: (client) => (busyMs() > TICK_MS ? pause(client) : undefined),
    pause,
  };
}

/** The work of one request of a client, which ends when its socket does. */
export function createWork(scheduler: Scheduler, client: string, socket: Socket): Work {
  const after = async (turn: Promise<void>): Promise<void> => {
    await turn;
    if (socket.destroyed) throw new ClientGoneError();
  };
  return {
    pause: () => after(scheduler.pause(client)),
    turn: () => {
      const turn = scheduler.enter(client);
      return turn && after(turn);
    },
  };
}
