import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { createRestaurants } from '../support/catalogue.ts';
import { allChanges, changeOf, deeds, refusal, reverted } from '../support/changes.ts';
import { runCommand } from '../support/cli.ts';
import { type Client, array, field, ids, record, textOf } from '../support/client.ts';
import { changeStored } from '../support/people.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { views, withoutUpdates } from '../support/world.ts';

const rows = (count: number): string =>
  ['name,address,cuisine', ...Array.from({ length: count }, (_, row) => `Row ${row},${row} Rue,Nordic`)].join(
    '\n',
  );

/** Imports a CSV file and returns the output of the command. */
async function take({ folder }: Service, csv: string): Promise<string> {
  const args = ['import', '-', '--format', 'csv'];
  const ended = await runCommand(args, { variables: { DATA_DIR: folder }, input: csv });
  assert.equal(ended.code, 0, ended.err);
  return ended.out;
}

/** Makes the newest changes a batch, as an import does it. */
function batchOf({ folder }: Service, newest: number, file = 'made.csv'): void {
  changeStored(folder, "INSERT INTO batches (at, file) VALUES ('2026-01-01T00:00:00.000Z', ?)", file);
  changeStored(
    folder,
    `UPDATE changes SET batch_id = (SELECT max(id) FROM batches)
     WHERE id IN (SELECT id FROM changes ORDER BY id DESC LIMIT ?)`,
    newest,
  );
}

/** A batch of so many new restaurants, which have ids from 1 on. */
async function withBatch(t: TestContext, count: number): Promise<[Service, Client]> {
  const service = await startService(t);
  await createRestaurants(
    service.api,
    Array.from({ length: count }, (_, index) => ({ name: `Place ${index}` })),
  );
  batchOf(service, count);
  return [service, service.api];
}

const undo = (api: Client, id: number): ReturnType<Client['post']> => api.post(`/batches/${id}/revert`, {});

describe('an import', () => {
  test('is a batch, which is undone as a whole, and can be done again', async (t) => {
    const service = await startService(t);
    const { api } = service;
    await createRestaurants(api, [{ name: 'Row 0', address: '0 Rue' }]);
    const before = await views(api);
    const said = await take(service, rows(30));
    assert.match(said, /batch 1\b/);
    const after = await views(api);
    const { body } = await api.get('/batches/1');
    const count = (await allChanges(api, 'batch_id=1')).length;
    const expected = { id: 1, file: null, actor: null, changes: count, reverts: null, reverted_by: null };
    assert.deepEqual({ ...record(body), ...expected }, body);
    assert.deepEqual(new Set((await allChanges(api, 'batch_id=1')).map(({ via }) => via)), new Set(['cli']));

    const undone = await undo(api, 1);
    assert.equal(undone.status, 200, JSON.stringify(undone.body));
    assert.deepEqual([field(undone.body, 'id'), field(undone.body, 'reverts')], [2, 1]);
    assert.equal(changeOf(undone), (await allChanges(api, 'batch_id=2'))[0]?.['id']);
    assert.deepEqual(withoutUpdates(await views(api)), withoutUpdates(before));
    assert.equal(field((await api.get('/batches/1')).body, 'reverted_by'), 2);
    const again = 'Batch 1 cannot be reverted: 1 obstacle: it was reverted by batch 2';
    assert.deepEqual(refusal(await undo(api, 1)), [409, again]);

    assert.equal((await undo(api, 2)).status, 200);
    assert.deepEqual(withoutUpdates(await views(api)), withoutUpdates(after));
    assert.equal(field((await api.get('/batches/1')).body, 'reverted_by'), null);
    assert.equal((await undo(api, 1)).status, 200);
    assert.deepEqual(withoutUpdates(await views(api)), withoutUpdates(before));
  });
});

describe('the revert of a batch', () => {
  test('is refused as a whole, with the count and the first 20 obstacles', async (t) => {
    const [, api] = await withBatch(t, 25);
    for (let id = 1; id <= 22; id += 1) await api.put(`/restaurants/${id}`, { phone: '+33 1' });
    const before = [await views(api), await allChanges(api)];
    const [status, text] = refusal(await undo(api, 1));
    assert.equal(status, 409);
    // From the end to the beginning.
    const named = Array.from({ length: 20 }, (_, index) => `restaurant ${22 - index} was changed later`);
    assert.equal(text, `Batch 1 cannot be reverted: 22 obstacles: ${named.join('; ')}`);
    assert.deepEqual([await views(api), await allChanges(api)], before);
  });

  test('leaves out what was undone by hand', async (t) => {
    const [, api] = await withBatch(t, 3);
    await reverted(api, 2);
    const { body, status } = await undo(api, 1);
    assert.deepEqual([status, field(body, 'changes')], [200, 2]);
    assert.deepEqual(array((await api.get('/restaurants')).body), []);
    assert.equal((await undo(api, Number(field(body, 'id')))).status, 200);
    assert.deepEqual(ids((await api.get('/restaurants?sort=name')).body), [1, 3]);
  });

  test('has nothing to do where all was undone by hand', async (t) => {
    const [, api] = await withBatch(t, 2);
    for (const id of [1, 2]) await reverted(api, id);
    const none = 'Batch 1 cannot be reverted: 1 obstacle: all of it was reverted before';
    assert.deepEqual(refusal(await undo(api, 1)), [409, none]);
  });

  test('is for the command line where it is large', async (t) => {
    const [service, api] = await withBatch(t, 1);
    changeStored(
      service.folder,
      `INSERT INTO changes (at, kind, entity_id, action, name, via, batch_id)
       WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10000)
       SELECT '2026', 'rating', n, 'create', 'Made up', 'cli', 1 FROM numbers`,
    );
    const tooLarge = 'Batch 1 is too large; run: catalogue revert --batch 1';
    assert.deepEqual(refusal(await undo(api, 1)), [409, tooLarge]);
  });

  test('lets other writes and reads go on, and streams have it', async (t) => {
    const [, api] = await withBatch(t, 200);
    const undoing = undo(api, 1);
    const others = Array.from({ length: 20 }, (_, index) =>
      api.post('/categories', { name: `Other ${index}` }),
    );
    for (const { status } of await Promise.all(others)) assert.equal(status, 201);
    assert.equal((await undoing).status, 200);
    const changes = await allChanges(api, 'batch_id=2');
    assert.deepEqual([changes.length, new Set(deeds(changes))], [200, new Set(['restaurant delete'])]);
    await until(async () => array((await api.get('/restaurants')).body).length === 0);
  });

  test('asked for twice at once is one revert', async (t) => {
    const [, api] = await withBatch(t, 10);
    const answers = await Promise.all([undo(api, 1), undo(api, 1)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    assert.equal((await allChanges(api, 'action=delete')).length, 10);
  });
});

describe('GET /batches', () => {
  test('has the newest first, page by page', async (t) => {
    const service = await startService(t);
    const { api } = service;
    for (let batch = 1; batch <= 5; batch += 1) {
      await createRestaurants(api, [{ name: `Place ${batch}` }]);
      batchOf(service, 1, `${batch}.csv`);
    }
    const found: unknown[] = [];
    let path = '/batches?limit=2';
    for (;;) {
      const { body, headers } = await api.get(path);
      assert.equal(field(body, 'total'), 5);
      found.push(...array(field(body, 'data')).map((batch) => field(batch, 'file')));
      if (field(body, 'has_more') !== true) {
        assert.deepEqual([field(body, 'next_cursor'), headers.get('link')], [null, null]);
        break;
      }
      path = `/batches?limit=2&cursor=${textOf(body, 'next_cursor')}`;
    }
    assert.deepEqual(found, ['5.csv', '4.csv', '3.csv', '2.csv', '1.csv']);
    assert.deepEqual(refusal(await api.get('/batches?cursor=x')), [400, 'Invalid cursor']);
    assert.equal((await api.get('/batches?limit=0')).status, 400);
    assert.deepEqual(refusal(await api.get('/batches/9')), [404, 'Batch not found']);
    assert.deepEqual(refusal(await undo(api, 9)), [404, 'Batch not found']);
  });
});
