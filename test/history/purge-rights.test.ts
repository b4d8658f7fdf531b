import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { remove } from '../support/accounts.ts';
import { allChanges, changeAt, changeOf, refusal, reverted } from '../support/changes.ts';
import type { Client } from '../support/client.ts';
import { field } from '../support/client.ts';
import { addList, addMembers, addRestaurants, putItem } from '../support/lists.ts';
import { allViews, merged } from '../support/merges.ts';
import { changeStored } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { type World, addPhoto, ratingOf, startWorld } from '../support/world.ts';

const REFUSED = [403, 'Only an administrator may purge what belongs to others'];

const purge = (api: Client, id: number): ReturnType<Client['post']> => api.post(`/changes/${id}/purge`, {});

describe('a purge', () => {
  const rate = (api: Client): Promise<unknown> => api.post('/ratings', ratingOf(1));
  const ownRating = ({ owner }: World): Promise<unknown> => rate(owner);
  const ownPhoto = ({ owner }: World): Promise<unknown> => addPhoto(owner, 1);
  const otherRating = ({ other }: World): Promise<unknown> => rate(other);
  const otherPhoto = ({ other }: World): Promise<unknown> => addPhoto(other, 1);
  const deleteRating = ({ owner }: World): Promise<unknown> => owner.delete('/ratings/1');
  const mergeFirst = async ({ owner }: World): Promise<unknown> => [
    await addRestaurants(owner, 'Autre'),
    await merged(owner, 2, 1),
  ];
  const otherVisit = ({ other }: World): Promise<unknown> => other.post('/visits', { restaurant_id: 1 });
  const ownMarks = async ({ owner }: World): Promise<unknown> => {
    await putItem(owner, 'want', 1, { note: 'Own' });
    return owner.post('/visits', { restaurant_id: 1 });
  };
  const otherItem = ({ other }: World): Promise<unknown> => putItem(other, 'want', 1, { note: 'Private' });
  const memberItem =
    (maker: 'owner' | 'admin') =>
    async ({ [maker]: api, other }: World): Promise<unknown> => {
      const list = await addList(api, 'Together');
      await addMembers(api, list, other);
      return putItem(other, list, 1, { note: 'Of a member' });
    };
  const otherSuggestion = ({ other }: World): Promise<unknown> =>
    other.post('/suggestions', { name: 'Bistro' });

  /** What a user deletes, whether the user may purge it, and what happened before. */
  const deletions: readonly (readonly [
    title: string,
    isAllowed: boolean,
    path: string,
    ...before: readonly ((world: World) => Promise<unknown>)[],
  ])[] = [
    ['a restaurant without ratings and photos', true, '/restaurants/1'],
    ['a restaurant with own ratings and photos alone', true, '/restaurants/1', ownRating, ownPhoto],
    ['a restaurant with a rating of another user', false, '/restaurants/1', ownRating, otherRating],
    ['a restaurant with a photo of another user', false, '/restaurants/1', otherPhoto],
    ['a restaurant with own list items and visits', true, '/restaurants/1', ownMarks],
    ['a restaurant on a private list of another user', false, '/restaurants/1', otherItem],
    ['a restaurant that a member put on an own list', false, '/restaurants/1', memberItem('owner')],
    ['a restaurant that another user visited', false, '/restaurants/1', otherVisit],
    ['a restaurant that another user had rated', false, '/restaurants/1', otherRating, deleteRating],
    [
      'one into which such a restaurant was merged',
      false,
      '/restaurants/2',
      otherRating,
      deleteRating,
      mergeFirst,
    ],
    ['an own rating', true, '/ratings/1', ownRating],
    ['a rating of another user', false, '/ratings/1', otherRating],
    ['a photo of another user', false, '/photos/1', otherPhoto],
    ['a suggestion of another user', false, '/suggestions/2', otherSuggestion],
    ['a category', true, '/categories/5'],
  ];
  for (const [title, isAllowed, path, ...before] of deletions)
    test(`of ${title} is ${isAllowed ? 'for every user' : 'for administrators alone'}`, async (t) => {
      const world = await startWorld(t);
      const { owner, admin, people } = world;
      await owner.post('/restaurants', { name: 'Chez Nous' });
      for (const happen of before) await happen(world);
      const deletion = changeOf(await owner.delete(path));
      assert.equal((await changeAt(admin, deletion))['purged'], null);
      const answer = await purge(owner, deletion);
      if (!isAllowed) {
        assert.deepEqual(refusal(answer), REFUSED);
        assert.equal((await changeAt(admin, deletion))['purged'], null);
        assert.equal((await purge(admin, deletion)).status, 204);
      } else assert.equal(answer.status, 204);
      const { id } = isAllowed ? people.owner : people.admin;
      for (const api of [owner, admin]) {
        const { purged, kept_until, before: kept } = await changeAt(api, deletion);
        assert.deepEqual(field(purged, 'by'), { id, username: isAllowed ? 'alice' : 'carol' });
        assert.match(String(field(purged, 'at')), /^\d{4}-.*Z$/);
        assert.deepEqual([kept_until, kept], [null, null]);
      }
    });

  // What another user had at one of the restaurants that were merged, and what happened to it after the first merge.
  type Happening = (world: World) => Promise<unknown>;
  const moved: readonly (readonly [string, Happening, Happening?])[] = [
    ['a rating', otherRating],
    ['a photo', otherPhoto],
    ['a visit', otherVisit],
    ['a list item', otherItem],
    ['an item of a shared list', memberItem('admin')],
    [
      'an item of a list that had both',
      async (world) => [await putItem(world.other, 'want', 3), await otherItem(world)],
    ],
    ['a rating that was deleted', async (world) => [await otherRating(world), await deleteRating(world)]],
    ['a rating that was deleted after it', otherRating, deleteRating],
    ['a photo that was deleted after it', otherPhoto, ({ owner }) => owner.delete('/photos/1')],
    ['a visit that was deleted after it', otherVisit, ({ other }) => other.delete('/visits/1')],
  ];
  for (const [title, happen, then] of moved)
    test(`of any restaurant that was merged is for administrators alone where ${title} of another user was`, async (t) => {
      const world = await startWorld(t);
      const { owner, other, admin, people } = world;
      await addRestaurants(admin, 'A', 'B', 'C', 'D', 'E');
      await happen(world);
      const before = await allViews(other);
      // Both at once, then further by way of restaurants that had nothing.
      const first = await merged(owner, 3, 2, 1);
      await then?.(world);
      const later = [await merged(owner, 4, 3), await merged(owner, 5, 4)];
      for (const { id } of await allChanges(owner, 'kind=restaurant&action=delete'))
        assert.deepEqual(refusal(await purge(owner, Number(id))), REFUSED);
      // All comes back without the user who merged.
      const gone = (await allChanges(admin)).find(
        ({ kind, action }) => kind !== 'restaurant' && action === 'delete',
      );
      await remove(owner, '/auth/me', { password: people.owner.password });
      for (const id of [...later.reverse(), first]) await reverted(admin, id);
      if (!then) assert.deepEqual(await allViews(other), before);
      if (gone) await reverted(admin, Number(gone['id']));
      assert.equal((await purge(admin, await merged(admin, 3, 1))).status, 204);
    });

  test('of a restaurant that was merged is for every user where only own records moved, and not too many to look at', async (t) => {
    const world = await startWorld(t);
    await addRestaurants(world.admin, 'A', 'B');
    await ownRating(world);
    await ownMarks(world);
    const deletion = await merged(world.owner, 2, 1);
    const { folder } = world.service;
    const many = JSON.stringify(Array.from({ length: 10_001 }, (_, i) => i + 1_000));
    changeStored(
      folder,
      `INSERT INTO moved (from_id, kind, id) SELECT 1, 'visit', value FROM json_each(?)`,
      many,
    );
    assert.deepEqual(refusal(await purge(world.owner, deletion)), REFUSED);
    changeStored(folder, 'DELETE FROM moved WHERE id >= 1000');
    assert.equal((await purge(world.owner, deletion)).status, 204);
  });

  for (const WRITE_ACCESS of ['users', 'admins'])
    test(`of what another user deleted is for its author, who cannot restore it, with WRITE_ACCESS=${WRITE_ACCESS}`, async (t) => {
      const { owner, other, admin, people } = await startWorld(t, { WRITE_ACCESS });
      await admin.post('/restaurants', { name: 'Chez Nous' });
      await other.post('/ratings', ratingOf(1));
      await addPhoto(other, 1);
      await other.post('/suggestions', { name: 'Bistro' });
      for (const path of ['/ratings/1', '/photos/1', '/suggestions/2']) {
        const deletion = changeOf(await admin.delete(path));
        assert.deepEqual(refusal(await purge(owner, deletion)), [403, 'This change is not yours to revert']);
        assert.equal((await other.post(`/changes/${deletion}/revert`, {})).status, 403);
        assert.equal((await purge(other, deletion)).status, 204, path);
        const by = field((await changeAt(admin, deletion))['purged'], 'by');
        assert.deepEqual(by, { id: people.other.id, username: 'bob' });
      }
    });

  test('says who did it to administrators alone with AUTHORS=none, and says the first one', async (t) => {
    const { owner, admin, people } = await startWorld(t, { AUTHORS: 'none' });
    await owner.post('/restaurants', { name: 'Chez Nous' });
    const deletion = changeOf(await owner.delete('/restaurants/1'));
    await purge(owner, deletion);
    const { purged } = await changeAt(admin, deletion);
    assert.deepEqual(field(purged, 'by'), { id: people.owner.id, username: 'alice' });
    assert.equal(field((await changeAt(owner, deletion))['purged'], 'by'), null);
    assert.equal((await purge(admin, deletion)).status, 204);
    assert.deepEqual((await changeAt(admin, deletion))['purged'], purged);
  });

  test('of anything is for the placeholder, which stands for all', async (t: TestContext) => {
    const { api } = await startService(t);
    await api.post('/restaurants', { name: 'Chez Nous' });
    await api.post('/ratings', ratingOf(1));
    const deletion = changeOf(await api.delete('/restaurants/1'));
    assert.equal((await purge(api, deletion)).status, 204);
    assert.equal(field((await changeAt(api, deletion))['purged'], 'by'), null);
  });
});

describe('a restaurant that was deleted and restored', () => {
  test('shows the texts of ratings and photos to their authors and to administrators alone', async (t) => {
    const { owner, other, admin } = await startWorld(t);
    await owner.post('/restaurants', { name: 'Chez Nous' });
    await owner.post('/ratings', ratingOf(1, 'Own soup'));
    await other.post('/ratings', ratingOf(1, 'Other soup'));
    await addPhoto(owner, 1, 'Own menu');
    await addPhoto(other, 1, 'Other menu');
    const gone = changeOf(await other.delete('/restaurants/1'));
    const back = await reverted(other, gone);
    const TEXTS = ['Own soup', 'Own menu', 'Other soup', 'Other menu'];
    const seen = async (api: Client, id: number): Promise<string[]> => {
      const all = [await changeAt(api, id), ...(await allChanges(api)).filter((one) => one['id'] === id)];
      const [first, ...others] = all.map((change) => {
        const text = JSON.stringify([change['before'], change['after']]);
        return TEXTS.filter((one) => text.includes(one));
      });
      for (const one of others) assert.deepEqual(one, first);
      return first ?? [];
    };
    const [own, others] = [TEXTS.slice(0, 2), TEXTS.slice(2)];
    assert.deepEqual(await seen(owner, gone), []);
    assert.deepEqual(await seen(other, gone), others);
    assert.deepEqual(await seen(admin, gone), TEXTS);
    assert.deepEqual(await seen(owner, back), own);
    assert.deepEqual(await seen(other, back), others);
    assert.deepEqual(await seen(admin, back), TEXTS);
    const restored = field(await changeAt(owner, back), 'after');
    assert.deepEqual([field(restored, 'ratings_total'), field(restored, 'photos_total')], [2, 2]);

    // What its author deletes is hidden from users, and gone for administrators when it is purged.
    const rating = changeOf(await owner.delete('/ratings/1'));
    assert.deepEqual(await seen(owner, back), ['Own menu']);
    assert.deepEqual(await seen(admin, back), TEXTS);
    const [first] = [field(field(await changeAt(admin, back), 'after'), 'ratings')].flat();
    assert.equal(field(first, 'deleted'), true);
    assert.equal((await purge(owner, rating)).status, 204);
    assert.deepEqual(await seen(admin, back), TEXTS.slice(1));
    assert.deepEqual(await seen(admin, gone), TEXTS.slice(1));
  });
});
