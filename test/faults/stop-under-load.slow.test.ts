import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { randomNumbers } from '../support/catalogue.ts';
import { startServerProcess } from '../support/cli.ts';
import { field } from '../support/client.ts';
import { phonePhoto } from '../support/image-metadata.ts';
import { readStored } from '../support/people.ts';
import { FORM_TYPE, form, photoPart, storedFiles } from '../support/photos.ts';
import { temporaryFolder } from '../support/service.ts';
import { SEED, rounds } from '../support/size.ts';
import { until } from '../support/until.ts';
import { ask } from './support.ts';

const ROUNDS = rounds(3);
const WRITERS = 6;
const UPLOADERS = 2;
const PHOTO = form(photoPart(phonePhoto(200_000, 6)));

describe('a server that is stopped under load', () => {
  test(`keeps exactly what it acknowledged, and ends with 0 and an empty log, ${ROUNDS} times (seed ${SEED})`, async (t) => {
    const folder = temporaryFolder(t);
    const random = randomNumbers(SEED);
    const written: string[] = [];
    const statuses = new Set<number>();
    let [uploaded, count] = [0, 0];

    for (let round = 0; round < ROUNDS; round += 1) {
      const { url, api, process: server, ended } = await startServerProcess(t, { DATA_DIR: folder });
      if (round === 0) await api.post('/restaurants', { name: 'Chez Nous' });
      const port = Number(new URL(url).port);
      const agent = new Agent({ keepAlive: true });
      const send = async (path: string, type: string, body: string | Buffer): Promise<number> => {
        const { status } = await ask(port, path, {
          method: 'POST',
          headers: { 'Content-Type': type },
          body,
          agent,
        });
        statuses.add(status);
        return status;
      };
      // On a busy machine some are answered 503 before the end, too; a server that is gone answers nothing.
      const writer = async (): Promise<void> => {
        for (let status = 201; status !== 0;) {
          const name = `Category ${String((count += 1)).padStart(9, '0')}`;
          status = await send('/api/categories', 'application/json', JSON.stringify({ name }));
          if (status === 201) written.push(name);
        }
      };
      const uploader = async (): Promise<void> => {
        for (let status = 201; status !== 0;) {
          status = await send('/api/restaurants/1/photos', FORM_TYPE, PHOTO);
          if (status === 201) uploaded += 1;
        }
      };
      // A connection that is open and idle.
      await ask(port, '/health', { agent: new Agent({ keepAlive: true }) });
      const before = { uploaded, written: written.length };
      const load = [
        ...Array.from({ length: WRITERS }, writer),
        ...Array.from({ length: UPLOADERS }, uploader),
      ];
      await until(() => uploaded > before.uploaded && written.length > before.written);
      await pause(random() * 250);
      server.kill('SIGTERM');
      assert.equal((await ended).code, 0);
      await Promise.all(load);
      agent.destroy();
      assert.equal(existsSync(join(folder, 'catalogue.db-wal')), false);
    }

    const categories = "SELECT name FROM categories WHERE name LIKE 'Category 0%' ORDER BY name";
    assert.deepEqual(
      readStored(folder, categories).map((row) => field(row, 'name')),
      written.toSorted(),
    );
    assert.equal(storedFiles(folder).length, uploaded);
    assert.equal(readStored(folder, 'SELECT id FROM photos').length, uploaded);
    assert.deepEqual(
      [...statuses].filter((status) => ![201, 503, 0].includes(status)),
      [],
    );
  });
});
