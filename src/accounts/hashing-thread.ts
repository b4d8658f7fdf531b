import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

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

interface Thread {
  /** For one piece of work at a time. */
  readonly run: (work: Work) => Promise<unknown>;
  readonly isAlive: () => boolean;
}

interface Settle {
  readonly resolve: (made: unknown) => void;
  readonly reject: (error: Error) => void;
}

const NICENESS = 5;

// As text, because Node 20 starts a thread from no TypeScript. On Linux a thread has a priority of its own; elsewhere
// this would be the priority of the process. Nothing is lost where the system forbids it.
const HASHING = `
  const { getPriority, setPriority } = require('node:os');
  const { parentPort, workerData: { library, niceness } } = require('node:worker_threads');
  if (process.platform === 'linux') {
    try {
      setPriority(0, Math.min(19, getPriority(0) + niceness));
    } catch {}
  }
  const argon2 = require(library);
  parentPort.on('message', ({ method, args }) => {
    let made;
    try {
      made = argon2[method](...args);
    } catch (error) {
      made = error;
    }
    parentPort.postMessage(made);
  });
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
  const idle: Thread[] = [];

  function take(): Thread {
    const thread = idle.pop();
    if (!thread) return startThread(library);
    return thread.isAlive() ? thread : take();
  }

  async function run(work: Work): Promise<unknown> {
    const thread = take();
    try {
      return await thread.run(work);
    } finally {
      idle.push(thread);
    }
  }

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

function startThread(library: string): Thread {
  const workerData = { library, niceness: NICENESS };
  // Without the loaders of this process, which the thread has no use for.
  const worker = new Worker(HASHING, { eval: true, execArgv: [], workerData });
  let settle: Settle | undefined;
  let isAlive = true;
  const end = (error: Error): void => {
    isAlive = false;
    settle?.reject(error);
  };
  worker.on('error', end);
  worker.on('exit', (code) => {
    end(new Error(`the thread that hashes passwords ended with ${code}`));
  });
  worker.on('message', (made: unknown) => {
    // An idle thread keeps no process alive, one at work does.
    worker.unref();
    if (made instanceof Error) settle?.reject(made);
    else settle?.resolve(made);
  });
  return {
    isAlive: () => isAlive,
    run: (work) =>
      new Promise((resolve, reject) => {
        settle = { resolve, reject };
        worker.ref();
        worker.postMessage(work);
      }),
  };
}
