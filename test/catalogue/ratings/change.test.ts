import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { changeAt, changeOf, refusal, revert, reverted } from '../../support/changes.ts';
import { type Client, field, ids, record } from '../../support/client.ts';
import { changeStored } from '../../support/people.ts';
import { startService } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';
import { type World, ratingOf, startWorld } from '../../support/world.ts';

const NOT_AUTHOR = [403, 'Only its author may change a rating'];
const STARS = { food_rating: 2, service_rating: 1, ambiance_rating: 3 };

/** Two restaurants, and ratings 1 and 2 of the first by alice. */
async function rated(t: TestContext, variables: Readonly<Record<string, string>> = {}): Promise<World> {
  const world = await startWorld(t, variables);
  for (const name of ['Chez Nous', 'Chez Vous']) await world.admin.post('/restaurants', { name });
  for (const comment of ['First', 'Second']) await world.owner.post('/ratings', ratingOf(1, comment));
  return world;
}

async function averages(api: Client): Promise<unknown> {
  return field((await api.get('/restaurants/1')).body, 'avg_rating');
}

describe('PUT /ratings/{id}', () => {
  test('changes what is sent, and the averages with it; id, restaurant, time and order stay', async (t) => {
    const { owner, people } = await rated(t);
    const before = record((await owner.get('/ratings/1')).body);
    await owner.get('/restaurants?sort=rating');
    const answer = await owner.put('/ratings/1', { ...STARS, comment: ' <b>Bad</b> soup ', id: 7 });
    const updated_at = String(field(answer.body, 'updated_at'));
    const author = { id: people.owner.id, username: 'alice' };
    const after = { ...before, ...STARS, comment: 'Bad soup', author, updated_at };
    assert.deepEqual([answer.status, answer.body], [200, after]);
    assert.ok(updated_at > String(before['created_at']));
    assert.deepEqual((await owner.get('/ratings/1')).body, after);
    assert.deepEqual(ids((await owner.get('/restaurants/1/ratings')).body), [2, 1]);
    const means = { food: 3.5, service: 2.5, ambiance: 3, count: 2 };
    assert.deepEqual(await averages(owner), { ...means, overall: (3.5 + 2.5 + 3) / 3 });
    assert.deepEqual((await owner.get('/restaurants?min_rating=3.01')).body, []);
  });

  test('leaves absent fields as they are, and a null comment clears it', async (t) => {
    const { owner } = await rated(t);
    const before = record((await owner.get('/ratings/1')).body);
    const stars = record((await owner.put('/ratings/1', { service_rating: 1 })).body);
    assert.deepEqual(stars, { ...before, service_rating: 1, updated_at: stars['updated_at'] });
    const cleared = record((await owner.put('/ratings/1', { comment: null, restaurant_id: 1 })).body);
    assert.deepEqual(cleared, { ...stars, comment: null, updated_at: cleared['updated_at'] });
  });

  test('of nothing new moves updated_at alone, as of other records', async (t) => {
    const { owner } = await rated(t);
    for (const body of [{}, { food_rating: 5 }]) {
      const { fields, before } = await changeAt(owner, changeOf(await owner.put('/ratings/1', body)));
      assert.deepEqual([fields, Object.keys(record(before))], [[], ['updated_at']]);
    }
  });

  longTest(
    'is 403 for all but its author, administrators included, and tokens are their user’s',
    async (t) => {
      for (const WRITE_ACCESS of ['users', 'admins']) {
        const { owner, other, admin, token, service } = await rated(t, { WRITE_ACCESS });
        for (const api of [other, admin])
          for (const body of [{ food_rating: 1 }, { restaurant_id: 2 }])
            assert.deepEqual(refusal(await api.put('/ratings/1', body)), NOT_AUTHOR);
        assert.equal((await service.api.put('/ratings/1', { food_rating: 1 })).status, 401);
        assert.equal(field((await service.api.get('/ratings/1')).body, 'food_rating'), 5);
        for (const api of [owner, token])
          assert.equal((await api.put('/ratings/1', { food_rating: 1 })).status, 200);
      }
    },
  );

  test('is 403 for everyone with accounts where no author is known', async (t) => {
    const { owner, admin, people, service } = await rated(t);
    changeStored(service.folder, 'DELETE FROM users WHERE id = ?', people.owner.id);
    assert.deepEqual(refusal(await admin.put('/ratings/1', { food_rating: 1 })), NOT_AUTHOR);
    assert.equal((await owner.put('/ratings/1', { food_rating: 1 })).status, 401);
  });

  test('changes in mode none what has no author, and nothing of an account', async (t) => {
    const { service } = await rated(t);
    await service.stop();
    const { api } = await startService(t, { DATA_DIR: service.folder });
    assert.equal((await api.post('/ratings', ratingOf(1))).status, 201);
    assert.equal((await api.put('/ratings/3', { food_rating: 1 })).status, 200);
    assert.deepEqual(refusal(await api.put('/ratings/1', { food_rating: 1 })), NOT_AUTHOR);
  });

  const refused: readonly (readonly [string, unknown, string])[] = [
    ['a null rating', { food_rating: null }, 'food_rating is required'],
    ['a rating of 6', { service_rating: 6 }, 'service_rating must be an integer from 1 to 5'],
    ['a rating as text', { ambiance_rating: '4' }, 'ambiance_rating must be an integer from 1 to 5'],
    ['a comment that is no text', { comment: 5 }, 'comment must be a string'],
    ['a long comment', { comment: 'x'.repeat(5_001) }, 'comment must be at most 5000 characters'],
    ['another restaurant', { restaurant_id: 2, food_rating: 1 }, 'restaurant_id cannot be changed'],
    ['a restaurant that is not there', { restaurant_id: 99 }, 'restaurant_id cannot be changed'],
    ['no restaurant', { restaurant_id: null }, 'restaurant_id is required'],
    [
      'several faults',
      { food_rating: 0, comment: [], restaurant_id: 'x' },
      'restaurant_id must be a positive integer; food_rating must be an integer from 1 to 5; comment must be a string',
    ],
  ];
  test('is refused with what breaks a rule, and changes nothing', async (t) => {
    const { owner } = await rated(t);
    const before = (await owner.get('/ratings/1')).body;
    for (const [title, body, error] of refused)
      assert.deepEqual(refusal(await owner.put('/ratings/1', body)), [400, error], title);
    assert.deepEqual((await owner.get('/ratings/1')).body, before);
  });

  test('is 404 for a rating that is not there, also to a stranger to it', async (t) => {
    const { owner, other } = await rated(t);
    await owner.delete('/ratings/1');
    for (const api of [owner, other])
      assert.deepEqual(refusal(await api.put('/ratings/1', STARS)), [404, 'Rating not found']);
  });

  test('that meets the deletion either comes before it or finds nothing, and averages stay right', async (t) => {
    const { owner, service } = await rated(t);
    const put = owner.put('/ratings/1', STARS);
    const deletion = owner.delete('/ratings/1');
    const puts = await Promise.all([put, owner.put('/ratings/1', STARS)]);
    assert.equal((await deletion).status, 204);
    for (const { status } of puts) assert.ok([200, 404].includes(status), String(status));
    const own = { food: 5, service: 4, ambiance: 3, overall: 4, count: 1 };
    assert.deepEqual(await averages(service.api), own);
  });
});

describe('the revert of a changed rating', () => {
  test('brings the values back, for its author alone', async (t) => {
    const { owner, admin } = await rated(t);
    const [before, means] = [record((await owner.get('/ratings/1')).body), await averages(owner)];
    const id = changeOf(await owner.put('/ratings/1', { ...STARS, comment: null }));
    assert.equal((await revert(admin, id)).status, 403);
    await reverted(owner, id);
    const after = record((await owner.get('/ratings/1')).body);
    assert.deepEqual({ ...after, updated_at: before['updated_at'] }, before);
    assert.deepEqual(await averages(owner), means);
  });

  test('is refused once one of its fields was changed again', async (t) => {
    const { owner } = await rated(t);
    const id = changeOf(await owner.put('/ratings/1', STARS));
    await owner.put('/ratings/1', { service_rating: 5 });
    const why = `Change ${id} cannot be reverted: service_rating of rating 1 was changed later`;
    assert.deepEqual(refusal(await revert(owner, id)), [409, why]);
  });
});

describe('a changed rating', () => {
  test('comes back from the trash as it was changed, alone and with its restaurant', async (t) => {
    const { owner } = await rated(t);
    await owner.put('/ratings/1', STARS);
    const changed = (await owner.get('/ratings/1')).body;
    for (const path of ['/ratings/1', '/restaurants/1']) {
      await reverted(owner, changeOf(await owner.delete(path)));
      assert.deepEqual((await owner.get('/ratings/1')).body, changed);
    }
  });

  test('that was deleted before ratings could change comes back with its time of creation', async (t) => {
    const { owner, service } = await rated(t);
    const before = (await owner.get('/ratings/1')).body;
    const paths = [
      ['/ratings/1', "json_remove(before, '$.updated_at')"],
      ['/restaurants/1', "json_remove(before, '$.ratings[0].updated_at', '$.ratings[1].updated_at')"],
    ] as const;
    for (const [path, older] of paths) {
      const id = changeOf(await owner.delete(path));
      changeStored(service.folder, `UPDATE changes SET before = ${older} WHERE id = ?`, id);
      await reverted(owner, id);
      assert.deepEqual((await owner.get('/ratings/1')).body, before);
    }
  });
});
