import { createRequire } from 'node:module';
import { Thread } from '../../kit/threads.ts';

/** The cost of one hash: memory in KiB, passes, threads. */
export interface HashParameters {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** Argon2id in threads of their own. Both reject like `Thread.run`. */
export interface HashingThreads {
  readonly hash: (password: string, parameters: HashParameters) => Promise<string>;
  /** Whether the password is the one that was hashed. */
  readonly verify: (passwordHash: string, password: string) => Promise<boolean>;
}

/**
 * Hashes in as many threads as there are calls at once; an idle one is used again. `library` is the file of the library.
 *
 * A hash takes a core for 10 ms or more. In the pool of libuv, two at a time halve what the event loop gets of two cores,
 * and make the slowest reads of files five times slower. Threads of low priority get what the event loop leaves over.
 */
export function createHashingThreads(library: string = installedLibrary()): HashingThreads {
  const idle: Thread[] = [];

  async function run(method: 'hashSync' | 'verifySync', ...args: readonly unknown[]): Promise<unknown> {
    const thread = idle.pop() ?? new Thread(codeFor(library), 'hashes passwords');
    try {
      return await thread.run({ method, args });
    } finally {
      idle.push(thread);
    }
  }

  return {
    hash: async (password, parameters) => String(await run('hashSync', password, parameters)),
    verify: async (passwordHash, password) => (await run('verifySync', passwordHash, password)) === true,
  };
}

// On Linux a thread has a priority of its own; elsewhere this would be the priority of the process. Nothing is lost where
// the system forbids it.
const codeFor = (library: string): string => `
  const { getPriority, setPriority } = require('node:os');
  if (process.platform === 'linux') {
    try {
      setPriority(0, Math.min(19, getPriority(0) + 5));
    } catch {}
  }
  const argon2 = require(${JSON.stringify(library)});
  return ({ method, args }) => argon2[method](...args);
`;

function installedLibrary(): string {
  return createRequire(import.meta.url).resolve('@node-rs/argon2');
}
