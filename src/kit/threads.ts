import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

/**
 * A thread for one kind of work, one job at a time, started on first use. `code` is CommonJS that returns the job
 * function, which may return a promise; it is text, so that a thread loads no module that it does not need. `purpose`
 * appears in the error if the thread dies: `parses bodies`.
 */
export class Thread {
  readonly #code: string;
  readonly #purpose: string;
  #worker: Worker | undefined;
  #waiting: PromiseWithResolvers<unknown> | undefined;

  constructor(code: string, purpose: string) {
    this.#code = code;
    this.#purpose = purpose;
  }

  /**
   * Resolves to the result for `work`; both are copied. Rejects with what the thread throws, or if it cannot start or
   * dies; the next call then starts a new one.
   */
  run(work: unknown): Promise<unknown> {
    this.#waiting = Promise.withResolvers();
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#worker.postMessage(work);
    return this.#waiting.promise;
  }

  end(): void {
    void this.#worker?.terminate();
  }

  #start(): Worker {
    const text = `
      const { parentPort } = require('node:worker_threads');
      const run = (() => { ${this.#code} })();
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
    // Without this process's options, which may change how the text is read.
    const worker = new Worker(text, { eval: true, execArgv: [] });
    const fail = (error: unknown): void => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#waiting?.reject(error);
    };
    worker.on('error', fail);
    worker.on('exit', (exitCode) => {
      fail(new Error(`the thread that ${this.#purpose} ended with ${exitCode}`));
    });
    worker.on('message', (result: unknown) => {
      // A dead thread's last message may arrive after its error, when the next call already waits for a new thread.
      if (this.#worker !== worker) return;
      // So that an idle thread does not stop the process from exiting.
      worker.unref();
      if (result instanceof Error) this.#waiting?.reject(result);
      else this.#waiting?.resolve(result);
    });
    return worker;
  }
}

/** The program's files on disk have changed since this process started. */
export class ProgramReplacedError extends Error {
  override readonly name = 'ProgramReplacedError';
  override readonly message = 'the files of the program were replaced; the service must be restarted';
}

// One file of the program, and the folders of its SQL and of one package.
const FILES = [
  import.meta.url,
  new URL('../../sql/queries', import.meta.url),
  new URL('../../sql/migrations', import.meta.url),
  new URL('.', import.meta.resolve('better-sqlite3')),
];
const loaded = lastChanges();

/** The times of their last changes; undefined if one is missing. */
function lastChanges(): string | undefined {
  try {
    return FILES.map((file) => statSync(new URL(file)).mtimeMs).join();
  } catch {
    return undefined;
  }
}

const CALL_MODULE = `
  return async ({ url, name, work }) => (await import(url))[name](work);
`;

/**
 * Calls the exported function `name` of the module at `url` with `work` in a new thread. Rejects like `Thread.run`, or
 * with a ProgramReplacedError: the thread loads the program again, and another version must not touch this one's
 * database.
 */
export async function runInThread(
  url: string,
  name: string,
  work: unknown,
  purpose: string,
): Promise<unknown> {
  if (lastChanges() !== loaded) throw new ProgramReplacedError();
  const thread = new Thread(CALL_MODULE, purpose);
  try {
    return await thread.run({ url, name, work });
  } finally {
    thread.end();
  }
}
