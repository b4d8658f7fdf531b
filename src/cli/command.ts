/** One word of the command line. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What `--help` prints. */
  readonly help: string;
  /** Gives the exit code. Throws a UsageError for wrong arguments (code 2), any other error for a failure (code 1). */
  readonly run: (args: readonly string[]) => Promise<number>;
}

/** A failure whose message is all that the person at the terminal needs. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Arguments that the command does not take. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
