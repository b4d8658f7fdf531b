import { createRequire } from 'node:module';
import { Thread } from '../../kit/threads.ts';

/** The cost of one hash: memory in KiB, passes, threads. */
export interface HashParameters {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

const INSTALLED = createRequire(import.meta.url).resolve('@node-rs/argon2');

/**
 * Argon2id in as many threads as there are calls at once; an idle one is used again. Calls reject like `Thread.run`.
 *
 * A hash takes a core for 10 ms or more. In the pool of libuv, two at a time halve what the event loop gets of two cores,
 * and make the slowest reads of files five times slower. Threads of low priority get what the event loop leaves over.
 */
export class HashingThreads {
  readonly #code: string;
  readonly #idle: Thread[] = [];

  /** `library` is the file of the library. */
  constructor(library: string = INSTALLED) {
    // On Linux a thread has a priority of its own; elsewhere this would set that of the process. Where the system forbids
    // it, nothing is lost.
    this.#code = `
      const { getPriority, setPriority } = require('node:os');
      if (process.platform === 'linux') {
        try {
          setPriority(0, Math.min(19, getPriority(0) + 5));
        } catch {}
      }
      const argon2 = require(${JSON.stringify(library)});
      return ({ method, args }) => argon2[method](...args);
    `;
  }

  async hash(password: string, parameters: HashParameters): Promise<string> {
    return String(await this.#run('hashSync', password, parameters));
  }

  /** Whether the password is the one that was hashed. */
  async verify(passwordHash: string, password: string): Promise<boolean> {
    return (await this.#run('verifySync', passwordHash, password)) === true;
  }

  async #run(method: 'hashSync' | 'verifySync', ...args: readonly unknown[]): Promise<unknown> {
    const thread = this.#idle.pop() ?? new Thread(this.#code, 'hashes passwords');
    try {
      return await thread.run({ method, args });
    } finally {
      this.#idle.push(thread);
    }
  }
}
