import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomNumbers } from '../support/catalogue.ts';
import { startServerProcess } from '../support/cli.ts';
import { ids, record } from '../support/client.ts';
import { phonePhoto } from '../support/image-metadata.ts';
import { readStored } from '../support/people.ts';
import { form, photoPart, sendForm, storedFiles, thumbnailPart } from '../support/photos.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import { SEED, rounds } from '../support/size.ts';

const ROUNDS = rounds(5);
const UPLOADERS = 4;

describe('a server that is killed while photos are uploaded and deleted', () => {
  test(`has every photo that it acknowledged, and no other file, after each of ${ROUNDS} starts`, async (t) => {
    const folder = temporaryFolder(t);
    const random = randomNumbers(SEED);
    const body = form(photoPart(phonePhoto(200_000, 6)), thumbnailPart());
    const acknowledged = new Set<number>();
    const refused: unknown[] = [];

    for (let round = 0; round < ROUNDS; round += 1) {
      const server = await startServerProcess(t, { DATA_DIR: folder });
      const { api } = server;
      if (round === 0) await api.post('/restaurants', { name: 'Chez Nous' });
      let killed = false;
      let answers = 0;
      const uploader = async (): Promise<void> => {
        while (!killed) {
          const answer = await sendForm(api, body);
          if (answer.status !== 201) refused.push(answer.body);
          answers += 1;
          const id = Number(record(answer.body)['id']);
          if (id % 3 === 0) await api.delete(`/photos/${id}`);
          else acknowledged.add(id);
        }
      };
      const work = Promise.allSettled(Array.from({ length: UPLOADERS }, uploader));
      const enough = 1 + random() * 20;
      for (let waited = 0; answers < enough && waited < 20_000; waited += 1) await sleep(1);
      await sleep(random() * 10);
      killed = true;
      server.process.kill('SIGKILL');
      await server.ended;
      await work;

      const later = await startService(t, { DATA_DIR: folder });
      const left = ids((await later.api.get('/restaurants/1/photos')).body);
      await later.stop();
      assert.deepEqual(
        [...acknowledged].filter((id) => !left.includes(id)),
        [],
      );
      const all = 'SELECT filename FROM photo_files UNION ALL SELECT filename FROM photo_trash';
      const names = readStored(folder, all).map((row) => String(record(row)['filename']));
      assert.deepEqual(storedFiles(folder), names.map((name) => `${name.slice(0, 2)}/${name}`).sort());
    }
    assert.deepEqual(refused, []);
    assert.ok(acknowledged.size > ROUNDS);
  });
});
