import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { type Ended, runCommand } from '../support/cli.ts';
import { LOCAL, changeStored, readStored } from '../support/people.ts';
import { type World, ratingOf, startWorld } from '../support/world.ts';

const WORDS = 'quincunx soup';
const LAST = { code: 1, out: '', err: 'The last administrator must stay\n' };

async function rated(t: TestContext): Promise<World> {
  const world = await startWorld(t);
  await world.admin.post('/restaurants', { name: 'Chez Nous' });
  await world.owner.post('/ratings', ratingOf(1, WORDS));
  return world;
}

function user({ service }: World, ...args: readonly string[]): Promise<Ended> {
  return runCommand(['user', ...args], { variables: { ...LOCAL, DATA_DIR: service.folder } });
}

function hasWords({ service: { folder } }: World): boolean {
  const files = readdirSync(folder).filter((name) => name.startsWith('catalogue.db'));
  return files.some((name) => readFileSync(join(folder, name)).includes(WORDS));
}

describe('catalogue user delete', () => {
  test('removes the user from the change log, and leaves ratings without an author', async (t) => {
    const world = await rated(t);
    assert.deepEqual(await user(world, 'delete', 'alice@example.com'), {
      code: 0,
      err: '',
      out: 'alice@example.com is deleted.\n',
    });
    const stored = (sql: string): unknown[] => readStored(world.service.folder, sql);
    assert.deepEqual(stored('SELECT comment, user_id FROM ratings'), [{ comment: WORDS, user_id: null }]);
    assert.deepEqual(stored(`SELECT id FROM changes WHERE actor_id = 2 OR after LIKE '%${WORDS}%'`), []);
    assert.equal((await world.owner.get('/auth/me')).status, 401);
  });

  for (const state of ['running', 'stopped'] as const)
    test(`--delete-contributions leaves no word in the files of a ${state} service`, async (t) => {
      const world = await rated(t);
      if (state === 'stopped') await world.service.stop();
      assert.equal(hasWords(world), true);
      const { code } = await user(world, 'delete', 'alice@example.com', '--delete-contributions');
      assert.deepEqual([code, hasWords(world)], [0, false]);
      assert.deepEqual(readStored(world.service.folder, 'SELECT id FROM ratings'), []);
    });

  test('and deactivate refuse the last administrator, as the API does', async (t) => {
    const world = await rated(t);
    assert.deepEqual(await user(world, 'delete', 'carol@example.com'), LAST);
    assert.deepEqual(await user(world, 'deactivate', 'carol@example.com'), LAST);
    changeStored(world.service.folder, 'UPDATE users SET is_admin = 1 WHERE id = 3');
    assert.equal((await user(world, 'delete', 'carol@example.com')).code, 0);
  });
});
