import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createRandomWriters } from '../faults/random-writers.ts';
import { runCommand } from '../support/cli.ts';
import { array, createClient, field, textOf } from '../support/client.ts';
import { LOCAL, changeStored, signUp } from '../support/people.ts';
import { sendForm, form, photoPart } from '../support/photos.ts';
import { type Node, rowsOf, startPrimary, startReplica, untilSame } from '../support/replicas.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

/** The names of all files of photos. */
function photosOf(folder: string): string[] {
  return readdirSync(join(folder, 'photos'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(jpg|png|webp)$/.test(name))
    .sort();
}

async function stop({ process, ended }: Node): Promise<void> {
  process.kill('SIGTERM');
  assert.equal((await ended).code, 0);
}

describe('a replica that follows its primary', () => {
  test('has every row and every photo of it: of all kinds of writes, private ones and those of commands', async (t) => {
    // The writers expect answers that name no author.
    const settings = { ...LOCAL, AUTHORS: 'none' };
    const primary = await startPrimary(t, settings);
    // Some are in the snapshot, some come later.
    const alice = await signUp(primary, 'alice');
    await alice.api.post('/restaurants', { name: 'Chez Nous' });
    await sendForm(alice.api, form(photoPart()));
    const replica = await startReplica(t, primary.url, settings);
    const bob = await signUp(primary, 'bob');
    let writes = 0;
    const asAlice = { ...alice, url: primary.url, headers: { Authorization: `Bearer ${alice.accessToken}` } };
    await createRandomWriters(1).write(asAlice, () => (writes += 1) > 300);
    await alice.api.post('/restaurants', { name: 'Chez Zoë', address: 'Rue du Bac' });
    const place = Number(field(array((await alice.api.get('/search?q=zoe')).body)[0], 'id'));
    await bob.api.put(`/lists/favourites/items/${place}`, {});
    await bob.api.post('/visits', { restaurant_id: place, visited_on: '2026-01-01' });
    await bob.api.post('/auth/tokens', { name: 'script' });
    await primary.api.post('/auth/login', { email: bob.email, password: bob.password });
    const removed = await alice.api.delete(`/restaurants/${place}`);
    await alice.api.post(`/changes/${String(removed.headers.get('change'))}/revert`, {});
    const input = '{"name":"Imported","address":"1 Road"}\n';
    const variables = { DATA_DIR: primary.folder };
    const imported = await runCommand(['import', '-', '--format', 'ndjson'], { variables, input });
    assert.equal(imported.code, 0, imported.err);
    await runCommand(['user', 'grant-admin', alice.email], { variables });
    await untilSame(primary.folder, replica.folder);
    await until(() => photosOf(replica.folder).join() === photosOf(primary.folder).join());
    for (const path of [
      '/restaurants',
      '/search?q=chez',
      '/search?q=imported',
      '/suggestions',
      '/categories',
    ])
      assert.deepEqual((await replica.api.get(path)).body, (await primary.api.get(path)).body, path);
    const here = createClient(replica.url, { Authorization: `Bearer ${bob.accessToken}` });
    assert.deepEqual((await here.get('/visits')).body, (await bob.api.get('/visits')).body);
    const checked = await runCommand(['check'], { variables: { DATA_DIR: replica.folder } });
    assert.deepEqual([checked.code, checked.err], [0, '']);
    await stop(replica);
  });

  test('has the values of rows exactly, whatever was changed in them', async (t) => {
    const primary = await startPrimary(t);
    const replica = await startReplica(t, primary.url);
    for (const name of ['A', 'B', 'C']) await primary.api.post('/restaurants', { name });
    await untilSame(primary.folder, replica.folder);
    const change = (sql: string): void => {
      changeStored(primary.folder, sql);
    };
    // A real without a short decimal form, integers that JavaScript does not hold, bytes, and characters of all lengths.
    change('UPDATE restaurants SET latitude = 0.1 + 0.2, longitude = -1e-300 WHERE id = 1');
    change(
      'UPDATE changes SET token_id = 9007199254740993, owner_id = -9223372036854775807 - 1 WHERE id = 1',
    );
    change(`INSERT INTO generated_keys (name, value) VALUES ('a "key"', x'00ff80')`);
    change(`UPDATE restaurants SET description = char(9, 10, 8232, 127869) WHERE id = 2`);
    // Unique values that change places, a key that changes, and a row that replaces another.
    change(`UPDATE categories SET name_key = 'x' WHERE id = 1`);
    change(`UPDATE categories SET name_key = 'italian' WHERE id = 2`);
    change(`UPDATE categories SET name_key = 'asian' WHERE id = 1`);
    change('UPDATE restaurants SET id = 4 WHERE id = 3');
    change(`INSERT OR REPLACE INTO generated_keys (name, value) VALUES ('a "key"', x'01')`);
    change(`INSERT OR IGNORE INTO generated_keys (name, value) VALUES ('a "key"', x'02')`);
    await untilSame(primary.folder, replica.folder);
  });

  test('goes on where it was after a restart, and while the primary was away', async (t) => {
    const folder = temporaryFolder(t);
    const first = await startPrimary(t, {}, folder);
    const replica = await startReplica(t, first.url);
    await first.api.post('/restaurants', { name: 'One' });
    await untilSame(folder, replica.folder);
    await stop(replica);
    await first.api.post('/restaurants', { name: 'Two' });
    const again = await startReplica(t, first.url, {}, replica.folder);
    await untilSame(folder, replica.folder);
    const port = new URL(first.url).port;
    first.process.kill('SIGKILL');
    await first.ended;
    await until(() => again.log().includes('the primary cannot be followed'));
    assert.equal(array((await again.api.get('/restaurants')).body).length, 2);
    const second = await startPrimary(t, { PORT: port }, folder);
    await second.api.post('/restaurants', { name: 'Three' });
    await untilSame(folder, replica.folder);
    await until(() => again.log().includes('following the primary again'));
    assert.equal(again.log().split('cannot be followed').length, 2, 'it is logged once');
    assert.ok(!again.log().includes('snapshot'), 'no snapshot was needed');
  });

  test('fetches a new snapshot when the primary was restored, and answers from it', async (t) => {
    const folder = temporaryFolder(t);
    const first = await startPrimary(t, {}, folder);
    await first.api.post('/restaurants', { name: 'Kept' });
    const backup = join(temporaryFolder(t), 'backup');
    assert.equal((await runCommand(['backup', backup], { variables: { DATA_DIR: folder } })).code, 0);
    await first.api.post('/restaurants', { name: 'Lost' });
    const replica = await startReplica(t, first.url);
    assert.equal(array((await replica.api.get('/restaurants')).body).length, 2);
    await stop(first);
    const restored = await runCommand(['restore', backup, '--force'], { variables: { DATA_DIR: folder } });
    assert.equal(restored.code, 0);
    const second = await startPrimary(t, { PORT: new URL(first.url).port }, folder);
    await second.api.post('/restaurants', { name: 'New' });
    await until(async () => JSON.stringify((await replica.api.get('/restaurants')).body).includes('"New"'));
    await untilSame(folder, replica.folder);
    assert.ok(!JSON.stringify((await replica.api.get('/restaurants')).body).includes('Lost'));
    assert.deepEqual(
      readdirSync(replica.folder).filter((name) => /restore|partial/.test(name)),
      [],
    );
  });

  test('tries again for the file of a photo, and rows do not wait for it', async (t) => {
    const primary = await startPrimary(t);
    const replica = await startReplica(t, primary.url);
    await primary.api.post('/restaurants', { name: 'Chez Nous' });
    await untilSame(primary.folder, replica.folder);
    await stop(replica);
    await sendForm(primary.api, form(photoPart()));
    const [file = ''] = photosOf(primary.folder);
    rmSync(join(replica.folder, 'photos'), { recursive: true });
    const again = await startReplica(t, primary.url, {}, replica.folder);
    await until(() => existsSync(join(replica.folder, 'photos', file)));
    const photo = array((await primary.api.get('/restaurants/1/photos')).body)[0];
    assert.equal((await fetch(again.url + textOf(photo, 'url'))).status, 200);
  });
});

describe('the data of a replica that follows', () => {
  test('is refused by a service that would write, and by commands, until it is promoted', async (t) => {
    const primary = await startPrimary(t, LOCAL);
    const alice = await signUp(primary, 'alice');
    await alice.api.post('/restaurants', { name: 'Chez Nous' });
    await sendForm(alice.api, form(photoPart()));
    const replica = await startReplica(t, primary.url, LOCAL);
    await untilSame(primary.folder, replica.folder);
    const variables = { ...LOCAL, DATA_DIR: replica.folder, PORT: '0' };
    const served = await runCommand(['promote'], { variables });
    assert.match(served.err, /another server is running/);
    await until(() => photosOf(replica.folder).length > 0);
    await stop(replica);
    await stop(primary);
    for (const args of [['serve'], ['migrate'], ['user', 'list'], ['import', '-', '--format', 'ndjson']]) {
      const { code, err } = await runCommand(args, { variables, input: '' });
      assert.equal(code, 1, args.join(' '));
      assert.match(err, /^\S+ is the copy of a replica [^\n]+ run: catalogue promote\n$/);
    }
    const before = rowsOf(replica.folder);
    const [photo = ''] = photosOf(replica.folder);
    rmSync(join(replica.folder, 'photos', photo));
    const refused = await runCommand(['promote'], { variables });
    assert.match(refused.err, /1 of 1 files of photos have not arrived, such as \S+; with --force/);
    const promoted = await runCommand(['promote', '--force'], { variables });
    assert.equal(promoted.code, 1, 'the check says that a file is missing');
    assert.match(promoted.out, /This is a primary now/);
    assert.deepEqual(rowsOf(replica.folder), before);
    const again = await startService(t, variables);
    assert.equal(
      (await again.api.post('/auth/login', { email: alice.email, password: alice.password })).status,
      200,
    );
  });

  test('is after that the data of a primary: ids go on, search and check are right, and it can be followed', async (t) => {
    const primary = await startPrimary(t);
    const replica = await startReplica(t, primary.url);
    let writes = 0;
    const writers = createRandomWriters(2);
    await writers.write(primary, () => (writes += 1) > 200);
    const gone = field((await primary.api.post('/restaurants', { name: 'Gone' })).body, 'id');
    await primary.api.delete(`/restaurants/${Number(gone)}`);
    await untilSame(primary.folder, replica.folder);
    await until(() => photosOf(replica.folder).join() === photosOf(primary.folder).join());
    await stop(primary);
    await stop(replica);
    const variables = { DATA_DIR: replica.folder };
    const promoted = await runCommand(['promote'], { variables });
    assert.deepEqual([promoted.code, promoted.err], [0, '']);
    const again = await startPrimary(t, {}, replica.folder);
    const made = await again.api.post('/restaurants', { name: 'Chez Promoted', address: 'Elm Lane' });
    assert.equal(field(made.body, 'id'), Number(gone) + 1);
    assert.equal(array((await again.api.get('/search?q=promoted')).body).length, 1);
    const follower = await startReplica(t, again.url);
    await writers.write(again, () => (writes += 1) > 400);
    await untilSame(again.folder, follower.folder);
    const { code, err } = await runCommand(['check'], { variables });
    assert.deepEqual([code, err], [0, '']);
  });
});
