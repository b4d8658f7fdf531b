import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { databasePath } from '../../src/storage/database.ts';
import { openForReading } from '../../src/storage/reading.ts';
import { startPrimary, startReplica } from '../support/replicas.ts';
import { until } from '../support/until.ts';

// Writes so many restaurants a second to a primary and measures how long after each answer the change is in the database
// of its replica. Prints one line of JSON.

const CLIENTS = 16;

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '30' }, rate: { type: 'string', default: '200' } },
});
const [seconds, rate] = [Number(values.seconds), Number(values.rate)];
const undo: (() => unknown)[] = [];
const cleanup = { after: (work: () => unknown) => void undo.unshift(work) };

const primary = await startPrimary(cleanup);
const replica = await startReplica(cleanup, primary.url);
const connection = openForReading(databasePath(replica.folder));
const newest = connection.prepare<[], number | null>('SELECT max(id) FROM changes').pluck();

const answered = new Map<number, number>();
const lags: number[] = [];
let seen = 0;
const looking = setInterval(() => {
  const now = performance.now();
  const last = newest.get() ?? 0;
  for (; seen < last; seen += 1) {
    const at = answered.get(seen + 1);
    // It may be there before its client has read the answer.
    lags.push(at === undefined ? 0 : now - at);
  }
}, 2);

const started = performance.now();
const total = seconds * rate;
let begun = 0;

/** One of the clients: each write has its moment, and the next client that is free makes it. */
async function writeOn(): Promise<void> {
  for (let number = begun++; number < total; number = begun++) {
    await pause(Math.max(0, started + (number * 1000) / rate - performance.now()));
    const { status, headers } = await primary.api.post('/restaurants', { name: `Chez ${number}` });
    if (status !== 201) throw new Error(`a write was answered ${status}`);
    answered.set(Number(headers.get('change')), performance.now());
  }
}

await Promise.all(Array.from({ length: CLIENTS }, writeOn));
const took = (performance.now() - started) / 1000;
await until(() => seen === total);
clearInterval(looking);
connection.close();
lags.sort((left, right) => left - right);
const at = (share: number): number => Math.round(lags[Math.floor(share * (lags.length - 1))] ?? NaN);
const lagMs = { p50: at(0.5), p99: at(0.99), worst: at(1) };
process.stdout.write(`${JSON.stringify({ writes: total, perSecond: Math.round(total / took), lagMs })}\n`);
for (const work of undo) await work();
