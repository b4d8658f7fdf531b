import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { type Client, field, record } from '../support/client.ts';
import { LOCAL, changeStored, makeAdmin, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';

const ADMINS = { error: 'Admin access required' };

describe('a rating', () => {
  const rating = { restaurant_id: 1, food_rating: 5, service_rating: 4, ambiance_rating: 3 };

  async function rated(
    t: TestContext,
    WRITE_ACCESS: string,
  ): Promise<Record<'owner' | 'other' | 'admin', Client>> {
    const service = await startService(t, { ...LOCAL, WRITE_ACCESS });
    const [owner, other, admin] = [
      await signUp(service, 'alice'),
      await signUp(service, 'bob'),
      await signUp(service, 'carol'),
    ];
    makeAdmin(service, admin);
    await admin.api.post('/restaurants', { name: 'Rated' });
    for (let count = 0; count < 2; count += 1) {
      const answer = await owner.api.post('/ratings', rating);
      assert.equal(answer.status, 201);
      assert.ok(!('user_id' in record(answer.body)));
    }
    return { owner: owner.api, other: other.api, admin: admin.api };
  }

  test('is removed by its owner and by administrators alone with WRITE_ACCESS=admins', async (t) => {
    const { owner, other, admin } = await rated(t, 'admins');
    const refused = await other.delete('/ratings/1');
    assert.deepEqual([refused.status, refused.body], [403, ADMINS]);
    assert.equal((await other.delete('/ratings/999')).status, 404);
    assert.equal((await owner.delete('/ratings/1')).status, 204);
    assert.equal((await admin.delete('/ratings/2')).status, 204);
  });

  test('is removed by every user without it', async (t) => {
    const { other } = await rated(t, 'users');
    assert.equal((await other.delete('/ratings/1')).status, 204);
  });

  test('without an author is removed by administrators alone with WRITE_ACCESS=admins', async (t) => {
    const before = await startService(t);
    await before.api.post('/restaurants', { name: 'Rated' });
    await before.api.post('/ratings', rating);
    await before.stop();
    const service = await startService(t, { ...LOCAL, WRITE_ACCESS: 'admins', DATA_DIR: before.folder });
    const [user, admin] = [await signUp(service, 'alice'), await signUp(service, 'carol')];
    makeAdmin(service, admin);
    assert.equal((await user.api.delete('/ratings/1')).status, 403);
    assert.equal((await admin.api.delete('/ratings/1')).status, 204);
  });

  test('outlives its owner’s account, with the averages that it is part of', async (t) => {
    const service = await startService(t, LOCAL);
    const [owner, other] = [await signUp(service, 'alice'), await signUp(service, 'bob')];
    await other.api.post('/restaurants', { name: 'Rated' });
    await owner.api.post('/ratings', rating);
    changeStored(service.folder, 'DELETE FROM users WHERE id = ?', owner.id);
    const restaurant = (await service.api.get('/restaurants/1')).body;
    assert.equal(field(field(restaurant, 'avg_rating'), 'count'), 1);
    assert.equal((await other.api.delete('/ratings/1')).status, 204);
  });
});
