import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { run } from '../support/backups.ts';
import { startServerProcess } from '../support/cli.ts';
import { createClient, field, ids, textOf } from '../support/client.ts';
import { LOCAL } from '../support/people.ts';
import { sample } from '../support/images.ts';
import { upload } from '../support/photos.ts';
import { temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const WRITERS = 6;
describe('a backup of a service that is written to', () => {
  for (const form of ['folder', 'file.tar'])
    test(`holds every write acknowledged before it began, as a ${form}`, async (t) => {
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
      await server.api.post('/restaurants', { name: 'The first' });
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
    });

  test('goes on, once restored, with the tokens and page cursors of before', async (t) => {
    const place = temporaryFolder(t);
    const settings = { ...LOCAL, DATA_DIR: join(place, 'data') };
    const first = await startServerProcess(t, settings);
    const account = {
      email: 'alice@example.com',
      username: 'alice',
      password: 'alice and a long password',
    };
    const tokens = (await first.api.post('/auth/register', { ...account, full_name: 'Alice' })).body;
    const access = { Authorization: `Bearer ${textOf(tokens, 'access_token')}` };
    const script = await first.api.post('/auth/tokens', { name: 'nightly', expires_in_days: 9 }, access);
    for (const name of ['A', 'B', 'C']) await first.api.post('/restaurants', { name }, access);
    const page = (await first.api.get('/restaurants/paginated?limit=1')).body;
    const cursor = textOf(page, 'next_cursor');
    await run(settings.DATA_DIR, 'backup', join(place, 'saved.tar'));

    const target = join(place, 'restored');
    await run(target, 'restore', join(place, 'saved.tar'));
    const later = await startServerProcess(t, { ...settings, DATA_DIR: target });
    assert.equal((await later.api.get('/auth/me', access)).status, 200);
    const nightly = createClient(later.url, { Authorization: `Bearer ${textOf(script.body, 'token')}` });
    assert.equal((await nightly.post('/restaurants', { name: 'D' })).status, 201);
    const refresh = { refresh_token: textOf(tokens, 'refresh_token') };
    assert.equal((await later.api.post('/auth/refresh', refresh)).status, 200);
    assert.equal((await later.api.get(`/restaurants/paginated?limit=1&cursor=${cursor}`)).status, 200);
  });
});
