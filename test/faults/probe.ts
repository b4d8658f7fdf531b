import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { LOADER } from '../support/checkout.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { record } from '../support/client.ts';
import { type Noticed, startHonestClient } from './support.ts';

/**
 * An honest client in a process of its own, so that what it notices is the service's doing and not that of the
 * attackers next to it. The function returned stops it and resolves to what it noticed.
 */
export async function startProbe(t: Cleanup, port: number, path: string): Promise<() => Promise<Noticed>> {
  const child = spawn(process.execPath, [...LOADER, fileURLToPath(import.meta.url), String(port), path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(() => {
    child.kill('SIGKILL');
  });
  const lines = linesOf(child);
  await lines.next();
  return async () => {
    child.stdin.end();
    const told = record(JSON.parse(String((await lines.next()).value)));
    const count = (name: string): number => Number(told[name]);
    return {
      asked: count('asked'),
      served: count('served'),
      p50: count('p50'),
      p99: count('p99'),
      worst: count('worst'),
    };
  };
}

function linesOf({ stdout }: ChildProcess): AsyncIterator<string> {
  if (!stdout) throw new Error('a probe without a voice');
  return createInterface({ input: stdout })[Symbol.asyncIterator]();
}

const [, main, port, path] = process.argv;
if (main === fileURLToPath(import.meta.url) && path !== undefined) {
  const stop = startHonestClient(Number(port), path);
  console.log('asking');
  process.stdin.resume();
  process.stdin.once('end', () => {
    void stop().then((noticed) => {
      console.log(JSON.stringify(noticed));
    });
  });
}
