import type { Socket } from 'node:net';
import { RoundRobin } from '../kit/queue.ts';
import type { Work } from '../kit/slices.ts';
import { ClientGoneError } from './errors.ts';

const TICK_MS = 5;

/**
 * Shares the event loop fairly. Long requests pause between slices, the slices of one tick take a few milliseconds
 * together, and clients take turns: however many requests one client makes, another waits for one slice of each
 * client, not of each request. What begins and what goes on alternate, so that a short request does not wait for the
 * long ones of all clients.
 */
export class Scheduler {
  readonly #beginning = new RoundRobin();
  readonly #goingOn = new RoundRobin();
  #isRunning = false;
  /** Whether the last slice began something. */
  #hasBegun = false;
  #tickStarted: number | undefined;

  /**
   * Await before handling a request, and before heavy work. Undefined while this tick's requests have taken only a few
   * milliseconds together: many that arrive at once must not block the event loop one after another.
   */
  enter(client: string): Promise<void> | undefined {
    return this.#busyMs() > TICK_MS ? this.#waitIn(this.#beginning, client) : undefined;
  }

  /** Resolves when the client's next slice may run. */
  pause(client: string): Promise<void> {
    return this.#waitIn(this.#goingOn, client);
  }

  #waitIn(queue: RoundRobin, client: string): Promise<void> {
    return new Promise((resolve) => {
      queue.add(client, resolve);
      if (!this.#isRunning) setImmediate(this.#runNext);
      this.#isRunning = true;
    });
  }

  /** The work of one request; it ends when its socket does. */
  work(client: string, socket: Socket): Work {
    const after = async (turn: Promise<void>): Promise<void> => {
      await turn;
      if (socket.destroyed) throw new ClientGoneError();
    };
    return {
      pause: () => after(this.pause(client)),
      turn: () => {
        const turn = this.enter(client);
        return turn && after(turn);
      },
    };
  }

  /** Milliseconds that this tick has spent on requests. */
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
    this.#hasBegun = !this.#hasBegun;
    const [first, second] = this.#hasBegun
      ? [this.#beginning, this.#goingOn]
      : [this.#goingOn, this.#beginning];
    (first.next() ?? second.next())?.();
    // After everything that the slice does synchronously.
    queueMicrotask(() => {
      process.nextTick(() => {
        this.#isRunning = this.#beginning.size() + this.#goingOn.size() > 0;
        if (!this.#isRunning) return;
        if (this.#busyMs() > TICK_MS) setImmediate(this.#runNext);
        else this.#runNext();
      });
    });
  };
}
