import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { type Answer, type Client, array, field, textOf } from '../support/client.ts';
import { batchOf, importText } from '../support/imports.ts';
import { addRestaurants, namesOn } from '../support/lists.ts';
import { LOCAL, changeStored, readStored } from '../support/people.ts';
import { type Variables, startService } from '../support/service.ts';
import { longTest } from '../support/size.ts';
import { until } from '../support/until.ts';
import { type World, startWorld } from '../support/world.ts';

const SAVED = 'Title,Note,URL\nA,mine,\nNew,,\n';
const KML = '<kml><Document><Placemark><name>A</name></Placemark></Document></kml>';
const FEATURE = '{"type":"Feature","geometry":null,"properties":{"name":"A"}}';
const ADMINS_ONLY =
  'Only administrators may import such a file; others import saved places of Google Takeout, KML and GPX';
const BY_ADMINS = { WRITE_ACCESS: 'admins' };

const others: readonly (readonly [filename: string, content: string])[] = [
  ['places.csv', 'name,phone\nA,1\n'],
  ['note.csv', 'name,note\nA,1\n'],
  ['places.ndjson', '{"name":"A"}\n'],
  ['categories.ndjson', '{"type":"category","name":"A"}\n'],
  ['places.geojson', FEATURE],
];

function send(api: Client, filename = 'Want to go.csv', content = SAVED, isDry = false): Promise<Answer> {
  return importText(api, content, isDry ? { dry_run: 'true' } : {}, { filename });
}

async function statusesOf(api: Client): Promise<readonly number[]> {
  const answers: number[] = [];
  for (const [filename, content] of [['Want to go.csv', SAVED], ['a.kml', KML], ...others] as const)
    answers.push((await send(api, filename, content)).status);
  return answers;
}

/** Imports many places and, once some are stored, changes the database; returns the answer. */
async function endInBetween(
  { service }: World,
  api: Client,
  filename: string,
  header: string,
  change: string,
  texts: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const rows = Array.from({ length: 40_000 }, (_, index) => `Place ${index},,`);
  const answer = importText(api, [header, ...rows].join('\n'), texts, { filename });
  await until(() => readStored(service.folder, 'SELECT 1 FROM restaurants LIMIT 1').length > 0);
  changeStored(service.folder, change);
  return answer;
}

function numberOf({ service }: World, table: string): number {
  return readStored(service.folder, `SELECT 1 FROM ${table}`).length;
}

describe('who may import', () => {
  const SAVED_ALONE = [200, 200, ...others.map(() => 403)];
  const ALL = [200, 200, ...others.map(() => 200)];
  for (const [mode, variables] of [
    ['everyone may write', {}],
    ['only administrators may write', BY_ADMINS],
  ] as const satisfies readonly (readonly [string, Variables])[])
    longTest(`where ${mode}: users saved places, administrators any file, others nothing`, async (t) => {
      const { service, owner, token, admin } = await startWorld(t, variables);
      assert.deepEqual(await statusesOf(owner), SAVED_ALONE);
      assert.deepEqual(await statusesOf(token), SAVED_ALONE);
      assert.deepEqual(await statusesOf(admin), ALL);
      assert.ok((await statusesOf(service.api)).every((status) => status === 401));
      const { body } = await send(owner, ...(others[0] ?? []));
      assert.deepEqual(body, { error: ADMINS_ONLY });
      const dry = await send(owner, 'places.csv', 'name,phone\nA,1\n', true);
      assert.deepEqual([dry.status, dry.body], [403, { error: ADMINS_ONLY }]);
    });

  longTest(
    'where there are no accounts: everyone any file, saved places on the one list of all',
    async (t) => {
      const { api } = await startService(t);
      assert.deepEqual(await statusesOf(api), ALL);
      assert.deepEqual(await namesOn(api, 'want'), ['A', 'New']);
    },
  );

  longTest(
    'refuses a file of a user in which a place is not a saved one, with nothing written',
    async (t) => {
      const world = await startWorld(t);
      const saved = '{"type":"Feature","properties":{"google_maps_url":"https://maps.example","Title":"B"}}';
      const mixed = `{"type":"FeatureCollection","features":[${saved},${FEATURE}]}`;
      assert.equal((await send(world.owner, 'Saved Places.json', mixed)).status, 403);
      assert.equal(numberOf(world, 'changes'), 0);
    },
  );
});

describe('where only administrators may write, an import of a user', () => {
  longTest('puts what is here on the list, and names the rest with its lines', async (t) => {
    const world = await startWorld(t, BY_ADMINS);
    const { owner, admin } = world;
    await addRestaurants(admin, 'A');
    for (const isDry of [true, false]) {
      const { body } = await send(owner, 'Want to go.csv', SAVED, isDry);
      const found = ['created', 'updated', 'unknown_total', 'unknown'].map((name) => field(body, name));
      assert.deepEqual(found, [0, 1, 1, [{ line: 3, name: 'New' }]]);
    }
    assert.deepEqual(await namesOn(owner, 'want'), ['A']);
    assert.equal(numberOf(world, 'restaurants'), 1);
    // An administrator adds them, and so does the same user where everyone may write.
    assert.equal(field((await send(admin)).body, 'created'), 1);
  });

  longTest('makes no list where nothing is here, and names the first thousand', async (t) => {
    const world = await startWorld(t, BY_ADMINS);
    const rows = Array.from({ length: 1_500 }, (_, index) => `Place ${index},,\n`).join('');
    const { body } = await send(world.owner, 'Lyon.csv', `Title,Note,URL\n${rows}`);
    assert.deepEqual([array(field(body, 'unknown')).length, field(body, 'unknown_total')], [1_000, 1_500]);
    assert.deepEqual([field(body, 'list'), field(body, 'batch_id')], [{ id: null, name: 'Lyon' }, null]);
    assert.equal(numberOf(world, 'changes'), 0);
  });

  longTest('can be undone by that user', async (t) => {
    const { owner, admin } = await startWorld(t, BY_ADMINS);
    await addRestaurants(admin, 'A');
    const batch = batchOf((await send(owner)).body);
    assert.equal((await owner.post(`/batches/${batch}/revert`, {})).status, 200);
    assert.deepEqual(await namesOn(owner, 'want'), []);
  });
});

describe('batches', () => {
  longTest('are listed, read and undone by those who made them, and by administrators', async (t) => {
    const { service, owner, other, token, admin } = await startWorld(t);
    const own = batchOf((await send(owner)).body);
    const others = batchOf((await send(other, 'Want to go.csv', 'Title,Note,URL\nC,,\n')).body);
    const listed = async (api: Client): Promise<unknown> => {
      const { body } = await api.get('/batches');
      const found = array(field(body, 'data')).map((batch) => field(batch, 'id'));
      assert.equal(field(body, 'total'), found.length);
      return found;
    };
    assert.deepEqual([await listed(owner), await listed(token)], [[own], [own]]);
    assert.deepEqual([await listed(other), await listed(admin)], [[others], [others, own]]);
    assert.equal((await service.api.get('/batches')).status, 401);
    for (const api of [other, admin]) {
      const isAdmin = api === admin;
      assert.equal((await api.get(`/batches/${own}`)).status, isAdmin ? 200 : 404);
      assert.equal((await api.post(`/batches/${own}/revert`, {})).status, isAdmin ? 200 : 404);
    }
    // What an administrator undid is not the user's to bring back.
    const undo = Number(field((await owner.get(`/batches/${own}`)).body, 'reverted_by'));
    assert.equal((await owner.post(`/batches/${undo}/revert`, {})).status, 404);
    const mine = await other.post(`/batches/${others}/revert`, {});
    assert.equal((await other.post(`/batches/${String(field(mine.body, 'id'))}/revert`, {})).status, 200);
    assert.deepEqual(await namesOn(other, 'want'), ['C']);
  });

  longTest('with what only administrators may undo by now are not undone by a user', async (t) => {
    const { service, owner, people } = await startWorld(t);
    const batch = batchOf((await send(owner)).body);
    await service.stop();
    const { api } = await startService(t, { ...LOCAL, ...BY_ADMINS, DATA_DIR: service.folder });
    const { email, password } = people.owner;
    const login = await api.post('/auth/login', { email, password });
    const headers = { Authorization: `Bearer ${textOf(login.body, 'access_token')}` };
    const { status, body } = await api.post(`/batches/${batch}/revert`, {}, headers);
    assert.equal(status, 409);
    assert.match(
      textOf(body, 'error'),
      /^Batch 1 cannot be reverted: 2 obstacles: change \d+ is not yours to revert/,
    );
  });
});

describe('an import whose user loses rights in between', () => {
  longTest('ends with the account: no place and no item is written any more', async (t) => {
    const world = await startWorld(t);
    const change = `UPDATE users SET is_active = 0 WHERE id = ${world.people.owner.id}`;
    const { status } = await endInBetween(world, world.owner, 'Lyon.csv', 'Title,Note,URL', change);
    assert.equal(status, 401);
    const [places, items] = [numberOf(world, 'restaurants'), numberOf(world, 'list_items')];
    assert.ok(places < 5_000 && places === items, `${places} places, ${items} items`);
  });

  longTest('ends when the list that was chosen is deleted, and makes no other one', async (t) => {
    const world = await startWorld(t);
    const list = String(field((await world.owner.post('/lists', { name: 'Trip' })).body, 'id'));
    const before = numberOf(world, 'lists');
    const change = `DELETE FROM lists WHERE id = ${list}`;
    const { status, body } = await endInBetween(world, world.owner, 'Lyon.csv', 'Title,Note,URL', change, {
      list,
    });
    assert.equal(status, 404);
    assert.match(textOf(body, 'error'), /^List not found; the first [\d,]+ rows were imported as batch 1$/);
    assert.equal(numberOf(world, 'lists'), before - 1);
  });

  longTest('ends when an administrator becomes a user, and names what was stored', async (t) => {
    const world = await startWorld(t);
    const change = `UPDATE users SET is_admin = 0 WHERE id = ${world.people.admin.id}`;
    const { status, body } = await endInBetween(world, world.admin, 'a.csv', 'name,phone,address', change);
    assert.equal(status, 403);
    assert.match(
      textOf(body, 'error'),
      /^Only administrators may import such a file; .+; the first [\d,]+ rows were imported as batch 1$/,
    );
    assert.ok(numberOf(world, 'restaurants') < 40_000);
  });

  longTest('adds no further places when only administrators may, but goes on with the list', async (t) => {
    const world = await startWorld(t, BY_ADMINS);
    const change = `UPDATE users SET is_admin = 0 WHERE id = ${world.people.admin.id}`;
    const { status, body } = await endInBetween(world, world.admin, 'Lyon.csv', 'Title,Note,URL', change);
    const places = numberOf(world, 'restaurants');
    assert.deepEqual([status, Number(field(body, 'unknown_total'))], [200, 40_000 - places]);
  });
});
