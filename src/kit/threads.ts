import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

/** A thread that does one kind of work, one piece at a time. */
export interface Thread {
  /**
   * Resolves to what the thread makes of `work`; both are copied. Rejects with what it throws, and when it cannot be
   * started or dies; the next call starts another one.
   */
  readonly run: (work: unknown) => Promise<unknown>;
  readonly end: () => void;
}

/**
 * A thread that is started when it is first needed. `code` is CommonJS that returns the function for one piece of work,
 * which may return a promise; it is text because Node 20 starts a thread from no TypeScript. `purpose` stands in the error
 * of a thread that dies: `parses bodies`.
 */
export function createThread(code: string, purpose: string): Thread {
  let worker: Worker | undefined;
  let settle: { readonly resolve: (result: unknown) => void; readonly reject: (error: unknown) => void };

  function start(): Worker {
    const text = `
      const { parentPort } = require('node:worker_threads');
      const run = (() => { ${code} })();
      parentPort.on('message', async (work) => {
        let result;
        try {
          result = await run(work);
        } catch (error) {
          result = error;
        }
        parentPort.postMessage(result);
      });
    `;
    // Without the loaders of this process, which the thread has no use for.
    const started = new Worker(text, { eval: true, execArgv: [] });
    const fail = (error: unknown): void => {
      if (worker !== started) return;
      worker = undefined;
      settle.reject(error);
    };
    started.on('error', fail);
    started.on('exit', (exitCode) => {
      fail(new Error(`the thread that ${purpose} ended with ${exitCode}`));
    });
    started.on('message', (result: unknown) => {
      // A dead thread's last answer may arrive after its error, when the next call is already waiting for a new thread.
      if (worker !== started) return;
      // An idle thread keeps no process alive.
      started.unref();
      if (result instanceof Error) settle.reject(result);
      else settle.resolve(result);
    });
    return started;
  }

  return {
    run: (work) =>
      new Promise((resolve, reject) => {
        settle = { resolve, reject };
        worker ??= start();
        worker.ref();
        worker.postMessage(work);
      }),
    end: () => void worker?.terminate(),
  };
}

/** The files of the program are no longer those that this process has loaded. */
export class ProgramReplacedError extends Error {
  override readonly name = 'ProgramReplacedError';
  override readonly message = 'the files of the program were replaced; the service must be restarted';
}

// A file of the program, and the folders of its statements and of a package.
const FILES = [
  import.meta.url,
  new URL('../../sql/queries', import.meta.url),
  new URL('../../sql/migrations', import.meta.url),
  new URL('.', import.meta.resolve('better-sqlite3')),
];
const loaded = lastChanges();

/** When each of them was last changed; undefined when one is gone. */
function lastChanges(): string | undefined {
  try {
    return FILES.map((file) => statSync(new URL(file)).mtimeMs).join();
  } catch {
    return undefined;
  }
}

/**
 * Does one piece of work in a thread of its own, by the exported function `name` of the module at `url`, which may be
 * TypeScript when the program runs from source. Rejects like `Thread.run`, and with a ProgramReplacedError: the thread loads
 * the program anew, and another version must not work on the database of this one.
 */
export async function runInThread(
  url: string,
  name: string,
  work: unknown,
  purpose: string,
): Promise<unknown> {
  if (lastChanges() !== loaded) throw new ProgramReplacedError();
  const loader = url.endsWith('.ts') ? import.meta.resolve('tsx/esm/api') : undefined;
  const thread = createThread(CALL_MODULE, purpose);
  try {
    return await thread.run({ url, name, loader, work });
  } finally {
    thread.end();
  }
}

const CALL_MODULE = `
  return async ({ url, name, loader, work }) => {
    if (loader) (await import(loader)).register();
    return (await import(url))[name](work);
  };
`;
