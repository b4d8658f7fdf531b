import { CommandError } from './command.ts';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const CHECK_EVERY_MS = 500;
// At a terminal Ctrl-C reaches the server twice: from the terminal, and from npm, which passes it on.
const SAME_SIGNAL_MS = 1_000;

/** How a server learns that it must stop. */
export interface Stopping {
  /** Fires once it must. */
  readonly signal: AbortSignal;
  /** Resolves then, with the reason in a word or two. */
  readonly reason: Promise<string>;
}

/**
 * Waits for SIGTERM, SIGINT or SIGHUP, and where npm started the server for the end of npm: npm does not pass on every
 * signal, and killed it passes on none, and the server would keep the port for good. Another signal, a second later or
 * more, ends the process at once.
 */
export function watchForStop(startedByNpm: boolean): Stopping {
  const controller = new AbortController();
  const reason = new Promise<string>((resolve) => {
    const stop = (why: string): void => {
      controller.abort(new CommandError(`stopped by ${why}`));
      resolve(why);
    };
    let stoppedAt: number | undefined;
    for (const name of SIGNALS)
      process.on(name, () => {
        stoppedAt ??= performance.now();
        if (performance.now() - stoppedAt >= SAME_SIGNAL_MS) endAtOnce(name);
        else stop(name);
      });
    if (startedByNpm)
      watchParent(() => {
        stop('the end of npm');
      });
  });
  return { signal: controller.signal, reason };
}

function endAtOnce(name: NodeJS.Signals): void {
  process.removeAllListeners(name);
  process.kill(process.pid, name);
}

/** A process whose parent has ended gets another one. */
function watchParent(gone: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    gone();
  }, CHECK_EVERY_MS);
  timer.unref();
}

/** Runs `work` with a signal that fires when the command is stopped, so that it can clean up after itself. */
export async function interruptible<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const stop = (name: NodeJS.Signals): void => {
    controller.abort(new CommandError(`stopped by ${name}`));
  };
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, stop);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.off(name, stop);
  }
}
