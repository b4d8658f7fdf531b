import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Cleanup, atEnd } from './cleanup.ts';
import { type Client, createClient, field } from './client.ts';
import type { Variables } from './service.ts';
import { requireConformance } from './watch.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/catalogue', import.meta.url));

// Those that work on the data folder, and say so whenever they get that far.
const ON_DATA = [
  'serve',
  'migrate',
  'import',
  'export',
  'changes',
  'revert',
  'backup',
  'restore',
  'check',
  'user',
  'doctor',
];
const FOLDER_LINE = /^Data folder: ([^\n]*)\n/;

/** How a command ended. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  /** Without the line that names the data folder, which was right. */
  readonly err: string;
}

export interface CommandOptions {
  readonly variables?: Variables;
  readonly cwd?: string;
  readonly input?: string;
  /** A program that runs the command, with its own arguments: a shell, or one that injects faults. */
  readonly under?: readonly string[];
  /** Another `bin/catalogue` than that of this checkout. */
  readonly program?: string;
  /** The data folder that it should name, where a file of settings chooses it. */
  readonly dataFolder?: string;
  /** Kills the command with SIGKILL when it fires. */
  readonly killSignal?: AbortSignal;
}

/** A server in a process of its own. */
export interface ServerProcess {
  readonly url: string;
  /** Throws when an answer is not as documented. */
  readonly api: Client;
  readonly process: ChildProcessWithoutNullStreams;
  /** What it has written to its log. */
  readonly log: () => string;
  readonly ended: Promise<Ended>;
}

/** Starts a command with nothing in its environment but `variables`, and leaves it to the caller. */
export function startCommand(
  args: readonly string[],
  { variables = {}, cwd, under = [], program = PROGRAM }: CommandOptions,
): ChildProcessWithoutNullStreams {
  const PATH = process.env['PATH'] ?? '';
  const [first = process.execPath, ...more] = [...under, process.execPath, program, ...args];
  return spawn(first, more, { env: { PATH, ...variables }, cwd });
}

function end(
  child: ChildProcessWithoutNullStreams,
  args: readonly string[],
  options: CommandOptions,
): Promise<Ended> {
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on('close', (code) => {
      try {
        resolve({ code, out, err: withoutFolder(err, code, args, options) });
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  });
}

/** Throws unless a command named the data folder that its settings choose, or failed before it used any. */
function withoutFolder(
  err: string,
  code: number | null,
  args: readonly string[],
  { variables = {}, cwd = '.', dataFolder }: CommandOptions,
): string {
  const [line = '', named] = FOLDER_LINE.exec(err) ?? [];
  const expected = dataFolder ?? resolve(cwd, variables['DATA_DIR'] ?? 'data');
  const isPlain = args.some((arg) => ['--help', '-h', '--print-config', '--propose-map'].includes(arg));
  const [command = 'serve', subject] = args;
  const mustName = code === 0 && ON_DATA.includes(command) && !isPlain && (command !== 'check' || !subject);
  if (named === undefined ? mustName : named !== expected)
    throw new Error(`${args.join(' ')} should name ${expected}: ${err}`);
  return err.slice(line.length);
}

/** The line with which a command says that it has made a catalogue. */
export function madeIn(folder: string): string {
  return `New catalogue in ${join(folder, 'catalogue.db')}\n`;
}

/** Runs a command to its end with nothing in its environment but `variables`. */
export function runCommand(args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  const child = startCommand(args, options);
  options.killSignal?.addEventListener('abort', () => child.kill('SIGKILL'));
  child.stdin.end(options.input ?? '');
  return end(child, args, options);
}

/** Runs a command on a data folder to its end, with no other setting. */
export function runOn(DATA_DIR: string, ...args: readonly string[]): Promise<Ended> {
  return runCommand(args, { variables: { DATA_DIR } });
}

/** Imports a text into a data folder on the command line. */
export function importOn(DATA_DIR: string, input: string, format = 'csv'): Promise<Ended> {
  return runCommand(['import', '-', '--format', format], { variables: { DATA_DIR }, input });
}

/** Starts `catalogue serve` on a free port and waits until it listens; it is killed after the test. */
export async function startServerProcess(
  t: Cleanup,
  variables: Variables,
  options: Pick<CommandOptions, 'under' | 'program'> = {},
): Promise<ServerProcess> {
  const settings = { PORT: '0', RATE_LIMIT_BURST: '0', ...variables };
  const own = { ...options, variables: settings };
  const child = startCommand(['serve'], own);
  atEnd(t, () => {
    child.kill('SIGKILL');
  });
  const ended = end(child, ['serve'], own);
  let log = '';
  child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const url = await new Promise<string>((resolve, reject) => {
    const look = (): void => {
      const [line] = /^.*"listening".*(?=\n)/m.exec(log) ?? [];
      if (line === undefined) return;
      child.stdout.off('data', look);
      resolve(String(field(JSON.parse(line), 'url')));
    };
    child.stdout.on('data', look);
    void ended.then(({ err }) => {
      reject(new Error(`the server ended: ${err}`));
    });
  });
  const api = createClient(url, {}, requireConformance);
  return { url, api, process: child, log: () => log, ended };
}

/** What a command is started under so that it may have this many files open at once. */
export function withOpenFiles(count: number): readonly string[] {
  // The shell becomes the command: the process keeps its id.
  return ['sh', '-c', `ulimit -n ${count} && exec "$0" "$@"`];
}
