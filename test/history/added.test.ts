import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { changeOf, refusal, revert } from '../support/changes.ts';
import { type Client, bodyOf, field, idOf } from '../support/client.ts';
import { importText } from '../support/imports.ts';
import { addRestaurants, putItem } from '../support/lists.ts';
import { merge } from '../support/merges.ts';
import { LOCAL, changeStored, readStored, signUp } from '../support/people.ts';
import { form, formHead, photoPart, sendForm } from '../support/photos.ts';
import { openFrom, readUntilQuiet } from '../support/raw.ts';
import { startService } from '../support/service.ts';
import { type World, ratingOf, startWorld } from '../support/world.ts';

const FULL = [429, 'You have added 1 MB today'];
const LIMIT = { ...LOCAL, USER_MB_PER_DAY: '1' };
const LONG = 'é'.repeat(5_000);

/** A world in which a user may add 1 MB a day, with restaurants 1 and 2. */
async function limited(t: TestContext): Promise<World> {
  const world = await startWorld(t, LIMIT);
  await addRestaurants(world.admin, 'Chez Nous', 'Chez Vous');
  return world;
}

/** What the log counts of a user. */
const addedBy = ({ service: { folder } }: World, id: number): number => {
  const [row] = readStored(folder, 'SELECT bytes FROM user_additions WHERE user_id = ?', id);
  return row === undefined ? 0 : Number(field(row, 'bytes'));
};

const setAdded = ({ service: { folder }, people }: World, sql: string): void => {
  changeStored(folder, `UPDATE user_additions SET ${sql} WHERE user_id = ?`, people.owner.id);
};

/** Changes a visit back and forth. Returns how often that was possible. */
async function change(api: Client, visit: number, times: number): Promise<number> {
  for (let count = 0; count < times; count += 1) {
    const answer = await api.put(`/visits/${visit}`, { note: count % 2 === 0 ? LONG : `${LONG.slice(1)}x` });
    if (answer.status === 429) return count;
    bodyOf(answer);
  }
  return times;
}

describe('what a user adds in a day', () => {
  test('ends with 429 when the log has grown by that much', async (t) => {
    const world = await limited(t);
    const { owner, other, admin, service, people } = world;
    const visit = idOf(await owner.post('/visits', { restaurant_id: 1, note: LONG }));
    // Two notes of 10 KB a change.
    const count = await change(owner, visit, 100);
    assert.ok(count > 40 && count < 60, String(count));
    const answer = await owner.put(`/visits/${visit}`, { note: 'x' });
    assert.deepEqual(refusal(answer), FULL);
    const seconds = Number(answer.headers.get('retry-after'));
    assert.ok(seconds >= 1 && seconds <= 86_400, String(seconds));
    const [log] = readStored(
      service.folder,
      `SELECT sum(length(CAST(concat(fields, before, after) AS BLOB))) AS bytes FROM changes WHERE actor_id = ?`,
      people.owner.id,
    );
    const [logged, counted] = [Number(field(log, 'bytes')), addedBy(world, people.owner.id)];
    assert.ok(counted > logged && counted < 1.1 * logged, `${logged} and ${counted}`);
    // Others go on, and an administrator has no limit.
    for (const api of [other, admin]) {
      const own = idOf(await api.post('/visits', { restaurant_id: 1, note: LONG }));
      assert.equal(await change(api, own, api === admin ? 70 : 5), api === admin ? 70 : 5);
    }
    assert.equal(addedBy(world, people.admin.id), 0);
    assert.equal((await owner.get('/visits')).status, 200);
  });

  test('is all that is logged, photos among it; the next day begins anew, a restart does not', async (t) => {
    const world = await limited(t);
    const { owner, token, service, people } = world;
    const rating = idOf(await owner.post('/ratings', ratingOf(1)));
    const updated = changeOf(await owner.put(`/ratings/${rating}`, { comment: 'Better soup' }));
    const before = addedBy(world, people.owner.id);
    const photo = bodyOf(await sendForm(owner, form(photoPart())));
    const size = Number(field(photo, 'file_size'));
    const added = addedBy(world, people.owner.id) - before;
    assert.ok(added > size && added < size + 2_000, `${added} for ${size}`);
    setAdded(world, 'bytes = 1048576');
    const writes: readonly (readonly [string, () => ReturnType<Client['get']>])[] = [
      ['a rating', () => owner.post('/ratings', ratingOf(1))],
      ['a rating with a token', () => token.post('/ratings', ratingOf(1))],
      ['a deletion', () => owner.delete(`/ratings/${rating}`)],
      ['an undo', () => revert(owner, updated)],
      ['a merge', () => owner.post('/restaurants/1/merge', { from: [2] })],
      ['a list', () => owner.post('/lists', { name: 'Lyon' })],
      ['an import', () => importText(owner, 'name\nX\n')],
      ['a photo', () => sendForm(owner, form(photoPart()))],
    ];
    for (const [title, write] of writes) assert.deepEqual(refusal(await write()), FULL, title);
    // A photo is refused before it is sent.
    const socket = await openFrom('127.0.0.1', service.port);
    const head = formHead(
      '/api/restaurants/1/photos',
      5_000_000,
      `Authorization: Bearer ${people.owner.accessToken}`,
    );
    socket.write(head);
    assert.match(await readUntilQuiet(socket), /^HTTP\/1\.1 429 /);
    socket.destroy();
    await service.stop();
    const again = await startService(t, { ...LIMIT, DATA_DIR: service.folder });
    const headers = { Authorization: `Bearer ${people.owner.accessToken}` };
    const rate = (): ReturnType<Client['get']> => again.api.post('/ratings', ratingOf(1), headers);
    assert.deepEqual(refusal(await rate()), FULL);
    setAdded(world, "day = '2026-01-01'");
    assert.equal((await rate()).status, 201);
    assert.ok(addedBy(world, people.owner.id) < 2_000);
  });

  test('is also what merges record: the notes of a list, which are joined each time', async (t) => {
    const world = await limited(t);
    const { owner } = world;
    const others = await addRestaurants(world.admin, ...Array.from({ length: 20 }, (_, i) => `Place ${i}`));
    for (const id of [1, ...others]) await putItem(owner, 'want', id, { note: `${id} ${'🍝'.repeat(990)}` });
    const statuses: number[] = [];
    for (const id of others) statuses.push((await merge(owner, 1, id)).status);
    // The n-th one stores 8 n kilobytes.
    assert.ok(statuses.indexOf(429) > 10 && statuses.indexOf(429) < 18, statuses.join());
  });

  for (const [title, variables] of [
    ['has no limit with 0', { ...LOCAL, USER_MB_PER_DAY: '0' }],
    ['has no limit without accounts', { AUTH_MODE: 'none', USER_MB_PER_DAY: '1' }],
  ] as const)
    test(title, async (t) => {
      const service = await startService(t, variables);
      const api = variables.AUTH_MODE === 'none' ? service.api : (await signUp(service, 'alice')).api;
      await addRestaurants(api, 'Chez Nous');
      const visit = idOf(await api.post('/visits', { restaurant_id: 1 }));
      assert.equal(await change(api, visit, 70), 70);
    });
});
