import { request } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { figure, quantile } from '../bench/figures.ts';
import { cpuMs } from '../bench/machine.ts';
import { changeOf } from '../support/changes.ts';
import { type Cleanup, atEnd, withCleanup } from '../support/cleanup.ts';
import { startServerProcess } from '../support/cli.ts';
import { type Client, createClient, field } from '../support/client.ts';
import { LOCAL, signUp } from '../support/people.ts';
import { temporaryFolder } from '../support/service.ts';
import { ratingOf } from '../support/world.ts';

// How long after its 201 a change is on each of 100 streams, while others write some fifty times a second.
const STREAMS = Number(process.env['STREAMS'] ?? 100);
const OF_A_USER = 4;
const WRITES_A_SECOND = 50;
const SECONDS = Number(process.env['STREAM_SECONDS'] ?? 30);
const BOUND_MS = 100;

const address = (user: number): string => `10.0.${user >> 8}.${user & 255}`;

/** Registers a user who comes from an address of their own, and returns the header that signs requests. */
async function authorize(url: string, user: number): Promise<string> {
  const api = createClient(url, { 'X-Forwarded-For': address(user) });
  return `Bearer ${(await signUp({ url, api }, `follower${user}`)).accessToken}`;
}

/** Opens one stream; resolves once it is ready. */
function openStream(
  t: Cleanup,
  url: string,
  headers: Readonly<Record<string, string>>,
  see: (id: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/api/changes/stream`, { agent: false, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`a stream answered ${response.statusCode}`));
      let text = '';
      response.setEncoding('latin1');
      response.on('data', (chunk: string) => {
        text += chunk;
        for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
          const id = /^data: \{"id":(\d+)/m.exec(text.slice(0, end))?.[1];
          if (id === undefined) resolve();
          else see(Number(id));
          text = text.slice(end + 2);
        }
      });
      response.on('error', () => undefined);
    });
    asked.on('error', reject);
    asked.end();
    atEnd(t, () => {
      asked.destroy();
    });
  });
}

/** Writes evenly for a while; returns when each change was acknowledged. */
async function writeEvenly(api: Client, restaurant: number): Promise<Map<number, number>> {
  const acknowledged = new Map<number, number>();
  const writes: Promise<void>[] = [];
  const started = performance.now();
  for (let write = 0; write < SECONDS * WRITES_A_SECOND; write += 1) {
    await pause(Math.max(0, started + (write * 1_000) / WRITES_A_SECOND - performance.now()));
    const sent = api.post('/ratings', ratingOf(restaurant, 'Bread and wine, and a view of the river'));
    writes.push(sent.then((answer) => void acknowledged.set(changeOf(answer), performance.now())));
  }
  await Promise.all(writes);
  return acknowledged;
}

await withCleanup(async (t) => {
  const variables = {
    ...{ ...LOCAL, DATA_DIR: temporaryFolder(t), HOST: '127.0.0.1' },
    ...{ RATE_LIMIT_PER_MINUTE: '0', MAX_CONNECTIONS_PER_ADDRESS: '1000' },
  };
  const { url, process: child } = await startServerProcess(t, variables);
  const api = createClient(url, { Authorization: await authorize(url, 0) });
  const restaurant = Number(field((await api.post('/restaurants', { name: 'Chez Nous' })).body, 'id'));
  /** Stream, change, moment. */
  const seen: [number, number, number][] = [];
  for (let user = 1; user <= STREAMS / OF_A_USER; user += 1) {
    const headers = { Authorization: await authorize(url, user), 'X-Forwarded-For': address(user) };
    for (let one = 0; one < OF_A_USER; one += 1) {
      const stream = user * OF_A_USER + one;
      await openStream(t, url, headers, (id) => seen.push([stream, id, performance.now()]));
    }
  }
  const before = cpuMs(child.pid ?? 0);
  // What the client itself is late by is no fault of the service.
  const own = monitorEventLoopDelay({ resolution: 5 });
  own.enable();
  const acknowledged = await writeEvenly(api, restaurant);
  await pause(1_000);
  own.disable();
  const share = (cpuMs(child.pid ?? 0) - before) / (SECONDS * 10);
  const late = seen.map(([stream, id, at]) => ({
    ...{ stream, id },
    ms: Math.max(0, at - (acknowledged.get(id) ?? NaN)),
  }));
  const times = late.map(({ ms }) => ms);
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
  const expected = acknowledged.size * STREAMS;
  console.log(
    `\n${STREAMS} streams, ${acknowledged.size} writes in ${SECONDS} s; bound ${BOUND_MS} ms at the p99`,
  );
  console.log(
    `the client's own delay: p50 ${figure(own.percentile(50) / 1e6)} ms, p99 ${figure(own.percentile(99) / 1e6)} ms`,
  );
  console.log(
    `seen ${seen.length} of ${expected}; p50 ${figure(p50)} ms, p99 ${figure(p99)} ms; ${figure(share)} % of a core`,
  );
  for (const { stream, id, ms } of late.toSorted((left, right) => right.ms - left.ms).slice(0, 3))
    console.log(`worst: change ${id} on stream ${stream} after ${figure(ms)} ms`);
});
