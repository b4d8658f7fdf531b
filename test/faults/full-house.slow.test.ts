import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { Route } from '../../src/http/router.ts';
import { databasePath } from '../../src/storage/database.ts';
import { startServerProcess } from '../support/cli.ts';
import { type Client, bodyOf, createClient, field, idOf } from '../support/client.ts';
import { SIZES, fill } from '../support/filled.ts';
import { filePart } from '../support/imports.ts';
import { inDays } from '../support/outings.ts';
import { FORM_TYPE, form } from '../support/photos.ts';
import { openFrom } from '../support/raw.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import { type Asked, ask, memoryOf } from './support.ts';

// Every route of a service that is filled to its limits is asked by thirty connections, of which a third reads nothing. A
// piece is the processor time of the server's main thread between two turns of its event loop: however busy the machine is,
// others wait at least that long.

const MOST_MS = 50;
const MOST_MB = 100;
// Garbage is collected when it happens, and the clock of a thread ticks.
const MARGIN = 3;
const CONNECTIONS = 30;
// Characters of a name: its body is just within the limit.
const LARGE = 10 * 1024 * 1024 - 100;
const READ_MS = 2_000;
const SETTLE_MS = 300;
const BACKGROUND_MS = 2_000;
const PLACES = 6_000;
const ALIKE = 1_500;
const FIRST = 10_000;
const SCALE = {
  restaurants: 25,
  suggestions: 100,
  ratings: 1_500,
  visits: 300,
  lookups: 1_000,
  lists: 70,
  others: 1_000,
};
const MOMENT = '2026-01-01T00:00:00.000Z';
const JSON_TYPE = { 'Content-Type': 'application/json' };

// Collects garbage and prints the longest piece since the last time, on each SIGUSR2.
const WATCH_PIECES = `
  import { openSync, readSync } from 'node:fs';
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const clock = openSync('/proc/self/schedstat');
  const bytes = Buffer.alloc(64);
  const now = () => Number(bytes.toString('latin1', 0, readSync(clock, bytes, 0, 64, 0)).split(' ')[0]) / 1e6;
  let [before, longest] = [now(), 0];
  const look = () => {
    const at = now();
    longest = Math.max(longest, at - before);
    before = at;
    setTimeout(look, 1).unref();
  };
  setTimeout(look, 1).unref();
  process.on('SIGUSR2', () => {
    const piece = longest;
    collect();
    [before, longest] = [now(), 0];
    process.stderr.write('piece ' + piece + '\\n');
  });`;

/** Rows that would take too long to send. All belong to the user of mode none. */
function addRows(folder: string, list: number): void {
  const database = new Database(databasePath(folder));
  const run = (count: number, sql: string): void => {
    const numbers = 'WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ? - 1)';
    database.prepare(sql.replace('{n}', numbers)).run(count);
  };
  database.transaction(() => {
    run(
      PLACES,
      `INSERT INTO restaurants (id, name, address, status, category_id, latitude, longitude, identity_key, search_name,
         search_text, created_at, updated_at)
       {n} SELECT ${FIRST} + i, iif(i < ${ALIKE}, 'Same Name', 'Place ' || i),
         'Rue ' || (i * 7919 % 97) || ' Lane ' || (i * 31 % 89), 'active', 1, 45 + i / 1e7, 9, 'key' || i,
         iif(i < ${ALIKE}, 'same name', 'place ' || i), 'rue ' || (i * 7919 % 97) || ' lane ' || (i * 31 % 89),
         '${MOMENT}', '${MOMENT}' FROM n`,
    );
    database.prepare('UPDATE id_sequence SET last_id = ?').run(FIRST + PLACES);
    run(
      4_900,
      `INSERT INTO list_items (list_id, restaurant_id, rank, note, created_at)
       {n} SELECT ${list}, ${FIRST} + i, ${FIRST} + i, replace(hex(zeroblob(500)), '0', '🍝'), '${MOMENT}' FROM n`,
    );
    run(
      20_000,
      `INSERT INTO visits (restaurant_id, visited_on, note, created_at, updated_at)
       {n} SELECT ${FIRST} + i % 5000, '2026-01-01', 'Short', '${MOMENT}', '${MOMENT}' FROM n`,
    );
    run(
      10_000,
      `INSERT OR IGNORE INTO dismissed_pairs (a, b)
       {n} SELECT ${FIRST} + i % 100, ${FIRST} + 200 + i / 100 FROM n`,
    );
  })();
  database.close();
}

/** Links, feeds and outings as they are made by HTTP; the paths that they are read by. */
async function addSecrets(api: Client, list: number): Promise<Record<string, string>> {
  const paths: Record<string, string> = { listItems: `/api/lists/${list}/items` };
  for (let number = 0; number < 20; number += 1) {
    const link = bodyOf(await api.post(`/lists/${list}/links`, { access: 'read' }));
    const feed = bodyOf(await api.post('/feeds', { kind: number === 0 ? 'visits' : 'outings' }));
    if (number > 0) continue;
    paths['getShared'] = `/api/shared/${String(field(link, 'url')).split('/').at(-1) ?? ''}`;
    paths['getFeed'] = new URL(String(field(feed, 'url')), 'http://x').pathname;
  }
  const at = `${inDays(2).slice(0, 10)}T12:00:00Z`;
  for (let number = 0; number < 50; number += 1)
    await api.post('/outings', { at, title: `Outing ${number}`, options: [1, 2, 3, 4, 5] });
  return paths;
}

/** What costs most of the routes that write, each once, in this order. */
function writes(list: number): readonly (readonly [operation: string, path: string, asked: Asked])[] {
  const sent = (method: string, body: object): Asked => ({
    method,
    headers: JSON_TYPE,
    body: JSON.stringify(body),
  });
  const gone: Asked = { method: 'DELETE' };
  const undone: readonly (readonly [string, string, Asked])[] = [
    ['revertChange', '/api/changes/DELETION/revert', sent('POST', {})],
    ['purgeChange', '/api/changes/DELETION/purge', sent('POST', {})],
  ];
  const deletions = [
    ['deleteRestaurant', '/api/restaurants/2', gone],
    ['deleteList', `/api/lists/${list}`, gone],
  ] as const;
  const rows = Array.from({ length: 2_000 }, (_, row) => `Imported ${row},Long Lane ${row}`).join('\n');
  return [
    ['putItem', `/api/lists/${list}/items/${FIRST + 4_899}`, sent('PUT', { position: 1 })],
    ['putItem', `/api/lists/${list}/items/${FIRST + 7}`, sent('PUT', { position: 2 })],
    ['updateCategory', '/api/categories/1', sent('PUT', { name: 'Renamed' })],
    ['mergeRestaurants', '/api/restaurants/2/merge', sent('POST', { from: [1] })],
    ...deletions.flatMap((deletion) => undone.flatMap((undo) => [deletion, undo])),
    ['deleteCategory', '/api/categories/1', gone],
    [
      'importFile',
      '/api/imports',
      {
        method: 'POST',
        headers: { 'Content-Type': FORM_TYPE },
        body: form(filePart(`name,address\n${rows}`)),
      },
    ],
  ];
}

/** Asks by all connections at once, several times in one write, and reads what two thirds of them get, for a while. */
async function crowd(port: number, requests: string, connections: number): Promise<void> {
  const sockets: Socket[] = [];
  const answered: Promise<unknown>[] = [];
  for (let number = 0; number < connections; number += 1) {
    const socket = await openFrom(`127.0.0.${2 + (number % 6)}`, port);
    sockets.push(socket);
    if (number % 3 === 0) socket.pause();
    else {
      socket.resume();
      answered.push(new Promise((resolve) => socket.on('close', resolve)));
    }
  }
  for (const socket of sockets) socket.write(requests);
  await Promise.race([Promise.all(answered), pause(READ_MS)]);
  for (const socket of sockets) socket.destroy();
}

const pathOf = ({ pattern }: Route): string => pattern.replace(/[:*]\w+/g, '1');

describe('a service that is filled to its limits', () => {
  test('does no piece of work longer than 50 ms of its processor, and takes little memory, whatever is asked', async (t) => {
    const { routes, stop } = await startService(t);
    await stop();
    const settings = { DATA_DIR: temporaryFolder(t), RATE_LIMIT_PER_MINUTE: '0' };
    const filling = await startServerProcess(t, settings);
    // Without a look at each answer.
    const api = createClient(filling.url);
    const list = idOf(await api.get('/lists/want')) + 2;
    await fill({ api, folder: settings.DATA_DIR }, SCALE);
    const secrets = await addSecrets(api, list);
    filling.process.kill('SIGTERM');
    await filling.ended;
    addRows(settings.DATA_DIR, list);
    const server = await startServerProcess(t, {
      ...settings,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(WATCH_PIECES)}`,
    });
    const port = Number(new URL(server.url).port);
    const longestPiece = (): Promise<number> =>
      new Promise((resolve, reject) => {
        void server.ended.then(() => {
          reject(new Error('the server has ended'));
        });
        server.process.stderr.once('data', (chunk: Buffer) => {
          resolve(Math.round(Number(/piece ([\d.]+)/.exec(chunk.toString())?.[1] ?? 0)));
        });
        server.process.kill('SIGUSR2');
      });
    const tooMuch: string[] = [];
    const measure = async (operation: string, work: () => Promise<unknown>): Promise<void> => {
      await longestPiece();
      const memory = (): number => memoryOf(server.process.pid);
      const rest = memory();
      let most = rest;
      const sampling = setInterval(() => (most = Math.max(most, memory())), 50).unref();
      await work();
      // What it leaves behind is its own, too.
      let piece = 0;
      for (let last = Infinity; last > MOST_MS / 2; piece = Math.max(piece, last)) {
        await pause(SETTLE_MS);
        last = await longestPiece();
      }
      clearInterval(sampling);
      const grew = most - rest;
      const found = `${operation}: ${piece} ms, ${grew} MB`;
      if (piece > MOST_MS || grew > MOST_MB) console.log(found);
      if (piece > MARGIN * MOST_MS || grew > MARGIN * MOST_MB) tooMuch.push(found);
    };
    const crowdOf = (route: Route): Promise<void> => {
      const { method, operationId } = route;
      const asked = SIZES[operationId]?.ask;
      const path = secrets[operationId] ?? (asked === undefined ? pathOf(route) : `/api${asked}`);
      const isRead = method === 'GET';
      const body = isRead ? '' : 'Content-Type: application/json\r\nContent-Length: 2\r\n';
      const request = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${body}\r\n${isRead ? '' : '{}'}`;
      const last = request.replace('\r\n', '\r\nConnection: close\r\n');
      return measure(operationId, () => crowd(port, request + request + last, isRead ? CONNECTIONS : 3));
    };
    // The index is loaded, and the code is compiled.
    for (const path of ['/restaurants/paginated?q=same', '/changes', '/duplicates', '/search?q=same'])
      await server.api.get(path);
    const large = JSON.stringify({ name: 'x'.repeat(LARGE) });
    for (const path of ['/api/restaurants', '/api/nowhere']) {
      const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
      const request = `${head}Content-Length: ${large.length}\r\n\r\n${large}`;
      await measure(`large bodies for ${path}`, () => crowd(port, request, CONNECTIONS));
    }
    const isDeletion = ({ method }: Route): boolean => method === 'DELETE';
    for (const route of routes) if (!isDeletion(route)) await crowdOf(route);
    for (const [operation, path, asked] of writes(list)) {
      const newest = await ask(port, '/api/changes?action=delete&order=newest&limit=1');
      const deletion = /"id":(\d+)/.exec(newest.body)?.[1] ?? '';
      await measure(operation, async () => {
        const { status, body } = await ask(port, path.replace('DELETION', deletion), asked);
        assert.ok(status < 300, `${operation}: ${status} ${body.slice(0, 200)}`);
        // The rest goes on in the background.
        await pause(BACKGROUND_MS);
      });
    }
    for (const route of routes) if (isDeletion(route)) await crowdOf(route);
    assert.deepEqual(tooMuch, []);
  });
});
