import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Route } from '../../src/http/router.ts';
import { type Change, allChanges, changeAt, changeOf, deeds, reverted } from '../support/changes.ts';
import { type Answer, array, headerValues, record } from '../support/client.ts';
import { FORM_TYPE } from '../support/photos.ts';
import { startService } from '../support/service.ts';
import { type World, views, withoutUpdates } from '../support/world.ts';
import { RECIPES, type Recipe, furnished } from './recipes.ts';

const REQUEST_ID = '0b9f3a1e-6a57-4a54-9d0e-3f3c5d0d8a11';

// Whether `before` and `after` are null.
const SIDES: Readonly<Record<string, readonly boolean[]>> = {
  create: [true, false],
  restore: [true, false],
  update: [false, false],
  delete: [false, true],
};

function call(
  { admin }: World,
  { method, pattern }: Route,
  { at = {}, body = {} }: Recipe,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const path = pattern.replace(/:(\w+)/g, (_, name: string) => String(at[name]));
  const isForm = Buffer.isBuffer(body);
  const headers = {
    'X-Request-Id': REQUEST_ID,
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

// Writes to accounts, to feeds, to outings, to what was dismissed as a duplicate and to those whom a list is shared with are not in the log, and reading a link writes nothing.
const UNLOGGED =
  /^\/api\/(?:auth|users|invitations|feeds|outings|duplicates|places|shared|lists\/:id\/(?:members|links))(?:\/|$)/;
const isWrite = ({ method, pattern }: Route): boolean => method !== 'GET' && !UNLOGGED.test(pattern);

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
  const shared = { actor, token: null, via: 'api', request_id: REQUEST_ID, write_id: id };
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
  // What undoing a change answers may no longer be for the caller when it is repeated.
  if (route.operationId === 'revertChange')
    assert.deepEqual([second.status, second.body], [first.status, '']);
  else assert.deepEqual(seen(second), seen(first));
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
