import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { LOADER } from '../support/checkout.ts';
import { record } from '../support/client.ts';
import { ATTACKS } from './stall-attacks.ts';

/** The target of an attack, its kind, for how long, and with which course of chance. */
export interface AttackOptions {
  readonly name: string;
  readonly port: number;
  readonly forMs: number;
  readonly restaurants: number;
  readonly seed: number;
}

/**
 * Makes an attack in a process of its own, so that what others notice is the service's doing: who sends 200 MB is late for
 * all else. Gives the requests by status.
 */
export async function attackFromOutside(options: AttackOptions): Promise<Readonly<Record<string, number>>> {
  const { name, port, forMs, restaurants, seed } = options;
  const args = [name, port, forMs, restaurants].map(String);
  const child = spawn(process.execPath, [...LOADER, fileURLToPath(import.meta.url), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, FAULT_SEED: String(seed) },
  });
  const [told] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (child.exitCode !== 0) throw new Error(`the attack ended with ${String(child.exitCode)}`);
  return Object.fromEntries(
    Object.entries(record(JSON.parse(told))).map(([key, count]) => [key, Number(count)]),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name, port, forMs, restaurants] = process.argv.slice(2);
  const [, attack] = ATTACKS.find(([known]) => known === name) ?? [];
  if (!attack) throw new Error(`there is no attack ${String(name)}`);
  console.log(JSON.stringify(await attack(Number(port), Number(forMs), Number(restaurants))));
}
