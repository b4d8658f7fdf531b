import { Worker } from 'node:worker_threads';

/** Threads that do one kind of work, each piece by itself. */
export interface Threads {
  /**
   * Hands `work` to a thread and resolves to what it makes of it; both are copied. Rejects when the thread cannot be
   * started or dies, and with the error that it answers; the next call starts another thread.
   */
  readonly run: (work: unknown) => Promise<unknown>;
}

export interface ThreadsOptions {
  /**
   * The body of a CommonJS function that is given `data` and returns the function for one piece of work, which may return a
   * promise; as text, because Node 20 starts a thread from no TypeScript.
   */
  readonly code: string;
  readonly data?: unknown;
  /** What the threads do, for the error of one that ends: `hashes passwords`. */
  readonly purpose: string;
}

interface Thread {
  /** For one piece of work at a time. */
  readonly run: (work: unknown) => Promise<unknown>;
  readonly isAlive: () => boolean;
  readonly end: () => void;
}

interface Settle {
  readonly resolve: (made: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Does one piece of work in a thread of its own, by the exported function `name` of the module at `url`, which may be
 * TypeScript when the program runs from source. Rejects like `Threads.run`.
 */
export async function runInThread(
  url: string,
  name: string,
  work: unknown,
  purpose: string,
): Promise<unknown> {
  const loader = url.endsWith('.ts') ? import.meta.resolve('tsx/esm/api') : undefined;
  const thread = startThread({ code: MODULE, data: { url, name, loader }, purpose });
  try {
    return await thread.run(work);
  } finally {
    thread.end();
  }
}

const MODULE = `
  const load = async () => {
    if (data.loader) (await import(data.loader)).register();
    return import(data.url);
  };
  return async (work) => (await load())[data.name](work);
`;

/** As many threads as there are calls at once; each is started when it is first needed, and kept. */
export function createThreads(options: ThreadsOptions): Threads {
  const idle: Thread[] = [];

  function take(): Thread {
    const thread = idle.pop();
    if (!thread) return startThread(options);
    return thread.isAlive() ? thread : take();
  }

  return {
    run: async (work) => {
      const thread = take();
      try {
        return await thread.run(work);
      } finally {
        idle.push(thread);
      }
    },
  };
}

function startThread({ code, data, purpose }: ThreadsOptions): Thread {
  const text = `
    const { parentPort, workerData } = require('node:worker_threads');
    const doWork = ((data) => { ${code} })(workerData);
    parentPort.on('message', async (work) => {
      let made;
      try {
        made = await doWork(work);
      } catch (error) {
        made = error;
      }
      parentPort.postMessage(made);
    });
  `;
  // Without the loaders of this process, which the thread has no use for.
  const worker = new Worker(text, { eval: true, execArgv: [], workerData: data });
  let settle: Settle | undefined;
  let isAlive = true;
  const end = (error: Error): void => {
    isAlive = false;
    settle?.reject(error);
  };
  worker.on('error', end);
  worker.on('exit', (exitCode) => {
    end(new Error(`the thread that ${purpose} ended with ${exitCode}`));
  });
  worker.on('message', (made: unknown) => {
    // An idle thread keeps no process alive, one at work does.
    worker.unref();
    if (made instanceof Error) settle?.reject(made);
    else settle?.resolve(made);
  });
  return {
    isAlive: () => isAlive,
    end: () => void worker.terminate(),
    run: (work) =>
      new Promise((resolve, reject) => {
        settle = { resolve, reject };
        worker.ref();
        worker.postMessage(work);
      }),
  };
}
