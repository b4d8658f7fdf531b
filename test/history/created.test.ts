import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FIELD_NAMES } from '../../src/catalogue/restaurants/fields.ts';
import { randomNumbers } from '../support/catalogue.ts';
import { type Change, allChanges, changeAt, changeOf, revert } from '../support/changes.ts';
import { type Answer, type Client, field, idOf, record } from '../support/client.ts';
import { readStored } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { type World, ratingOf, startWorld } from '../support/world.ts';

const CREATED = 'kind=restaurant,rating&action=create';

/** A hundred writes of all kinds in a random order, most of which succeed. Calls `wrote` after each. */
async function writeAtRandom(
  { owner, other, admin, service }: World,
  seed: number,
  wrote: () => Promise<void>,
): Promise<void> {
  const random = randomNumbers(seed);
  const below = (end: number): number => Math.floor(random() * end);
  const user = (): Client => [owner, other, admin][below(3)] ?? admin;
  const newest = (table: string): number =>
    Number(field(readStored(service.folder, `SELECT coalesce(max(id), 0) AS id FROM ${table}`)[0], 'id'));
  const one = (table: string): number => 1 + below(newest(table));
  const fields = (): object => ({
    address: `${below(100)} Rue "du Bac"\nÎle \\ 🍜`,
    ...(below(2) === 0 && { latitude: below(80), longitude: (random() - 0.5) * 10 ** -below(8) }),
    category_id: [null, 1 + below(10)][below(2)],
    food_type_ids: [1 + below(5), 6 + below(5)],
    diets: [{}, { vegan: 'yes', halal: null }][below(2)],
    external_ids: [{}, { osm: `N${1 + below(1_000_000)}` }][below(2)],
  });
  const write = [
    () => user().post('/restaurants', { name: `Chez ${random()}`, ...fields() }),
    () => user().put(`/restaurants/${one('restaurants')}`, fields()),
    () => user().put(`/restaurants/${one('restaurants')}`, {}),
    () => user().post('/ratings', ratingOf(one('restaurants'), `"${random()}"\n\\ 🍜`)),
    () => user().post('/ratings', ratingOf(one('restaurants'))),
    () => user().put(`/ratings/${one('ratings')}`, { food_rating: 1 + below(5), comment: null }),
    () => user().delete(`/ratings/${one('ratings')}`),
    () => user().post('/suggestions', { name: `Auberge ${random()}` }),
    () => admin.post(`/suggestions/${one('suggestions')}/convert`, record(ratingOf(1))),
    () => admin.delete(`/suggestions/${one('suggestions')}`),
    () => revert(admin, one('changes')),
    () => revert(admin, newest('changes')),
    ...[() => admin.delete(`/restaurants/${one('restaurants')}`)].slice(below(2)),
    ...[() => admin.delete(`/categories/${1 + below(10)}`)].slice(below(2)),
    ...[() => admin.delete(`/food-types/${1 + below(10)}`)].slice(below(2)),
  ];
  await admin.post('/restaurants', { name: 'Chez Nous', ...fields() });
  await admin.post('/suggestions', { name: 'Auberge' });
  await admin.post('/ratings', ratingOf(1));
  await wrote();
  for (let index = 0; index < 100; index += 1) {
    assert.ok((await write[below(write.length)]?.())?.status !== 500);
    await wrote();
  }
}

/** Kind and id of an entity. */
const nameOf = ({ kind, entity_id }: Change): string => `${String(kind)} ${Number(entity_id)}`;

describe('the creation of a restaurant or rating in the log', () => {
  for (const seed of [1, 2])
    test(`stays as it was at first, whatever is written later (seed ${seed})`, async (t) => {
      const world = await startWorld(t);
      const { admin, service } = world;
      const logged = new Map<unknown, string>();
      const read = async (): Promise<Change[]> => allChanges(admin, CREATED);
      const requireSame = async (purged: ReadonlySet<string> = new Set()): Promise<void> => {
        for (const change of await read()) {
          const text = JSON.stringify(change['after']);
          const expected = purged.has(nameOf(change)) ? 'null' : logged.get(change['id']);
          assert.equal(text, expected ?? text);
          logged.set(change['id'], text);
        }
      };
      await writeAtRandom(world, seed, requireSame);
      const unchanged = readStored(service.folder, "SELECT id FROM changes WHERE after = '[]'").length;
      assert.ok(unchanged > 0 && unchanged < logged.size);

      const category_id = idOf(await admin.post('/categories', { name: 'Nordic' }));
      const food_type_ids = [idOf(await admin.post('/food-types', { name: 'Nettles' }))];
      await admin.post('/restaurants', { name: 'Noma', category_id, food_type_ids });
      await admin.post('/restaurants', { name: 'Hærværk', food_type_ids });
      await requireSame();
      for (const path of [`/categories/${category_id}`, `/food-types/${food_type_ids.join()}`])
        assert.equal((await admin.delete(path)).status, 204);

      const purge = async (kinds: string): Promise<Set<string>> => {
        const purged = new Set<string>();
        for (const deletion of await allChanges(admin, `kind=${kinds}&action=delete`))
          if ((await admin.post(`/changes/${Number(deletion['id'])}/purge`, {})).status === 204)
            purged.add(nameOf(deletion));
        return purged;
      };
      await purge('category,food_type,suggestion');
      const retired =
        'SELECT id FROM categories WHERE deleted_at IS NOT NULL UNION ALL SELECT id FROM food_types WHERE deleted_at IS NOT NULL';
      await until(() => readStored(service.folder, retired).length === 0);
      await requireSame();
      const purged = await purge('rating');
      await requireSame(purged);
    });

  test('has the fields that its deletion has, and numbers in the same form', async (t) => {
    const { api, url } = await startService(t);
    const body = { name: 'A', latitude: 40, longitude: 1e-7, diets: { halal: 'yes' }, food_type_ids: [3, 1] };
    for (const more of [
      {},
      { category_id: 5, external_ids: { osm: 'N1' }, opening_hours: 'Mo 10:00-12:00' },
    ]) {
      const made = changeOf(await api.post('/restaurants', { ...body, ...more }));
      const { after, entity_id } = await changeAt(api, made);
      const text = await (await fetch(`${url}/api/changes/${made}`)).text();
      assert.ok(text.includes('"latitude":40,"longitude":1e-7,'));
      const gone = changeOf(await api.delete(`/restaurants/${Number(entity_id)}`));
      const had = Object.entries(record((await changeAt(api, gone))['before']));
      const names = ['id', ...FIELD_NAMES, 'suggestion_id', 'created_at', 'updated_at'];
      assert.equal(JSON.stringify(after), JSON.stringify(Object.fromEntries(had.slice(0, names.length))));
      assert.deepEqual(Object.keys(record(after)), names);
      assert.equal(
        (await (await fetch(`${url}/api/changes/${made}`)).text()).split(',"actor"')[0],
        text.split(',"actor"')[0],
      );
    }
  });

  test('loses the author and the words of a rating with the account', async (t) => {
    const { owner, other, admin, people } = await startWorld(t);
    await owner.post('/restaurants', { name: 'A' });
    const [own, others] = [
      await owner.post('/ratings', ratingOf(1)),
      await other.post('/ratings', ratingOf(1)),
    ];
    const of = async (answer: Answer): Promise<unknown> => (await changeAt(admin, changeOf(answer)))['after'];
    const [had, stays] = [record(await of(own)), await of(others)];
    assert.equal((await admin.delete(`/users/${people.owner.id}?contributions=keep`)).status, 204);
    assert.deepEqual(await of(own), { ...had, author_id: null, comment: null });
    assert.deepEqual(await of(others), stays);
  });
});
