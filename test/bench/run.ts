import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ask, comparable } from './ask.ts';
import type { BenchData } from './data.ts';
import { drive } from './drive.ts';
import { quantile } from './figures.ts';
import { cpuMs, memoryMb, slowFlush } from './machine.ts';
import type { Figures } from './plan.ts';
import type { Row } from './rows.ts';
import { type BenchServer, type ServerName, startServer } from './servers.ts';

/** The figures of one row by server, or why it was left out. */
export interface Measured {
  readonly row: Row;
  readonly figures: ReadonlyMap<ServerName, Figures>;
  readonly leftOut?: string;
}

/** How the service starts, and what it needs. */
export interface Rest {
  /** Median milliseconds from start to first answer. */
  readonly startMs: number;
  /** Median milliseconds from start to first list. */
  readonly listMs: number;
  readonly idleMb: number;
  readonly databaseMb: number;
}

export interface RunOptions {
  /** How long each server is measured for each row. */
  readonly seconds: number;
  /** The folder for bodies and logs. */
  readonly work: string;
  /** The core of the servers; undefined for any. */
  readonly core: number | undefined;
  /** Where processor profiles of the service are written. */
  readonly profiles: string | undefined;
  readonly report: (measured: Measured) => void;
}

const STARTS = 5;
const IDLE_MS = 1_500;
const WARMUP_SECONDS = 0.5;
const FIRST_SECONDS = 4;
const LONGEST_SECONDS = 120;
const FIRST_REQUESTS = 200;
const PATIENCE_MS = 60_000;
const CHECK_MS = 200;
const IDLE_CPU_MS = 10;
const COMPARED = 5;

/** The servers that have the rows; the two apps only where the service is compared with them. */
export interface Stores {
  readonly service: BenchServer;
  readonly fastify: BenchServer | undefined;
  readonly plain?: BenchServer | undefined;
}

/** Measures rows, each on one server after the other. Rejects when two servers answer differently. */
export async function measureRows(
  rows: readonly Row[],
  data: BenchData,
  options: RunOptions,
): Promise<readonly Measured[]> {
  const results: Measured[] = [];
  for (const flushMs of new Set(rows.map((row) => row.flushMs ?? 0))) {
    const chosen = rows.filter((row) => (row.flushMs ?? 0) === flushMs);
    const flush = slowFlush(flushMs, options.work);
    if (typeof flush === 'string')
      for (const row of chosen) results.push({ row, figures: new Map(), leftOut: flush });
    else results.push(...(await measureWith(flush, chosen, data, options)));
  }
  return results;
}

/** Measures rows on servers that are started with these variables of the environment. */
async function measureWith(
  variables: Readonly<Record<string, string>>,
  rows: readonly Row[],
  data: BenchData,
  options: RunOptions,
): Promise<Measured[]> {
  const { work, core, profiles } = options;
  const started: BenchServer[] = [];
  const start = async (name: ServerName, from: string): Promise<BenchServer> => {
    const log = join(work, `${name}.log`);
    const server = await startServer({ name, data: from, log, core, variables, profiles });
    started.push(server);
    return server;
  };
  try {
    const compared = rows.filter(({ rivals }) => rivals.includes('fastify'));
    const ofPlain = rows.filter(({ rivals }) => rivals.includes('plain'));
    const stores = {
      service: await start('service', data.folder),
      fastify: compared.length > 0 ? await start('fastify', data.rivalFile('fastify')) : undefined,
      plain: ofPlain.length > 0 ? await start('plain', data.rivalFile('plain')) : undefined,
    };
    // Before anything is written, and ratings last: afterwards the two have other ratings.
    const bodies = new Map<Row, Buffer | undefined>();
    for (const row of rows) bodies.set(row, await compareAnswers(row, stores, COMPARED));
    if (stores.fastify) await warmUp(stores.fastify, compared, options);
    if (stores.plain) await warmUp(stores.plain, ofPlain, options);
    await warmUp(stores.service, rows, options);
    // The service still reads opening hours and texts after its first answer.
    await untilIdle(stores.service);
    const results: Measured[] = [];
    for (const row of rows) {
      const figures = new Map<ServerName, Figures>();
      const file = join(work, 'body.json');
      const body = bodies.get(row);
      if (body) writeFileSync(file, body);
      for (const name of [...row.rivals, 'service'] as const) {
        const server = name === 'bare' ? await start(name, file) : stores[name];
        if (!server) throw new Error(`"${row.name}" is compared with ${name}, which was not started`);
        figures.set(name, await measure(row, name, server, options));
        await untilIdle(server);
        if (name === 'bare') await server.stop();
      }
      options.report({ row, figures });
      results.push({ row, figures });
    }
    return results;
  } finally {
    for (const { stop } of started) await stop();
  }
}

/** Waits until a server has done what its clients left behind: others are measured on the same core. */
async function untilIdle({ pid }: BenchServer): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  let before: number;
  do {
    if (performance.now() > end) throw new Error('a server goes on working without clients');
    before = cpuMs(pid);
    await pause(CHECK_MS);
  } while (cpuMs(pid) - before > IDLE_CPU_MS);
}

/** Has a server answer all kinds of requests by turns, until the code that does so has been compiled for good. */
async function warmUp({ port, pid }: BenchServer, rows: readonly Row[], options: RunOptions): Promise<void> {
  // The last ones: those that are sent once are measured from the first.
  const kinds = rows
    .map(({ streams }) => streams[0]?.requests.slice(-FIRST_REQUESTS) ?? [])
    .filter((kind) => kind.length > 1 && kind.every(({ method }) => method === 'GET'));
  const requests = Array.from({ length: FIRST_REQUESTS }, (_, round) =>
    kinds.flatMap((kind) => kind[round % kind.length] ?? []),
  ).flat();
  if (requests.length === 0) return;
  const streams = [{ connections: 8, requests }];
  const seconds = Math.min(FIRST_SECONDS, 2 * options.seconds);
  await drive({ port, pid, warmupSeconds: 0, seconds, streams });
}

/**
 * Compares the answers to the last requests of a row, and returns the body of the first if it is read. Throws when the
 * Fastify app answers something else than the service.
 */
export async function compareAnswers(
  { name, streams, rivals }: Row,
  { service, fastify }: Stores,
  count: number,
): Promise<Buffer | undefined> {
  const requests = streams[0]?.requests ?? [];
  const [first] = requests;
  if (!first) throw new Error(`"${name}" has no request`);
  if (fastify && rivals.includes('fastify'))
    for (const request of requests.slice(-count)) {
      const theirs = await ask(fastify.port, request);
      const ours = await ask(service.port, request);
      assert.deepEqual(comparable(theirs), comparable(ours), `"${name}": ${request.path}`);
    }
  return first.method === 'GET' ? (await ask(service.port, first)).body : undefined;
}

async function measure(
  { name: row, streams }: Row,
  name: ServerName,
  { port, pid }: BenchServer,
  { seconds }: RunOptions,
): Promise<Figures> {
  // Of groups every request counts, however long that takes.
  const isGrouped = streams[0]?.requests.some(({ group }) => group !== undefined) === true;
  const times = isGrouped
    ? { warmupSeconds: 0, seconds: LONGEST_SECONDS }
    : { warmupSeconds: Math.min(WARMUP_SECONDS, seconds), seconds };
  const figures = await drive({ port, pid, ...times, streams });
  for (const { failures, answers } of figures.streams)
    if (failures > 0) throw new Error(`"${row}": ${failures} of ${answers} answers of ${name} are failures`);
  return figures;
}

/** How fast the service starts, how much memory it has at rest then, and how large its database is. */
export async function measureRest(data: BenchData, { work, core }: RunOptions): Promise<Rest> {
  const times: number[] = [];
  const listTimes: number[] = [];
  let idleMb = NaN;
  for (let round = 0; round < STARTS; round += 1) {
    const log = join(work, 'start.log');
    const server = await startServer({ name: 'service', data: data.folder, log, core });
    times.push(server.startMs);
    const answered = performance.now();
    await ask(server.port, { method: 'GET', path: '/api/restaurants/paginated?limit=20' });
    listTimes.push(server.startMs + performance.now() - answered);
    if (round === STARTS - 1) {
      await pause(IDLE_MS);
      idleMb = memoryMb(server.pid, 'VmRSS');
    }
    await server.stop();
  }
  const databaseMb = statSync(join(data.folder, 'catalogue.db')).size / 1e6;
  return { startMs: quantile(times, 0.5), listMs: quantile(listTimes, 0.5), idleMb, databaseMb };
}
