import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { randomNumbers } from '../support/catalogue.ts';
import { startServerProcess } from '../support/cli.ts';
import { phonePhoto } from '../support/image-metadata.ts';
import { record } from '../support/client.ts';
import { readStored } from '../support/people.ts';
import { FORM_TYPE, form, photoPart, storedFiles } from '../support/photos.ts';
import { temporaryFolder } from '../support/service.ts';
import { type Outcome, ask, percentile } from './support.ts';

const ROUNDS = Number(process.env['STOP_ROUNDS'] ?? 3);
const WRITERS = 6;
const UPLOADERS = 2;
const STOP_MS = 10_500;
const SEED = 41;

const names = (folder: string, table: string, column: string, where: string): string[] =>
  readStored(folder, `SELECT ${column} AS name FROM ${table} WHERE ${where} ORDER BY ${column}`).map((row) =>
    String(record(row)['name']),
  );

describe('a server that is stopped under load', () => {
  test(`keeps exactly what it acknowledged, and ends with 0 and an empty log, ${ROUNDS} times (seed ${SEED})`, async (t) => {
    const folder = temporaryFolder(t);
    const random = randomNumbers(SEED);
    const photo = form(photoPart(phonePhoto(200_000, 6)));
    const written: string[] = [];
    const statuses = new Map<number, number>();
    const times: number[] = [];
    let uploaded = 0;
    let count = 0;

    for (let round = 0; round < ROUNDS; round += 1) {
      const { url, api, process: server, ended } = await startServerProcess(t, { DATA_DIR: folder });
      if (round === 0) await api.post('/restaurants', { name: 'Chez Nous' });
      const port = Number(new URL(url).port);
      const agent = new Agent({ keepAlive: true });
      const send = async (path: string, type: string, body: string | Buffer): Promise<Outcome> => {
        const headers = { 'Content-Type': type };
        const outcome = await ask(port, path, { method: 'POST', headers, body, agent });
        statuses.set(outcome.status, (statuses.get(outcome.status) ?? 0) + 1);
        return outcome;
      };
      const writer = async (): Promise<void> => {
        for (let going = true; going;) {
          const name = `Category ${String((count += 1)).padStart(9, '0')}`;
          const { status } = await send('/api/categories', 'application/json', JSON.stringify({ name }));
          if (status === 201) written.push(name);
          going = status === 201;
        }
      };
      const uploader = async (): Promise<void> => {
        while ((await send('/api/restaurants/1/photos', FORM_TYPE, photo)).status === 201) uploaded += 1;
      };
      await ask(port, '/health', { agent: new Agent({ keepAlive: true }) });
      const load = [
        ...Array.from({ length: WRITERS }, writer),
        ...Array.from({ length: UPLOADERS }, uploader),
      ];
      await pause(50 + random() * 250);
      const began = performance.now();
      server.kill('SIGTERM');
      const { code } = await ended;
      times.push(performance.now() - began);
      await Promise.all(load);
      agent.destroy();
      assert.equal(code, 0);
      assert.equal(existsSync(join(folder, 'catalogue.db-wal')), false);
    }

    assert.deepEqual(names(folder, 'categories', 'name', "name LIKE 'Category 0%'"), written.toSorted());
    assert.equal(storedFiles(folder).length, uploaded);
    assert.equal(names(folder, 'photos', 'filename', 'TRUE').length, uploaded);
    assert.ok(written.length > ROUNDS && uploaded > 0);
    assert.deepEqual([...statuses.keys()].filter((status) => ![201, 503, 0].includes(status)).sort(), []);
    assert.ok(percentile(times, 1) <= STOP_MS, `a stop took ${percentile(times, 1)} ms`);
    t.diagnostic(
      JSON.stringify({
        row: 41,
        rounds: ROUNDS,
        written: written.length,
        uploaded,
        statuses: Object.fromEntries(statuses),
        stopMs: { p50: percentile(times, 0.5), worst: percentile(times, 1) },
      }),
    );
  });
});
