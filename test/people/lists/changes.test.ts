import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { allChanges, changeAt, changeOf, deeds, refusal, revert, reverted } from '../../support/changes.ts';
import { type Answer, type Client, array, field, record } from '../../support/client.ts';
import {
  addItems,
  addRestaurants,
  changesOfLists,
  namesOn,
  putItem,
  startListWorld,
} from '../../support/lists.ts';
import { longTest } from '../../support/size.ts';
import { ownViews } from '../../support/world.ts';

const withoutTimes = (side: unknown): unknown =>
  JSON.parse(JSON.stringify(side, (name, value: unknown) => (name.endsWith('_at') ? undefined : value)));

describe('changes of a list', () => {
  longTest('hold the list, and the one item that is written', async (t) => {
    const { owner, id, people } = await startListWorld(t);
    const itemOf = (restaurant_id: number, position: number, note: string | null = null): object => {
      return { restaurant_id, position, note, author_id: people.owner.id };
    };
    await putItem(owner, id, 1, { note: 'x' });
    await owner.delete(`/lists/${id}/items/2`);
    await owner.put(`/lists/${id}`, { name: 'Paris' });
    await owner.delete(`/lists/${id}`);
    const changes = await changesOfLists(owner);
    assert.deepEqual(deeds(changes), ['list create', ...Array<string>(6).fill('list update'), 'list delete']);
    const [made, , , , noted, taken, renamed, deleted] = changes.map(record);
    const list = { id, author_id: people.owner.id, kind: 'own', description: null };
    assert.deepEqual(withoutTimes(made?.['after']), { ...list, name: 'Lyon', items: [] });
    assert.deepEqual(
      [noted, taken, renamed].map((one) => [
        one?.['fields'],
        withoutTimes(one?.['before']),
        withoutTimes(one?.['after']),
      ]),
      [
        [['items'], { items: [itemOf(1, 1)] }, { items: [itemOf(1, 1, 'x')] }],
        [['items'], { items: [itemOf(2, 2)] }, { items: [] }],
        [['name'], { name: 'Lyon' }, { name: 'Paris' }],
      ],
    );
    const items = [itemOf(1, 1, 'x'), itemOf(3, 2)];
    assert.deepEqual(withoutTimes(deleted?.['before']), { ...list, name: 'Paris', items, items_total: 2 });
  });

  type Write = (api: Client, id: number) => Promise<Answer>;
  const undoings: readonly (readonly [string, Write, readonly string[]])[] = [
    ['added', (api, id) => putItem(api, id, 4, { position: 1, note: 'x' }), ['D', 'A', 'B', 'C']],
    ['deleted', (api, id) => api.delete(`/lists/${id}/items/2`), ['A', 'C']],
    ['moved', (api, id) => putItem(api, id, 3, { position: 1 }), ['C', 'A', 'B']],
  ];
  for (const [verb, write, then] of undoings)
    test(`undo an item that was ${verb}, and do it again`, async (t) => {
      const { owner, admin, id } = await startListWorld(t);
      await addRestaurants(admin, 'D');
      const change = changeOf(await write(owner, id));
      assert.deepEqual(await namesOn(owner, id), then);
      const undoing = await reverted(owner, change);
      assert.deepEqual(await namesOn(owner, id), ['A', 'B', 'C']);
      await reverted(owner, undoing);
      assert.deepEqual(await namesOn(owner, id), then);
      assert.equal((await changeAt(owner, change))['reverted_by'], null);
    });

  test('undo a note, wherever the item stands by now', async (t) => {
    const { owner, id } = await startListWorld(t);
    const change = changeOf(await putItem(owner, id, 2, { note: 'x' }));
    await putItem(owner, id, 3, { position: 1 });
    await reverted(owner, change);
    assert.deepEqual(await namesOn(owner, id), ['C', 'A', 'B']);
    const [item] = array((await owner.get(`/lists/${id}/items?offset=2`)).body);
    assert.equal(field(item, 'note'), null);
  });

  test('undo the deletion of a list, which comes back with its items', async (t) => {
    const { owner, admin, id } = await startListWorld(t);
    await putItem(owner, id, 2, { note: 'x' });
    const before = await ownViews(owner);
    await reverted(owner, changeOf(await owner.delete(`/lists/${id}`)));
    assert.deepEqual(await ownViews(owner), before);
    // A restaurant that is deleted meanwhile comes back to its place, too.
    const again = changeOf(await owner.delete(`/lists/${id}`));
    const gone = changeOf(await admin.delete('/restaurants/2'));
    await reverted(owner, again);
    assert.deepEqual(await namesOn(owner, id), ['A', 'C']);
    await reverted(admin, gone);
    assert.deepEqual(await namesOn(owner, id), ['A', 'B', 'C']);
  });

  test('are undone by their owner alone', async (t) => {
    const { owner, other, admin, id } = await startListWorld(t);
    const change = changeOf(await owner.delete(`/lists/${id}`));
    const notFound = [404, 'Change not found'];
    for (const api of [other, admin]) {
      assert.deepEqual(refusal(await revert(api, change)), notFound);
      assert.deepEqual(refusal(await api.post(`/changes/${change}/purge`, {})), notFound);
      assert.deepEqual(refusal(await api.get(`/changes/${change}`)), notFound);
    }
    assert.equal((await revert(owner, change)).status, 200);
  });
});

type ListWorld = Awaited<ReturnType<typeof startListWorld>>;

describe('changes of a list', () => {
  type Deed = (world: ListWorld) => Promise<Answer>;
  const obstacles: readonly (readonly [string, Deed, Deed, string])[] = [
    [
      'an item that has another note by now',
      ({ owner, id }) => putItem(owner, id, 2, { note: 'x' }),
      ({ owner, id }) => putItem(owner, id, 2, { note: 'y' }),
      'items of list 9 was changed later',
    ],
    [
      'a list that has items by now',
      ({ owner }) => owner.post('/lists', { name: 'Paris' }),
      ({ owner }) => putItem(owner, 10, 1),
      'list 10 has other items by now',
    ],
    [
      'an item of a list that is deleted',
      ({ owner, id }) => putItem(owner, id, 2, { note: 'x' }),
      ({ owner, id }) => owner.delete(`/lists/${id}`),
      'list 9 is deleted (change 9)',
    ],
    [
      'a deleted item whose restaurant is deleted',
      ({ owner, id }) => owner.delete(`/lists/${id}/items/2`),
      ({ admin }) => admin.delete('/restaurants/2'),
      'restaurant 2 does not exist',
    ],
  ];
  for (const [title, first, then, reason] of obstacles)
    test(`do not undo ${title}`, async (t) => {
      const world = await startListWorld(t);
      const change = changeOf(await first(world));
      assert.ok((await then(world)).status < 300);
      const before = (await changesOfLists(world.owner)).length;
      const refused = [409, `Change ${change} cannot be reverted: ${reason}`];
      assert.deepEqual(refusal(await revert(world.owner, change)), refused);
      assert.equal((await changesOfLists(world.owner)).length, before);
    });

  test('are no obstacle to the revert of a restaurant', async (t) => {
    const { owner, admin, id } = await startListWorld(t);
    const [restaurant] = await addRestaurants(admin, 'D');
    const made = Number((await allChanges(admin)).at(-1)?.['id']);
    await addItems(owner, id, [restaurant ?? 0]);
    await owner.post('/visits', { restaurant_id: restaurant });
    const undoing = await reverted(admin, made);
    assert.deepEqual(await namesOn(owner, id), ['A', 'B', 'C']);
    await reverted(admin, undoing);
    assert.deepEqual(await namesOn(owner, id), ['A', 'B', 'C', 'D']);
  });
});
