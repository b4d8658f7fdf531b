import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { refusal } from '../../support/changes.ts';
import { field } from '../../support/client.ts';
import { LOCAL, changeStored, makeAdmin, signUp } from '../../support/people.ts';
import { startService } from '../../support/service.ts';
import { type World, ratingOf, startWorld } from '../../support/world.ts';

describe('a rating', () => {
  /** A restaurant that alice has rated twice. */
  async function rated(t: TestContext, WRITE_ACCESS: string): Promise<World> {
    const world = await startWorld(t, { WRITE_ACCESS });
    await world.admin.post('/restaurants', { name: 'Rated' });
    for (let count = 0; count < 2; count += 1)
      assert.equal((await world.owner.post('/ratings', ratingOf(1))).status, 201);
    return world;
  }

  test('is removed by its owner and by administrators alone with WRITE_ACCESS=admins', async (t) => {
    const { owner, other, admin } = await rated(t, 'admins');
    assert.deepEqual(refusal(await other.delete('/ratings/1')), [403, 'Admin access required']);
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
    await before.api.post('/ratings', ratingOf(1));
    await before.stop();
    const service = await startService(t, { ...LOCAL, WRITE_ACCESS: 'admins', DATA_DIR: before.folder });
    const [user, admin] = [await signUp(service, 'alice'), await signUp(service, 'carol')];
    makeAdmin(service, admin);
    assert.equal((await user.api.delete('/ratings/1')).status, 403);
    assert.equal((await admin.api.delete('/ratings/1')).status, 204);
  });

  test('outlives its owner’s account, with the averages that it is part of', async (t) => {
    const { service, people, other } = await rated(t, 'users');
    changeStored(service.folder, 'DELETE FROM users WHERE id = ?', people.owner.id);
    const restaurant = (await service.api.get('/restaurants/1')).body;
    assert.equal(field(field(restaurant, 'avg_rating'), 'count'), 2);
    assert.equal((await other.delete('/ratings/1')).status, 204);
  });
});
