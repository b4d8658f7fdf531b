import { type Socket, connect } from 'node:net';
import { createInterface } from 'node:readline';
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { LOADER } from '../support/checkout.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { field, record } from '../support/client.ts';

/** Connections that do harm: each sends the text, and after that the drip once a second. */
export interface CrowdPlan {
  readonly port: number;
  readonly count: number;
  /** The connections are spread over so many addresses from 127.1.0.0 on; one address is 127.0.0.2. */
  readonly addresses: number;
  readonly text: string;
  readonly drip: string;
  /** How long those that are still open stay, in milliseconds. */
  readonly stayMs: number;
}

/** The outcome of a crowd. Times in milliseconds. */
export interface CrowdEnd {
  /** Closed by the service within two seconds of being opened, or never opened. */
  readonly refusedAtOnce: number;
  /** Closed by the service later. */
  readonly cut: number;
  readonly cutMs: number;
  /** Open to the end. */
  readonly held: number;
  /** Those that got any answer. */
  readonly answered: number;
}

export interface Crowd {
  /** Resolves when all connections have been tried. */
  readonly gathered: Promise<void>;
  readonly ended: Promise<CrowdEnd>;
}

const AT_ONCE = 100;
const AT_ONCE_MS = 2_000;

/** Sends a crowd from a process of its own, so that the honest client is not slowed by it. */
export function startCrowd(t: Cleanup, plan: CrowdPlan): Crowd {
  const script = fileURLToPath(import.meta.url);
  const child = spawn(process.execPath, [...LOADER, script, JSON.stringify(plan)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => {
    child.kill('SIGKILL');
  });
  const [gathered, ended] = [lineOf(child, 'gathered'), lineOf(child, 'ended')];
  return {
    gathered: gathered.then(() => undefined),
    ended: ended.then((told) => {
      const count = (name: string): number => Number(record(told)[name]);
      return {
        refusedAtOnce: count('refusedAtOnce'),
        cut: count('cut'),
        cutMs: count('cutMs'),
        held: count('held'),
        answered: count('answered'),
      };
    }),
  };
}

function lineOf({ stdout }: ChildProcess, name: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    if (!stdout) throw new Error('a crowd without a voice');
    const lines = createInterface({ input: stdout });
    lines.on('line', (line) => {
      const told: unknown = JSON.parse(line);
      if (name in record(told)) resolve(field(told, name));
    });
    lines.on('close', () => {
      reject(new Error(`a crowd ended before it ${name}`));
    });
  });
}

interface Member {
  readonly socket: Socket;
  since: number;
  until: number | undefined;
  answered: boolean;
}

function join({ port, addresses, text }: CrowdPlan, index: number): Member {
  const place = index % addresses;
  const localAddress = addresses === 1 ? '127.0.0.2' : `127.1.${place >> 8}.${(place & 255) + 1}`;
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  const member: Member = { socket, since: performance.now(), until: undefined, answered: false };
  socket.on('error', () => undefined);
  socket.on('connect', () => {
    member.since = performance.now();
    socket.write(text);
  });
  socket.on('data', () => (member.answered = true));
  socket.on('close', () => (member.until ??= performance.now()));
  return member;
}

async function gather(plan: CrowdPlan): Promise<void> {
  const members: Member[] = [];
  const dripping = setInterval(() => {
    for (const { socket } of members) if (socket.writable && plan.drip !== '') socket.write(plan.drip);
  }, 1_000);
  while (members.length < plan.count) {
    const more = Math.min(AT_ONCE, plan.count - members.length);
    for (let index = 0; index < more; index += 1) members.push(join(plan, members.length));
    await pause(100);
  }
  console.log(JSON.stringify({ gathered: members.length }));
  const end = performance.now() + plan.stayMs;
  while (performance.now() < end && members.some(({ until }) => until === undefined)) await pause(100);
  clearInterval(dripping);
  const lasted = members.flatMap(({ since, until }) => (until === undefined ? [] : [until - since]));
  const cut = lasted.filter((ms) => ms > AT_ONCE_MS);
  const ended: CrowdEnd = {
    refusedAtOnce: lasted.length - cut.length,
    cut: cut.length,
    cutMs: Math.round(Math.max(0, ...cut)),
    held: members.length - lasted.length,
    answered: members.filter(({ answered }) => answered).length,
  };
  console.log(JSON.stringify({ ended }));
  for (const { socket } of members) socket.destroy();
}

const [, main, given] = process.argv;
if (main === fileURLToPath(import.meta.url) && given !== undefined) {
  const plan = record(JSON.parse(given));
  const [number, text] = [
    (name: string) => Number(plan[name]),
    (name: string) => String(plan[name]),
  ] as const;
  await gather({
    port: number('port'),
    count: number('count'),
    addresses: number('addresses'),
    text: text('text'),
    drip: text('drip'),
    stayMs: number('stayMs'),
  });
}
