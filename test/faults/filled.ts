import { setTimeout as pause } from 'node:timers/promises';
import { startServerProcess } from '../support/cli.ts';
import { createClient } from '../support/client.ts';
import { PAGE_BYTES, SIZES, SLICE_BYTES, fill } from '../support/filled.ts';
import { temporaryFolder } from '../support/service.ts';
import { hundredths, report } from './support.ts';

// A catalogue in which each kind of row is as long as it may be, and is there as often. One line a route that reads: the
// longest piece that is handed to a connection, and the longest hold of the event loop, next to a control without the route.
// ONLY is a part of the name of what to try, SCALE how much of the limits is filled in.

const SCALE = Number(process.env['SCALE'] ?? 1);
const ONLY = process.env['ONLY'] ?? '';
const ATTEMPTS = 3;
// Asked for at once, as a burst allows.
const TOGETHER = Number(process.env['TOGETHER'] ?? 1);
const MOST_MS = 25;

// Prints both figures since the last time on each SIGUSR2.
const WATCH = [
  `import { monitorEventLoopDelay } from 'node:perf_hooks';`,
  `import { ServerResponse } from 'node:http';`,
  'const delays = monitorEventLoopDelay({ resolution: 1 });',
  'delays.enable();',
  'let longest = 0;',
  `for (const name of ['write', 'end']) {`,
  '  const original = ServerResponse.prototype[name];',
  '  ServerResponse.prototype[name] = function (...values) {',
  `    if (typeof values[0] === 'string' || Buffer.isBuffer(values[0])) longest = Math.max(longest, Buffer.byteLength(values[0]));`,
  '    return original.apply(this, values);',
  '  };',
  '}',
  `process.on('SIGUSR2', () => { process.stderr.write('watched ' + delays.max / 1e6 + ' ' + longest + '\\n'); delays.reset(); longest = 0; });`,
].join(' ');

await report(47, 'filled', async (t) => {
  const folder = temporaryFolder(t);
  const { url, process: server } = await startServerProcess(t, {
    ...{ DATA_DIR: folder, RATE_LIMIT_PER_MINUTE: '0', FILES_RATE_LIMIT_PER_MINUTE: '0' },
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(WATCH)}`,
  });
  const scaled = (count: number): number => Math.ceil(count * SCALE);
  await fill(
    { api: createClient(url), folder },
    {
      ...{
        restaurants: scaled(1_000),
        suggestions: scaled(300),
        ratings: scaled(2_000),
        visits: scaled(1_000),
      },
      ...{ lookups: scaled(5_000), lists: 200, others: scaled(1_000) },
    },
  );
  const watched = (): Promise<{ ms: number; bytes: number }> =>
    new Promise((resolve) => {
      server.stderr.once('data', (chunk: Buffer) => {
        const [, ms, bytes] = /watched ([\d.]+) (\d+)/.exec(chunk.toString()) ?? [];
        resolve({ ms: hundredths(Number(ms)), bytes: Number(bytes) });
      });
      server.kill('SIGUSR2');
    });
  const ask = async (path: string): Promise<number> => {
    const answer = await fetch(`${url}/api${path}`, { headers: { 'Accept-Encoding': 'identity' } });
    let bytes = 0;
    for await (const chunk of answer.body ?? []) if (chunk instanceof Uint8Array) bytes += chunk.length;
    return answer.status === 200 ? bytes : -answer.status;
  };
  const bounds: Record<string, boolean> = {};
  for (const [operation, { ask: path, bound, rowKb }] of Object.entries(SIZES)) {
    if (path === undefined || !operation.includes(ONLY)) continue;
    for (let attempt = 0; attempt < ATTEMPTS && bounds[operation] !== true; attempt += 1) {
      await watched();
      await pause(300);
      const control = await watched();
      // The first delay behind a reset is not measured.
      await pause(20);
      const answered = await Promise.all(Array.from({ length: TOGETHER }, () => ask(path)));
      await pause(20);
      const { ms, bytes } = await watched();
      const [total = 0] = answered;
      console.log(
        JSON.stringify({
          operation,
          attempt,
          bound,
          total,
          longestWrite: bytes,
          holdMs: ms,
          controlMs: control.ms,
        }),
      );
      const isBounded = bound !== 'page' || total < PAGE_BYTES + rowKb * 1024 + 1_000;
      bounds[operation] = total > 0 && isBounded && bytes <= SLICE_BYTES && ms <= MOST_MS + control.ms;
    }
  }
  return { figures: { scale: SCALE, together: TOGETHER }, bounds };
});
