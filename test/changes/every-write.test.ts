import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import type { Route } from '../../src/http/router.ts';
import { FULL_SUGGESTION } from '../support/catalogue.ts';
import { type Change, allChanges, changeAt, changeOf, deeds, reverted } from '../support/changes.ts';
import { type Answer, array, headerValues, record } from '../support/client.ts';
import { changeStored } from '../support/people.ts';
import { FORM_TYPE, form, photoPart } from '../support/photos.ts';
import { startService } from '../support/service.ts';
import { type World, addPhoto, ratingOf, startWorld, views, withoutUpdates } from '../support/world.ts';

/** How a write is called, and what it leaves in the log. */
interface Recipe {
  /** The values of the parameters of the path. */
  readonly at?: Readonly<Record<string, number>>;
  readonly body?: object | Buffer;
  readonly makes: readonly string[];
  readonly name?: string;
  readonly fields?: readonly string[];
}

// Changes of the catalogue below.
const RENAMED = 5;
const OF_BATCH = 6;
const PURGED = 7;
// Behind the two of each user and of the placeholder.
const OWN_LIST = 9;
const VISIT = { at: { id: 1 }, name: 'Chez Nous' };
const ON_LIST = { at: { id: OWN_LIST, restaurantId: 1 } };
// Whether `before` and `after` are null.
const SIDES: Readonly<Record<string, readonly boolean[]>> = {
  ...{ create: [true, false], restore: [true, false] },
  ...{ update: [false, false], delete: [false, true] },
};

// By operationId. A write that is new is to be written down here.
const RECIPES: Readonly<Record<string, Recipe>> = {
  createRestaurant: {
    body: { name: 'Le Coin', category_id: 5, food_type_ids: [8, 2], phone: '+33 1' },
    ...{ makes: ['restaurant create'], name: 'Le Coin' },
  },
  updateRestaurant: {
    at: { id: 1 },
    body: { phone: '+33 2', food_type_ids: [3], category_id: null, name: 'Chez Vous' },
    ...{ makes: ['restaurant update'], name: 'Chez Vous' },
    fields: ['category_id', 'food_type_ids', 'name', 'phone'],
  },
  deleteRestaurant: { at: { id: 1 }, makes: ['restaurant delete'], name: 'Chez Nous' },
  createRating: { body: ratingOf(1), makes: ['rating create'], name: 'Chez Nous' },
  updateRating: {
    at: { id: 1 },
    body: { food_rating: 1, comment: null },
    ...{ makes: ['rating update'], name: 'Chez Nous', fields: ['comment', 'food_rating'] },
  },
  deleteRating: { at: { id: 1 }, makes: ['rating delete'], name: 'Chez Nous' },
  createCategory: { body: { name: 'Nordic' }, makes: ['category create'], name: 'Nordic' },
  updateCategory: {
    ...{ at: { id: 5 }, body: { name: 'Gallic' } },
    ...{ makes: ['category update'], name: 'Gallic', fields: ['name'] },
  },
  deleteCategory: { at: { id: 5 }, makes: ['category delete'] },
  createFoodType: { body: { name: 'Nettles' }, makes: ['food_type create'], name: 'Nettles' },
  updateFoodType: {
    ...{ at: { id: 8 }, body: { name: 'Oysters' } },
    ...{ makes: ['food_type update'], name: 'Oysters', fields: ['name'] },
  },
  deleteFoodType: { at: { id: 8 }, makes: ['food_type delete'] },
  createSuggestion: { body: { name: 'Auberge' }, makes: ['suggestion create'], name: 'Auberge' },
  setSuggestionStatus: {
    ...{ at: { id: 2 }, body: { status: 'approved' } },
    ...{ makes: ['suggestion update'], name: 'Bistro', fields: ['status'] },
  },
  convertSuggestion: {
    at: { id: 2 },
    body: { food_rating: 5, service_rating: 5, ambiance_rating: 5, comment: 'First' },
    makes: ['restaurant create', 'suggestion update', 'rating create'],
    name: 'Bistro',
  },
  deleteSuggestion: { at: { id: 2 }, makes: ['suggestion delete'], name: 'Bistro' },
  uploadPhoto: {
    ...{ at: { restaurantId: 1 }, body: form(photoPart()) },
    ...{ makes: ['photo create'], name: 'Chez Nous' },
  },
  setPhotoCaption: {
    ...{ at: { id: 1 }, body: { caption: 'The terrace' } },
    ...{ makes: ['photo update'], name: 'Chez Nous', fields: ['caption'] },
  },
  deletePhoto: { at: { id: 1 }, makes: ['photo delete'], name: 'Chez Nous' },
  createList: { body: { name: 'Lyon' }, makes: ['list create'], name: 'Lyon' },
  updateList: {
    ...{ at: { id: OWN_LIST }, body: { name: 'Paris' } },
    ...{ makes: ['list update'], name: 'Paris', fields: ['name'] },
  },
  deleteList: { at: { id: OWN_LIST }, makes: ['list delete'], name: 'Trips' },
  putItem: { ...ON_LIST, body: { note: 'Soup' }, makes: ['list update'], name: 'Trips', fields: ['items'] },
  deleteItem: { ...ON_LIST, makes: ['list update'], name: 'Trips', fields: ['items'] },
  createVisit: { body: { restaurant_id: 1, note: 'Cold' }, makes: ['visit create'], name: 'Chez Nous' },
  updateVisit: { ...VISIT, body: { note: 'Warm' }, makes: ['visit update'], fields: ['note'] },
  deleteVisit: { ...VISIT, makes: ['visit delete'] },
  revertChange: { at: { id: RENAMED }, makes: ['category update'], name: 'Indian', fields: ['name'] },
  revertBatch: { at: { id: 1 }, makes: ['food_type delete'], name: 'Tripe' },
  purgeChange: { at: { id: PURGED }, makes: [] },
};

/** A catalogue with something of everything, and changes to be undone and forgotten. */
async function furnished(t: TestContext): Promise<World> {
  const world = await startWorld(t);
  const { admin, service } = world;
  await admin.post('/restaurants', { name: 'Chez Nous', category_id: 5, food_type_ids: [8, 2] });
  await admin.post('/suggestions', { ...FULL_SUGGESTION, name: 'Bistro', google_place_id: null });
  await admin.post('/ratings', ratingOf(1));
  await addPhoto(admin, 1);
  await admin.put('/categories/6', { name: 'Bengali' });
  await admin.post('/food-types', { name: 'Tripe' });
  changeStored(service.folder, "INSERT INTO batches (at, file) VALUES ('2026', 'tripe.csv')");
  changeStored(service.folder, 'UPDATE changes SET batch_id = 1 WHERE id = ?', OF_BATCH);
  await admin.delete('/categories/7');
  await admin.post('/lists', { name: 'Trips' });
  await admin.put(`/lists/${OWN_LIST}/items/1`, {});
  await admin.post('/visits', { restaurant_id: 1 });
  return world;
}

function call(
  { admin }: World,
  { method, pattern }: Route,
  { at = {}, body = {} }: Recipe,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const path = pattern.replace(/:(\w+)/g, (_, name: string) => String(at[name]));
  const isForm = Buffer.isBuffer(body);
  const headers = {
    'X-Request-Id': 'the-request',
    ...more,
    ...(method !== 'DELETE' && { 'Content-Type': isForm ? FORM_TYPE : 'application/json' }),
  };
  const content = isForm ? new Uint8Array(body) : JSON.stringify(body);
  return admin.send(path, { method, headers, ...(method !== 'DELETE' && { body: content }) });
}

/** The values before and after of a change fit the fields that it names. */
function requireSense({ action, entity_id, fields, before, after }: Change): void {
  const [had, has] = [before, after].map((value) => (value === null ? undefined : record(value)));
  assert.deepEqual([had === undefined, has === undefined], SIDES[String(action)]);
  for (const side of [had, has]) {
    if (!side) continue;
    assert.ok(!Object.keys(side).some((name) => name.startsWith('avg_')));
    if (action === 'update') {
      const names = Object.keys(side).filter((name) => name !== 'updated_at');
      assert.deepEqual(names.sort(), array(fields).map(String).sort());
    } else assert.deepEqual([fields, side['id']], [[], entity_id]);
  }
}

// Writes to accounts are not in the log.
const isWrite = ({ method, pattern }: Route): boolean =>
  method !== 'GET' && !/^\/api\/(?:auth|users|invitations)(?:\/|$)/.test(pattern);

/** Makes the write of a row, and returns the changes in the log since. */
async function made(world: World, route: Route, recipe: Recipe): Promise<[Answer, Change[]]> {
  const before = await allChanges(world.admin);
  const answer = await call(world, route, recipe);
  assert.ok(answer.status < 300, JSON.stringify(answer.body));
  return [answer, (await allChanges(world.admin)).slice(before.length)];
}

async function checkWrite(world: World, route: Route, recipe: Recipe): Promise<void> {
  const { admin, people } = world;
  const { makes, name, fields = [] } = recipe;
  const same = makes.some((deed) => deed.endsWith('update')) ? withoutUpdates : (seen: unknown) => seen;
  const seen = async (): Promise<string> => JSON.stringify(same(await views(admin)));
  const before = await seen();
  const [answer, changes] = await made(world, route, recipe);
  assert.deepEqual(deeds(changes), makes);
  const [first] = changes;
  if (!first) {
    assert.equal(answer.headers.get('change'), null);
    return;
  }
  const id = changeOf(answer);
  const actor = { id: people.admin.id, username: 'carol' };
  const shared = { actor, token: null, via: 'api', request_id: 'the-request', write_id: id };
  for (const change of changes) {
    assert.deepEqual({ ...change, ...shared }, change);
    requireSense(change);
  }
  assert.equal(first['id'], id);
  assert.deepEqual(
    [array(first['fields']).map(String).sort(), first['name']],
    [fields, name ?? first['name']],
  );

  const after = await seen();
  const undoing = await reverted(admin, id);
  assert.equal(await seen(), before);
  assert.equal((await changeAt(admin, id))['reverted_by'] === null, false);
  const again = await reverted(admin, undoing);
  assert.equal(await seen(), after);
  assert.equal((await changeAt(admin, id))['reverted_by'], null);
  // As the next write expects it.
  await reverted(admin, again);
  assert.equal(await seen(), before);
}

/** What a client sees of an answer, but for the sign that it was sent before. */
function seen({ status, body, headers }: Answer): unknown {
  return { status, body, headers: headerValues({ headers }, 'location', 'change', 'content-type') };
}

async function checkRepeated(world: World, route: Route, recipe: Recipe): Promise<void> {
  const key = { 'Idempotency-Key': route.operationId };
  const before = (await allChanges(world.admin)).length;
  const first = await call(world, route, recipe, key);
  assert.ok(first.status < 300, JSON.stringify(first.body));
  const second = await call(world, route, recipe, key);
  assert.deepEqual(seen(second), seen(first));
  const replays = [first, second].map(({ headers }) => headers.get('idempotent-replay'));
  assert.deepEqual(replays, [null, 'true']);
  assert.equal((await allChanges(world.admin)).length, before + recipe.makes.length);
}

describe('every write', () => {
  test('is written down here, by the table of routes', async (t) => {
    const { routes } = await startService(t);
    const writes = routes.filter(isWrite).map(({ operationId }) => operationId);
    assert.deepEqual(writes.sort(), Object.keys(RECIPES).sort());
  });

  test('is in the log, and can be undone and done again', async (t) => {
    const world = await furnished(t);
    for (const route of world.service.routes.filter(isWrite))
      await t.test(route.operationId, async () => {
        const recipe = RECIPES[route.operationId];
        assert.ok(recipe);
        await checkWrite(world, route, recipe);
      });
  });

  test('by POST is made once, and answered the same again, when it is repeated with its Idempotency-Key', async (t) => {
    const world = await furnished(t);
    const posts = world.service.routes.filter((route) => isWrite(route) && route.method === 'POST');
    assert.ok(posts.length >= 9);
    for (const route of posts)
      await t.test(route.operationId, async () => {
        const recipe = RECIPES[route.operationId];
        assert.ok(recipe);
        await checkRepeated(world, route, recipe);
      });
  });
});
