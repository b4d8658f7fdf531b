import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'node:http';
import { startServerProcess } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';
import { startProbe } from './probe.ts';
import { ask, memoryOf, report, yieldToOthers } from './support.ts';

// A thousand bodies of 10 MB that are cheap to send and dear to parse, and what others notice of them.

const BOMBS = Number(process.env['BOMBS'] ?? 1_000);
const AT_ONCE = 4;
const SIZE = 10 * 1024 * 1024;
const PATH = '/api/categories';
const HEADERS = { 'Content-Type': 'application/json' };

const filled = (start: string, unit: string, end: string): Buffer => {
  const free = Math.floor((SIZE - start.length - end.length) / unit.length);
  return Buffer.from(start + unit.repeat(free) + end);
};
const numbered = (one: (index: number) => string): Buffer => {
  const pieces: string[] = [];
  for (let size = 0, index = 0; size < SIZE - 100; index += 1) {
    const piece = one(index);
    pieces.push(piece);
    size += piece.length + 1;
  }
  return Buffer.from(`{${pieces.join(',')}}`);
};

const KINDS: readonly (readonly [string, Buffer])[] = [
  ['nested', filled('{"name":', '[', '')],
  ['nested objects', filled('', '{"a":', '')],
  ['flat', filled('{"name":[', '1,', '1]}')],
  ['keys', numbered((index) => `"k${index}":1`)],
  ['the same key', filled('{', '"a":1,', '"a":1}')],
  ['keys that collide', numbered((index) => `"${index * 65_536}":1`)],
  ['a number', filled('{"name":', '9', '}')],
  ['a number with a power', filled('{"name":1e', '9', '}')],
  ['numbers of 900 digits', filled('{"name":[', `${'9'.repeat(900)},`, '1]}')],
  ['one string', filled('{"name":"', 'a', '"}')],
  ['a string of escapes', filled('{"name":"', '\\u0041', '"}')],
  ['a string of backslashes', filled('{"name":"', '\\\\', '"}')],
  ['a string without an end', filled('{"name":"', 'a', '')],
  ['blanks', filled('{', ' ', '}')],
  ['a string of tags', filled('{"name":"', '<a ', '"}')],
];

/** Sends a body byte by byte, each in a chunk of its own, for as long as it may take. */
function drip(port: number, bytes: Buffer): Promise<number> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, path: PATH, method: 'POST', headers: HEADERS };
    const outgoing = request(options, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    outgoing.on('error', () => {
      resolve(0);
    });
    for (let index = 0; index < bytes.length; index += 1) outgoing.write(bytes.subarray(index, index + 1));
    outgoing.end();
  });
}

await report(15, 'JSON bombs', async (t) => {
  const { url, process: server } = await startServerProcess(t, { DATA_DIR: temporaryFolder(t) });
  const port = Number(new URL(url).port);
  const baseline = await startProbe(t, port, '/api/health');
  await pause(5_000);
  const quiet = await baseline();
  const before = memoryOf(server.pid);
  const statuses = new Map<string, number>();
  const stop = await startProbe(t, port, '/api/health');
  yieldToOthers();
  let sent = 0;
  const bomber = async (): Promise<void> => {
    while ((sent += 1) <= BOMBS) {
      const [kind, body] = KINDS[sent % KINDS.length] ?? ['', Buffer.alloc(0)];
      const { status } = await ask(port, PATH, { method: 'POST', headers: HEADERS, body });
      const key = status === 400 || status === 413 ? String(status) : `${status} for ${kind}`;
      statuses.set(key, (statuses.get(key) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, bomber));
  const dripped = await drip(port, Buffer.from(`{"name":[${'1,'.repeat(50_000)}1]}`));
  const honest = await stop();
  await pause(5_000);
  const moreMb = memoryOf(server.pid) - before;
  return {
    figures: { bombs: BOMBS, statuses: Object.fromEntries(statuses), dripped, quiet, honest, moreMb },
    bounds: {
      refused: [...statuses.keys()].every((key) => key === '400' || key === '413'),
      dripped: dripped === 400,
      stall: honest.p99 <= Math.max(50, 2 * quiet.p99),
      served: honest.served === honest.asked,
      memory: moreMb <= 64,
    },
  };
});
