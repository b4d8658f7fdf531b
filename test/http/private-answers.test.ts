import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Client, headerValues } from '../support/client.ts';
import { addList, addRestaurants, putItem } from '../support/lists.ts';
import { importText } from '../support/imports.ts';
import { ratingOf, startWorld } from '../support/world.ts';

// By operationId. A read that is for some callers alone, and is not here, fails the test.
const READS: Readonly<Record<string, string>> = {
  getCurrentUser: '/auth/me',
  listApiTokens: '/auth/tokens',
  getApiToken: '/auth/tokens/2',
  listSessions: '/auth/sessions',
  listUsers: '/users',
  getUser: '/users/2',
  listInvitations: '/invitations',
  getInvitation: '/invitations/1',
  exportOwnData: '/me/export',
  listOwnRatings: '/ratings?user=me',
  listLists: '/lists',
  getList: '/lists/want',
  listItems: '/lists/want/items',
  listVisits: '/visits',
  getVisit: '/visits/1',
  listChanges: '/changes?since=start',
  getChange: '/changes/1',
  getRestaurantHistory: '/restaurants/1/history',
  listBatches: '/batches',
  getBatch: '/batches/1',
};

const MAP = '/restaurants/map?bbox=-10,-10,10,10&zoom=3';

// Of public reads those that are of their caller.
const OWN_VIEWS = [
  '/restaurants?include=mine',
  '/restaurants/paginated?include=mine',
  `${MAP}&include=mine`,
  '/restaurants/1?include=mine',
  '/search?q=a&include=mine',
  '/restaurants?list=want',
  '/restaurants/paginated?list=want',
  `${MAP}&list=want`,
  '/restaurants?visited=yes',
  '/restaurants/paginated?visited=no',
  `${MAP}&visited=yes`,
];

async function cachingOf(api: Client, path: string): Promise<unknown[]> {
  const answer = await api.get(path);
  return [answer.status, ...headerValues(answer, 'cache-control', 'etag')];
}

describe('an answer that is for its caller alone', () => {
  test('is stored by no cache', async (t) => {
    const { service, admin } = await startWorld(t);
    await addRestaurants(admin, 'A', 'B');
    await addList(admin, 'Mine');
    await putItem(admin, 'want', 1);
    await importText(admin, 'name\nImported\n');
    for (const [path, body] of [
      ['/visits', { restaurant_id: 1 }],
      ['/ratings', ratingOf(1)],
      ['/auth/tokens', { name: 'script' }],
      ['/invitations', {}],
    ] as const)
      assert.equal((await admin.post(path, body)).status, 201);

    const reads = service.routes.filter(({ method, access }) => method === 'GET' && access !== 'public');
    const names = reads.map(({ operationId }) => operationId).filter((name) => name !== 'streamChanges');
    assert.deepEqual(names.sort(), Object.keys(READS).sort());
    for (const path of [...Object.values(READS), ...OWN_VIEWS]) {
      assert.deepEqual(await cachingOf(admin, path), [200, 'private, no-store', null], path);
    }
  });

  test('is stored by no cache where it is a refusal either', async (t) => {
    const { service, owner } = await startWorld(t);
    for (const path of [
      '/auth/me',
      '/auth/tokens/7',
      '/users',
      '/invitations',
      '/me/export',
      '/lists',
      '/visits',
    ])
      assert.deepEqual(await cachingOf(service.api, path), [401, 'private, no-store', null], path);
    for (const path of ['/users/7', '/invitations/7'])
      assert.deepEqual(await cachingOf(owner, path), [403, 'private, no-store', null], path);
    for (const path of ['/lists/7', '/lists/7/items', '/visits/7', '/auth/tokens/7'])
      assert.deepEqual(await cachingOf(owner, path), [404, 'private, no-store', null], path);
  });
});
