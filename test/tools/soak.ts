import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { openStorage } from '../../src/storage/storage.ts';
import { generateCatalogue } from '../bench/generate.ts';
import { ask, memoryOf } from '../faults/support.ts';
import { WRITTEN } from '../faults/writers.ts';
import { type Cleanup, atEnd } from '../support/cleanup.ts';
import { startCommand } from '../support/cli.ts';
import { textOf } from '../support/client.ts';
import { openFilesOf } from '../support/raw.ts';
import { temporaryFolder } from '../support/service.ts';
import { hundredths, percentile, report } from './report.ts';
import { type Send, RESTAURANTS, encoded, soakWorks } from './soak-load.ts';

// An hour of everything at once, and whether the service is then as it was at first.

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 60);
const LASTS_MS = MINUTES * 60_000;
const TENTH_MS = LASTS_MS / 10;
const ENDS_MS = Math.min(5 * 60_000, TENTH_MS);
// They think between two requests, so that the service is busy and not overloaded.
const WORKERS = 8;
const THINKS_MS = 20;
const MEGABYTE = 1024 * 1024;
const PERSON = { email: 'soak@example.com', username: 'soak', password: 'soak, a long password' };

interface Server {
  readonly port: number;
  readonly pid: number | undefined;
}

/** A server whose log is read and dropped: that of an hour would not fit into memory. */
async function startSilently(t: Cleanup, folder: string): Promise<Server> {
  const variables = { ...WRITTEN, REFRESH_TOKEN_ROTATION: 'false', PORT: '0', DATA_DIR: folder };
  const child = startCommand(['serve'], { variables });
  atEnd(t, () => {
    child.kill('SIGKILL');
  });
  child.stderr.pipe(process.stderr);
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      const [, found] = /"url":"http:\/\/127\.0\.0\.1:(\d+)/.exec(chunk.toString()) ?? [];
      if (found !== undefined) resolve(Number(found));
    });
    child.once('exit', () => {
      reject(new Error('the server ended'));
    });
  });
  return { port, pid: child.pid };
}

/** The requests and their outcomes; `firstMs` and `lastMs` are the times of requests in the first and last part. */
interface Load {
  readonly statuses: Map<number, number>;
  readonly unexpected: Map<string, number>;
  readonly firstMs: number[];
  readonly lastMs: number[];
}

async function load(port: number, token: string, forMs: number): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: WORKERS });
  const found: Load = { statuses: new Map(), unexpected: new Map(), firstMs: [], lastMs: [] };
  const began = performance.now();
  const since = (): number => performance.now() - began;
  let turns = 0;

  const send: Send = async (status, path, { body, ...more } = {}, other = token) => {
    await pause(THINKS_MS);
    const at = since();
    const { headers, ...bytes } = encoded(body);
    const own = { ...headers, Authorization: `Bearer ${other}` };
    const method = more.method ?? (body ? 'POST' : 'GET');
    const answer = await ask(port, `/api${path}`, { method, headers: own, agent, ...bytes });
    found.statuses.set(answer.status, (found.statuses.get(answer.status) ?? 0) + 1);
    if (at < ENDS_MS) found.firstMs.push(answer.ms);
    if (at >= forMs - ENDS_MS) found.lastMs.push(answer.ms);
    if (answer.status !== status) throw new Error(`${method} ${path.replace(/\d+/g, 'N')}: ${answer.status}`);
    const parsed: unknown = answer.body.startsWith('{') ? JSON.parse(answer.body) : undefined;
    return parsed;
  };
  const works = soakWorks(PERSON);
  const worker = async (): Promise<void> => {
    while (since() < forMs) {
      turns += 1;
      await works[turns % works.length]?.(send, turns).catch((error: unknown) => {
        const key = String(error);
        found.unexpected.set(key, (found.unexpected.get(key) ?? 0) + 1);
      });
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  agent.destroy();
  return found;
}

const count = ({ statuses }: Load): number => [...statuses.values()].reduce((sum, one) => sum + one, 0);

/** The least heap, in megabytes, of each tenth of the time; collections come at any time, so only the least is meaningful. */
function watchHeap(port: number): () => Promise<number[]> {
  const floors: number[] = [];
  const ended = new AbortController();
  const began = performance.now();
  const work = (async (): Promise<void> => {
    while (!ended.signal.aborted) {
      const { body } = await ask(port, '/api/metrics');
      const bytes = Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(body)?.[1]);
      const tenth = Math.min(9, Math.floor((performance.now() - began) / TENTH_MS));
      floors[tenth] = Math.min(floors[tenth] ?? Infinity, hundredths(bytes / MEGABYTE));
      await pause(500);
    }
  })();
  return async () => {
    ended.abort();
    await work;
    return floors;
  };
}

/** How many files are open once the connections of the load are gone. */
async function idleFiles(pid: number | undefined): Promise<number> {
  await pause(2_000);
  return openFilesOf(pid);
}

async function signUp(port: number): Promise<string> {
  const post = async (path: string, body: object, access = ''): Promise<unknown> => {
    const headers = { ...encoded(body).headers, Authorization: `Bearer ${access}` };
    return JSON.parse((await ask(port, path, { method: 'POST', headers, body: JSON.stringify(body) })).body);
  };
  const access = textOf(await post('/api/auth/register', PERSON), 'access_token');
  return textOf(await post('/api/auth/tokens', { name: 'soak' }, access), 'token');
}

await report('soak', async (t) => {
  const folder = temporaryFolder(t);
  const storage = openStorage(folder);
  await generateCatalogue(storage, RESTAURANTS, 3);
  storage.close();
  const { port, pid } = await startSilently(t, folder);
  const token = await signUp(port);
  // What is allocated once, such as statements and compiled code, is no leak.
  const warmUp = await load(port, token, TENTH_MS);
  const before = { files: await idleFiles(pid), rssMb: memoryOf(pid) };

  const heap = watchHeap(port);
  const soak = await load(port, token, LASTS_MS);
  const floorsMb = await heap();
  const after = { files: await idleFiles(pid), rssMb: memoryOf(pid) };

  const unexpected = [warmUp, soak].flatMap((part) => [...part.unexpected]);
  const failures = [...soak.statuses].filter(([status]) => status >= 500 || status <= 0);
  const failed = failures.reduce((sum, [, times]) => sum + times, 0);
  const slope = ((floorsMb.at(-1) ?? Infinity) - (floorsMb[0] ?? 0)) / ((0.9 * MINUTES) / 60);
  const p99 = { first: percentile(soak.firstMs, 0.99), last: percentile(soak.lastMs, 0.99) };
  return {
    figures: {
      minutes: MINUTES,
      requests: count(soak),
      perSecond: Math.round((count(soak) / LASTS_MS) * 1_000),
      statuses: Object.fromEntries(soak.statuses),
      failed,
      unexpected: Object.fromEntries(unexpected),
      heapMbPerHour: hundredths(slope),
      floorsMb,
      openFiles: [before.files, after.files],
      rssMb: [before.rssMb, after.rssMb],
      p99,
    },
    bounds: {
      failed: failed === 0,
      unexpected: unexpected.length === 0,
      heap: slope <= 1,
      openFiles: before.files === after.files,
      p99: p99.last <= 1.2 * p99.first,
    },
  };
});
