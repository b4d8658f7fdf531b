import assert from 'node:assert/strict';
import { readFileSync, statfsSync, unlinkSync, writeFileSync, writeSync, openSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { atEnd } from '../support/cleanup.ts';
import { startCommand, startServerProcess } from '../support/cli.ts';
import { type Answer, type Client, createClient, field, textOf } from '../support/client.ts';
import { importText, linesOf } from '../support/imports.ts';
import { phonePhoto } from '../support/image-metadata.ts';
import { LOCAL, readStored } from '../support/people.ts';
import { form, photoPart, sendForm, storedFiles } from '../support/photos.ts';
import { until } from '../support/until.ts';
import { requireConformance } from '../support/watch.ts';
import { mountMemory, whyNoMount } from '../support/small-disk.ts';
import { faultsOfDatabase } from './sound.ts';

const skip = whyNoMount() ?? false;

/** Fills a file system to its last byte, but for what is to stay free. Gives what empties it again. */
function fill(folder: string, leave = 0): () => void {
  const path = join(folder, 'filler');
  const file = openSync(path, 'w');
  const { bavail, bsize } = statfsSync(folder);
  const block = Buffer.alloc(4096);
  try {
    for (let left = bavail * bsize - leave; left > 0 || leave === 0; left -= block.length)
      writeSync(file, block);
  } catch (error) {
    assert.equal(field(error, 'code'), 'ENOSPC');
  }
  closeSync(file);
  return () => {
    unlinkSync(path);
  };
}

const usedBytes = (folder: string): number => {
  const { blocks, bfree, bsize } = statfsSync(folder);
  return (blocks - bfree) * bsize;
};

const SCORES = { food_rating: 1, service_rating: 1, ambiance_rating: 1 };
const FULL: readonly [number, unknown] = [507, { error: 'Storage is full' }];
const brief = ({ status, body }: Answer): [number, unknown] => [status, body];
const NAMES_BATCH = /^Storage is full; the first ([\d,]+) rows were imported as batch 1$/;
const photo = form(photoPart(phonePhoto(200_000, 6)));

interface Full {
  readonly api: Client;
  readonly folder: string;
  readonly refreshToken: string;
  readonly password: string;
  readonly pid: number | undefined;
  readonly free: () => void;
}

/** A service on a full disk of 8 MB, with one of each thing in it, and a user who is signed in. */
async function startOnFullDisk(t: TestContext, leave = 0): Promise<Full> {
  const disk = mountMemory(t, '8m');
  const folder = join(disk, 'data');
  const server = await startServerProcess(t, { ...LOCAL, DATA_DIR: folder });
  const password = 'alice and a long password';
  const person = { email: 'alice@example.com', username: 'alice', password };
  const tokens = (await server.api.post('/auth/register', person)).body;
  const own = { Authorization: `Bearer ${textOf(tokens, 'access_token')}` };
  const api = createClient(server.url, own, requireConformance);
  await api.post('/restaurants', { name: 'Chez Nous', category_id: 1 });
  await api.post('/ratings', { restaurant_id: 1, ...SCORES });
  await api.post('/suggestions', { name: 'Le Petit Coin' });
  await api.post('/auth/tokens', { name: 'script' });
  assert.equal((await sendForm(api, form(photoPart()))).status, 201);
  const known = { refreshToken: textOf(tokens, 'refresh_token'), password, pid: server.process.pid };
  return { api, folder, ...known, free: fill(disk, leave) };
}

describe('a service whose disk is full', { skip }, () => {
  test('answers every write with 507, and stores nothing of it', async (t) => {
    const { api, folder, refreshToken, password } = await startOnFullDisk(t);
    const writes: Readonly<Record<string, () => Promise<Answer>>> = {
      'a restaurant': () => api.post('/restaurants', { name: 'New' }),
      'its change': () => api.put('/restaurants/1', { name: 'Changed', description: 'x'.repeat(5_000) }),
      'its end': () => api.delete('/restaurants/1'),
      'a rating': () => api.post('/ratings', { restaurant_id: 1, ...SCORES }),
      'the end of a rating': () => api.delete('/ratings/1'),
      'a category': () => api.post('/categories', { name: 'New' }),
      'its other name': () => api.put('/categories/1', { name: 'Changed' }),
      'the end of a category': () => api.delete('/categories/1'),
      'a food type': () => api.post('/food-types', { name: 'New' }),
      'a suggestion': () => api.post('/suggestions', { name: 'New' }),
      'its status': () => api.patch('/suggestions/2/status', { status: 'rejected' }),
      'its conversion': () => api.post('/suggestions/2/convert', SCORES),
      'the end of a suggestion': () => api.delete('/suggestions/2'),
      'a photo': () => sendForm(api, photo),
      'a caption': () => api.patch('/photos/1', { caption: 'Changed' }),
      'the end of a photo': () => api.delete('/photos/1'),
      'a token': () => api.post('/auth/tokens', { name: 'new' }),
      'the end of a token': () => api.delete('/auth/tokens/1'),
      'an account': () => api.post('/auth/register', { email: 'bob@example.com', username: 'bob', password }),
      'a login': () => api.post('/auth/login', { email: 'alice@example.com', password }),
      'a refresh': () => api.post('/auth/refresh', { refresh_token: refreshToken }),
      'a logout': () => api.post('/auth/logout', { refresh_token: refreshToken }),
    };
    const before = storedFiles(folder);
    for (const [what, write] of Object.entries(writes)) assert.deepEqual(brief(await write()), FULL, what);
    assert.deepEqual(storedFiles(folder), before);
    assert.equal(field((await api.get('/restaurants/1')).body, 'name'), 'Chez Nous');
    assert.equal((await api.get('/auth/me')).status, 200);
  });

  test('goes on reading, and accepts writes again once there is space', async (t) => {
    const { api, folder, free, pid } = await startOnFullDisk(t);
    assert.deepEqual(brief(await api.post('/restaurants', { name: 'New' })), FULL);
    for (const path of ['/restaurants', '/search?q=chez', '/restaurants/1/photos', '/auth/me'])
      assert.equal((await api.get(path)).status, 200, path);
    free();
    assert.equal((await api.post('/restaurants', { name: 'New' })).status, 201);
    assert.equal((await sendForm(api, photo)).status, 201);
    assert.deepEqual(faultsOfDatabase(folder), []);
    assert.doesNotThrow(() => process.kill(pid ?? 0, 0));
  });

  test('stores of many writes that arrive together those that it has space for, and no others', async (t) => {
    const { api, folder } = await startOnFullDisk(t, 1_000_000);
    const names = Array.from({ length: 64 }, (_, index) => `Together ${String(index).padStart(2, '0')}`);
    const description = 'x'.repeat(5_000);
    const answers = await Promise.all(names.map((name) => api.post('/restaurants', { name, description })));
    const made = names.filter((_, index) => answers[index]?.status === 201);
    for (const answer of answers) if (answer.status !== 201) assert.deepEqual(brief(answer), FULL);
    assert.ok(made.length > 0 && made.length < names.length, String(made.length));
    const rows = readStored(folder, `SELECT name FROM restaurants WHERE id > 1 ORDER BY name`);
    const stored = rows
      .map((row) => String(field(row, 'name')))
      .filter((name) => name.startsWith('Together'));
    assert.deepEqual(stored, made);
    assert.equal((await api.send('/health', {})).status, 200);
  });

  for (const leave of [40_000, 250_000])
    test(`frees the space of an upload that ran out of it ${leave} bytes later`, async (t) => {
      const { api, folder, free } = await startOnFullDisk(t, leave);
      const [before, files] = [usedBytes(folder), storedFiles(folder)];
      assert.deepEqual(brief(await sendForm(api, photo)), FULL);
      await until(() => Math.abs(usedBytes(folder) - before) <= 4096);
      assert.deepEqual(storedFiles(folder), files);
      free();
      assert.equal((await sendForm(api, photo)).status, 201);
    });
});

describe('the end and the health of a service whose disk is full', { skip }, () => {
  test('stops with exit code 0, and has all that it acknowledged when it starts again', async (t) => {
    const disk = mountMemory(t, '8m');
    const variables = { DATA_DIR: join(disk, 'data') };
    const { api, process: server, ended } = await startServerProcess(t, variables);
    const free = fill(disk, 400_000);
    const description = 'x'.repeat(5_000);
    let stored = 0;
    while ((await api.post('/restaurants', { name: `New ${stored}`, description })).status === 201)
      stored += 1;
    assert.ok(stored > 0);
    fill(disk);
    server.kill('SIGTERM');
    const { code, out, err } = await ended;
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /"stopped"/);
    free();
    const next = await startServerProcess(t, variables);
    const names = readStored(variables.DATA_DIR, 'SELECT name FROM restaurants');
    assert.equal(names.length, stored);
    assert.equal((await next.api.get('/restaurants/1')).status, 200);
  });

  test('is unavailable by /api/health from a failed write on, until one works or there is space', async (t) => {
    const disk = mountMemory(t, '8m');
    const { api } = await startServerProcess(t, { DATA_DIR: join(disk, 'data') });
    const description = 'x'.repeat(5_000);
    const write = async (): Promise<number> =>
      (await api.post('/restaurants', { name: 'New', description })).status;
    const health = async (): Promise<unknown> => brief(await api.get('/health'));
    const plain = async (): Promise<number> => (await api.send('/health', {})).status;
    const [well, unwell] = [
      [200, { status: 'ok' }],
      [503, { status: 'unavailable' }],
    ];
    assert.deepEqual(await health(), well);
    const empty = fill(disk);
    assert.equal(await write(), 507);
    assert.deepEqual(await health(), unwell);
    // A restart would not help, and reads go on.
    assert.equal(await plain(), 200);
    empty();
    assert.equal(await write(), 201);
    assert.deepEqual(await health(), well);

    const emptyAgain = fill(disk);
    assert.equal(
      (await api.put('/restaurants/1', { name: 'Long', description: 'y'.repeat(5_000) })).status,
      507,
    );
    assert.deepEqual(await health(), unwell);
    emptyAgain();
    await until(async () => (await api.get('/health')).status === 200);
  });

  for (const accept of ['application/json', 'application/x-ndjson'])
    test(`names the batch of an import that it ended, as ${accept}`, async (t) => {
      const disk = mountMemory(t, '48m');
      const { api } = await startServerProcess(t, { DATA_DIR: join(disk, 'data') });
      const rows = Array.from({ length: 8_000 }, (_, index) => `Place ${index},${'x'.repeat(600)}`);
      const csv = ['name,description', ...rows].join('\n');
      fill(disk, csv.length + 8_000_000);
      const answer = await importText(api, csv, {}, { Accept: accept });
      // A failure after the first line comes as the last one.
      const hasLines = typeof answer.body === 'string';
      assert.equal(answer.status, hasLines ? 200 : 507);
      const error = field(hasLines ? linesOf(answer).at(-1) : answer.body, 'error');
      const [, count] = NAMES_BATCH.exec(String(error)) ?? [];
      const stored = readStored(join(disk, 'data'), 'SELECT name FROM restaurants').length;
      assert.equal(Number(count?.replaceAll(',', '')), stored);
      assert.ok(stored > 0 && stored < rows.length);
      t.diagnostic(JSON.stringify({ hasLines, stored }));
      assert.equal((await api.get('/health')).status, 503);
    });
});

describe('a service whose log is on a full disk', { skip }, () => {
  test('lives on without it, and writes it again once there is space', async (t) => {
    const disk = mountMemory(t, '8m');
    const log = join(disk, 'log');
    writeFileSync(log, '');
    const child = startCommand(['serve'], {
      variables: { DATA_DIR: join(disk, 'data'), PORT: '0', RATE_LIMIT_BURST: '0', HOST: '127.0.0.1' },
      under: ['sh', '-c', 'exec "$@" >>"$0"', log],
    });
    atEnd(t, () => child.kill('SIGKILL'));
    await until(() => readFileSync(log, 'utf8').includes('"listening"'));
    const url = /"url":"([^"]+)"/.exec(readFileSync(log, 'utf8'))?.[1] ?? '';
    const api = createClient(url);
    const free = fill(disk);
    const path = `/api/${'x'.repeat(900)}`;
    for (let request = 0; request < 30; request += 1) assert.equal((await api.send(path, {})).status, 404);
    assert.deepEqual(brief(await api.post('/restaurants', { name: 'New' })), FULL);
    free();
    assert.equal((await api.post('/restaurants', { name: 'New' })).status, 201);
    await until(() => readFileSync(log, 'utf8').trimEnd().split('\n').at(-1)?.includes('"POST"') === true);
  });
});
