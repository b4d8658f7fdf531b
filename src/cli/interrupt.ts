import { CommandError } from './command.ts';

/** Runs `work` with a signal that fires when somebody stops the command, so that it can clean up after itself. */
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
