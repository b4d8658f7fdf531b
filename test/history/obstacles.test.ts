import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRestaurants, createSuggestions, rate } from '../support/catalogue.ts';
import { allChanges, changeOf, refusal, revert, reverted } from '../support/changes.ts';
import { type Client, field } from '../support/client.ts';
import { changeStored } from '../support/people.ts';
import { startWithRestaurant, upload } from '../support/photos.ts';
import { startService } from '../support/service.ts';
import { views } from '../support/world.ts';

/** A write that comes between another one and its revert. `first` returns the change to be reverted. */
interface Case {
  readonly title: string;
  readonly first: (api: Client) => Promise<number>;
  readonly then: (api: Client) => Promise<unknown>;
  readonly reasons: string;
}

const changed = async (call: Promise<Parameters<typeof changeOf>[0]>): Promise<number> =>
  changeOf(await call);
const nothing = (): Promise<void> => Promise.resolve();
const PLACE = { name: 'Bistro', address: '1 Rue', phone: '+33 1' };

// Restaurant 1, Chez Nous, is there.
const CASES: readonly Case[] = [
  {
    title: 'an update whose field was changed later',
    first: (api) => changed(api.put('/restaurants/1', { phone: '+33 1' })),
    then: (api) => api.put('/restaurants/1', { phone: '+33 2' }),
    reasons: 'phone of restaurant 1 was changed later',
  },
  {
    title: 'an update of which several fields were',
    first: (api) =>
      changed(api.put('/restaurants/1', { phone: '+33 1', food_type_ids: [8], category_id: 5 })),
    then: (api) => api.put('/restaurants/1', { phone: '+33 2', food_type_ids: [], category_id: 6 }),
    reasons: [
      'phone of restaurant 1 was changed later',
      'category_id of restaurant 1 was changed later',
      'food_type_ids of restaurant 1 was changed later',
    ].join('; '),
  },
  {
    title: 'a creation of what is deleted',
    first: (api) => changed(api.post('/restaurants', PLACE)),
    then: (api) => api.delete('/restaurants/2'),
    reasons: 'restaurant 2 is deleted (change 3)',
  },
  {
    title: 'an update of what is deleted',
    first: (api) => changed(api.put('/categories/5', { name: 'Gallic' })),
    then: (api) => api.delete('/categories/5'),
    reasons: 'category 5 is deleted (change 3)',
  },
  {
    title: 'an update to a category that is gone',
    first: async (api) => {
      await api.put('/restaurants/1', { category_id: 3 });
      return changed(api.put('/restaurants/1', { category_id: 4 }));
    },
    then: (api) => api.delete('/categories/3'),
    reasons: 'category 3 does not exist',
  },
  {
    title: 'a deletion of what had a food type that is gone',
    first: async (api) => {
      await api.put('/restaurants/1', { food_type_ids: [3, 8, 2] });
      return changed(api.delete('/restaurants/1'));
    },
    then: async (api) => {
      await api.delete('/food-types/3');
      await api.delete('/food-types/8');
    },
    reasons: 'food type 3 does not exist; food type 8 does not exist',
  },
  {
    title: 'a deletion of what is there again',
    first: (api) => changed(api.delete('/restaurants/1')),
    then: (api) => createRestaurants(api, [{ name: 'chez nous' }]),
    reasons: 'Restaurant already exists: "chez nous" (id 2)',
  },
  {
    title: 'a deletion of a category whose name is taken',
    first: (api) => changed(api.delete('/categories/5')),
    then: (api) => api.post('/categories', { name: 'FRENCH' }),
    reasons: 'Category already exists: "FRENCH" (id 11)',
  },
  {
    title: 'a renaming back to a name that is taken',
    first: (api) => changed(api.put('/food-types/8', { name: 'Oysters' })),
    then: (api) => api.post('/food-types', { name: 'Seafood' }),
    reasons: 'Food type already exists: "Seafood" (id 11)',
  },
  {
    title: 'an update back to a place that is there by now',
    first: (api) => changed(api.put('/restaurants/1', { name: 'Chez Vous' })),
    then: (api) => createRestaurants(api, [{ name: 'Chez Nous' }]),
    reasons: 'Restaurant already exists: "Chez Nous" (id 2)',
  },
  {
    title: 'a suggestion that is there again',
    first: async (api) => {
      await createSuggestions(api, [PLACE]);
      return changed(api.delete('/suggestions/2'));
    },
    then: (api) => createSuggestions(api, [PLACE]),
    reasons: 'Suggestion already exists: "Bistro" (id 3)',
  },
  {
    title: 'a suggestion whose place is a restaurant by now',
    first: async (api) => {
      await createSuggestions(api, [PLACE]);
      return changed(api.delete('/suggestions/2'));
    },
    then: (api) => createRestaurants(api, [PLACE]),
    reasons: 'Restaurant already exists: "Bistro" (id 3)',
  },
  {
    title: 'what changed nothing',
    first: (api) => changed(api.put('/restaurants/1', {})),
    then: nothing,
    reasons: 'it changed nothing',
  },
  {
    title: 'what was reverted',
    first: (api) => changed(api.put('/restaurants/1', { phone: '+33 1' })),
    then: (api) => reverted(api, 2),
    reasons: 'it was reverted by change 3',
  },
  {
    title: 'a rating whose restaurant is deleted',
    first: async (api) => {
      await rate(api, 1, 5);
      return changed(api.delete('/ratings/1'));
    },
    then: (api) => api.delete('/restaurants/1'),
    reasons: 'restaurant 1 is deleted (change 4)',
  },
  {
    title: 'a new category that restaurants and suggestions have by now',
    first: (api) => changed(api.post('/categories', { name: 'Nordic' })),
    then: async (api) => {
      await createRestaurants(api, [{ ...PLACE, category_id: 11 }]);
      await createSuggestions(api, [{ name: 'Auberge', suggested_category_id: 11 }]);
    },
    reasons: 'category 11 has 1 restaurant and 1 suggestion by now',
  },
  {
    title: 'a reverted conversion of which the category of the restaurant is deleted',
    first: revertedConversion,
    then: (api) => api.delete('/categories/5'),
    reasons: 'category 5 does not exist',
  },
  {
    title: 'a reverted conversion of which the restaurant is forgotten',
    first: revertedConversion,
    then: async (api) => {
      const [deletion] = await allChanges(api, 'kind=restaurant&action=delete');
      await api.post(`/changes/${Number(deletion?.['id'])}/purge`, {});
    },
    reasons: 'what was deleted is no longer kept',
  },
];

/** Converts a suggestion and takes that back, by a deletion of the restaurant that it became. */
async function revertedConversion(api: Client): Promise<number> {
  await createSuggestions(api, [{ ...PLACE, suggested_category_id: 5 }]);
  const answer = await revert(api, await changed(api.post('/suggestions/2/convert', {})));
  return Number(field(answer.body, 'id'));
}

describe('a revert is refused with the reason', () => {
  for (const { title, first, then, reasons } of CASES)
    test(title, async (t) => {
      const { api } = await startWithRestaurant(t);
      const id = await first(api);
      await then(api);
      const before = [await views(api), await allChanges(api)];
      const answer = await revert(api, id);
      assert.deepEqual(refusal(answer), [409, `Change ${id} cannot be reverted: ${reasons}`]);
      assert.equal(answer.headers.get('change'), null);
      assert.deepEqual([await views(api), await allChanges(api)], before);
    });

  test('a creation that was changed, rated and photographed later', async (t) => {
    const { api } = await startWithRestaurant(t);
    await rate(api, 1, 5);
    const has = async (): Promise<unknown> => field((await revert(api, 1)).body, 'error');
    const refused = 'Change 1 cannot be reverted: ';
    assert.equal(await has(), `${refused}restaurant 1 has 1 rating by now`);
    await rate(api, 1, 4);
    await upload(api);
    await api.put('/restaurants/1', { phone: '+33 1' });
    const both = 'restaurant 1 was changed later; restaurant 1 has 2 ratings and 1 photo by now';
    assert.equal(await has(), refused + both);
  });

  test('a deletion that is too old', async (t) => {
    const { api, folder } = await startWithRestaurant(t);
    const id = changeOf(await api.delete('/restaurants/1'));
    changeStored(folder, "UPDATE changes SET kept_until = '2020' WHERE id = ?", id);
    const gone = `Change ${id} cannot be reverted: what was deleted is no longer kept`;
    assert.deepEqual(refusal(await revert(api, id)), [409, gone]);
  });

  test('a creation of what was changed within the same millisecond', async (t) => {
    const { api, folder } = await startService(t);
    const id = changeOf(await api.post('/restaurants', PLACE));
    changeStored(folder, "UPDATE restaurants SET phone = '+33 2' WHERE name = ?", PLACE.name);
    const sentence = `Change ${id} cannot be reverted: restaurant 1 was changed later`;
    assert.deepEqual(refusal(await revert(api, id)), [409, sentence]);
  });

  test('any deletion with TRASH_DAYS=0, which stores nothing of it', async (t) => {
    const { api } = await startWithRestaurant(t, { TRASH_DAYS: '0' });
    const paths = ['/restaurants/1', '/categories/5', '/food-types/8'];
    for (const path of paths) {
      const id = changeOf(await api.delete(path));
      const gone = `Change ${id} cannot be reverted: what was deleted is no longer kept`;
      assert.deepEqual(refusal(await revert(api, id)), [409, gone], path);
    }
    for (const { before, kept_until } of await allChanges(api, 'action=delete'))
      assert.deepEqual([before, kept_until], [null, null]);
  });

  test('an id that is none, and a change that is not there', async (t) => {
    const { api } = await startService(t);
    assert.deepEqual(refusal(await revert(api, 1)), [404, 'Change not found']);
    assert.deepEqual(refusal(await api.get('/changes/1')), [404, 'Change not found']);
    assert.equal((await api.post('/changes/x/revert', {})).status, 400);
  });
});

describe('a conversion of which one part cannot be undone', () => {
  test('is not undone at all', async (t) => {
    const { api } = await startService(t);
    await createSuggestions(api, [PLACE]);
    const id = changeOf(
      await api.post('/suggestions/1/convert', { food_rating: 5, service_rating: 5, ambiance_rating: 5 }),
    );
    await api.delete('/suggestions/1');
    const before = await views(api);
    const sentence = `Change ${id} cannot be reverted: suggestion 1 is deleted (change 5)`;
    assert.deepEqual(refusal(await revert(api, id)), [409, sentence]);
    assert.deepEqual(await views(api), before);
  });
});
