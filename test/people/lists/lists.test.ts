import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { changeOf, refusal } from '../../support/changes.ts';
import { type Answer, array, field, headerValues, record } from '../../support/client.ts';
import { addList } from '../../support/lists.ts';
import { changeStored, readStored, signUp } from '../../support/people.ts';
import { startService } from '../../support/service.ts';
import { startWorld } from '../../support/world.ts';

const namesIn = (body: unknown): unknown[] => array(body).map((list) => field(list, 'name'));

describe('the lists of a user', () => {
  test('are the two built-in ones first, then the own ones by name without case', async (t) => {
    const { owner } = await startWorld(t);
    for (const name of ['Zebra', 'apple', 'Élan', 'Mango']) await addList(owner, name);
    const { body } = await owner.get('/lists');
    assert.deepEqual(namesIn(body), ['Want to go', 'Favourites', 'apple', 'Mango', 'Zebra', 'Élan']);
    const kinds = array(body).map((list) => field(list, 'kind'));
    assert.deepEqual(kinds, ['want', 'favourites', 'own', 'own', 'own', 'own']);
  });

  test('have their two built-in ones from the registration on, and in mode none too', async (t) => {
    const { service } = await startWorld(t);
    const dave = await signUp(service, 'dave');
    assert.deepEqual(namesIn((await dave.api.get('/lists')).body), ['Want to go', 'Favourites']);
    const { api } = await startService(t);
    assert.deepEqual(namesIn((await api.get('/lists')).body), ['Want to go', 'Favourites']);
  });

  test('are made, read, changed and deleted', async (t) => {
    const { owner } = await startWorld(t);
    const made = await owner.post('/lists', { name: ' Lyon  in May ', description: 'By train' });
    const location = String(made.headers.get('location'));
    assert.equal(made.status, 201);
    const { name, description, item_count, kind } = record(made.body);
    assert.deepEqual([name, description, item_count, kind], ['Lyon  in May', 'By train', 0, 'own']);
    assert.deepEqual((await owner.send(location, {})).body, made.body);

    const path = location.replace('/api', '');
    const renamed = await owner.put(path, { name: 'LYON IN MAY' });
    const same = { ...record(made.body), updated_at: field(renamed.body, 'updated_at') };
    assert.deepEqual(renamed.body, { ...same, name: 'LYON IN MAY' });
    const cleared = await owner.put(path, { description: null });
    const { updated_at } = record(cleared.body);
    assert.deepEqual(cleared.body, { ...record(renamed.body), description: null, updated_at });
    assert.ok(changeOf(cleared) > changeOf(renamed));

    assert.equal((await owner.delete(path)).status, 204);
    assert.deepEqual(refusal(await owner.get(path)), [404, 'List not found']);
  });

  test('have names of their own that other users may have, too', async (t) => {
    const { owner, other } = await startWorld(t);
    const exists = [409, `List already exists: "Lyon" (id ${await addList(owner, 'Lyon')})`];
    assert.deepEqual(refusal(await owner.post('/lists', { name: 'LYON' })), exists);
    assert.equal((await owner.post('/lists', { name: 'want TO go' })).status, 409);
    const second = await addList(owner, 'Paris');
    assert.equal((await owner.put(`/lists/${second}`, { name: 'lyon' })).status, 409);
    assert.equal((await other.post('/lists', { name: 'Lyon' })).status, 201);
  });

  test('that are built in answer to their names, and stay as they are', async (t) => {
    const { owner } = await startWorld(t);
    for (const name of ['want', 'favourites']) {
      const { body } = await owner.get(`/lists/${name}`);
      assert.equal(field(body, 'kind'), name);
      for (const path of [`/lists/${name}`, `/lists/${String(field(body, 'id'))}`]) {
        const refused = [409, 'A built-in list cannot be changed'];
        assert.deepEqual(refusal(await owner.put(path, { name: 'Mine' })), refused);
        assert.deepEqual(refusal(await owner.delete(path)), refused);
      }
    }
  });

  test('are 200 at most, without the built-in ones', async (t) => {
    const { owner, people, service } = await startWorld(t);
    changeStored(
      service.folder,
      `INSERT INTO lists (user_id, kind, name, name_key, created_at, updated_at)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 199)
       SELECT ?, 'own', 'List ' || i, 'list ' || i, '2026', '2026' FROM n`,
      people.owner.id,
    );
    await addList(owner, 'The last one');
    assert.deepEqual(refusal(await owner.post('/lists', { name: 'One more' })), [409, 'At most 200 lists']);
  });

  test('are made once for each Idempotency-Key', async (t) => {
    const { api, folder } = await startService(t);
    const make = (): Promise<Answer> => api.post('/lists', { name: 'Lyon' }, { 'Idempotency-Key': 'once' });
    const [first, second] = [await make(), await make()];
    assert.deepEqual(second.body, first.body);
    const headers = headerValues(second, 'idempotent-replay', 'cache-control');
    assert.deepEqual(headers, ['true', 'private, no-store']);
    assert.equal(readStored(folder, "SELECT id FROM lists WHERE kind = 'own'").length, 1);
  });
});

describe('a list of another user', () => {
  const calls: readonly (readonly [string, string, object?])[] = [
    ['GET', ''],
    ['PUT', '', { name: 'Mine' }],
    ['DELETE', ''],
    ['GET', '/items'],
    ['PUT', '/items/1', {}],
    ['DELETE', '/items/1'],
  ];
  test('is not found by any request, by administrators neither', async (t) => {
    const { owner, other, admin } = await startWorld(t);
    await admin.post('/restaurants', { name: 'Chez Nous' });
    const id = await addList(owner, 'Lyon');
    const headers = { 'Content-Type': 'application/json' };
    for (const [method, path, body] of calls) {
      const init = { method, ...(body && { headers, body: JSON.stringify(body) }) };
      for (const api of [other, admin]) {
        const answer = await api.send(`/api/lists/${id}${path}`, init);
        assert.deepEqual(refusal(answer), [404, 'List not found'], `${method} ${path}`);
      }
    }
    assert.equal((await owner.get(`/lists/${id}`)).status, 200);
  });
});

describe('a list that is sent', () => {
  const LONG = { name: 'x', description: 'x'.repeat(1001) };
  const faults: readonly (readonly [string, object, string])[] = [
    ['without a name', {}, 'name is required'],
    ['with a blank name', { name: ' \u00a0 ' }, 'name is required'],
    ['with a name of 101 characters', { name: 'x'.repeat(101) }, 'name must be at most 100 characters'],
    ['with a number for a name', { name: 5 }, 'name must be a string'],
    ['with a long description', LONG, 'description must be at most 1000 characters'],
  ];
  test('is refused with a fault', async (t) => {
    const { api } = await startService(t);
    for (const [title, body, fault] of faults)
      assert.deepEqual(refusal(await api.post('/lists', body)), [400, fault], title);
  });

  test('loses invisible characters of its name, and warns of fields it does not know', async (t) => {
    const { api } = await startService(t);
    const { body, headers } = await api.post('/lists', { name: 'Ly\u200bon', descriptoin: 'x' });
    assert.equal(field(body, 'name'), 'Lyon');
    assert.equal(headers.get('catalogue-warning'), 'unknown field descriptoin; did you mean description?');
  });

  test('has to be named by an id or as a built-in one', async (t) => {
    const { api } = await startService(t);
    for (const name of ['0', '-1', 'x', 'Want', '1.5', '99999999999999999'])
      assert.deepEqual(refusal(await api.get(`/lists/${name}`)), [400, 'Invalid list ID'], name);
  });
});
