import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from './cleanup.ts';
import { type Client, createClient, field } from './client.ts';
import { requireConformance } from './watch.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/catalogue', import.meta.url));

/** How a command ended. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface CommandOptions {
  readonly variables?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
  /** A program that runs the command, with its own arguments: a shell, or one that injects faults. */
  readonly under?: readonly string[];
  /** Kills the command with SIGKILL when it fires. */
  readonly killSignal?: AbortSignal;
}

/** A server in a process of its own. */
export interface ServerProcess {
  readonly url: string;
  /** Throws when an answer is not as documented. */
  readonly api: Client;
  readonly process: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
}

/** Starts a command with nothing in its environment but `variables`, and leaves it to the caller. */
export function startCommand(
  args: readonly string[],
  { variables = {}, cwd, under = [] }: CommandOptions,
): ChildProcessWithoutNullStreams {
  const PATH = process.env['PATH'] ?? '';
  const [program = process.execPath, ...more] = [...under, process.execPath, PROGRAM, ...args];
  return spawn(program, more, { env: { PATH, ...variables }, cwd });
}

function end(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  return new Promise((resolve) => {
    child.on('close', (code) => {
      resolve({ code, out, err });
    });
  });
}

/** Runs a command to its end with nothing in its environment but `variables`. */
export function runCommand(args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  const child = startCommand(args, options);
  options.killSignal?.addEventListener('abort', () => child.kill('SIGKILL'));
  child.stdin.end(options.input ?? '');
  return end(child);
}

/**
 * Starts `catalogue serve` on a free port and waits until it listens; it is killed after the test. `openFiles` is how
 * many files the system lets it have open.
 */
export async function startServerProcess(
  t: Cleanup,
  variables: Readonly<Record<string, string>>,
  options: Pick<CommandOptions, 'under'> = {},
): Promise<ServerProcess> {
  const settings = { PORT: '0', RATE_LIMIT_BURST: '0', ...variables };
  const child = startCommand(['serve'], { ...options, variables: settings });
  t.after(() => {
    child.kill('SIGKILL');
  });
  const ended = end(child);
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      const line = chunk
        .toString()
        .split('\n')
        .find((text) => text.includes('"listening"'));
      if (line !== undefined) resolve(String(field(JSON.parse(line), 'url')));
    });
    void ended.then(({ err }) => {
      reject(new Error(`the server ended: ${err}`));
    });
  });
  return { url, api: createClient(url, {}, requireConformance), process: child, ended };
}

/** What a command is started under so that it may have this many files open at once. */
export function withOpenFiles(count: number): readonly string[] {
  // The shell becomes the command: the process keeps its id.
  return ['sh', '-c', `ulimit -n ${count} && exec "$0" "$@"`];
}
