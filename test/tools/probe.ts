import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ask } from '../faults/support.ts';
import { LOADER } from '../support/checkout.ts';
import { type Cleanup, atEnd } from '../support/cleanup.ts';
import { record } from '../support/client.ts';
import { percentile } from './report.ts';

/** The waits of an honest client. Times in milliseconds. */
export interface Noticed {
  readonly asked: number;
  readonly served: number;
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
}

const EVERY_MS = 10;

/**
 * Starts an honest client in a process of its own, so that what it notices is the service's doing and not that of the
 * attackers next to it. The function returned stops it and resolves to what it noticed.
 */
export async function startProbe(t: Cleanup, port: number, path: string): Promise<() => Promise<Noticed>> {
  const child = spawn(process.execPath, [...LOADER, fileURLToPath(import.meta.url), String(port), path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  atEnd(t, () => {
    child.kill('SIGKILL');
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next();
  return async () => {
    child.stdin.end();
    const noticed = record(JSON.parse(String((await lines.next()).value)));
    const count = (name: string): number => Number(noticed[name]);
    return {
      asked: count('asked'),
      served: count('served'),
      p50: count('p50'),
      p99: count('p99'),
      worst: count('worst'),
    };
  };
}

/** Asks for the same again and again, each time on a new connection, until the input ends. */
async function askOn(port: number, path: string): Promise<Noticed> {
  const ended = new AbortController();
  process.stdin.resume();
  process.stdin.once('end', () => {
    ended.abort();
  });
  const times: number[] = [];
  let served = 0;
  while (!ended.signal.aborted) {
    const { status, ms } = await ask(port, path, { headers: { Connection: 'close' } });
    times.push(ms);
    if (status === 200) served += 1;
    await pause(EVERY_MS);
  }
  const [p50, p99, worst] = [percentile(times, 0.5), percentile(times, 0.99), percentile(times, 1)];
  return { asked: times.length, served, p50, p99, worst };
}

const [, main, port, path] = process.argv;
if (main === fileURLToPath(import.meta.url) && path !== undefined) {
  console.log('asking');
  console.log(JSON.stringify(await askOn(Number(port), path)));
}
