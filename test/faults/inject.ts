import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { has } from '../support/small-disk.ts';

/** The fault at the n-th call of each thread: it fails, or it is the last thing that the process does. */
export interface Injection {
  /** Names of system calls, with commas between them. */
  readonly calls: string;
  readonly effect: 'error=EIO' | 'signal=SIGKILL';
  /** Counted from 1. */
  readonly when: number;
}

const rulesOf = ({ calls, effect, when }: Injection): string[] => [
  '-f',
  '-qq',
  '-o',
  '/dev/null',
  '-e',
  `trace=${calls}`,
  '-e',
  `inject=${calls}:${effect}:when=${when}`,
];

/** Why system calls cannot be tampered with here; undefined when they can. */
export function whyNoInjection(): string | undefined {
  if (!has('strace')) return 'needs the program strace';
  try {
    execFileSync('strace', ['-f', '-qq', '-o', '/dev/null', 'true'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'needs root, to trace with strace';
  }
}

/** The program that runs a command with something injected from its first call on. */
export function injected(injection: Injection): string[] {
  return ['strace', ...rulesOf(injection)];
}

/** Injects something into a running process from now on; it goes on as before once the result is called. */
export async function injectInto(pid: number, injection: Injection): Promise<() => Promise<void>> {
  // Not quiet: it says when it has hold of the process.
  const rules = rulesOf(injection).filter((rule) => rule !== '-qq');
  const tracer = spawn('strace', [...rules, '-p', String(pid)], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(tracer, 'close');
  await new Promise<void>((resolve, reject) => {
    let said = '';
    tracer.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('attached')) resolve();
    });
    void ended.then(() => {
      reject(new Error(`strace ended: ${said}`));
    });
  });
  return async () => {
    tracer.kill('SIGINT');
    await ended;
  };
}
