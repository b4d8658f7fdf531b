import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { rate } from '../../support/catalogue.ts';
import { bodyOf, idOf } from '../../support/client.ts';
import { addItems, addList, addMembers, addRestaurants } from '../../support/lists.ts';
import {
  inDays,
  ofOptions,
  optionsOf,
  propose,
  proposedNames,
  refusalOf,
  startWith,
} from '../../support/outings.ts';

describe('the filters of a proposal', () => {
  const OTHER = {
    name: 'Sushi',
    category_id: 5,
    food_type_ids: [2],
    price_level: 3,
    diets: { vegan: 'yes' },
  };
  const filters: readonly object[] = [
    { q: 'sushi' },
    { category_id: 5 },
    { category_id: '5' },
    { food_type_ids: [2, 3] },
    { food_type_ids: '2' },
    { price_level: [3, 4] },
    { diet: ['vegan'] },
    { diet: 'vegan', price_level: 3 },
    { min_rating: 4 },
    { visited: 'no', q: ['sushi'] },
  ];
  for (const from of filters)
    test(`are those of the list of restaurants: ${JSON.stringify(from)}`, async (t) => {
      const { owner, other } = await startWith(t, {}, OTHER, { ...OTHER, address: '2' }, {});
      for (const id of [2, 3]) await rate(other, id, 5);
      assert.deepEqual(await proposedNames(owner, from), ['Sushi', 'Sushi']);
    });

  test('are those of the caller: what was visited', async (t) => {
    const { owner, other } = await startWith(t, {}, {}, {}, {});
    for (const id of [3, 4]) await owner.post('/visits', { restaurant_id: id, visited_on: '2020-01-01' });
    assert.deepEqual(await proposedNames(owner, { visited: 'yes' }), ['C', 'D']);
    assert.deepEqual(await proposedNames(owner, { visited: 'no' }), ['A', 'B']);
    assert.equal((await propose(other, { visited: 'yes' })).status, 400);
  });
});

describe('visits of the last 30 days', () => {
  const daysAgo = (days: number): string => inDays(-days).slice(0, 10);

  test('put a place behind others for the caller alone', async (t) => {
    const { owner, other } = await startWith(t, {}, {}, {});
    await owner.post('/visits', { restaurant_id: 1, visited_on: daysAgo(3) });
    await owner.post('/visits', { restaurant_id: 2, visited_on: daysAgo(40) });
    assert.deepEqual(await proposedNames(owner, {}), ['B', 'C', 'A']);
    assert.deepEqual(await proposedNames(other, {}), ['A', 'B', 'C']);
  });
});

describe('a list of a proposal', () => {
  test('limits it, and is named in the reasons when it is the own one', async (t) => {
    const { owner, other } = await startWith(t, {}, {}, {}, {});
    const list = await addList(owner, 'Lyon');
    await addItems(owner, list, [4, 2]);
    await rate(other, 2, 4);
    const made = bodyOf(await propose(owner, { list }));
    assert.deepEqual(ofOptions(made, 'name'), ['B', 'D']);
    const reasons = optionsOf(made)[0]?.['reasons'];
    assert.deepEqual(reasons, [
      { kind: 'open', until: null },
      { kind: 'list', name: 'Lyon' },
      { kind: 'rated', overall: 4, count: 1 },
    ]);
    assert.deepEqual(await proposedNames(owner, { list: String(list) }), ['B', 'D']);
    assert.deepEqual(refusalOf(await propose(other, { list })), [404, 'List not found']);
  });

  test('may be a built-in one', async (t) => {
    const { owner } = await startWith(t, {}, {}, {});
    await addItems(owner, 'want', [1, 3]);
    await addItems(owner, 'favourites', [2, 3]);
    assert.deepEqual(await proposedNames(owner, { list: 'want' }), ['A', 'C']);
    assert.deepEqual(await proposedNames(owner, { list: 'favourites' }), ['B', 'C']);
  });

  test('of which the caller is a member is used, and not named', async (t) => {
    const { owner, other } = await startWith(t, {}, {}, {});
    const list = await addList(owner, 'Lyon');
    await addItems(owner, list, [1, 3]);
    await addMembers(owner, list, other);
    const answer = await propose(other, { list });
    assert.deepEqual(ofOptions(bodyOf(answer), 'name'), ['A', 'C']);
    assert.ok(!JSON.stringify(answer.body).includes('Lyon'));
    assert.equal(idOf(answer), 1);
  });

  test('with fewer than two places is refused', async (t) => {
    const { owner, admin } = await startWith(t, {});
    await addRestaurants(admin, 'Unlisted');
    await addItems(owner, 'want', [1]);
    assert.equal(refusalOf(await propose(owner, { list: 'want' }))[0], 400);
    assert.equal(refusalOf(await propose(owner, { list: 'favourites' }))[0], 400);
  });
});
