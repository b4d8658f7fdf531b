import assert from 'node:assert/strict';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fingerprint } from '../support/backups.ts';
import { FULL_SUGGESTION } from '../support/catalogue.ts';
import { runCommand } from '../support/cli.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { array, createClient, textOf } from '../support/client.ts';
import { LOCAL, type Person, signUp } from '../support/people.ts';
import { upload } from '../support/photos.ts';
import { type Service, startService, temporaryFolder } from '../support/service.ts';
import { longTest } from '../support/size.ts';

const REPLICA = { READ_ONLY: 'true', PRIMARY_URL: 'https://food.example' };
const REFUSED = { error: 'This is a read-only replica; ask the primary at https://food.example' };

/** A catalogue with something of everything, as it is copied to another machine. */
async function copyOfPrimary(t: Cleanup): Promise<{ folder: string; primary: Service; alice: Person }> {
  const primary = await startService(t, LOCAL);
  const alice = await signUp(primary, 'alice');
  const { api } = alice;
  await api.post('/restaurants', { name: 'Chez Nous', latitude: 48.9, longitude: 2.3, food_type_ids: [1] });
  await api.post('/ratings', { restaurant_id: 1, food_rating: 5, service_rating: 4, ambiance_rating: 3 });
  await api.post('/suggestions', FULL_SUGGESTION);
  await upload(api);
  const folder = temporaryFolder(t);
  await primary.stop();
  cpSync(primary.folder, folder, { recursive: true });
  const again = await startService(t, { ...LOCAL, DATA_DIR: primary.folder });
  return { folder, primary: again, alice };
}

const digest = (folder: string): string | undefined => fingerprint(folder)['catalogue.db'];

const READS = [
  '/restaurants',
  '/restaurants/1',
  '/restaurants/paginated',
  '/restaurants/1/ratings',
  '/categories/1',
  '/restaurants/1/photos',
  '/restaurants?lat=48.9&lng=2.3&radius=1',
  '/search?q=chez',
  '/food-types',
  '/suggestions',
  '/suggestions/2',
  '/health',
];

describe('a replica (READ_ONLY)', () => {
  longTest('answers every read as the primary does, and writes nothing into its file', async (t) => {
    const { folder, primary, alice } = await copyOfPrimary(t);
    const before = digest(folder);
    const replica = await startService(t, { ...LOCAL, ...REPLICA, DATA_DIR: folder });
    for (const path of READS) {
      const [here, there] = [await replica.api.get(path), await primary.api.get(path)];
      assert.deepEqual([here.status, here.body], [200, there.body], path);
    }
    const signedIn = createClient(replica.url, { Authorization: `Bearer ${alice.accessToken}` });
    assert.equal(textOf((await signedIn.get('/auth/me')).body, 'email'), 'alice@example.com');
    const [photo] = array((await replica.api.get('/restaurants/1/photos')).body);
    const file = await fetch(replica.url + textOf(photo, 'url'));
    assert.deepEqual([file.status, file.headers.get('content-type')], [200, 'image/jpeg']);
    await replica.stop();
    assert.equal(digest(folder), before);
  });

  longTest('refuses whatever writes with 503 and the address of the primary, signed in or not', async (t) => {
    const { folder, alice } = await copyOfPrimary(t);
    const replica = await startService(t, { ...LOCAL, ...REPLICA, DATA_DIR: folder });
    const writes = replica.routes.filter(({ method }) => method !== 'GET');
    const more = replica.routes.filter(({ pattern }) =>
      /^\/api\/(auth\/(idp|oidc)|places|geocode)/.test(pattern),
    );
    assert.ok(writes.length > 20 && more.length > 5);
    for (const { method, pattern } of [...writes, ...more])
      for (const headers of [{}, { Authorization: `Bearer ${alice.accessToken}` }]) {
        const answer = await replica.api.send(pattern.replace(/:\w+/g, '1'), { method, headers });
        assert.deepEqual([answer.status, answer.body], [503, REFUSED], `${method} ${pattern}`);
      }
  });

  test('has no address to name without PRIMARY_URL', async (t) => {
    const { folder } = await copyOfPrimary(t);
    const replica = await startService(t, { READ_ONLY: 'true', DATA_DIR: folder });
    const { status, body } = await replica.api.post('/categories', { name: 'Bistro' });
    assert.deepEqual([status, body], [503, { error: 'This is a read-only replica; ask the primary' }]);
  });

  longTest('reads a file whose folder cannot be written, and two may share it', async (t) => {
    const { folder } = await copyOfPrimary(t);
    // Nothing can be made where this leads, as in a folder that is mounted read-only.
    symlinkSync('/nonexistent/log', join(folder, 'catalogue.db-wal'));
    const one = await startService(t, { ...REPLICA, DATA_DIR: folder });
    const other = await startService(t, { ...REPLICA, DATA_DIR: folder });
    for (const { api } of [one, other]) assert.equal((await api.get('/restaurants/1')).status, 200);
  });

  const unusable: readonly [string, string | undefined, RegExp][] = [
    ['no database', undefined, /^there is no catalogue in \S+: catalogue\.db is missing [^\n]+\n$/],
    ['an empty file', '', /^\S+catalogue\.db is empty\n$/],
    [
      'a file that is no database',
      'nonsense '.repeat(500),
      /^\S+catalogue\.db is damaged: file is not a database; put a backup in its place [^\n]+\n$/,
    ],
  ];
  for (const [what, content, message] of unusable)
    longTest(`refuses ${what} in one line`, async (t) => {
      const folder = temporaryFolder(t);
      if (content !== undefined) writeFileSync(join(folder, 'catalogue.db'), content);
      const variables = { ...REPLICA, DATA_DIR: folder, PORT: '0' };
      const { code, err } = await runCommand(['serve'], { variables });
      assert.equal(code, 1);
      assert.match(err, message);
    });
});
