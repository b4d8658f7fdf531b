import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'node:test';
import { inspectData } from '../../src/operations/inspection/check.ts';
import type { Connection } from '../../src/storage/database.ts';
import { changeAt, reverted } from '../support/changes.ts';
import { array, field, ids, record } from '../support/client.ts';
import { sample } from '../support/images.ts';
import { makeDatabaseBefore } from '../support/old-database.ts';
import { readStored } from '../support/people.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import { longTest } from '../support/size.ts';

const NOW = '2026-01-01T00:00:00.000Z';
const KEPT = '2099-01-01T00:00:00.000Z';
const CONTENT = sample('baseline');
const FILE = `ab${'0'.repeat(30)}.jpg`;
const MANY = 130;

const RESTAURANT = {
  name: 'Chez Nous',
  description: null,
  address: null,
  phone: null,
  website: null,
  latitude: null,
  longitude: null,
  google_place_id: null,
  status: 'active',
  price_level: null,
  opening_hours: null,
  time_zone: null,
  diets: {},
  external_ids: {},
  category_id: null,
  food_type_ids: [],
  suggestion_id: null,
  created_at: NOW,
  updated_at: NOW,
  suggestion_ids: [],
};
const ratingOf = (id: number, restaurant_id: number): object => ({
  id,
  restaurant_id,
  author_id: null,
  food_rating: 1 + (id % 5),
  service_rating: 4,
  ambiance_rating: 3,
  comment: `Rating ${id}`,
  created_at: `2026-01-01T00:00:00.${String(id).padStart(3, '0')}Z`,
  updated_at: NOW,
});
const PHOTO = {
  id: 1,
  restaurant_id: 1,
  author_id: null,
  filename: FILE,
  original_filename: null,
  caption: 'Menu',
  file_size: CONTENT.length,
  mime_type: 'image/jpeg',
  width: 1,
  height: 1,
  created_at: NOW,
  updated_at: NOW,
};
const itemOf = (restaurant_id: number, position: number): object => ({
  restaurant_id,
  position,
  note: `Note ${restaurant_id}`,
  created_at: NOW,
});

function addChange(
  connection: Connection,
  values: Readonly<Record<'kind' | 'action' | 'name', string>> & {
    readonly entityId: number;
    readonly restaurantId?: number;
    readonly ownerId?: number;
    readonly before?: object;
    readonly after?: object;
    readonly reverts?: number;
  },
): void {
  const { kind, action, name, entityId, restaurantId, ownerId, before, after, reverts } = values;
  connection
    .prepare(
      `INSERT INTO changes (
         at, kind, entity_id, restaurant_id, action, name, before, after, owner_id, via, reverts, kept_until
       ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'api', ?, ?)`,
    )
    .run(
      NOW,
      kind,
      entityId,
      restaurantId ?? null,
      action,
      name,
      before ? JSON.stringify(before) : null,
      after ? JSON.stringify(after) : null,
      ownerId ?? null,
      reverts ?? null,
      action === 'delete' ? KEPT : null,
    );
}

/** What a version left whose log held all that a deletion took along: restaurant 1, and a list, are deleted. */
function fill(connection: Connection): void {
  const insert = connection.prepare(
    `INSERT INTO restaurants (id, name, status, identity_key, search_name, search_text, created_at, updated_at)
     VALUES (?, ?, 'active', ?, ?, '', ?, ?)`,
  );
  for (const [id, name] of [
    [1, 'Chez Nous'],
    [2, 'Other'],
  ] as const)
    insert.run(id, name, name.toLowerCase(), name.toLowerCase(), NOW, NOW);
  connection.exec(
    `UPDATE id_sequence SET last_id = 2; INSERT INTO sqlite_sequence (name, seq) VALUES ('ratings', 500)`,
  );
  connection.exec(
    `INSERT INTO list_items (list_id, restaurant_id, rank, created_at) VALUES (1, 1, 1, '${NOW}')`,
  );
  connection.exec(
    `INSERT INTO visits (restaurant_id, visited_on, created_at, updated_at) VALUES (1, '2026-01-01', '${NOW}', '${NOW}')`,
  );
  connection.exec(
    `INSERT INTO ratings (id, restaurant_id, food_rating, service_rating, ambiance_rating, created_at, updated_at)
     VALUES (400, 2, 5, 5, 5, '${NOW}', '${NOW}')`,
  );
  const ratings = Array.from({ length: MANY }, (_, index) => ratingOf(index + 1, 1));
  const whole = { id: 1, ...RESTAURANT, ratings, photos: [PHOTO] };
  connection
    .prepare('INSERT INTO photo_trash (filename, file_size, due_at) VALUES (?, ?, ?)')
    .run(FILE, 1, NOW);
  connection.exec('DELETE FROM restaurants WHERE id = 1');
  const change = { kind: 'restaurant', entityId: 1, restaurantId: 1, name: 'Chez Nous' };
  // Deleted, restored, and deleted again.
  addChange(connection, { ...change, action: 'delete', before: whole });
  addChange(connection, { ...change, action: 'restore', after: whole, reverts: 1 });
  addChange(connection, { ...change, action: 'delete', before: whole });
  const list = {
    id: 7,
    author_id: null,
    kind: 'own',
    name: 'Lyon',
    description: null,
    created_at: NOW,
    updated_at: NOW,
  };
  addChange(connection, {
    kind: 'list',
    entityId: 7,
    name: 'Lyon',
    action: 'delete',
    ownerId: 1,
    before: { ...list, items: [itemOf(2, 1), itemOf(1, 2), itemOf(99, 3)] },
  });
}

describe('a trash that an earlier version has filled', () => {
  longTest('comes back as a whole after the upgrade', async (t) => {
    const folder = temporaryFolder(t);
    makeDatabaseBefore(folder, 'trash_by_reference', fill);
    mkdirSync(join(folder, 'photos', 'ab'), { recursive: true });
    writeFileSync(join(folder, 'photos', 'ab', FILE), CONTENT);
    const { api } = await startService(t, { DATA_DIR: folder });
    const faults = (): string[] => [...inspectData(folder)].flatMap((one) => one.faults);
    assert.deepEqual(faults(), []);
    assert.deepEqual(readStored(folder, 'SELECT * FROM photo_trash'), []);
    assert.deepEqual(field((await api.get('/visits/1')).body, 'restaurant'), { id: null, name: 'Chez Nous' });
    assert.equal((await api.get('/ratings/1')).status, 404);
    for (const [id, side] of [
      [1, 'before'],
      [2, 'after'],
      [3, 'before'],
    ] as const) {
      const shown = record((await changeAt(api, id))[side]);
      assert.deepEqual(
        ids(shown['ratings']),
        Array.from({ length: 100 }, (_, index) => index + 1),
      );
      assert.deepEqual([shown['ratings_total'], shown['photos_total']], [MANY, 1]);
      const [photo] = array(shown['photos']);
      assert.equal(field(photo, 'filename'), FILE);
    }
    await reverted(api, 3);
    const all = array((await api.get('/restaurants/1/ratings?limit=1000')).body);
    assert.deepEqual(
      ids(all),
      Array.from({ length: MANY }, (_, index) => MANY - index),
    );
    assert.equal(field(all.at(-1), 'comment'), 'Rating 1');
    assert.equal(field(field((await api.get('/restaurants/1')).body, 'avg_rating'), 'count'), MANY);
    assert.equal((await api.get(`/uploads/menu_photos/${FILE}`)).status, 200);
    assert.equal(field((await api.get('/lists/want')).body, 'item_count'), 1);
    await reverted(api, 4);
    const items = array((await api.get('/lists/7/items')).body);
    assert.deepEqual(
      items.map((item) => [field(field(item, 'restaurant'), 'id'), field(item, 'note')]),
      [
        [2, 'Note 2'],
        [1, 'Note 1'],
      ],
    );
    assert.deepEqual(faults(), []);
    // No id is given twice.
    const rating = { restaurant_id: 2, food_rating: 5, service_rating: 5, ambiance_rating: 5 };
    assert.equal(field((await api.post('/ratings', rating)).body, 'id'), 501);
  });
});
