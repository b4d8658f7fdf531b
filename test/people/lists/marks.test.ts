import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { randomNumbers } from '../../support/catalogue.ts';
import { changeOf, refusal } from '../../support/changes.ts';
import {
  type Answer,
  type Client,
  array,
  bodyOf,
  field,
  headerValues,
  ids,
  record,
} from '../../support/client.ts';
import { importText } from '../../support/imports.ts';
import { addItems, addLink, addList, addMembers, addRestaurants, join } from '../../support/lists.ts';
import { changeStored } from '../../support/people.ts';
import { type Service, startService } from '../../support/service.ts';
import { SEED, longTest, scaled } from '../../support/size.ts';
import { ratingOf, startWorld } from '../../support/world.ts';

const MARKS = '/me/marks';
// Several parts of 500 rows, of whatever they are read from.
const COUNT = 1_300;
const NOTHING = {
  lists: [],
  want: false,
  favourite: false,
  rating_id: null,
  visits: 0,
  last_visited_on: null,
};

/** The ids of what a user has made. */
interface Made {
  readonly lists: number[];
  readonly visits: number[];
  readonly ratings: number[];
}

const marksIn = ({ body }: Answer): Readonly<Record<string, unknown>> => record(field(body, 'restaurants'));

/** Lists of the first user, each with one place, of which the second one is a member. */
function fillJoined({ folder }: Service, count: number): void {
  const n = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  changeStored(
    folder,
    `INSERT INTO lists (id, user_id, kind, name, name_key, created_at, updated_at)
     ${n} SELECT 1000 + i, 2, 'own', 'M' || i, 'm' || i, '', '' FROM n`,
  );
  changeStored(
    folder,
    `INSERT INTO list_members (list_id, user_id, joined_at) ${n} SELECT 1000 + i, users.id, '' FROM n, users WHERE users.id < 4`,
  );
  changeStored(
    folder,
    `INSERT INTO list_items (list_id, restaurant_id, user_id, rank, created_at)
     ${n} SELECT 1000 + i, 1 + i % (SELECT count(*) FROM restaurants), 2, 0, '' FROM n`,
  );
}

async function marksOf(api: Client): Promise<Readonly<Record<string, unknown>>> {
  return marksIn(await api.get(MARKS));
}

/** The marks of a caller as `include=mine` shows them, one restaurant at a time. */
async function minesOf(api: Client): Promise<Readonly<Record<string, unknown>>> {
  const all = array((await api.get('/restaurants?include=mine&include_suggestions=false')).body);
  const found = all.map((one) => [String(field(one, 'id')), field(one, 'mine')] as const);
  return Object.fromEntries(found.filter(([, mine]) => JSON.stringify(mine) !== JSON.stringify(NOTHING)));
}

describe('the marks of a user', () => {
  test('are all that the user has noted, by restaurant, and nothing else', async (t) => {
    const { owner, other, admin, token } = await startWorld(t);
    await addRestaurants(owner, 'Anna', 'Berta', 'Carlo', 'Dora', 'Emil');
    assert.deepEqual((await owner.get(MARKS)).body, { restaurants: {} });
    const list = await addList(owner, 'Rainy days');
    await addItems(owner, list, [2]);
    await addItems(owner, 'want', [1]);
    await addItems(owner, 'favourites', [2]);
    for (const day of ['2026-05-01', '2026-03-01'])
      await owner.post('/visits', { restaurant_id: 3, visited_on: day });
    const rating = field((await owner.post('/ratings', ratingOf(4))).body, 'id');
    await other.post('/ratings', ratingOf(5));
    const expected = {
      1: { ...NOTHING, want: true },
      2: { ...NOTHING, favourite: true, lists: [list] },
      3: { ...NOTHING, visits: 2, last_visited_on: '2026-05-01' },
      4: { ...NOTHING, rating_id: rating },
    };
    assert.deepEqual(await marksOf(owner), expected);
    assert.deepEqual(await marksOf(token), expected);
    assert.deepEqual(Object.keys(await marksOf(other)), ['5']);
    assert.deepEqual(await marksOf(admin), {});
  });

  test('leave out a deleted restaurant until it is back', async (t) => {
    const { owner } = await startWorld(t);
    await addRestaurants(owner, 'Anna', 'Berta');
    for (const id of [1, 2]) {
      await addItems(owner, 'want', [id]);
      await owner.post('/visits', { restaurant_id: id, visited_on: '2026-05-01' });
      await owner.post('/ratings', ratingOf(id));
    }
    const before = await marksOf(owner);
    const change = changeOf(await owner.delete('/restaurants/1'));
    assert.deepEqual(Object.keys(await marksOf(owner)), ['2']);
    bodyOf(await owner.post(`/changes/${change}/revert`, {}));
    assert.deepEqual(await marksOf(owner), before);
  });

  test('are for signed-in users alone', async (t) => {
    const { service } = await startWorld(t);
    assert.deepEqual(refusal(await service.api.get(MARKS)), [401, 'Authentication required']);
    const forged = await service.api.get(MARKS, { Authorization: 'Bearer x' });
    assert.deepEqual(refusal(forged), [401, 'Invalid token']);
  });

  test('may be kept by the caller alone, and are not sent again while they are current', async (t) => {
    const { owner, other } = await startWorld(t);
    await addRestaurants(owner, 'Anna');
    await addItems(owner, 'want', [1]);
    const first = await owner.get(MARKS);
    const [tag, caching] = headerValues(first, 'etag', 'cache-control');
    assert.equal(caching, 'private, no-cache');
    const known = { 'If-None-Match': tag ?? '' };
    for (const method of ['GET', 'HEAD']) {
      const again = await owner.send(`/api${MARKS}`, { method, headers: known });
      assert.deepEqual(
        [again.status, again.body, ...headerValues(again, 'etag', 'cache-control')],
        [304, '', tag, 'private, no-cache'],
      );
    }
    // What belongs to another user is another answer.
    assert.equal((await other.get(MARKS, known)).status, 200);
    await addItems(owner, 'favourites', [1]);
    assert.equal((await owner.get(MARKS, known)).status, 200);
  });

  test('are whole where they are thousands, in both modes', async (t) => {
    const world = await startWorld(t);
    const none = await startService(t);
    for (const { api, importer, folder, userId } of [
      {
        api: world.owner,
        importer: world.admin,
        folder: world.service.folder,
        userId: world.people.owner.id,
      },
      { api: none.api, importer: none.api, folder: none.folder, userId: null },
    ]) {
      const names = Array.from({ length: COUNT }, (_, index) => `Place ${index}\n`);
      assert.equal((await importText(importer, `name\n${names.join('')}`)).status, 200);
      const [want = 0] = ids((await api.get('/lists')).body);
      const from = 'FROM restaurants WHERE id % ? = ?';
      changeStored(
        folder,
        `INSERT INTO list_items (list_id, restaurant_id, user_id, rank, created_at) SELECT ?, id, ?, id, created_at ${from}`,
        ...[want, userId, 2, 0],
      );
      changeStored(
        folder,
        // All on one day.
        `INSERT INTO visits (user_id, restaurant_id, visited_on, created_at, updated_at)
         SELECT ?, id, '2026-05-01', created_at, created_at ${from}`,
        ...[userId, 2, 1],
      );
      changeStored(
        folder,
        `INSERT INTO ratings (user_id, restaurant_id, food_rating, service_rating, ambiance_rating, created_at, updated_at)
         SELECT ?, id, 5, 5, 5, '2026-05-01T00:00:00.000Z', '' ${from}`,
        ...[userId, 1, 0],
      );
      const marks = await marksOf(api);
      assert.equal(Object.keys(marks).length, COUNT);
      assert.deepEqual(marks, await minesOf(api));
    }
  });

  test('of the placeholder have ratings without an author, and none of users', async (t) => {
    const { api, folder } = await startService(t);
    await addRestaurants(api, 'Anna', 'Berta', 'Carlo');
    changeStored(
      folder,
      `INSERT INTO users (id, email, email_key, username, username_key, username_skeleton, created_at, updated_at)
       VALUES (7, 'a@example.com', 'a@example.com', 'a', 'a', 'a', '2026-01-01', '2026-01-01')`,
    );
    for (const id of [1, 2]) {
      await api.post('/ratings', ratingOf(id));
      await api.post('/ratings', ratingOf(id));
    }
    changeStored(folder, 'UPDATE ratings SET user_id = 7 WHERE restaurant_id = 2');
    assert.deepEqual(await marksOf(api), { 1: { ...NOTHING, rating_id: 2 } });
  });

  test('have the lists that the user joined, whether those or the lists that have the place are fewer', async (t) => {
    const { service, owner, other, admin } = await startWorld(t);
    await addRestaurants(admin, 'Anna', 'Berta', 'Carlo');
    const lists: number[] = [];
    // One is on all lists, the next on few, the third on a list that the user did not join.
    for (const [index, name] of ['A', 'B', 'C', 'D', 'E', 'F'].entries()) {
      const list = await addList(owner, name);
      await addItems(owner, list, index === 0 ? [1, 2] : index === 5 ? [1, 3] : [1]);
      lists.push(list);
    }
    for (const joined of [1, 2, 5]) {
      for (const list of lists.slice(0, joined)) await addMembers(owner, list, other);
      const expected = {
        1: { ...NOTHING, lists: lists.slice(0, joined) },
        2: { ...NOTHING, lists: lists.slice(0, 1) },
      };
      assert.deepEqual([await marksOf(other), await minesOf(other)], [expected, expected]);
    }
    assert.deepEqual(await marksOf(admin), {});
    assert.deepEqual(Object.keys(await marksOf(owner)), ['1', '2', '3']);
    const { secret } = await addLink(owner, lists[5] ?? 0, { access: 'join' });
    fillJoined(service, 195);
    assert.deepEqual(refusal(await join(other, secret)), [409, 'You have joined 200 lists; leave one first']);
    // A list that is deleted leaves its place to another one, as does one that was left.
    bodyOf(await owner.delete(`/lists/${lists[0] ?? 0}`));
    assert.equal((await join(other, secret)).status, 200);
  });

  test('cost what they are, not the number of lists times that of places', async (t) => {
    const world = await startWorld(t);
    const { service, other, admin } = world;
    const names = Array.from({ length: 1_000 }, (_, index) => `Place ${index}\n`);
    assert.equal((await importText(admin, `name\n${names.join('')}`)).status, 200);
    fillJoined(service, 2_000);
    const best = async (api: Client, path: string): Promise<number> => {
      const times: number[] = [];
      for (let turn = 0; turn < 3; turn += 1) {
        const start = performance.now();
        assert.equal((await api.get(path)).status, 200);
        times.push(performance.now() - start);
      }
      return Math.min(...times);
    };
    for (const path of ['/restaurants?include=mine', MARKS]) {
      const [many, none] = [await best(other, path), await best(admin, '/restaurants?include=mine')];
      assert.ok(many < 25 * none, `${path}: ${many} ms with lists, ${none} ms without`);
    }
  });

  longTest(
    `are what include=mine shows, and have another tag exactly when they change, after any writes (seed ${SEED})`,
    async (t) => {
      const { owner, other, admin } = await startWorld(t);
      const random = randomNumbers(SEED);
      const below = (count: number): number => Math.floor(random() * count);
      await addRestaurants(admin, ...Array.from({ length: 12 }, (_, index) => `Place ${index}`));
      const people = [owner, other];
      const made = people.map((): Made => ({ lists: [], visits: [], ratings: [] }));
      const deleted: number[] = [];
      const days = ['2026-01-01', '2026-02-02', '2026-03-03'];
      const take = (from: number[]): number | undefined => from.splice(below(from.length || 1), 1)[0];
      const write = async (api: Client, own: Made): Promise<void> => {
        const id = 1 + below(12);
        const list = [...own.lists, 'want', 'favourites'][below(own.lists.length + 2)] ?? 'want';
        const add = async (to: number[], path: string, body: object): Promise<void> => {
          const answer = await api.post(path, body);
          if (answer.status === 201) to.push(Number(field(answer.body, 'id')));
        };
        const remove = async (from: number[], path: string): Promise<void> => {
          const one = take(from);
          if (one !== undefined) await api.delete(`${path}/${one}`);
        };
        const visit = { restaurant_id: id, visited_on: days[below(3)] };
        const steps = [
          () =>
            api.put(`/lists/${list}/items/${id}`, below(2) ? { position: 1 } : { note: `Note ${below(3)}` }),
          () => api.delete(`/lists/${list}/items/${id}`),
          () => add(own.lists, '/lists', { name: `List ${below(100)}` }),
          () => remove(own.lists, '/lists'),
          () => add(own.visits, '/visits', visit),
          () => add(own.visits, '/visits', visit),
          () => remove(own.visits, '/visits'),
          async () => {
            const one = take(own.visits);
            if (one === undefined) return;
            own.visits.push(one);
            await api.put(`/visits/${one}`, { visited_on: days[below(3)] });
          },
          () => add(own.ratings, '/ratings', ratingOf(id)),
          () => remove(own.ratings, '/ratings'),
          async () => {
            const answer = await admin.delete(`/restaurants/${id}`);
            if (answer.status === 204) deleted.push(changeOf(answer));
          },
          async () => {
            const one = take(deleted);
            if (one !== undefined) await admin.post(`/changes/${one}/revert`, {});
          },
        ];
        await steps[below(steps.length)]?.();
      };
      const known = people.map(() => ({ text: '', tag: '' }));
      let [same, changed] = [0, 0];
      for (let turn = 0; turn < scaled(400); turn += 1) {
        const who = below(2);
        await write(people[who] ?? owner, made[who] ?? { lists: [], visits: [], ratings: [] });
        for (const [index, api] of people.entries()) {
          const before = known[index] ?? { text: '', tag: '' };
          const answer = await api.get(MARKS, { 'If-None-Match': before.tag });
          const mines = await minesOf(api);
          const text = JSON.stringify(Object.entries(mines).sort());
          if (answer.status === 304) {
            assert.equal(text, before.text, `turn ${turn}`);
            same += 1;
            continue;
          }
          assert.equal(answer.status, 200);
          assert.deepEqual(marksIn(answer), mines, `turn ${turn}`);
          assert.notEqual(text, before.text, `turn ${turn}`);
          known[index] = { text, tag: answer.headers.get('etag') ?? '' };
          changed += 1;
        }
      }
      assert.ok(same > 10 && changed > 10, `${same} and ${changed}`);
    },
  );
});
