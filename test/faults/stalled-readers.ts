import { type Socket, connect } from 'node:net';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { openStorage } from '../../src/storage/storage.ts';
import { generateCatalogue } from '../bench/generate.ts';
import { startServerProcess } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';
import { ask, hundredths, memoryOf, percentile, report } from './support.ts';

// Two hundred clients ask for the whole list of 100,000 restaurants and stop reading, while others write.

const RESTAURANTS = Number(process.env['RESTAURANTS'] ?? 100_000);
const READERS = 200;
const WRITERS = 8;
const WRITES_PER_SECOND = 500;
const QUIET_MS = 10_000;
const FAULT_MS = 100_000;

function stall(port: number): Socket {
  const socket = connect(port, '127.0.0.1');

  socket.on('error', () => undefined);
  socket.write('GET /api/restaurants HTTP/1.1\r\nHost: x\r\n\r\n');
  socket.once('data', () => socket.pause());
  return socket;
}

interface Connection {
  readonly remote: string;
  /** Neither side has closed it yet. */
  readonly open: boolean;
  /** Bytes that were sent and have not been taken. */
  readonly unread: number;
}

/** The connections to a port, as the system knows them. */
function connectionsTo(port: number): Connection[] {
  const own = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(own) && state !== '0A')
    .map(([, , remote = '', state, queues = '']) => ({
      remote,
      open: state === '01',
      unread: parseInt(queues.split(':')[0] ?? '0', 16),
    }));
}

/** How many readers were cut, and how long the most patient wait was from the last byte to that, in milliseconds. */
async function measureCut(port: number): Promise<{ cut: number; cutMs: number }> {
  const began = performance.now();
  const known = new Map<string, { unread: number; moved: number; cutMs: number | undefined }>();
  while (performance.now() < began + FAULT_MS) {
    await pause(250);
    const now = performance.now();
    for (const { remote, open, unread } of connectionsTo(port)) {
      const reader = known.get(remote) ?? { unread: 0, moved: now, cutMs: undefined };
      known.set(remote, reader);
      if (open && unread > reader.unread) [reader.unread, reader.moved] = [unread, now];
      else if (!open && unread > 0) reader.cutMs ??= Math.round(now - reader.moved);
    }
  }
  const waits = [...known.values()].flatMap(({ cutMs }) => cutMs ?? []);
  return { cut: waits.length, cutMs: Math.max(0, ...waits) };
}

await report(14, 'stalled readers', async (t) => {
  const DATA_DIR = temporaryFolder(t);
  const storage = openStorage(DATA_DIR);
  await generateCatalogue(storage, RESTAURANTS, 0);
  storage.close();
  const { url, process: server } = await startServerProcess(t, { DATA_DIR });
  const port = Number(new URL(url).port);
  const agent = new Agent({ keepAlive: true });
  const headers = { 'Content-Type': 'application/json' };
  const wal = { largest: 0 };
  let written = 0;
  const write = async (forMs: number): Promise<number[]> => {
    const times: number[] = [];
    const end = performance.now() + forMs;
    const writer = async (): Promise<void> => {
      while (performance.now() < end) {
        const body = JSON.stringify({ name: `New ${(written += 1)}` });
        const { status, ms } = await ask(port, '/api/restaurants', { method: 'POST', headers, body, agent });
        if (status !== 201) throw new Error(`a write was answered ${status}`);
        times.push(ms);
        wal.largest = Math.max(wal.largest, statSync(join(DATA_DIR, 'catalogue.db-wal')).size);
        await pause(Math.max(0, (WRITERS / WRITES_PER_SECOND) * 1_000 - ms));
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, writer));
    return times;
  };

  const quiet = await write(QUIET_MS);
  const before = memoryOf(server.pid, 'peak');
  const readers = Array.from({ length: READERS }, () => stall(port));
  const openAt = async (ms: number): Promise<string> => {
    await pause(ms);
    return (await ask(port, '/api/health', { agent })).status === 200 ? 'served' : 'not served';
  };
  const [stalled, health, { cut, cutMs }] = await Promise.all([
    write(FAULT_MS),
    openAt(FAULT_MS / 2),
    measureCut(port),
  ]);
  const peakMb = memoryOf(server.pid, 'peak') - before;
  for (const reader of readers) reader.destroy();
  agent.destroy();
  const [quietMs, stalledMs] = [percentile(quiet, 0.99), percentile(stalled, 0.99)];
  const walMb = Math.round(wal.largest / 1024 / 1024);
  return {
    figures: {
      readers: READERS,
      cut,
      cutMs,
      health,
      walMb,
      moreMb: peakMb,
      writesPerSecond: {
        quiet: hundredths((quiet.length / QUIET_MS) * 1_000),
        stalled: hundredths((stalled.length / FAULT_MS) * 1_000),
      },
      writeMs: { quiet: quietMs, stalled: stalledMs },
    },
    bounds: {
      cut: cut === READERS && cutMs <= 35_000,
      wal: walMb <= 64,
      memory: peakMb <= 50,
      writes: stalledMs <= Math.max(2 * quietMs, 20),
    },
  };
});
