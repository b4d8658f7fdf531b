import type { Socket } from 'node:net';
import { RoundRobin } from '../kit/queue.ts';
import type { Work } from './context.ts';
import { ClientGoneError } from './errors.ts';

const TICK_MS = 5;

/**
 * Shares the event loop among requests that have much to do. A request pauses between the slices of its work, the slices
 * of one tick take some milliseconds together, and clients take turns: however many requests one of them makes, another
 * one waits for a slice of each client, not of each request.
 */
export class Scheduler {
  readonly #paused = new RoundRobin();
  #isRunning = false;
  #tickStarted: number | undefined;

  /**
   * To be awaited before a request is handled, and before it does much: undefined as long as this tick's requests have taken
   * only a few milliseconds together. Many that arrive at once must not hold the event loop one after the other.
   */
  enter(client: string): Promise<void> | undefined {
    return this.#busyMs() > TICK_MS ? this.pause(client) : undefined;
  }

  /** Resolves when the client's next slice may run. */
  pause(client: string): Promise<void> {
    return new Promise((resolve) => {
      this.#paused.add(client, resolve);
      if (!this.#isRunning) setImmediate(this.#runNext);
      this.#isRunning = true;
    });
  }

  /** Milliseconds that this tick has been busy with requests. */
  #busyMs(): number {
    const now = performance.now();
    if (this.#tickStarted !== undefined) return now - this.#tickStarted;
    this.#tickStarted = now;
    setImmediate(() => {
      this.#tickStarted = undefined;
    });
    return 0;
  }

  readonly #runNext = (): void => {
    this.#busyMs();
    this.#paused.next()?.();
    // After everything that the slice does without waiting.
    queueMicrotask(() => {
      process.nextTick(() => {
        this.#isRunning = this.#paused.size() > 0;
        if (!this.#isRunning) return;
        if (this.#busyMs() > TICK_MS) setImmediate(this.#runNext);
        else this.#runNext();
      });
    });
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
