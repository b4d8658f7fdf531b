import { createHash, randomBytes } from 'node:crypto';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { setTimeout as pause } from 'node:timers/promises';
import type { Cleanup } from '../support/cleanup.ts';
import { JSON_TYPE, type Target, startTarget } from './stall-target.ts';
import { LOCAL } from '../support/people.ts';
import { startProbe } from './probe.ts';
import { type Noticed, ask, percentile, report } from './support.ts';

// As many streams as the service allows, of 63 addresses and 126 users, each of which has to be told of every small write.
// Prints what a small write takes with and without them, and what others notice of a restaurant that is deleted and
// restored with a hundred long ratings, of which each user sees other words. Run on its own, since accounts need another
// service than the rest.

const STREAMS = 500;
const OF_ADDRESS = 8;
const OF_USER = 4;
const WRITES = 300;
const RESTORED = 7;
const RATINGS = 100;
const AWAIT_STREAMS_MS = 3_000;
const MOST_MS = 100;

/** Users with an API token each, stored past the service, which would take minutes to hash their passwords. */
function addUsers(folder: string, count: number): readonly string[] {
  const database = new Database(join(folder, 'catalogue.db'));
  const now = new Date().toISOString();
  const user = database.prepare(
    `INSERT INTO users (email, email_key, username, username_key, username_skeleton, provider, created_at, updated_at)
     VALUES (:name || '@example.com', :name || '@example.com', :name, :name, :name, 'local', :now, :now)`,
  );
  const token = database.prepare(
    'INSERT INTO api_tokens (user_id, name, token_hash, created_at) VALUES (?, ?, ?, ?)',
  );
  const tokens = Array.from({ length: count }, () => `rct_${randomBytes(32).toString('base64url')}`);
  database.transaction(() => {
    for (const [index, secret] of tokens.entries()) {
      const { lastInsertRowid } = user.run({
        name: `follower${index}-${randomBytes(3).toString('hex')}`,
        now,
      });
      token.run(lastInsertRowid, 'stream', createHash('sha256').update(secret).digest(), now);
    }
  })();
  database.close();
  return tokens;
}

/** Opens a stream from an address of its own and reads it; resolves to its status. */
function openStream(port: number, index: number, token: string, open: ClientRequest[]): Promise<number> {
  return new Promise((resolve) => {
    const localAddress = `127.1.0.${1 + Math.floor(index / OF_ADDRESS)}`;
    const headers = { Authorization: `Bearer ${token}` };
    const asking = request({
      host: '127.0.0.1',
      port,
      path: '/api/changes/stream',
      localAddress,
      headers,
      agent: false,
    });
    asking.on('error', () => {
      resolve(0);
    });
    asking.on('response', (answer) => {
      answer.on('error', () => undefined).resume();
      resolve(answer.statusCode ?? 0);
    });
    asking.end();
    open.push(asking);
  });
}

/** Opens all of them. */
async function openStreams({ port, folder }: Target, open: ClientRequest[]): Promise<Record<string, number>> {
  const tokens = addUsers(folder, Math.ceil(STREAMS / OF_USER) + 1);
  const statuses: Record<string, number> = {};
  for (let index = 0; index < STREAMS; index += 1) {
    // Neighbours have the same address, and users several addresses.
    const status = await openStream(port, index, tokens[index % tokens.length] ?? '', open);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return statuses;
}

/** Ratings as long as they may be, all of the first user. */
function addRatings(folder: string): void {
  const database = new Database(join(folder, 'catalogue.db'), { timeout: 10_000 });
  database
    .prepare(
      `INSERT INTO ratings (
         restaurant_id, food_rating, service_rating, ambiance_rating, comment, created_at, updated_at, user_id
       )
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       SELECT ?, 5, 4, 3, ?, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z',
         (SELECT min(id) FROM users) FROM n`,
    )
    .run(RATINGS, RESTORED, '🍜'.repeat(5_000));
  database.close();
}

/** What another client notices while the restaurant is deleted and restored, and for some seconds behind each. */
async function restore(t: Cleanup, { port }: Target, token: string): Promise<Noticed> {
  const stop = await startProbe(t, port, '/health');
  const headers = { ...JSON_TYPE, Authorization: `Bearer ${token}` };
  const changes = '/api/changes?kind=restaurant&action=delete&order=newest&limit=1';
  await ask(port, `/api/restaurants/${RESTORED}`, { method: 'DELETE', headers });
  await pause(AWAIT_STREAMS_MS);
  const id = /"id":(\d+)/.exec((await ask(port, changes, { headers })).body)?.[1] ?? '';
  const { status } = await ask(port, `/api/changes/${id}/revert`, { method: 'POST', headers, body: '{}' });
  if (status !== 200) throw new Error(`a revert was answered ${status}`);
  await pause(AWAIT_STREAMS_MS);
  return stop();
}

/** What a small write takes, one after the other. */
async function timeWrites({ port }: Target, token: string, prefix: string): Promise<Record<string, number>> {
  const times: number[] = [];
  const started = performance.now();
  for (let index = 0; index < WRITES; index += 1) {
    const body = JSON.stringify({ name: `${prefix} ${index}` });
    const headers = { ...JSON_TYPE, Authorization: `Bearer ${token}` };
    const { status, ms } = await ask(port, '/api/restaurants', { method: 'POST', headers, body });
    if (status !== 201) throw new Error(`a write was answered ${status}`);
    times.push(ms);
  }
  const mean = (performance.now() - started) / WRITES;
  return { mean: Math.round(mean * 100) / 100, p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
}

await report(44, 'streams', async (t: Cleanup) => {
  const target = await startTarget(t, {
    ...LOCAL,
    RATE_LIMIT_PER_MINUTE: '0',
    FILES_RATE_LIMIT_PER_MINUTE: '0',
  });
  const [token = ''] = addUsers(target.folder, 1);
  addRatings(target.folder);
  const without = await timeWrites(target, token, 'Without');
  const restoredWithout = await restore(t, target, token);
  const open: ClientRequest[] = [];
  const statuses = await openStreams(target, open);
  await target.loopDelay();
  const withStreams = await timeWrites(target, token, 'With');
  const loopMs = await target.loopDelay();
  const restored = await restore(t, target, token);
  for (const asking of open) asking.destroy();
  const figures = { statuses, without, with: withStreams, loopMs, restoredWithout, restored };
  return {
    figures,
    bounds: {
      open: statuses['200'] === STREAMS,
      quick: (withStreams['p99'] ?? NaN) <= (without['p99'] ?? NaN) + MOST_MS,
      restored: restored.p99 <= restoredWithout.p99 + MOST_MS,
    },
  };
});
