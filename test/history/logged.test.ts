import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FULL_SUGGESTION, createRestaurants, createSuggestions } from '../support/catalogue.ts';
import { allChanges, changeAt, changeOf, deeds, idsOf } from '../support/changes.ts';
import { type Client, field, ids, record } from '../support/client.ts';
import { LOCAL, makeAdmin, readStored, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { longTest } from '../support/size.ts';
import { addPhoto, ratingOf, startWorld } from '../support/world.ts';

const SAME = { name: 'Twin', address: '2 Rue', google_place_id: 'twin' };

/** The changes that a call makes. */
async function madeBy(api: Client, call: () => Promise<unknown>): Promise<readonly string[]> {
  const before = await allChanges(api);
  await call();
  return deeds((await allChanges(api)).slice(before.length));
}

describe('the change log', () => {
  test('begins empty', async (t) => {
    const { api } = await startService(t);
    assert.deepEqual(await allChanges(api), []);
  });

  test('has nothing of a write that changes nothing, whose answer names no change', async (t) => {
    const { api } = await startService(t);
    const answer = await api.put('/categories/5', {});
    assert.deepEqual([answer.status, answer.headers.get('change')], [200, null]);
    assert.deepEqual(await allChanges(api), []);
  });

  test('has no fields where updated_at alone has moved', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [{ name: 'Chez Nous', phone: '+33 1' }]);
    for (const body of [{ phone: '+33 1' }, {}]) {
      const id = changeOf(await api.put('/restaurants/1', body));
      const { fields, before, after } = await changeAt(api, id);
      assert.deepEqual([fields, Object.keys(record(before))], [[], ['updated_at']]);
      assert.notDeepEqual(before, after);
    }
  });

  test('has nothing of refused writes', async (t) => {
    const world = await startWorld(t, { WRITE_ACCESS: 'admins' });
    const { admin, owner, service } = world;
    await createRestaurants(admin, [{ name: 'Chez Nous' }]);
    const refused = await madeBy(admin, async () => {
      const answers = [
        await admin.post('/restaurants', { name: '' }),
        await service.api.post('/restaurants', { name: 'Stranger' }),
        await owner.delete('/restaurants/1'),
        await admin.delete('/restaurants/99'),
        await admin.post('/ratings', ratingOf(99)),
        await admin.post('/restaurants', { name: 'chez nous' }),
        await admin.post('/suggestions', { name: 'Chez Nous' }),
        await admin.put('/categories/5', { name: 'Thai' }),
        await admin.post('/changes/99/revert', {}),
        await owner.post('/changes/1/revert', {}),
      ];
      assert.deepEqual(
        answers.map(({ status }) => status),
        [400, 401, 403, 404, 404, 409, 409, 409, 404, 403],
      );
      for (const { headers } of answers) assert.equal(headers.get('change'), null);
    });
    assert.deepEqual(refused, []);
    // A refused write uses no id either.
    const next = changeOf(await admin.post('/food-types', { name: 'Nettles' }));
    assert.equal(next, 2);
  });
});

describe('a write of several entities', () => {
  test('is one change each, with the first one’s id: a conversion, and all that is the same place', async (t) => {
    const { api } = await startService(t);
    await createSuggestions(api, [FULL_SUGGESTION, { ...SAME, google_place_id: null }]);
    const stars = { food_rating: 5, service_rating: 5, ambiance_rating: 5 };
    const answer = await api.post('/suggestions/1/convert', { ...SAME, ...stars });
    const id = changeOf(answer);
    const changes = (await allChanges(api)).slice(2);
    assert.deepEqual(deeds(changes).sort(), [
      'rating create',
      'restaurant create',
      'suggestion update',
      'suggestion update',
    ]);
    assert.deepEqual([idsOf(changes)[0], changes.map(({ write_id }) => write_id)], [id, [id, id, id, id]]);
    assert.deepEqual(
      changes.filter(({ kind }) => kind === 'suggestion').map(({ after }) => field(after, 'restaurant_id')),
      [3, 3],
    );
  });

  test('is a restaurant next to an equal suggestion, which becomes that restaurant', async (t) => {
    const { api } = await startService(t);
    await createSuggestions(api, [SAME]);
    const id = changeOf(await api.post('/restaurants', SAME));
    const [restaurant, suggestion] = (await allChanges(api)).slice(1);
    assert.deepEqual([restaurant?.['write_id'], suggestion?.['write_id']], [id, id]);
    assert.equal(field(restaurant?.['after'], 'suggestion_id'), 1);
    assert.deepEqual(suggestion?.['fields'], ['status', 'restaurant_id']);
  });
});

describe('a deletion', () => {
  test('of a restaurant holds its ratings and photos, which have no change of their own', async (t) => {
    const { owner, admin, people } = await startWorld(t);
    await createSuggestions(admin, [SAME]);
    await admin.post('/suggestions/1/convert', {});
    for (const api of [owner, admin]) await api.post('/ratings', ratingOf(2));
    const photo = await addPhoto(owner, 2);
    const made = await madeBy(admin, () => admin.delete('/restaurants/2'));
    assert.deepEqual(made, ['restaurant delete']);
    const [deletion] = await allChanges(admin, 'action=delete');
    const before = record(deletion?.['before']);
    assert.deepEqual(ids(before['ratings']), [1, 2]);
    assert.deepEqual(ids(before['photos']), [1]);
    assert.deepEqual([before['id'], before['suggestion_ids']], [2, [1]]);
    const [stored] = [before['photos']].flat();
    assert.equal(field(stored, 'author_id'), people.owner.id);
    assert.equal(field(stored, 'filename'), field(photo, 'filename'));
  });

  test('of a category and of a food type holds what had it', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [{ name: 'A', category_id: 5, food_type_ids: [8] }, { name: 'B' }]);
    await createSuggestions(api, [FULL_SUGGESTION]);
    for (const path of ['/categories/5', '/food-types/8']) {
      const { before, name } = await changeAt(api, changeOf(await api.delete(path)));
      assert.equal(field(before, 'name'), name);
      assert.deepEqual([field(before, 'restaurant_ids'), field(before, 'suggestion_ids')], [[1], [3]], path);
    }
  });
});

describe('what the log holds', () => {
  test('is nothing of accounts, and no secret', async (t) => {
    const service = await startService(t, LOCAL);
    const alice = await signUp(service, 'alice');
    makeAdmin(service, alice);
    const token = String(field((await alice.api.post('/auth/tokens', { name: 'script' })).body, 'token'));
    const bearing = { Authorization: `Bearer ${token}` };
    await service.api.post('/restaurants', { name: 'Chez Nous' }, bearing);
    await alice.api.post('/restaurants', { name: 'Chez Vous' });
    await service.api.post('/auth/login', { email: alice.email, password: alice.password });
    await alice.api.post('/auth/logout', {});
    const stored = JSON.stringify(readStored(service.folder, 'SELECT * FROM changes'));
    for (const secret of [alice.password, alice.email, alice.accessToken, alice.refreshToken, token])
      assert.ok(!stored.includes(secret), secret);
    const kinds = readStored(service.folder, 'SELECT DISTINCT kind FROM changes');
    assert.deepEqual(kinds, [{ kind: 'restaurant' }]);
  });

  longTest(
    'has no gaps and is in the order of commits, whatever is refused among what is written together',
    async (t) => {
      const { api, folder } = await startService(t);
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          index % 3 === 2
            ? api.post('/categories', { name: 'Thai' })
            : api.post('/restaurants', { name: `Place ${index % 3 === 1 ? index - 1 : index}` }),
        ),
      );
      const made = answers.filter(({ status }) => status === 201);
      assert.deepEqual([made.length, answers.filter(({ status }) => status === 409).length], [20, 40]);
      assert.deepEqual(
        made.map(changeOf).sort((left, right) => left - right),
        Array.from({ length: 20 }, (_, index) => index + 1),
      );
      for (const answer of made)
        assert.equal((await changeAt(api, changeOf(answer)))['entity_id'], field(answer.body, 'id'));
      const rows = readStored(folder, 'SELECT id, entity_id FROM changes ORDER BY id');
      const changes = await allChanges(api, '', { limit: 7 });
      assert.deepEqual(
        changes.map(({ id, entity_id }) => ({ id, entity_id })),
        rows,
      );
    },
  );
});
