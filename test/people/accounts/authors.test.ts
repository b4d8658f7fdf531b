import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { changeAt, changeOf, refusal } from '../../support/changes.ts';
import { type Client, array, field, record } from '../../support/client.ts';
import { changeStored } from '../../support/people.ts';
import { type World, addPhoto, ratingOf, startWorld } from '../../support/world.ts';
import { startService } from '../../support/service.ts';

const SUGGESTED = { name: 'Bistro' };

/** Restaurant 1 with a rating and a photo, and suggestion 2, all of alice's. */
async function contributed(t: TestContext, variables: Readonly<Record<string, string>> = {}): Promise<World> {
  const world = await startWorld(t, variables);
  await world.admin.post('/restaurants', { name: 'Chez Nous' });
  await world.owner.post('/ratings', ratingOf(1));
  await addPhoto(world.owner, 1);
  await world.owner.post('/suggestions', SUGGESTED);
  return world;
}

const READS = ['/ratings/1', '/photos/1', '/suggestions/2'];
const LISTS = ['/restaurants/1/ratings', '/restaurants/1/photos', '/suggestions'];

/** Asserts the author in all answers that hold a contribution. */
async function requireAuthor(api: Client, author: object | null): Promise<void> {
  for (const path of READS) assert.deepEqual(field((await api.get(path)).body, 'author'), author, path);
  for (const path of LISTS) {
    const [contribution, ...more] = array((await api.get(path)).body);
    assert.deepEqual([field(contribution, 'author'), more], [author, []], path);
  }
}

describe('the author of a rating, a photo and a suggestion', () => {
  test('is in single answers and lists, for everyone, and nothing but id and name', async (t) => {
    const { service, people, other } = await contributed(t);
    const author = { id: people.owner.id, username: 'alice' };
    for (const api of [service.api, other]) await requireAuthor(api, author);
  });

  test('is in the answers to writes, by its user or another one', async (t) => {
    const { owner, admin, people } = await contributed(t);
    const author = { id: people.owner.id, username: 'alice' };
    const photo = await addPhoto(owner, 1);
    const answers = [
      (await owner.post('/ratings', ratingOf(1))).body,
      photo,
      field(photo, 'photo'),
      (await owner.post('/suggestions', { name: 'Auberge' })).body,
      (await owner.put('/ratings/1', { comment: 'Better' })).body,
      (await admin.patch('/photos/1', { caption: 'Dinner' })).body,
      (await admin.patch('/suggestions/2/status', { status: 'approved' })).body,
    ];
    for (const answer of answers) assert.deepEqual(field(answer, 'author'), author);
  });

  test('follows a new name at once, and is null once the account is gone', async (t) => {
    const { service, people } = await contributed(t);
    const { id } = people.owner;
    await requireAuthor(service.api, { id, username: 'alice' });
    changeStored(service.folder, "UPDATE users SET username = 'alicia' WHERE id = ?", id);
    await requireAuthor(service.api, { id, username: 'alicia' });
    changeStored(service.folder, 'DELETE FROM users WHERE id = ?', id);
    await requireAuthor(service.api, null);
  });

  test('is null for the placeholder of mode none', async (t) => {
    const { api } = await startService(t);
    await api.post('/restaurants', { name: 'Chez Nous' });
    await api.post('/ratings', ratingOf(1));
    await addPhoto(api, 1);
    await api.post('/suggestions', SUGGESTED);
    await requireAuthor(api, null);
  });

  test('is null everywhere with AUTHORS=none, for administrators and itself as well', async (t) => {
    const { service, owner, admin } = await contributed(t, { AUTHORS: 'none' });
    for (const api of [service.api, owner, admin]) await requireAuthor(api, null);
    assert.equal(field((await owner.put('/ratings/1', { comment: null })).body, 'author'), null);
    const [own] = array((await owner.get('/ratings?user=me')).body);
    assert.equal(field(own, 'author'), null);
  });

  test('is not in lists of restaurants, in which pending suggestions are', async (t) => {
    const { service } = await contributed(t);
    for (const path of ['/restaurants', '/restaurants/paginated', '/search?q=bistro']) {
      const text = JSON.stringify((await service.api.get(path)).body);
      assert.ok(text.includes(path.endsWith('paginated') ? 'Chez Nous' : 'Bistro'), path);
      assert.ok(!text.includes('author') && !text.includes('alice'), path);
    }
  });

  test('is in the change log by its id among the stored fields, and nothing that is computed', async (t) => {
    const { owner, people } = await contributed(t);
    for (const path of READS) {
      const { before } = await changeAt(owner, changeOf(await owner.delete(path)));
      const stored = record(before);
      assert.equal(stored['author_id'], people.owner.id);
      for (const name of ['author', 'author_name', 'username']) assert.ok(!(name in stored), name);
    }
  });
});

describe('DELETE /suggestions/{id} with WRITE_ACCESS=admins', () => {
  test('is for its author while it is pending, and for administrators', async (t) => {
    const { owner, other, admin } = await contributed(t, { WRITE_ACCESS: 'admins' });
    assert.equal((await other.delete('/suggestions/2')).status, 403);
    await admin.patch('/suggestions/2/status', { status: 'approved' });
    assert.deepEqual(refusal(await owner.delete('/suggestions/2')), [403, 'Admin access required']);
    await admin.patch('/suggestions/2/status', { status: 'pending' });
    assert.equal((await owner.delete('/suggestions/2')).status, 204);
    await owner.post('/suggestions', { name: 'Auberge' });
    assert.equal((await admin.delete('/suggestions/3')).status, 204);
  });
});
