import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ACTIONS, PUBLIC_KINDS } from '../../src/storage/change-log.ts';
import { randomNumbers } from '../support/catalogue.ts';
import { type Change, allChanges, idsOf } from '../support/changes.ts';
import { field } from '../support/client.ts';
import { changeStored, readStored } from '../support/people.ts';
import Database from 'better-sqlite3';
import { join } from 'node:path';
import { longTest } from '../support/size.ts';
import { startWorld } from '../support/world.ts';

const MANY = 300;

/** Writes a log of made-up changes. */
function fill(folder: string, actors: readonly (number | null)[]): void {
  const random = randomNumbers(16);
  const pick = <Value>(values: readonly Value[]): Value | undefined =>
    values[Math.floor(random() * values.length)];
  const database = new Database(join(folder, 'catalogue.db'));
  const insert = database.prepare(
    `INSERT INTO changes (at, kind, entity_id, restaurant_id, action, name, actor_id, via, batch_id)
     VALUES ('2026-01-01T00:00:00.000Z', ?, ?, ?, ?, 'Made up', ?, 'api', ?)`,
  );
  database.transaction(() => {
    for (let count = 0; count < MANY; count += 1)
      insert.run(
        pick(PUBLIC_KINDS),
        1 + Math.floor(random() * 3),
        pick([1, 2, null]),
        pick(ACTIONS),
        pick(actors),
        pick([1, 2, null]),
      );
  })();
  database.close();
}

describe('the filters of GET /changes', () => {
  longTest(
    'alone and in pairs find what a plain search of all changes finds, in both orders, with any limit',
    async (t) => {
      const { admin, people, service } = await startWorld(t);
      const actors = [people.owner.id, people.admin.id, null];
      fill(service.folder, actors);
      const all = await allChanges(admin);
      assert.equal(all.length, MANY);
      const has =
        (name: string, ...values: readonly unknown[]) =>
        (change: Change): boolean =>
          values.includes(change[name]);
      const by =
        (...values: readonly number[]) =>
        ({ actor }: Change): boolean =>
          actor !== null && values.includes(Number(field(actor, 'id')));
      const filters: readonly (readonly [string, (change: Change) => boolean])[] = [
        ['', () => true],
        ...PUBLIC_KINDS.map((kind) => [`kind=${kind}`, has('kind', kind)] as const),
        ['kind=rating,photo', has('kind', 'rating', 'photo')],
        [
          'kind=restaurant&entity_id=1,3',
          (change) => has('kind', 'restaurant')(change) && has('entity_id', 1, 3)(change),
        ],
        ...ACTIONS.map((action) => [`action=${action}`, has('action', action)] as const),
        ['action=delete,restore', has('action', 'delete', 'restore')],
        [`actor=${people.owner.id}`, by(people.owner.id)],
        [`actor=me,${people.owner.id}`, by(people.owner.id, people.admin.id)],
        ['actor=me', by(people.admin.id)],
        ['batch_id=1', has('batch_id', 1)],
        ['batch_id=1,2', has('batch_id', 1, 2)],
        ['batch_id=9', () => false],
      ];
      const name = (filter: string): string => filter.split('=')[0] ?? '';
      for (const [left, fitsLeft] of filters)
        for (const [right, fitsRight] of filters) {
          if (left !== '' && (name(left) >= name(right) || right === '')) continue;
          const expected = idsOf(all.filter((change) => fitsLeft(change) && fitsRight(change)));
          const query = `${left}&${right}`;
          const from = expected.length % 2 === 0 ? 'start' : 'newest';
          const found = idsOf(await allChanges(admin, query, { limit: 40 + expected.length, from }));
          assert.deepEqual(from === 'start' ? found : found.reverse(), expected, query);
        }
      for (const [filter, fits] of filters.filter(([one]) => one !== ''))
        assert.deepEqual(
          idsOf(await allChanges(admin, filter, { limit: 37 })),
          idsOf(all.filter(fits)),
          filter,
        );
      assert.equal(readStored(service.folder, 'SELECT id FROM changes').length, MANY);
    },
  );

  test('search a long log part by part: a page may be empty while there is more', async (t) => {
    const { admin, service } = await startWorld(t);
    changeStored(
      service.folder,
      `INSERT INTO changes (at, kind, entity_id, action, name, via)
       WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 25000)
       SELECT '2026-01-01T00:00:00.000Z', CASE WHEN n IN (3, 24000) THEN 'photo' ELSE 'rating' END, n, 'create',
         'Made up', 'cli' FROM numbers`,
    );
    const first = (await admin.get('/changes?since=start&kind=photo')).body;
    assert.deepEqual(field(first, 'has_more'), true);
    for (const from of ['start', 'newest'])
      assert.deepEqual(
        idsOf(await allChanges(admin, 'kind=photo', { from })).sort((left, right) => left - right),
        [3, 24_000],
      );
  });
});
