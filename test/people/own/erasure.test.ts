import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { inspectData } from '../../../src/operations/inspection/check.ts';
import { registration, remove, secretOf } from '../../support/accounts.ts';
import { type Change, allChanges, changeAt, changeOf, idsOf, reverted } from '../../support/changes.ts';
import { array, bodyOf, field, ids, record } from '../../support/client.ts';
import { addRestaurants } from '../../support/lists.ts';
import { addOuting, ballot, closed, participantsOf, sumsOf, voteByLink } from '../../support/outings.ts';
import { changeStored, makeAdmin, readStored } from '../../support/people.ts';
import { startService } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';
import { until } from '../../support/until.ts';
import { type World, addPhoto, ratingOf, startWorld } from '../../support/world.ts';

// Words that are in nothing else.
const WORDS = ['quincunx soup', 'brobdingnag terrace', 'zyzzyva notes'];
const [COMMENT = '', CAPTION = '', NOTES = ''] = WORDS;

/** Restaurant 1 with a rating and a photo of alice's, and others that are deleted; suggestions of hers. */
async function furnished(t: Parameters<typeof startWorld>[0]): Promise<World> {
  const world = await startWorld(t);
  const { owner, admin } = world;
  await admin.post('/restaurants', { name: 'Chez Nous' });
  await owner.post('/ratings', ratingOf(1, COMMENT));
  await addPhoto(owner, 1, CAPTION);
  await owner.post('/suggestions', { name: 'Auberge', notes: NOTES });
  await owner.post('/suggestions', { name: 'Bistro', notes: NOTES });
  await admin.post('/suggestions/3/convert', {});
  // In the trash: a rating, and a restaurant with a rating and a photo.
  await owner.post('/ratings', ratingOf(1, COMMENT));
  await owner.delete('/ratings/2');
  const gone = String(field((await admin.post('/restaurants', { name: 'Le Coin' })).body, 'id'));
  await owner.post('/ratings', ratingOf(Number(gone), COMMENT));
  await addPhoto(owner, Number(gone), CAPTION);
  await owner.patch('/photos/2', { caption: `${CAPTION} by night` });
  await admin.delete(`/restaurants/${gone}`);
  return world;
}

/** The words that stand in a file of the database. */
function wordsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith('catalogue.db'))
    .flatMap((name) => {
      const bytes = readFileSync(join(folder, name));
      return WORDS.filter((word) => bytes.includes(word)).map((word) => `${name}: ${word}`);
    });
}

/** Alice deletes her account: her contributions stay unless they are to go as well. */
async function leave({ owner, people }: World, contributions = 'keep'): Promise<void> {
  const body = { password: people.owner.password, contributions };
  assert.equal((await remove(owner, '/auth/me', body)).status, 204);
}

/** The deletion of something of this kind that is in the log. */
async function deletionOf(kind: string, { admin }: World): Promise<Change> {
  const [deletion] = await allChanges(admin, `action=delete&kind=${kind}`);
  assert.ok(deletion);
  return deletion;
}

/** Removes the words of the converted suggestion, which stays. */
function forgetConverted({ service }: World): void {
  changeStored(service.folder, 'UPDATE suggestions SET notes = NULL');
}

describe('the deletion of an account', () => {
  longTest('leaves what its user wrote, without an author', async (t) => {
    const world = await furnished(t);
    const { admin, people, service } = world;
    await leave(world);
    const [rating] = array((await admin.get('/restaurants/1/ratings')).body);
    assert.equal(field(rating, 'comment'), COMMENT);
    assert.equal(array((await admin.get('/restaurants/1/photos')).body).length, 1);
    assert.deepEqual(ids((await admin.get('/suggestions?status=all')).body).length, 2);
    for (const table of ['ratings', 'photos', 'suggestions']) {
      const ofUser = `SELECT id FROM ${table} WHERE user_id = ?`;
      assert.deepEqual(readStored(service.folder, ofUser, people.owner.id), []);
    }
  });

  longTest('removes the user and all of the words from the change log', async (t) => {
    const world = await furnished(t);
    const { admin, people } = world;
    const before = await allChanges(admin);
    await leave(world);
    const changes = await allChanges(admin);
    assert.equal(changes.length, before.length);
    const text = JSON.stringify(changes);
    for (const word of [...WORDS, 'alice', `"author_id":${people.owner.id}`])
      assert.ok(!text.includes(word), word);
    // What others did stays, and so does what can be undone.
    const ofAdmin = before.filter(({ actor }) => field(actor, 'id') === people.admin.id);
    assert.deepEqual(idsOf(changes.filter(({ actor }) => actor !== null)), idsOf(ofAdmin));
  });

  longTest('leaves in the change log what its user entered about restaurants', async (t) => {
    const world = await startWorld(t);
    const { admin, owner } = world;
    // With the id of a rating that goes.
    assert.equal((await owner.post('/restaurants', { name: 'Chez Nous' })).status, 201);
    await owner.post('/ratings', ratingOf(1, COMMENT));
    const [before] = await allChanges(admin, 'kind=restaurant');
    await leave(world);
    const [after] = await allChanges(admin, 'kind=restaurant');
    assert.equal(field(before?.['after'], 'name'), 'Chez Nous');
    assert.deepEqual(after, { ...before, actor: null });
  });

  longTest(
    'with the contributions leaves no word of them in the files of the database, and no photo',
    async (t) => {
      const world = await furnished(t);
      const { admin, service } = world;
      assert.ok(wordsIn(service.folder).length > 0);
      forgetConverted(world);
      const { body } = await admin.get('/restaurants/1/photos');
      const url = String(field(array(body)[0], 'url'));
      await leave(world, 'delete');
      assert.deepEqual((await admin.get('/restaurants/1/ratings')).body, []);
      assert.deepEqual((await admin.get('/restaurants/1/photos')).body, []);
      assert.equal(field(field((await admin.get('/restaurants/1')).body, 'avg_rating'), 'count'), 0);
      assert.equal((await admin.send(url, {})).status, 404);
      // The converted suggestion stays.
      assert.deepEqual(ids((await admin.get('/suggestions?status=all')).body), [3]);
      // Those that are still in the write-ahead log leave it while the service is running.
      await until(() => wordsIn(service.folder).length === 0);
      assert.equal((await admin.get('/users')).status, 200);
      await service.stop();
      assert.deepEqual(wordsIn(service.folder), []);
      const photos = readdirSync(join(service.folder, 'photos'), { recursive: true, encoding: 'utf8' });
      const inTrash = readStored(service.folder, 'SELECT filename FROM photo_trash').length;
      assert.equal(photos.filter((name) => name.endsWith('.jpg')).length, inTrash);
    },
  );

  longTest('reaches those who follow the changes, with each removal', async (t) => {
    const world = await furnished(t);
    const { admin } = world;
    const before = (await allChanges(admin)).length;
    await leave(world, 'delete');
    const since = (await allChanges(admin)).slice(before);
    assert.deepEqual(
      since.map(({ kind, action, actor, before: had, kept_until }) => [kind, action, actor, had, kept_until]),
      [
        ['rating', 'delete', null, null, null],
        ['photo', 'delete', null, null, null],
        ['suggestion', 'delete', null, null, null],
      ],
    );
  });

  longTest('leaves a restaurant that can be restored, with ratings and photos of no one', async (t) => {
    const world = await furnished(t);
    const { admin } = world;
    await leave(world);
    const deletion = await deletionOf('restaurant', world);
    await reverted(admin, Number(deletion['id']));
    const id = Number(deletion['entity_id']);
    const [rating] = array((await admin.get(`/restaurants/${id}/ratings`)).body);
    const [photo] = array((await admin.get(`/restaurants/${id}/photos`)).body);
    assert.deepEqual([field(rating, 'comment'), field(photo, 'caption')], [null, '']);
    await reverted(admin, Number((await deletionOf('rating', world))['id']));
  });

  longTest(
    'with the contributions leaves nothing of them in the trash that a revert would bring back',
    async (t) => {
      const world = await furnished(t);
      const { owner, admin, service } = world;
      await owner.delete('/photos/1');
      await admin.delete('/suggestions/2');
      const deletions = await allChanges(admin, 'action=delete&kind=restaurant,rating,photo,suggestion');
      assert.deepEqual(
        deletions.map(({ kind }) => kind),
        ['rating', 'restaurant', 'photo', 'suggestion'],
      );
      await admin.post('/ratings', ratingOf(1, 'Of another user'));
      await leave(world, 'delete');
      for (const { kind, id, entity_id } of deletions) {
        const { status } = await admin.post(`/changes/${String(id)}/revert`, {});
        assert.equal(status, kind === 'restaurant' ? 200 : 409, String(kind));
        if (kind !== 'restaurant') continue;
        const path = `/restaurants/${String(entity_id)}`;
        assert.deepEqual((await admin.get(`${path}/ratings`)).body, []);
        assert.deepEqual((await admin.get(`${path}/photos`)).body, []);
        assert.equal(field(field((await admin.get(path)).body, 'avg_rating'), 'count'), 0);
      }
      assert.deepEqual(
        array((await admin.get('/restaurants/1/ratings')).body).map((one) => field(one, 'comment')),
        ['Of another user'],
      );
      const faults = [...inspectData(service.folder)].flatMap((check) => check.faults);
      assert.deepEqual(faults, []);
      forgetConverted(world);
      await service.stop();
      assert.deepEqual(wordsIn(service.folder), []);
      assert.deepEqual(readStored(service.folder, 'SELECT filename FROM photo_files'), []);
    },
  );

  longTest('removes deleted lists with their items, and who purged something', async (t) => {
    const world = await furnished(t);
    const { owner, admin, service } = world;
    const list = String(field((await owner.post('/lists', { name: 'Lyon' })).body, 'id'));
    await owner.put(`/lists/${list}/items/1`, { note: COMMENT });
    await owner.delete(`/lists/${list}`);
    const gone = changeOf(await owner.delete('/categories/5'));
    await owner.post(`/changes/${gone}/purge`, {});
    await leave(world);
    assert.deepEqual(readStored(service.folder, 'SELECT * FROM list_items'), []);
    assert.deepEqual(readStored(service.folder, 'SELECT * FROM deleted_lists'), []);
    assert.equal(field((await changeAt(admin, gone))['purged'], 'by'), null);
    assert.deepEqual(readStored(service.folder, 'SELECT id FROM changes WHERE purged_by IS NOT NULL'), []);
  });

  test('takes along answers to others about what its user wrote, and leaves all others', async (t) => {
    const world = await startWorld(t);
    const { service, owner, other } = world;
    for (const [api, name] of [
      [owner, COMMENT],
      [other, 'Chez Eux'],
    ] as const) {
      const { body } = await api.post('/suggestions', { name });
      const path = `/suggestions/${String(field(body, 'id'))}/convert`;
      assert.equal((await other.post(path, {}, { 'Idempotency-Key': name })).status, 201);
    }
    const all = 'SELECT key FROM idempotency_keys WHERE length(body) > 0';
    assert.equal(readStored(service.folder, all).length, 2);
    await leave(world, 'delete');
    assert.deepEqual(readStored(service.folder, all), [{ key: 'Chez Eux' }]);
  });

  test('takes along all of its own stored answers, and invitations to its address, used or not', async (t) => {
    const world = await startWorld(t);
    const { service, people, owner, other, admin } = world;
    for (const to of [people.owner.email.toUpperCase(), 'zoe@example.com', null])
      assert.equal((await admin.post('/invitations', { email: to })).status, 201);
    for (const api of [owner, other])
      await api.post('/suggestions', { name: `Bistro of ${api === owner}` }, { 'Idempotency-Key': 'k' });
    await leave(world);
    const left = readStored(service.folder, 'SELECT email FROM invitations ORDER BY id');
    assert.deepEqual(
      left.map((row) => field(row, 'email')),
      ['zoe@example.com', null],
    );
    const users = readStored(service.folder, 'SELECT user_id FROM idempotency_keys');
    assert.deepEqual(
      users.map((row) => field(row, 'user_id')),
      [people.other.id],
    );
  });

  test('of an administrator takes the notes of invitations that others have used', async (t) => {
    const { service, people, owner, admin } = await startWorld(t);
    makeAdmin(service, people.owner);
    const invitation = secretOf(await owner.post('/invitations', { note: COMMENT }));
    const zoe = await service.api.post('/auth/register', registration('zoe', { invitation }));
    assert.equal(zoe.status, 201);
    assert.equal((await remove(admin, `/users/${people.owner.id}`, {})).status, 204);
    assert.deepEqual(readStored(service.folder, 'SELECT note, created_by FROM invitations'), [
      { note: null, created_by: null },
    ]);
  });

  test('takes along the outings and the ballots of its user', async (t) => {
    const world = await startWorld(t);
    const { service, people, owner, other, admin } = world;
    await addRestaurants(admin, 'A', 'B');
    const [own, joined] = [await addOuting(owner, [1, 2]), await addOuting(other, [1, 2])];
    for (const [api, outing] of [
      [owner, own],
      [other, own],
      [owner, joined],
      [other, joined],
    ] as const)
      bodyOf(await voteByLink(api, outing, ballot({ 1: 'yes' })));
    await leave(world);
    assert.equal((await other.get(`/shared/${own.token}`)).status, 404);
    const left = array(field((await other.get('/outings')).body, 'data'));
    assert.deepEqual(ids(left), [joined.id]);
    assert.deepEqual(participantsOf(left[0]), [['bob', false, true, true]]);
    assert.deepEqual(sumsOf(await closed(other, joined)), [
      [1, 0, 0, 0],
      [0, 0, 0, 0],
    ]);
    const voters = readStored(service.folder, 'SELECT user_id FROM outing_voters');
    assert.deepEqual(
      voters.map((row) => field(row, 'user_id')),
      [people.other.id],
    );
  });

  longTest('by an administrator does the same', async (t) => {
    const { owner, admin, people, service } = await furnished(t);
    const answer = await remove(admin, `/users/${people.owner.id}`, { contributions: 'delete' });
    assert.equal(answer.status, 204);
    assert.equal((await owner.get('/auth/me')).status, 401);
    assert.deepEqual((await admin.get('/restaurants/1/ratings')).body, []);
    assert.deepEqual(readStored(service.folder, 'SELECT * FROM erasures'), []);
    assert.equal((await admin.delete(`/users/${people.owner.id}`)).status, 404);
    assert.equal((await admin.delete(`/users/${people.other.id}`)).status, 204);
  });

  longTest('that was cut short is completed by the next start', async (t) => {
    const world = await furnished(t);
    const { people, service } = world;
    await service.stop();
    // As after a crash behind the first of its transactions.
    changeStored(service.folder, 'UPDATE users SET is_active = 0 WHERE id = ?', people.owner.id);
    const begun = "INSERT INTO erasures (user_id, contributions) VALUES (?, 'delete')";
    changeStored(service.folder, begun, people.owner.id);
    const again = await startService(t, { DATA_DIR: service.folder });
    await until(() => readStored(service.folder, 'SELECT * FROM erasures').length === 0);
    assert.deepEqual((await again.api.get('/restaurants/1/ratings')).body, []);
    assert.deepEqual(ids(field((await again.api.get('/users')).body, 'data')), [3, 4]);
    assert.ok(!JSON.stringify(await allChanges(again.api)).includes(COMMENT));
  });

  longTest('clears a long log in parts, and what is in it only by mention', async (t) => {
    const { owner, admin, people, service } = await furnished(t);
    const row = record(readStored(service.folder, "SELECT * FROM changes WHERE kind = 'rating' LIMIT 1")[0]);
    changeStored(
      service.folder,
      `INSERT INTO changes (at, kind, entity_id, restaurant_id, action, name, after, owner_id, actor_id, via)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
       SELECT at, kind, entity_id + 1000 + i, restaurant_id, action, name, after, owner_id, actor_id, via
       FROM changes, n WHERE id = ?`,
      Number(row['id']),
    );
    await remove(admin, `/users/${people.owner.id}`, {});
    const left = `SELECT id FROM changes WHERE owner_id = 2 OR actor_id = 2
      OR instr(coalesce(before, ''), '"author_id":2') + instr(coalesce(after, ''), '"author_id":2') > 0`;
    assert.deepEqual(readStored(service.folder, left), []);
    assert.equal((await owner.get('/auth/me')).status, 401);
  });
});
