import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Client, array, field, record } from '../support/client.ts';
import { LOCAL, signUp } from '../support/people.ts';
import { startService } from '../support/service.ts';

type Entity = Readonly<Record<string, unknown>>;

/** A mirrored kind: its name in the log, and the list with which a mirror starts. */
const MIRRORED = { category: 'categories', food_type: 'food-types', restaurant: 'restaurants' };
const ANSWERED_ALONE = ['category', 'food_types', 'avg_rating', 'is_suggestion'];
const LOGGED_ALONE = [
  'ratings',
  'photos',
  'ratings_total',
  'photos_total',
  'restaurant_ids',
  'suggestion_ids',
];

/** The stored fields of a restaurant or a category, whether a list or the log holds it. */
function stored(entity: unknown): Entity {
  const { food_types: foodTypes, ...given } = record(entity);
  const ids = array(foodTypes ?? []).map((one) => Number(field(one, 'id')));
  const whole = foodTypes === undefined ? given : { ...given, food_type_ids: ids.sort((a, b) => a - b) };
  const others = [...ANSWERED_ALONE, ...LOGGED_ALONE];
  const own = Object.fromEntries(Object.entries(whole).filter(([name]) => !others.includes(name)));
  if (!('external_ids' in own)) return own;
  // The id of Google is a field of its own, and in the log that one alone.
  const { google: _answeredAlone, ...external_ids } = record(own['external_ids']);
  return { ...own, external_ids };
}

async function readLists(api: Client): Promise<Map<string, Entity>> {
  const all = new Map<string, Entity>();
  for (const [kind, list] of Object.entries(MIRRORED))
    for (const entity of array((await api.get(`/${list}?include_suggestions=false`)).body))
      all.set(`${kind}/${String(field(entity, 'id'))}`, stored(entity));
  return all;
}

/** The mirror of the manual: a cursor, then the lists, then the changes page by page, two at a time. */
async function startMirror(api: Client): Promise<() => Promise<Map<string, Entity>>> {
  const query = `/changes?kind=${Object.keys(MIRRORED).join()}&limit=2`;
  let next = String(field((await api.get('/changes')).body, 'next'));
  const mirror = await readLists(api);
  return async () => {
    for (let hasMore = true; hasMore;) {
      const { body } = await api.get(`${query}&since=${next}`);
      for (const change of array(field(body, 'data'))) apply(mirror, record(change));
      next = String(field(body, 'next'));
      hasMore = field(body, 'has_more') === true;
    }
    return mirror;
  };
}

function apply(mirror: Map<string, Entity>, { kind, entity_id: id, action, after }: Entity): void {
  const key = `${String(kind)}/${String(id)}`;
  if (action === 'delete') mirror.delete(key);
  else mirror.set(key, { ...mirror.get(key), ...stored(after) });
}

/** With what refers to a deleted category or food type referring to none. */
function resolved(mirror: ReadonlyMap<string, Entity>): Map<string, Entity> {
  const known = (kind: string) => (id: unknown) => mirror.has(`${kind}/${String(id)}`);
  const entries = [...mirror].map(([key, entity]): [string, Entity] => {
    if (!key.startsWith('restaurant/')) return [key, entity];
    const { category_id: category, food_type_ids: foodTypes, ...rest } = entity;
    const food_type_ids = array(foodTypes).filter(known('food_type'));
    return [key, { ...rest, category_id: known('category')(category) ? category : null, food_type_ids }];
  });
  return new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

describe('a mirror of the catalogue', () => {
  test('is the same as the lists after every write, for a user who is no administrator', async (t) => {
    const service = await startService(t, LOCAL);
    const { api } = await signUp(service, 'alice');
    const reader = (await signUp(service, 'bob')).api;
    await api.post('/restaurants', { name: 'Chez Nous', category_id: 5, food_type_ids: [9, 7] });
    const follow = await startMirror(reader);
    const undo = (change: string | null): Promise<unknown> => api.post(`/changes/${change ?? ''}/revert`, {});
    const deletionOf = async (path: string): Promise<string | null> =>
      (await api.delete(path)).headers.get('change');
    const writes: readonly (() => Promise<unknown>)[] = [
      () => api.post('/restaurants', { name: 'Trattoria', category_id: 1, food_type_ids: [2, 1] }),
      () => api.put('/restaurants/1', { name: 'Chez Vous', phone: '+33 1 42 60 00 00' }),
      () => api.put('/categories/5', { name: 'Bistro' }),
      () => api.post('/ratings', { restaurant_id: 1, food_rating: 5, service_rating: 4, ambiance_rating: 4 }),
      async () => undo(await deletionOf('/restaurants/1')),
      () => deletionOf('/restaurants/2'),
      async () => undo(await deletionOf('/categories/5')),
      () => deletionOf('/food-types/9'),
      () => api.post('/suggestions', { name: 'Le Petit Coin', address: '2 Rue du Bac' }),
      () => api.post('/suggestions/3/convert', { food_type_ids: [3] }),
    ];
    for (const write of writes) {
      await write();
      const lists = await readLists(api);
      assert.deepEqual(resolved(await follow()), resolved(lists), String(write));
    }
    assert.deepEqual(
      [...(await follow()).keys()].filter((key) => key.startsWith('restaurant/')),
      ['restaurant/1', 'restaurant/4'],
    );
  });
});
