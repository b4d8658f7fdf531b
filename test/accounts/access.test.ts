import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { type Answer, type Client, createClient, textOf } from '../support/client.ts';
import { claimsOf, expired, signed, TOKEN_HEADER } from '../support/forge.ts';
import { LOCAL, changeStored, makeAdmin, signUp } from '../support/people.ts';
import { type Service, startService } from '../support/service.ts';

// Every route and whom it lets in. A new route is to be written down here.
const ACCESS: Readonly<Record<string, 'public' | 'user' | 'catalogueWriter' | 'admin'>> = {
  'GET /health': 'public',
  'GET /api/health': 'public',
  'GET /api/metrics': 'public',
  'POST /api/auth/register': 'public',
  'POST /api/auth/login': 'public',
  'POST /api/auth/refresh': 'public',
  'POST /api/auth/logout': 'public',
  'GET /api/auth/me': 'user',
  'GET /api/auth/tokens': 'user',
  'POST /api/auth/tokens': 'user',
  'GET /api/auth/tokens/:id': 'user',
  'DELETE /api/auth/tokens/:id': 'user',
  'GET /api/auth/idp': 'public',
  'GET /api/auth/idp/callback': 'public',
  'GET /api/auth/oidc': 'public',
  'GET /api/auth/oidc/login': 'public',
  'GET /api/auth/oidc/callback': 'public',
  'GET /api/restaurants': 'public',
  'GET /api/restaurants/paginated': 'public',
  'GET /api/restaurants/:id': 'public',
  'POST /api/restaurants': 'catalogueWriter',
  'PUT /api/restaurants/:id': 'catalogueWriter',
  'DELETE /api/restaurants/:id': 'catalogueWriter',
  'GET /api/restaurants/:restaurantId/ratings': 'public',
  'GET /api/ratings': 'user',
  'GET /api/ratings/:id': 'public',
  'POST /api/ratings': 'user',
  'PUT /api/ratings/:id': 'user',
  'DELETE /api/ratings/:id': 'user',
  'GET /api/categories': 'public',
  'GET /api/categories/:id': 'public',
  'POST /api/categories': 'catalogueWriter',
  'PUT /api/categories/:id': 'catalogueWriter',
  'DELETE /api/categories/:id': 'catalogueWriter',
  'GET /api/food-types': 'public',
  'GET /api/food-types/:id': 'public',
  'POST /api/food-types': 'catalogueWriter',
  'PUT /api/food-types/:id': 'catalogueWriter',
  'DELETE /api/food-types/:id': 'catalogueWriter',
  'GET /api/search': 'public',
  'GET /api/suggestions': 'public',
  'GET /api/suggestions/:id': 'public',
  'POST /api/suggestions': 'user',
  'PATCH /api/suggestions/:id/status': 'catalogueWriter',
  'POST /api/suggestions/:id/convert': 'catalogueWriter',
  'DELETE /api/suggestions/:id': 'user',
  'GET /api/restaurants/:restaurantId/photos': 'public',
  'POST /api/restaurants/:restaurantId/photos': 'user',
  'GET /api/photos/:id': 'public',
  'PATCH /api/photos/:id': 'user',
  'DELETE /api/photos/:id': 'user',
  'GET /api/uploads/menu_photos/:filename': 'public',
  'GET /api/changes': 'user',
  'GET /api/changes/stream': 'user',
  'GET /api/changes/:id': 'user',
  'GET /api/restaurants/:id/history': 'user',
  'POST /api/changes/:id/revert': 'user',
  'POST /api/changes/:id/purge': 'user',
  'GET /api/batches': 'admin',
  'GET /api/batches/:id': 'admin',
  'POST /api/batches/:id/revert': 'admin',
  'GET /api/places/search': 'public',
  'GET /api/places/:placeId': 'public',
  'GET /api/geocode/cities': 'public',
  'GET /': 'public',
  'GET /api/app-config': 'public',
  'GET /tiles/map.pmtiles': 'public',
  'GET /api/docs': 'public',
  'GET /api/docs/swagger.json': 'public',
  'GET /api/docs/assets/:version/:file': 'public',
  'GET /api/swagger.yaml': 'public',
};

const MISSING = { error: 'Authentication required' };
const INVALID = { error: 'Invalid token' };
const EXPIRED = { error: 'Token has expired' };
const ADMINS = { error: 'Admin access required' };

interface Callers {
  readonly refused: readonly (readonly [string, Client, object])[];
  readonly user: Client;
  readonly admin: Client;
  readonly userToken: Client;
}

async function callers(
  t: TestContext,
  variables: Readonly<Record<string, string>>,
): Promise<[Service, Callers]> {
  const service = await startService(t, { ...LOCAL, ...variables });
  const bearing = (token: string): Client => createClient(service.url, { Authorization: `Bearer ${token}` });
  const [user, admin, ended, inactive] = [
    await signUp(service, 'alice'),
    await signUp(service, 'carol'),
    await signUp(service, 'edna'),
    await signUp(service, 'ivan'),
  ];
  makeAdmin(service, admin);
  await ended.api.post('/auth/logout', {});
  changeStored(service.folder, 'UPDATE users SET is_active = 0 WHERE id = ?', inactive.id);
  const own = await user.api.post('/auth/tokens', { name: 'script' });
  const refused = [
    ['no one', service.api, MISSING],
    ['an expired token', bearing(expired(user.accessToken)), EXPIRED],
    ['a forged token', bearing(signed(TOKEN_HEADER, claimsOf(user.accessToken), 'x'.repeat(32))), INVALID],
    ['an unknown API token', bearing(`rct_${'x'.repeat(43)}`), INVALID],
    ['an ended session', ended.api, INVALID],
    ['an inactive user', inactive.api, INVALID],
  ] as const;
  return [
    service,
    { refused, user: user.api, admin: admin.api, userToken: bearing(textOf(own.body, 'token')) },
  ];
}

function call(client: Client, route: string): Promise<Answer> {
  const [method = '', pattern = ''] = route.split(' ');
  // A stream that is let in would not end, but for what else is wrong with it.
  const query = pattern.endsWith('/stream') ? '?since=none' : '';
  const path = pattern.replace(/:\w+/g, '999') + query;
  const isWrite = method === 'POST' || method === 'PUT';
  const init = isWrite ? { headers: { 'Content-Type': 'application/json' }, body: '{}' } : {};
  return client.send(path, { method, ...init });
}

/** Whether a caller got past the door, whatever was found wrong behind it. */
const letIn = ({ status }: Answer): boolean => status !== 401 && status !== 403;

const routes = Object.keys(ACCESS);
const guarded = routes.filter((route) => ACCESS[route] !== 'public');

describe('the routes', () => {
  test('are all written down here with whom they let in', async (t) => {
    const service = await startService(t);
    const found = service.routes.map(({ method, pattern, access }) => [`${method} ${pattern}`, access]);
    assert.deepEqual(Object.fromEntries(found), ACCESS);
  });

  test('that are public let everybody in, whatever token they show', async (t) => {
    const [, { refused, user }] = await callers(t, {});
    // A refresh without a good token is refused by what it is, not by who asks.
    for (const route of routes.filter((one) => ACCESS[one] === 'public'))
      for (const [title, client] of [...refused, ['a user', user] as const])
        assert.ok(letIn(await call(client, route)), `${route} for ${title}`);
  });

  for (const WRITE_ACCESS of ['users', 'admins'])
    test(`that are not refuse everybody without a good token, with WRITE_ACCESS=${WRITE_ACCESS}`, async (t) => {
      const [, { refused }] = await callers(t, { WRITE_ACCESS });
      for (const route of guarded)
        for (const [title, client, body] of refused) {
          const answer = await call(client, route);
          assert.deepEqual([answer.status, answer.body], [401, body], `${route} for ${title}`);
          assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
        }
    });

  test('let every signed-in user write, and their API tokens', async (t) => {
    const [, { user, admin, userToken }] = await callers(t, {});
    for (const route of guarded)
      for (const client of ACCESS[route] === 'admin' ? [admin] : [user, admin, userToken])
        if (route !== 'POST /api/auth/tokens' || client !== userToken)
          assert.ok(letIn(await call(client, route)), route);
  });

  test('of administrators let no one else in', async (t) => {
    const [, { user, userToken }] = await callers(t, {});
    for (const route of guarded.filter((one) => ACCESS[one] === 'admin'))
      for (const client of [user, userToken]) {
        const answer = await call(client, route);
        assert.deepEqual([answer.status, answer.body], [403, ADMINS], route);
      }
  });

  test('of the catalogue let administrators alone write with WRITE_ACCESS=admins', async (t) => {
    const [, { user, admin, userToken }] = await callers(t, { WRITE_ACCESS: 'admins' });
    for (const route of guarded) {
      assert.ok(letIn(await call(admin, route)), route);
      for (const client of [user, userToken]) {
        const answer = await call(client, route);
        if (ACCESS[route] === 'catalogueWriter' || ACCESS[route] === 'admin')
          assert.deepEqual([answer.status, answer.body], [403, ADMINS], route);
        else if (route !== 'POST /api/auth/tokens') assert.ok(letIn(answer), route);
      }
    }
  });

  test('check the caller before the body is read', async (t) => {
    const [service] = await callers(t, {});
    const headers = { 'Content-Type': 'text/plain' };
    const answer = await service.api.send('/api/restaurants', { method: 'POST', headers, body: '{' });
    assert.deepEqual([answer.status, answer.body], [401, MISSING]);
  });
});
