import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { moduleAt } from '../support/checkout.ts';
import { field } from '../support/client.ts';
import { ask } from './ask.ts';
import { onCore } from './machine.ts';

/** The servers that are measured. */
export type ServerName = 'bare' | 'plain' | 'fastify' | 'service';

/** A server in a process of its own. */
export interface BenchServer {
  readonly port: number;
  readonly pid: number;
  /** Milliseconds from its start to its first answer. */
  readonly startMs: number;
  readonly stop: () => Promise<void>;
}

export interface ServerOptions {
  readonly name: ServerName;
  /** The file of the body, the data file, or the data folder. */
  readonly data: string;
  /** Where its output goes. */
  readonly log: string;
  /** The core that it has for itself; undefined for any. */
  readonly core: number | undefined;
  /** More variables of its environment. */
  readonly variables?: Readonly<Record<string, string>>;
  /** A folder for processor profiles of the service. */
  readonly profiles?: string | undefined;
}

const PATIENCE_MS = 60_000;
const GRACE_MS = 10_000;
const here = (file: string): string => fileURLToPath(moduleAt(file, import.meta.url));

/** Starts a server on a free port and waits for its first answer. Rejects when it ends before that or does not answer. */
export async function startServer(options: ServerOptions): Promise<BenchServer> {
  const port = await freePort();
  const log = openSync(options.log, 'a');
  const started = performance.now();
  const [program = '', ...args] = onCore(options.core, commandOf(options, port));
  const env = { PATH: process.env['PATH'] ?? '', ...settingsOf(options, port) };
  const child = spawn(program, args, { env, stdio: ['ignore', log, log] });
  closeSync(log);
  // Also when the bench is interrupted.
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  process.on('exit', kill);
  const ended = new Promise<void>((resolve) => {
    child.on('close', () => {
      process.off('exit', kill);
      resolve();
    });
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const timer = setTimeout(kill, GRACE_MS);
    await ended;
    clearTimeout(timer);
  };
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`${options.name} ended at its start, see ${options.log}`);
    if (performance.now() - started > PATIENCE_MS) {
      await stop();
      throw new Error(`${options.name} does not answer, see ${options.log}`);
    }
    await pause(2);
  }
  return { port, pid: child.pid ?? 0, startMs: performance.now() - started, stop };
}

function commandOf({ name, data, profiles }: ServerOptions, port: number): readonly string[] {
  const profiling = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`];
  if (name === 'service') return [process.execPath, ...profiling, here('../../bin/catalogue'), 'serve'];
  return [process.execPath, here(`./${name}.ts`), String(port), data];
}

function settingsOf({ name, data, variables }: ServerOptions, port: number): Record<string, string> {
  if (name !== 'service') return { ...variables };
  const limits = { RATE_LIMIT_PER_MINUTE: '0', MAX_CONNECTIONS_PER_ADDRESS: '1000' };
  const log = { LOG_LEVEL: 'info', LOG_FORMAT: 'json' };
  return { HOST: '127.0.0.1', PORT: String(port), DATA_DIR: data, ...limits, ...log, ...variables };
}

async function answers(port: number): Promise<boolean> {
  try {
    const { status } = await ask(port, { method: 'GET', path: '/api/restaurants/1' });
    return status === 200;
  } catch {
    return false;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const port = Number(field(server.address(), 'port'));
      server.close(() => {
        resolve(port);
      });
    });
  });
}
