/** One command of the command line. */
export interface Command {
  /** One line for the list of commands. */
  readonly summary: string;
  /** The text for `--help`. */
  readonly help: string;
  /** Resolves to the exit code, or nothing for 0. Rejects with a UsageError (code 2), or any other error (code 1). */
  readonly run: (args: string[]) => Promise<number> | Promise<void>;
}

/** An option without a value, for `parseArgs`. */
export const FLAG = { type: 'boolean' } as const;
/** An option with a value. */
export const TEXT = { type: 'string' } as const;

/** A failure whose message says everything the operator needs. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Arguments that the command does not accept. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The only argument of a command. Throws a UsageError when there is none, or more than one. */
export function onlyOne([first, ...more]: readonly string[], otherwise: string): string {
  if (first === undefined || first === '' || more.length > 0) throw new UsageError(otherwise);
  return first;
}
