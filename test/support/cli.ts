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

function start(
  args: readonly string[],
  { variables = {}, cwd }: CommandOptions,
  openFiles?: number,
): ChildProcessWithoutNullStreams {
  const env = { PATH: process.env['PATH'] ?? '', ...variables };
  if (openFiles === undefined) return spawn(process.execPath, [PROGRAM, ...args], { env, cwd });
  // The shell becomes the service: the process keeps its id.
  const limited = `ulimit -n ${openFiles} && exec "$0" "$@"`;
  return spawn('sh', ['-c', limited, process.execPath, PROGRAM, ...args], { env, cwd });
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
  const child = start(args, options);
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
  openFiles?: number,
): Promise<ServerProcess> {
  const settings = { PORT: '0', RATE_LIMIT_BURST: '0', ...variables };
  const child = start(['serve'], { variables: settings }, openFiles);
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
