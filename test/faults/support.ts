import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { constants, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Cleanup } from '../support/cleanup.ts';

/** The outcome of a request; status 0 when nothing was answered, -1 when the answer broke off. */
export interface Outcome {
  readonly status: number;
  readonly ms: number;
  readonly body: string;
  readonly retryAfter: string | undefined;
}

/** The parts of a request other than GET on a connection of any local address. */
export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Keeps connections; without it each request has its own. */
  readonly agent?: Agent;
  readonly localAddress?: string;
}

/** Makes one request and never rejects. The path is absolute. */
export function ask(port: number, path: string, asked: Asked = {}): Promise<Outcome> {
  const { body, agent = new Agent(), ...options } = asked;
  const started = performance.now();
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const settle = (status: number, retryAfter?: string): void => {
      const ms = performance.now() - started;
      resolve({ status, ms, body: Buffer.concat(chunks).toString(), retryAfter });
    };
    const outgoing = request({ host: '127.0.0.1', port, path, agent, ...options }, (response) => {
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('close', () => {
        settle(response.complete ? (response.statusCode ?? 0) : -1, response.headers['retry-after']);
      });
    });
    outgoing.on('error', () => {
      settle(0);
    });
    outgoing.end(body);
  });
}

/** The waits of an honest client. Times in milliseconds. */
export interface Noticed {
  readonly asked: number;
  readonly served: number;
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
}

/** Asks for the same again and again, each time on a new connection, from 127.0.0.1. */
export function startHonestClient(port: number, path: string, everyMs = 10): () => Promise<Noticed> {
  const outcomes: Outcome[] = [];
  const ended = new AbortController();
  const work = (async (): Promise<void> => {
    while (!ended.signal.aborted) {
      outcomes.push(await ask(port, path, { headers: { Connection: 'close' } }));
      await pause(everyMs);
    }
  })();
  return async () => {
    ended.abort();
    await work;
    const times = outcomes.map(({ ms }) => ms);
    return {
      asked: outcomes.length,
      served: outcomes.filter(({ status }) => status === 200).length,
      p50: percentile(times, 0.5),
      p99: percentile(times, 0.99),
      worst: percentile(times, 1),
    };
  };
}

/** The waits of an honest client while nothing else goes on. */
export async function measureQuiet(port: number, path: string, forMs: number): Promise<Noticed> {
  const stop = startHonestClient(port, path);
  await pause(forMs);
  return stop();
}

/** The value that a share of the values does not exceed, rounded to hundredths; 0 of no values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return hundredths(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}

/** A number as figures show it. */
export function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}

/** The memory of a process that is in use, in megabytes; `peak` since it began. */
export function memoryOf(pid: number | undefined, which: 'now' | 'peak' = 'now'): number {
  const status = readFileSync(`/proc/${pid ?? 0}/status`, 'utf8');
  const kilobytes = new RegExp(`${which === 'now' ? 'VmRSS' : 'VmHWM'}:\\s+(\\d+)`).exec(status)?.[1];
  return Math.round(Number(kilobytes) / 1024);
}

/** Attackers have machines of their own; here they are to take only what the service and honest clients leave. */
export function yieldToOthers(): void {
  setPriority(constants.priority.PRIORITY_LOW);
}

/** The result of a script: the figures, and whether each bound holds. */
export interface Found {
  readonly figures: Readonly<Record<string, unknown>>;
  readonly bounds: Readonly<Record<string, boolean>>;
}

/** Runs a script for a row of the table of faults: one line of JSON, and exit code 1 where a bound was exceeded. */
export async function report(
  row: number,
  fault: string,
  work: (t: Cleanup) => Promise<Found>,
): Promise<void> {
  const stops: (() => void | Promise<void>)[] = [];
  try {
    const { figures, bounds } = await work({ after: (stop) => stops.unshift(stop) });
    const missed = Object.keys(bounds).filter((name) => bounds[name] !== true);
    const pass = missed.length === 0;
    console.log(JSON.stringify({ row, fault, ...figures, ...(pass ? {} : { missed }), pass }));
    if (!pass) process.exitCode = 1;
  } finally {
    for (const stop of stops) await stop();
  }
}
