import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import type { Route } from '../../../src/http/router.ts';
import { apiTokenOf, bearing, secretOf } from '../../support/accounts.ts';
import { expired, signed } from '../../support/forge.ts';
import { SAME_ORIGIN, openOwnPage } from '../../support/own-page.ts';
import { LOCAL, changeStored, readStored, signUp } from '../../support/people.ts';
import { type Service, startService } from '../../support/service.ts';
import { startWorld } from '../../support/world.ts';

/** Who may call an operation, as the contract has it, apart from what belongs to a user. */
const ACCESSES = [
  ...(['public', 'user', 'writer'] as const),
  ...(['user with a session', 'admin with a session'] as const),
] as const;
type Access = (typeof ACCESSES)[number];

// Every operation stands here once: one that is new fails the test until it is decided who may call it.
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
    listApiTokens createApiToken getApiToken deleteApiToken listFeeds createFeed deleteFeed createLink deleteLink removeMember`,
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
] as const;
type Caller = (typeof CALLERS)[number];
type Sent = Readonly<Record<string, string>>;

const MODES = ['none', 'local', 'oauth', 'both'] as const;
const WRITE_ACCESS = ['users', 'admins'] as const;

interface Setting {
  readonly mode: (typeof MODES)[number];
  readonly writeAccess: (typeof WRITE_ACCESS)[number];
}

const KNOWN: readonly Caller[] = ['user', 'admin', 'user token', 'admin token'];

// The refusals that are about who calls; others with these statuses are about the setting.
const REFUSALS: readonly string[] = [
  '401 Authentication required',
  '401 Invalid token',
  '401 Token has expired',
  '403 Admin access required',
  '403 API tokens cannot manage accounts',
];
const [NO_TOKEN, NO_GOOD_TOKEN, EXPIRED, NO_ADMIN, NO_SESSION] = REFUSALS;

/** Status and words with which a caller is refused; undefined for one who may call. */
function refusalOf(access: Access, caller: Caller, { mode, writeAccess }: Setting): string | undefined {
  if (access === 'public' || mode === 'none') return undefined;
  if (caller === 'stranger' || caller === 'cookie') return NO_TOKEN;
  if (caller === 'expired') return EXPIRED;
  if (!KNOWN.includes(caller)) return NO_GOOD_TOKEN;
  if (access.endsWith('session') && caller.endsWith('token')) return NO_SESSION;
  const isForAdmins = access.startsWith('admin') || (access === 'writer' && writeAccess === 'admins');
  return isForAdmins && !caller.startsWith('admin') ? NO_ADMIN : undefined;
}

/** Throws for an operation that the table lacks. */
function accessOf({ operationId }: Route): Access {
  const found = ACCESSES.find((access) => namesOf(access).includes(operationId));
  if (!found) throw new Error(`${operationId} is not in the table`);
  return found;
}

const namesOf = (access: Access): string[] => ACCESS[access].trim().split(/\s+/);

/** What each caller sends along, from a service on whose data all of them are made. */
async function makeCallers(t: TestContext): Promise<[string, Readonly<Record<Caller, Sent>>]> {
  const { service, people, owner, admin } = await startWorld(t);
  const page = openOwnPage(service.url);
  await page.post('/auth/login', { ...people.owner, session: 'cookie' });
  const [ended, inactive] = [await signUp(service, 'ended'), await signUp(service, 'inactive')];
  await ended.api.post('/auth/logout', {});
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
  };
  await service.stop();
  changeStored(service.folder, "UPDATE users SET is_active = 0 WHERE username = 'inactive'");
  return [service.folder, callers];
}

// Ids that name nothing: a caller who is let in finds nothing and changes nothing.
const NOTHING = '999999999';
// It would end the session of its caller.
const ENDS_SESSION = 'logout';

/** Status and words of a refusal for who calls, or undefined; a stream is left as soon as it begins. */
async function ask(service: Service, route: Route, headers: Sent): Promise<string | undefined> {
  const { method, pattern } = route;
  const gone = new AbortController();
  const response = await fetch(service.url + pattern.replace(/:\w+/g, NOTHING), {
    method,
    redirect: 'manual',
    signal: gone.signal,
    headers: { ...headers, ...(method !== 'GET' && { 'Content-Type': typeOf(route) }) },
    ...(method !== 'GET' && { body: '{}' }),
  });
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const body: unknown = isJson ? await response.json() : undefined;
  gone.abort();
  const words =
    isJson && typeof body === 'object' && body !== null && 'error' in body ? String(body.error) : '';
  const refusal = `${response.status} ${words}`;
  if (!REFUSALS.includes(refusal)) return undefined;
  if (response.status === 401) assert.equal(response.headers.get('www-authenticate'), 'Bearer');
  return refusal;
}

const typeOf = ({ body }: Route): string =>
  body === 'multipart' ? 'multipart/form-data; boundary=x' : 'application/json';

describe('every route', () => {
  test('stands once in the table of who may call it', async (t) => {
    const { routes } = await startService(t);
    const listed = ACCESSES.flatMap(namesOf);
    assert.deepEqual(listed.toSorted(), routes.map(({ operationId }) => operationId).toSorted());
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
              if (route.operationId === ENDS_SESSION) continue;
              const expected = refusalOf(accessOf(route), caller, { mode, writeAccess });
              const refusal = await ask(service, route, callers[caller]);
              if (refusal !== expected)
                wrong.push(`${route.operationId} by ${caller}: ${String(refusal)}, not ${String(expected)}`);
            }
          assert.deepEqual(wrong, []);
          await service.stop();
        });
    assert.equal(readStored(folder, 'SELECT * FROM restaurants').length, 0);
  });

  test('checks the caller before the body is read', async (t) => {
    const { api } = await startService(t, LOCAL);
    const headers = { 'Content-Type': 'text/plain' };
    const answer = await api.send('/api/restaurants', { method: 'POST', headers, body: '{' });
    assert.equal(answer.status, 401);
  });
});
