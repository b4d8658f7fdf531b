import { type Socket, connect } from 'node:net';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { openStorage } from '../../src/storage/storage.ts';
import { generateCatalogue } from '../bench/generate.ts';
import { startServerProcess } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';
import { ask, memoryOf, percentile, report } from './support.ts';

// Two hundred clients ask for the whole list of 100,000 restaurants and stop reading, while others write (row 14).

const RESTAURANTS = Number(process.env['RESTAURANTS'] ?? 100_000);
const READERS = 200;
const WRITERS = 8;
const WRITES_PER_SECOND = 500;
const QUIET_MS = 10_000;
const FAULT_MS = 60_000;

function stall(port: number): Socket {
  const socket = connect(port, '127.0.0.1');

  socket.on('error', () => undefined);
  socket.write('GET /api/restaurants HTTP/1.1\r\nHost: x\r\n\r\n');
  socket.once('data', () => socket.pause());
  // What the service has sent must be read before the end of the connection is seen.
  setTimeout(() => socket.resume(), FAULT_MS);
  return socket;
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
  const before = memoryOf(server.pid);
  const readers = Array.from({ length: READERS }, () => stall(port));
  const openAt = async (ms: number): Promise<string> => {
    await pause(ms);
    return (await ask(port, '/api/health', { agent })).status === 200 ? 'served' : 'not served';
  };
  const [stalled, health] = await Promise.all([write(FAULT_MS), openAt(FAULT_MS / 2)]);
  const peakMb = memoryOf(server.pid, 'peak') - before;
  await pause(3_000);
  const closed = readers.filter(({ destroyed }) => destroyed).length;
  agent.destroy();
  const [quietMs, stalledMs] = [percentile(quiet, 0.99), percentile(stalled, 0.99)];
  const walMb = Math.round(wal.largest / 1024 / 1024);
  return {
    figures: {
      readers: READERS,
      closed,
      health,
      walMb,
      moreMb: peakMb,
      writesPerSecond: {
        quiet: (quiet.length / QUIET_MS) * 1_000,
        stalled: (stalled.length / FAULT_MS) * 1_000,
      },
      writeMs: { quiet: quietMs, stalled: stalledMs },
    },
    bounds: {
      closed: closed === READERS,
      wal: walMb <= 64,
      memory: peakMb <= 50,
      writes: stalledMs <= Math.max(2 * quietMs, 20),
    },
  };
});
