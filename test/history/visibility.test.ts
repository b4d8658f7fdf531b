import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { type Change, allChanges, changeAt, changeOf, refusal, reverted } from '../support/changes.ts';
import { type Client, array, field, record } from '../support/client.ts';
import { changeStored, readStored } from '../support/people.ts';
import { longTest } from '../support/size.ts';
import { type World, addPhoto, ratingOf, startWorld } from '../support/world.ts';

const CALLERS = ['owner', 'other', 'admin', 'token'] as const;

interface Shown {
  readonly world: World;
  /** By what they are about. */
  readonly changes: Readonly<Record<string, number>>;
}

/** Something of the owner of every kind, made and deleted, and what an administrator deleted. */
async function shown(t: TestContext, variables: Readonly<Record<string, string>> = {}): Promise<Shown> {
  const world = await startWorld(t, variables);
  const { owner, admin } = world;
  const changes: Record<string, number> = {};
  const note = async (name: string, call: Promise<Parameters<typeof changeOf>[0]>): Promise<void> => {
    changes[name] = changeOf(await call);
  };
  await note('restaurant', owner.post('/restaurants', { name: 'Chez Nous' }));
  await note('restaurant changed', owner.put('/restaurants/1', { phone: '+33 1' }));
  await note('category', owner.post('/categories', { name: 'Nordic' }));
  await note('rating', owner.post('/ratings', ratingOf(1)));
  await addPhoto(owner, 1);
  changes['photo'] = Number(changes['rating']) + 1;
  await note('caption', owner.patch('/photos/1', { caption: 'New' }));
  await note('suggestion', owner.post('/suggestions', { name: 'Bistro', notes: 'Private?' }));
  await note('rating deleted by an admin', admin.delete('/ratings/1'));
  await note('photo deleted', owner.delete('/photos/1'));
  await note('suggestion deleted', owner.delete('/suggestions/2'));
  await note('category deleted', owner.delete('/categories/11'));
  await note('restaurant deleted by an admin', admin.delete('/restaurants/1'));
  return { world, changes };
}

// Whether `before` or `after` is shown.
const SHOWN: Readonly<Record<string, Readonly<Record<(typeof CALLERS)[number], boolean>>>> = {
  restaurant: { owner: true, other: true, admin: true, token: true },
  'restaurant changed': { owner: true, other: true, admin: true, token: true },
  category: { owner: true, other: true, admin: true, token: true },
  rating: { owner: true, other: false, admin: true, token: true },
  photo: { owner: true, other: false, admin: true, token: true },
  caption: { owner: true, other: false, admin: true, token: true },
  suggestion: { owner: true, other: false, admin: true, token: true },
  'rating deleted by an admin': { owner: true, other: false, admin: true, token: true },
  'photo deleted': { owner: true, other: false, admin: true, token: true },
  'suggestion deleted': { owner: true, other: false, admin: true, token: true },
  'category deleted': { owner: true, other: false, admin: true, token: true },
  'restaurant deleted by an admin': { owner: false, other: false, admin: true, token: false },
};

const isShown = ({ before, after }: Change): boolean => before !== null || after !== null;

/** The changes with this id in all answers that show it to a caller. */
async function everywhere(api: Client): Promise<(id: number) => Promise<Change[]>> {
  const lists = [await allChanges(api), await allChanges(api, '', { from: 'newest' })];
  const { status, body } = await api.get('/restaurants/1/history');
  assert.equal(status, 200);
  const history = array(field(body, 'data')).map(record);
  return async (id) => {
    const isIt = (change: Change): boolean => change['id'] === id;
    const inLists = lists.map((changes) => changes.find(isIt) ?? {});
    return [await changeAt(api, id), ...inLists, ...history.filter(isIt)];
  };
}

describe('what was before and after', () => {
  longTest('is shown to whose it is, to who deleted it and to administrators', async (t) => {
    const { world, changes } = await shown(t);
    assert.deepEqual(Object.keys(changes), Object.keys(SHOWN));
    for (const caller of CALLERS) {
      const changesOf = await everywhere(world[caller]);
      for (const [name, expected] of Object.entries(SHOWN))
        for (const change of await changesOf(Number(changes[name])))
          assert.equal(isShown(change), expected[caller], `${name} to ${caller}`);
    }
  });
});

describe('who made a change', () => {
  test('is shown to every user, the request to administrators alone, and the token to its owner', async (t) => {
    const { owner, other, admin, token, people } = await startWorld(t);
    const requestId = '0b9f3a1e6a574a549d0e3f3c5d0d8a11';
    const headers = { 'X-Request-Id': requestId };
    const id = changeOf(await token.post('/restaurants', { name: 'Chez Nous' }, headers));
    const actor = { id: people.owner.id, username: 'alice' };
    const shown = { id: 1, name: 'script' };
    const expected: readonly (readonly [Client, object | null, string | null])[] = [
      [owner, shown, null],
      [token, shown, null],
      [other, null, null],
      [admin, null, requestId],
    ];
    for (const [api, tokenShown, request] of expected) {
      const change = await changeAt(api, id);
      assert.deepEqual(
        [change['actor'], change['token'], change['request_id']],
        [actor, tokenShown, request],
      );
    }
    await owner.delete('/auth/tokens/1');
    assert.deepEqual((await changeAt(owner, id))['token'], shown);
  });

  test('names a request by no words of its client, and the access log says by which', async (t) => {
    const { service, owner, admin } = await startWorld(t);
    const words = 'meeting-dr-house';
    const answer = await owner.post('/restaurants', { name: 'Chez Nous' }, { 'X-Request-Id': words });
    assert.equal(answer.headers.get('x-request-id'), words);
    const logged = service.logs.find((line) => record(line)['offered'] === words);
    assert.equal((await changeAt(admin, changeOf(answer)))['request_id'], field(logged, 'id'));
    assert.deepEqual(readStored(service.folder, 'SELECT id FROM changes WHERE request_id = ?', words), []);
  });

  test('is null where the account is gone', async (t) => {
    const { service, owner, admin, people } = await startWorld(t);
    const id = changeOf(await owner.post('/restaurants', { name: 'Chez Nous' }));
    changeStored(service.folder, 'DELETE FROM users WHERE id = ?', people.owner.id);
    assert.equal((await changeAt(admin, id))['actor'], null);
  });

  test('is shown to administrators alone with AUTHORS=none, and cannot be asked for either', async (t) => {
    const { owner, other, admin, people } = await startWorld(t, { AUTHORS: 'none' });
    await owner.post('/restaurants', { name: 'Chez Nous' });
    const rated = changeOf(await owner.post('/ratings', ratingOf(1)));
    const gone = changeOf(await admin.delete('/restaurants/1'));
    const back = await reverted(admin, gone);
    const { id } = people.owner;
    for (const api of [owner, other])
      for (const { actor, before, after } of await allChanges(api)) {
        assert.equal(actor, null);
        assert.ok(!JSON.stringify([before, after]).includes(`"author_id":${id}`));
      }
    const [own, all] = [await changeAt(owner, rated), await changeAt(admin, rated)];
    assert.deepEqual([field(own['after'], 'author_id'), field(all['after'], 'author_id')], [null, id]);
    assert.deepEqual(all['actor'], { id, username: 'alice' });
    assert.equal(
      field(array(field((await changeAt(other, back))['after'], 'ratings'))[0], 'author_id'),
      null,
    );
    const asked = async (api: Client, actor: string): Promise<number> =>
      (await allChanges(api, `actor=${actor}`)).length;
    assert.deepEqual(
      [await asked(admin, `${id}`), await asked(owner, 'me'), await asked(owner, `${id}`)],
      [2, 2, 2],
    );
    assert.deepEqual([await asked(other, `${id}`), await asked(owner, `${people.admin.id}`)], [0, 0]);
  });
});

describe('the log', () => {
  test('is for users, and so are their own batches', async (t) => {
    const { service, owner, admin } = await startWorld(t);
    await owner.post('/restaurants', { name: 'Chez Nous' });
    for (const path of ['/changes', '/changes/1', '/changes/stream', '/restaurants/1/history', '/batches'])
      assert.deepEqual(refusal(await service.api.get(path)), [401, 'Authentication required'], path);
    for (const path of ['/changes/1/revert', '/changes/1/purge', '/batches/1/revert'])
      assert.deepEqual(refusal(await service.api.post(path, {})), [401, 'Authentication required'], path);
    for (const api of [owner, admin]) {
      assert.deepEqual(field((await api.get('/batches')).body, 'data'), []);
      assert.deepEqual(refusal(await api.get('/batches/1')), [404, 'Batch not found']);
      assert.deepEqual(refusal(await api.post('/batches/1/revert', {})), [404, 'Batch not found']);
    }
  });
});
