import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { LOCAL } from '../support/people.ts';
import { ask, outlineOf } from './ask.ts';
import type { BenchData } from './data.ts';
import { drive } from './drive.ts';
import { quantile } from './figures.ts';
import { cpuMs, memoryMb } from './machine.ts';
import type { BenchRequest, Figures, Stream } from './plan.ts';
import { type BenchServer, type ServerName, startServer } from './servers.ts';
import { ROWS, type Workload, createWorkloads, loginStorm } from './workloads.ts';

/** One server's figures of one row at one size. */
export interface Measured {
  readonly size: number;
  readonly row: string;
  readonly server: ServerName;
  readonly figures: Figures;
}

/** How the service starts and rests. */
export interface Rest {
  readonly size: number;
  /** Median milliseconds from start to first answer. */
  readonly startMs: number;
  readonly idleMb: number;
}

export interface RunOptions {
  readonly seconds: number;
  /** Whether a row is wanted. */
  readonly wants: (row: string) => boolean;
  /** Where bodies and logs are put. */
  readonly work: string;
  readonly serverCore: number | undefined;
  readonly generatorCore: number | undefined;
  readonly tell: (measured: Measured) => void;
}

const STARTS = 5;
const IDLE_MS = 1_500;
const LOGINS = 8;
const WARMUP_SECONDS = 0.5;
const FIRST_SECONDS = 5;
const PACED_TIMES = 4;
const PATIENCE_MS = 60_000;
const LOOK_MS = 200;
const IDLE_CPU_MS = 10;
const FIRST_ROUNDS = 200;

/** Measures all wanted rows of a size, each on one server after the other. Throws when an answer is not as it has to be. */
export async function measureRows(size: number, data: BenchData, options: RunOptions): Promise<Measured[]> {
  const { work, serverCore: core, wants } = options;
  const workloads = createWorkloads(size).filter(({ name }) => wants(name));
  if (workloads.length === 0) return [];
  const started: BenchServer[] = [];
  const start = async (name: ServerName, from: string): Promise<BenchServer> => {
    const server = await startServer({ name, data: from, log: join(work, `${name}-${size}.log`), core });
    started.push(server);
    return server;
  };
  try {
    const stores = {
      fastify: await start('fastify', data.file),
      service: await start('service', data.folder),
    };
    for (const server of Object.values(stores)) await warmUp(server, workloads, options);
    const results: Measured[] = [];
    for (const workload of workloads) {
      const body = await compareAnswers(workload, stores);
      for (const name of workload.servers) {
        let server = name === 'bare' ? undefined : stores[name];
        if (!server) {
          const file = join(work, 'body.json');
          writeFileSync(file, body);
          server = await start('bare', file);
        }
        const streams = await workload.streams(name === 'bare' ? stores.service.port : server.port);
        const figures = await measure(server, streams, options);
        refuseFailures(workload.name, name, figures);
        await untilIdle(server);
        if (name === 'bare') await server.stop();
        const measured = { size, row: workload.name, server: name, figures };
        options.tell(measured);
        results.push(measured);
      }
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
    await pause(LOOK_MS);
  } while (cpuMs(pid) - before > IDLE_CPU_MS);
}

/** Has a server answer all kinds of requests by turns, until the code that does so has been compiled for good. */
async function warmUp(
  { port, pid }: BenchServer,
  workloads: readonly Workload[],
  { generatorCore }: RunOptions,
): Promise<void> {
  const kinds = await Promise.all(workloads.map(async ({ streams }) => (await streams(port))[0]?.requests));
  const requests = Array.from({ length: FIRST_ROUNDS }, (_, round) =>
    kinds.flatMap((kind) => kind?.[round % kind.length] ?? []),
  ).flat();
  const streams = [{ connections: 8, requests }];
  await drive({ port, pid, warmupSeconds: 0, seconds: FIRST_SECONDS, streams }, generatorCore);
}

/** The body that the service answers. Throws when the Fastify app answers something else than the service does. */
async function compareAnswers(
  { name, streams, likeness }: Workload,
  servers: Readonly<Record<'fastify' | 'service', BenchServer>>,
): Promise<Buffer> {
  const first = async ({ port }: BenchServer, index: number): Promise<Awaited<ReturnType<typeof ask>>> => {
    const request = (await streams(port))[0]?.requests.at(index);
    if (!request) throw new Error(`"${name}" has no request`);
    return ask(port, request);
  };
  // The last one first: what is measured begins with the first.
  for (const index of [-1, 0]) {
    const [rival, own] = [await first(servers.fastify, index), await first(servers.service, index)];
    const [theirs, ours] = [outlineOf(rival, likeness), outlineOf(own, likeness)];
    if (!isDeepStrictEqual(theirs, ours))
      throw new Error(
        `"${name}": Fastify answers ${JSON.stringify(theirs)}, the service ${JSON.stringify(ours)}`,
      );
    if (index === 0) return own.body;
  }
  return Buffer.alloc(0);
}

function refuseFailures(row: string, server: ServerName, { streams }: Figures): void {
  for (const { failures, answers } of streams)
    if (failures > 0)
      throw new Error(`"${row}": ${failures} of ${answers} answers of ${server} are failures`);
}

function measure(
  { port, pid }: BenchServer,
  streams: readonly Stream[],
  options: RunOptions,
): Promise<Figures> {
  const { generatorCore } = options;
  const warmupSeconds = Math.min(WARMUP_SECONDS, options.seconds);
  // Where few requests are sent on purpose, one that is slow by chance would be their 99th percentile.
  const seconds = options.seconds * (streams[0]?.perSecond === undefined ? 1 : PACED_TIMES);
  return drive({ port, pid, warmupSeconds, seconds, streams }, generatorCore);
}

/** How fast the service starts with the data of a size, and how much memory it has at rest then. */
export async function measureRest(size: number, data: BenchData, options: RunOptions): Promise<Rest> {
  const { work, serverCore: core } = options;
  const times: number[] = [];
  let idleMb = NaN;
  for (let round = 0; round < STARTS; round += 1) {
    const log = join(work, `start-${size}.log`);
    const server = await startServer({ name: 'service', data: data.folder, log, core });
    times.push(server.startMs);
    if (round === STARTS - 1) {
      await pause(IDLE_MS);
      idleMb = memoryMb(server.pid, 'VmRSS');
    }
    await server.stop();
  }
  return { size, startMs: quantile(times, 0.5), idleMb };
}

/** What one client notices of eight others that log in again and again. */
export async function measureLogins(size: number, data: BenchData, options: RunOptions): Promise<Measured[]> {
  const { work, serverCore: core } = options;
  const log = join(work, `login-${size}.log`);
  const server = await startServer({ name: 'service', data: data.folder, log, core, variables: LOCAL });
  try {
    const logins: BenchRequest[] = [];
    for (let index = 0; index < LOGINS; index += 1) {
      const account = { email: `bench${index}@example.com`, password: 'a password of the benchmark' };
      const registered = JSON.stringify({ ...account, username: `bench${index}` });
      const { status } = await ask(server.port, {
        method: 'POST',
        path: '/api/auth/register',
        body: registered,
      });
      if (status !== 201) throw new Error(`the registration of an account answered ${status}`);
      logins.push({ method: 'POST', path: '/api/auth/login', body: JSON.stringify(account) });
    }
    const figures = await measure(server, loginStorm(size, logins), options);
    refuseFailures(ROWS.login, 'service', figures);
    const measured: Measured = { size, row: ROWS.login, server: 'service', figures };
    options.tell(measured);
    return [measured];
  } finally {
    await server.stop();
  }
}
