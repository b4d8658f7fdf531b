import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { run } from '../../support/backups.ts';
import { startServerProcess } from '../../support/cli.ts';
import { field, ids, textOf } from '../../support/client.ts';
import { sample } from '../../support/images.ts';
import { upload } from '../../support/photos.ts';
import { temporaryFolder } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const WRITERS = 6;
describe('a backup of a service that is written to', () => {
  for (const form of ['folder', 'file.tar'])
    test(`holds every write acknowledged before it began, and knows its page cursors, as a ${form}`, async (t) => {
      const place = temporaryFolder(t);
      const folder = join(place, 'data');
      const server = await startServerProcess(t, { DATA_DIR: folder });
      const acknowledged: { restaurants: number[]; photos: number[] } = { restaurants: [], photos: [] };
      let writing = true;
      const write = async (writer: number): Promise<void> => {
        for (let number = 0; writing; number += 1) {
          const name = `Chez ${writer} ${number}`;
          const answer = await server.api.post('/restaurants', { name, category_id: 1 + (number % 9) });
          acknowledged.restaurants.push(Number(field(answer.body, 'id')));
          if (number % 5 === 0) {
            const { body } = await upload(server.api, sample('png'));
            acknowledged.photos.push(Number(field(body, 'id')));
          }
        }
      };
      for (const name of ['The first', 'The second']) await server.api.post('/restaurants', { name });
      const cursor = textOf((await server.api.get('/restaurants/paginated?limit=1')).body, 'next_cursor');
      const work = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
      await until(() => acknowledged.restaurants.length > 100);
      const before = { restaurants: [...acknowledged.restaurants], photos: [...acknowledged.photos] };
      await run(folder, 'backup', join(place, form));
      const during = acknowledged.restaurants.length - before.restaurants.length;
      writing = false;
      await work;

      const target = join(place, 'restored');
      await run(target, 'restore', join(place, form));
      await run(target, 'check');
      const later = await startServerProcess(t, { DATA_DIR: target });
      const restaurants = new Set(ids((await later.api.get('/restaurants')).body));
      const photos = new Set(ids((await later.api.get('/restaurants/1/photos')).body));
      assert.deepEqual(
        before.restaurants.filter((id) => !restaurants.has(id)),
        [],
      );
      assert.deepEqual(
        before.photos.filter((id) => !photos.has(id)),
        [],
      );
      assert.ok(during > 0 && before.photos.length > 0, `${during} writes during the backup`);
      const page = await later.api.get(`/restaurants/paginated?limit=1&cursor=${cursor}`);
      assert.equal(page.status, 200);
    });
});
