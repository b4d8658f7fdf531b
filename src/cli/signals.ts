import { CommandError } from './command.ts';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const CHECK_EVERY_MS = 500;
// Ctrl-C reaches the server twice: from the terminal, and forwarded by npm.
const SAME_SIGNAL_MS = 1_000;

/**
 * Waits for SIGTERM, SIGINT or SIGHUP, and for the end of npm if npm started the server: npm does not forward every
 * signal, and none when it is killed, and the server would hold its port forever. A second signal, at least a second
 * later, ends the process at once. `signal` fires on the first, and `reason` resolves to its name.
 */
export function watchForStop(startedByNpm: boolean): { signal: AbortSignal; reason: Promise<string> } {
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
        if (performance.now() - stoppedAt < SAME_SIGNAL_MS) stop(name);
        else {
          process.removeAllListeners(name);
          process.kill(process.pid, name);
        }
      });
    if (startedByNpm)
      watchParent(() => {
        stop('the end of npm');
      });
  });
  return { signal: controller.signal, reason };
}

/** A process whose parent has ended gets a new parent. */
function watchParent(gone: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    gone();
  }, CHECK_EVERY_MS).unref();
}

/** Runs `work` with a signal that fires when the command is interrupted, so that it can clean up. */
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
