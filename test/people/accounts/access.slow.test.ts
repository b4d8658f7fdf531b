import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import type { Route } from '../../../src/http/router.ts';
import { apiTokenOf, bearing, secretOf } from '../../support/accounts.ts';
import { field, record, textOf } from '../../support/client.ts';
import { expired, signed } from '../../support/forge.ts';
import { addList, addMembers, addRestaurants, signUpAll } from '../../support/lists.ts';
import { addOuting, ballot, voteByLink } from '../../support/outings.ts';
import { SAME_ORIGIN, openOwnPage } from '../../support/own-page.ts';
import { LOCAL, changeStored, readStored, signUp } from '../../support/people.ts';
import { type Service, startService } from '../../support/service.ts';
import { startWorld } from '../../support/world.ts';

/** Who may call an operation, apart from what belongs to a user: a second opinion on what the rows say. */
const ACCESSES = [
  ...(['public', 'user', 'writer'] as const),
  ...(['user with a session', 'admin with a session'] as const),
] as const;
type Access = (typeof ACCESSES)[number];

// Every operation stands here once: one that is new fails the test until it is decided who may call it, and one whose row says
// something else fails it, too.
const ACCESS: Readonly<Record<Access, string>> = {
  public: `
    listRestaurants pageRestaurants getRestaurant mapRestaurants search listRatings getRating listCategories getCategory listFoodTypes
    getFoodType listSuggestions getSuggestion listPhotos getPhoto getPhotoFile searchPlaces getPlace findCities
    register login refreshSession logout checkInvitation resetPassword getAppConfig getMapFile findSimilar
    beginIdpLogin finishIdpLogin beginOidcLogin finishOidcLogin beginOidcLoginAlias
    voteByLink
    exportRestaurants getShared getFeed getHealth getPlainHealth getMetrics getDocs getDescriptionAsJson getDescription getDocsAsset`,
  user: `
    readMapLink
    createRating updateRating deleteRating listOwnRatings createSuggestion deleteSuggestion uploadPhoto setPhotoCaption deletePhoto
    listChanges streamChanges getChange getRestaurantHistory revertChange purgeChange
    listBatches getBatch revertBatch importFile listDuplicates
    listLists createList getList updateList deleteList listItems putItem deleteItem getMarks
    listMembers listLinks joinShared
    listVisits createVisit getVisit updateVisit deleteVisit
    listOutings createOuting getOuting cancelOuting closeOuting vote
    getCurrentUser`,
  writer: `
    createRestaurant updateRestaurant deleteRestaurant mergeRestaurants dismissDuplicate forgetDismissal createCategory updateCategory deleteCategory
    createFoodType updateFoodType deleteFoodType setSuggestionStatus convertSuggestion`,
  'user with a session': `
    updateCurrentUser deleteCurrentUser changePassword endAccess listSessions endSession exportOwnData
    listApiTokens createApiToken getApiToken deleteApiToken listFeeds createFeed deleteFeed createLink deleteLink removeMember removeParticipant`,
  'admin with a session': `
    listUsers getUser updateUser deleteUser endSessionsOfUser endAccessOfUser createPasswordReset
    listInvitations createInvitation getInvitation deleteInvitation`,
};

const CALLERS = [
  'stranger',
  'expired',
  'forged',
  'ended',
  'inactive',
  'invited',
  'cookie',
  'user',
  'admin',
  'user token',
  'admin token',
  'former member',
  'guest',
  'link',
] as const;
type Caller = (typeof CALLERS)[number];
type Sent = Readonly<Record<string, string>>;

const MODES = ['none', 'local', 'oauth', 'both'] as const;
const WRITE_ACCESS = ['users', 'admins'] as const;

interface Setting {
  readonly mode: (typeof MODES)[number];
  readonly writeAccess: (typeof WRITE_ACCESS)[number];
}

const KNOWN: readonly Caller[] = ['user', 'admin', 'user token', 'admin token', 'former member'];

// The refusals that are about who calls; others with these statuses are about the setting.
const REFUSALS: readonly string[] = [
  '401 Authentication required',
  '401 Invalid token',
  '401 Token has expired',
  '403 Admin access required',
  '403 API tokens cannot manage accounts',
];
const [NO_TOKEN, NO_GOOD_TOKEN, EXPIRED, NO_ADMIN, NO_SESSION] = REFUSALS;

/** Status and words with which a caller is refused, by the row; undefined for one who may call. */
function refusalOf(row: Route, caller: Caller, { mode, writeAccess }: Setting): string | undefined {
  if (row.access === 'public' || mode === 'none') return undefined;
  if (caller === 'stranger' || caller === 'cookie' || caller === 'guest') return NO_TOKEN;
  if (caller === 'expired') return EXPIRED;
  if (!KNOWN.includes(caller)) return NO_GOOD_TOKEN;
  if (!row.credentials.includes('apiToken') && caller.endsWith('token')) return NO_SESSION;
  const isForAdmins =
    row.access === 'admin' || (row.access === 'catalogueWriter' && writeAccess === 'admins');
  return isForAdmins && !caller.startsWith('admin') ? NO_ADMIN : undefined;
}

/** The part of the table in which a row belongs. */
function accessOf({ access, credentials }: Route): Access {
  if (access === 'public') return 'public';
  if (!credentials.includes('apiToken'))
    return access === 'admin' ? 'admin with a session' : 'user with a session';
  return access === 'user' ? 'user' : 'writer';
}

const namesOf = (access: Access): string[] => ACCESS[access].trim().split(/\s+/);

/** What each caller sends along, from a service on whose data all of them are made. */
async function makeCallers(t: TestContext): Promise<[string, Readonly<Record<Caller, Sent>>]> {
  const { service, people, owner, admin } = await startWorld(t);
  const page = openOwnPage(service.url);
  await page.post('/auth/login', { ...people.owner, session: 'cookie' });
  const [ended, inactive] = [await signUp(service, 'ended'), await signUp(service, 'inactive')];
  await ended.api.post('/auth/logout', {});
  const [member] = await signUpAll(service, 'member');
  assert.ok(member);
  const list = await addList(owner, 'Lyon');
  await addMembers(owner, list, member.api);
  await owner.delete(`/lists/${list}/members/${member.id}`);
  const outing = await addOuting(owner, await addRestaurants(admin, 'Chez Nous', 'Chez Eux'));
  const guest = await voteByLink(service.api, outing, { name: 'Zoe', ...ballot({}) });
  const callers = {
    stranger: {},
    expired: bearing(expired(people.owner.accessToken)),
    forged: bearing(signed({ alg: 'HS256', typ: 'at+jwt' }, { sub: '4' }, 'another secret of the tests')),
    ended: bearing(ended.accessToken),
    inactive: bearing(inactive.accessToken),
    invited: bearing(secretOf(await admin.post('/invitations', {}))),
    cookie: { Cookie: page.cookies(), ...SAME_ORIGIN },
    user: bearing(people.owner.accessToken),
    admin: bearing(people.admin.accessToken),
    'user token': bearing(await apiTokenOf(owner)),
    'admin token': bearing(await apiTokenOf(admin)),
    'former member': bearing(member.accessToken),
    guest: { Authorization: `Guest ${textOf(guest.body, 'secret')}` },
    link: bearing(outing.token),
  };
  await service.stop();
  changeStored(service.folder, "UPDATE users SET is_active = 0 WHERE username = 'inactive'");
  return [service.folder, callers];
}

// Ids that name nothing: a caller who is let in finds nothing and changes nothing.
const NOTHING = '999999999';
// They would end the credentials of their callers.
const ENDS_CREDENTIALS = ['logout', 'endAccess'];

/**
 * Status and words of a refusal for who calls, or undefined; a stream is left as soon as it begins. Throws where caches may store
 * the answer, but by the row must not.
 */
async function ask(service: Service, route: Route, headers: Sent): Promise<string | undefined> {
  const { method, pattern, answers } = route;
  const gone = new AbortController();
  const response = await fetch(service.url + pattern.replace(/:\w+/g, NOTHING), {
    method,
    redirect: 'manual',
    signal: gone.signal,
    headers: {
      ...headers,
      ...(method !== 'GET' && { 'Content-Type': typeOf(route), 'Idempotency-Key': pattern }),
    },
    ...(method !== 'GET' && { body: '{}' }),
  });
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const body: unknown = isJson ? await response.json() : undefined;
  gone.abort();
  const caching = response.headers.get('cache-control') ?? '';
  if (answers !== 'public') assert.match(caching, /^private, no-(?:store|cache)$/, route.operationId);
  else if (!response.ok) assert.doesNotMatch(caching, /private/, route.operationId);
  const words =
    isJson && typeof body === 'object' && body !== null && 'error' in body ? String(body.error) : '';
  const refusal = `${response.status} ${words}`;
  if (!REFUSALS.includes(refusal)) return undefined;
  if (response.status === 401) assert.equal(response.headers.get('www-authenticate'), 'Bearer');
  return refusal;
}

const typeOf = ({ body }: Route): string =>
  body === 'multipart' ? 'multipart/form-data; boundary=x' : 'application/json';

/** By the rows, the log shows which paths were asked for, or only as far as they are the same for everyone. */
function checkPaths({ routes, logs }: Service): void {
  const rows = new Map(routes.map((row) => [`${row.method} ${row.pattern}`, row]));
  const wrong = logs.map(record).filter(({ method, route, path }) => {
    const row = rows.get(`${String(method)} ${String(route)}`);
    const shown =
      row?.answers === 'public' ? row.pattern.replace(/:\w+/g, NOTHING) : row?.pattern.replace(/\/:.*/, '/…');
    return shown !== undefined && path !== shown;
  });
  assert.deepEqual(wrong, []);
}

describe('every route', () => {
  test('stands once in the table of who may call it', async (t) => {
    const { routes } = await startService(t);
    const listed = ACCESSES.map((access) => [access, namesOf(access).toSorted()]);
    const rows = ACCESSES.map((access) => [
      access,
      routes
        .filter((row) => accessOf(row) === access)
        .map(({ operationId }) => operationId)
        .toSorted(),
    ]);
    assert.deepEqual(rows, listed);
  });

  test('is open to those whom the table names, and to no one else', async (t) => {
    const [folder, callers] = await makeCallers(t);
    for (const mode of MODES)
      for (const writeAccess of mode === 'oauth' ? (['users'] as const) : WRITE_ACCESS)
        await t.test(`in mode ${mode} with WRITE_ACCESS=${writeAccess}`, async (own) => {
          const variables = { ...LOCAL, AUTH_MODE: mode, WRITE_ACCESS: writeAccess, DATA_DIR: folder };
          const service = await startService(own, variables);
          const wrong: string[] = [];
          for (const route of service.routes)
            for (const caller of CALLERS) {
              if (ENDS_CREDENTIALS.includes(route.operationId)) continue;
              const expected = refusalOf(route, caller, { mode, writeAccess });
              const refusal = await ask(service, route, callers[caller]);
              if (refusal !== expected)
                wrong.push(`${route.operationId} by ${caller}: ${String(refusal)}, not ${String(expected)}`);
            }
          assert.deepEqual(wrong, []);
          checkPaths(service);
          await service.stop();
        });
    assert.equal(readStored(folder, 'SELECT * FROM restaurants').length, 2);
  });

  test('answers a method that it has not like the strictest of its methods', async (t) => {
    const { api, routes, webApp, logs } = await startService(t, LOCAL);
    for (const { pattern } of new Map([...routes, ...webApp].map((row) => [row.pattern, row])).values()) {
      const rows = [...routes, ...webApp].filter((row) => row.pattern === pattern);
      const method =
        (['PATCH', 'PUT', 'DELETE'] as const).find((one) => rows.every((row) => row.method !== one)) ?? '';
      const answer = await api.send(pattern.replace(/[:*]\w+/g, NOTHING), { method });
      const isPublic = rows.every(({ answers }) => answers === 'public');
      const [caching, path] = [answer.headers.get('cache-control'), String(field(logs.at(-1), 'path'))];
      assert.deepEqual([answer.status, caching], [405, isPublic ? null : 'private, no-store'], pattern);
      if (!isPublic) assert.ok(!path.includes(NOTHING), path);
    }
  });

  test('checks the caller before the body is read', async (t) => {
    const { api } = await startService(t, LOCAL);
    const headers = { 'Content-Type': 'text/plain' };
    const answer = await api.send('/api/restaurants', { method: 'POST', headers, body: '{' });
    assert.equal(answer.status, 401);
  });
});
