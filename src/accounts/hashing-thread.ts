import { createRequire } from 'node:module';
import { createThreads } from '../threads.ts';

/** The cost of one hash: memory in KiB, passes, threads. */
export interface HashParameters {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/**
 * Argon2id in threads of their own. Both reject when the thread cannot be started or dies, and with what the library
 * says; the next call starts another thread.
 */
export interface HashingThreads {
  readonly hash: (password: string, parameters: HashParameters) => Promise<string>;
  /** Whether the password is the one that was hashed. */
  readonly verify: (passwordHash: string, password: string) => Promise<boolean>;
}

type Work =
  | { readonly method: 'hashSync'; readonly args: readonly [password: string, parameters: HashParameters] }
  | { readonly method: 'verifySync'; readonly args: readonly [passwordHash: string, password: string] };

const NICENESS = 5;

// On Linux a thread has a priority of its own; elsewhere this would be the priority of the process. Nothing is lost where
// the system forbids it.
const HASHING = `
  const { getPriority, setPriority } = require('node:os');
  if (process.platform === 'linux') {
    try {
      setPriority(0, Math.min(19, getPriority(0) + data.niceness));
    } catch {}
  }
  const argon2 = require(data.library);
  return ({ method, args }) => argon2[method](...args);
`;

/**
 * Hashes in as many threads as there are calls at once; each is started when it is first needed, and kept. `library` is
 * the file of the library.
 *
 * A hash takes a core for 20 ms or more. In the thread pool it would share one core evenly with everybody else's
 * requests, and keep files and compression waiting for a free thread of the pool. Threads of low priority get what the
 * event loop leaves over: others hardly notice a login, and a login hardly waits longer, since nobody's request is long.
 */
export function createHashingThreads(library: string = installedLibrary()): HashingThreads {
  const threads = createThreads({
    code: HASHING,
    data: { library, niceness: NICENESS },
    purpose: 'hashes passwords',
  });
  const run = (work: Work): Promise<unknown> => threads.run(work);
  return {
    hash: async (password, parameters) => {
      const made = await run({ method: 'hashSync', args: [password, parameters] });
      if (typeof made !== 'string') throw new TypeError('a password was not hashed');
      return made;
    },
    verify: async (passwordHash, password) =>
      (await run({ method: 'verifySync', args: [passwordHash, password] })) === true,
  };
}

function installedLibrary(): string {
  return createRequire(import.meta.url).resolve('@node-rs/argon2');
}
