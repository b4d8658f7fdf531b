import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { allChanges, refusal } from '../support/changes.ts';
import { type Client, array, field, record } from '../support/client.ts';
import { importText } from '../support/imports.ts';
import { changeStored } from '../support/people.ts';
import { startWorld } from '../support/world.ts';

const ROWS = 120;
const CSV = `name,category\n${Array.from({ length: ROWS }, (_, at) => `P ${at},Nordic`).join('\n')}\n`;
const COLLAPSED = 'order=newest&batches=collapsed';

const names = async (api: Client, filters = ''): Promise<unknown[]> => {
  const found = await allChanges(api, `batches=collapsed&${filters}`, { from: 'newest', limit: 2 });
  return found.map(({ name }) => name);
};

describe('GET /changes?batches=collapsed', () => {
  test('has one change of an import, however long, and says what the import is', async (t) => {
    const { owner, admin, people } = await startWorld(t);
    await owner.post('/restaurants', { name: 'Before' });
    assert.equal((await importText(admin, CSV)).status, 200);
    for (const name of ['After', 'Last']) await owner.post('/restaurants', { name });
    const newest = `P ${ROWS - 1}`;
    assert.deepEqual(await names(admin), ['Last', 'After', newest, 'Before']);
    assert.equal((await allChanges(admin, 'batch_id=1')).length, ROWS + 1);

    const { body } = await admin.get(`/changes?${COLLAPSED}`);
    const [head, ...others] = array(field(body, 'batches'));
    assert.deepEqual(others, []);
    assert.deepEqual(
      { ...record(head), at: '' },
      {
        id: 1,
        at: '',
        file: 'places.csv',
        actor: { id: people.admin.id, username: 'carol' },
        changes: ROWS + 1,
        places: ROWS,
        reverts: null,
        reverted_by: null,
      },
    );
    assert.deepEqual(field((await admin.get(`/changes?${COLLAPSED}&limit=2`)).body, 'batches'), []);
    const undone = await admin.post('/batches/1/revert', {});
    assert.equal(undone.status, 200);
    const heads = array(field((await admin.get(`/changes?${COLLAPSED}`)).body, 'batches'));
    assert.deepEqual(
      heads.map((one) => [field(one, 'id'), field(one, 'reverts'), field(one, 'reverted_by')]),
      [
        [2, 1, null],
        [1, null, 2],
      ],
    );
  });

  test('has the newest change of a batch that matches the filters', async (t) => {
    const { admin } = await startWorld(t);
    await importText(admin, CSV);
    assert.deepEqual(await names(admin, 'kind=category'), ['Nordic']);
    assert.deepEqual(await names(admin, 'kind=restaurant&entity_id=1'), ['P 0']);
    assert.deepEqual(await names(admin, 'action=delete'), []);
    assert.deepEqual(await names(admin, 'kind=restaurant&actor=me'), [`P ${ROWS - 1}`]);
  });

  test('names the file to administrators and to its author alone, and leaves out what only others see', async (t) => {
    const { owner, admin, people, service } = await startWorld(t);
    assert.equal((await importText(admin, CSV, {}, { filename: 'Summer.csv' })).status, 200);
    changeStored(
      service.folder,
      `INSERT INTO changes (at, kind, entity_id, action, name, via, batch_id, owner_id)
       VALUES ('2026-01-01T00:00:00.000Z', 'list', 9, 'update', 'Summer', 'api', 1, ?)`,
      people.admin.id,
    );
    const head = async (api: Client): Promise<unknown[]> => {
      const one = array(field((await api.get(`/changes?${COLLAPSED}`)).body, 'batches'))[0];
      return [field(one, 'file'), field(one, 'changes'), field(one, 'places')];
    };
    assert.deepEqual(await head(admin), ['Summer.csv', ROWS + 2, ROWS]);
    assert.deepEqual(await head(owner), [null, ROWS + 1, ROWS]);
    assert.deepEqual(await names(admin), ['Summer']);
    assert.deepEqual(await names(owner), [`P ${ROWS - 1}`]);
  });

  test('goes back only', async (t) => {
    const { owner } = await startWorld(t);
    const fault = [400, 'batches needs order=newest'];
    assert.deepEqual(refusal(await owner.get('/changes?batches=collapsed')), fault);
    assert.equal(refusal(await owner.get('/changes?order=newest&batches=all'))[0], 400);
  });
});
