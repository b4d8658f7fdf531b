import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runOn } from '../../support/cli.ts';
import {
  changesOfLists,
  namesOn,
  putItem,
  addMembers,
  addRestaurants,
  signUpAll,
  startListWorld,
} from '../../support/lists.ts';
import { type Answer, type Client, array, bodyOf, field, record } from '../../support/client.ts';
import { linesOf } from '../../support/imports.ts';
import { SEED, scaled } from '../../support/size.ts';

interface Item {
  readonly id: number;
  readonly note: unknown;
}

/** The items of a list in order; throws when their positions have gaps. */
async function itemsOf(api: Client, list: number): Promise<Item[]> {
  await namesOn(api, list);
  return array((await api.get(`/lists/${list}/items`)).body).map((item) => {
    return { id: Number(field(field(item, 'restaurant'), 'id')), note: field(item, 'note') };
  });
}

/** The one item in a side of a change. */
function itemIn(side: unknown): (Item & { readonly position: number }) | undefined {
  const [item] = array(field(side, 'items'));
  if (item === undefined) return undefined;
  return {
    id: Number(field(item, 'restaurant_id')),
    note: field(item, 'note'),
    position: Number(field(item, 'position')),
  };
}

describe('a list that four people change at once', () => {
  test('has one order that all see, loses nothing, and is what its changes add up to', async (t) => {
    const { service, owner, other, admin, id } = await startListWorld(t);
    const [dora] = await signUpAll(service, 'dora');
    assert.ok(dora);
    await addRestaurants(admin, ...Array.from({ length: 47 }, (_, index) => `Place ${index}`));
    for (let restaurant = 4; restaurant <= 20; restaurant += 1) await putItem(owner, id, restaurant);
    await addMembers(owner, id, other, admin, dora.api);
    const start = { list: record(bodyOf(await other.get(`/lists/${id}`))), items: await itemsOf(other, id) };
    let made = SEED;
    const pick = (count: number): number => (made = (made * 48_271 + 11) % 2_147_483_647) % count;

    const answers: Answer[] = [];
    const one = (api: Client, round: number): Promise<Answer> => {
      const restaurant = 1 + pick(50);
      const way = pick(20);
      if (way === 0) return api.put(`/lists/${id}`, { name: `Name ${round}`, description: `About ${round}` });
      if (way < 4) return api.delete(`/lists/${id}/items/${restaurant}`);
      if (way < 8) return putItem(api, id, restaurant, { note: `Note ${round}` });
      return putItem(api, id, restaurant, { position: 1 + pick(40) });
    };
    const each = async (api: Client, rounds: readonly number[]): Promise<void> => {
      for (const round of rounds) answers.push(await one(api, round));
    };
    // Each of the four from several devices.
    const all = Array.from({ length: Math.max(1_000, scaled(1_000)) }, (_, index) => index);
    const lanes = Array.from({ length: 24 }, (_, lane) => all.filter((round) => round % 24 === lane));
    await Promise.all(
      lanes.map((rounds, lane) => each([owner, other, admin, dora.api][lane % 4] ?? owner, rounds)),
    );

    const statuses = answers.map(({ status }) => status);
    assert.deepEqual(
      statuses.filter((status) => ![200, 204, 404].includes(status)),
      [],
    );
    const items = await itemsOf(owner, id);
    for (const api of [other, admin, dora.api]) assert.deepEqual(await itemsOf(api, id), items);

    const changes = (await changesOfLists(dora.api)).filter(({ entity_id }) => entity_id === id);
    const named = answers.flatMap(({ headers }) => headers.get('change') ?? []);
    assert.deepEqual(
      changes.map((change) => Number(change['id'])),
      named.map(Number).sort((a, b) => a - b),
    );
    const replayed = [...start.items];
    let { name, description } = start.list;
    for (const { before, after } of changes) {
      if (!('items' in record(before))) {
        ({ name = name, description = description } = record(after));
        continue;
      }
      const [had, has] = [itemIn(before), itemIn(after)];
      if (had) {
        const [taken] = replayed.splice(had.position - 1, 1);
        assert.deepEqual(taken, { id: had.id, note: had.note });
      }
      if (has) replayed.splice(has.position - 1, 0, { id: has.id, note: has.note });
    }
    assert.deepEqual(replayed, items);
    const list = record(bodyOf(await owner.get(`/lists/${id}`)));
    assert.deepEqual(
      [list['name'], list['description'], list['item_count']],
      [name, description, items.length],
    );
    await service.stop();
    const { code, out } = await runOn(service.folder, 'check');
    assert.equal(code, 0, out);
  });
});

describe('a list with members', () => {
  test('is exported once, with its owner, and in full to each of its people', async (t) => {
    const { service, owner, other, id } = await startListWorld(t);
    await addMembers(owner, id, other);
    await putItem(other, id, 2, { note: 'Of Bob' });
    const own = (lines: readonly Readonly<Record<string, unknown>>[]): unknown[] =>
      lines
        .filter(
          (line) =>
            (line['type'] === 'list' && line['id'] === id) ||
            (line['type'] === 'item' && line['list_id'] === id),
        )
        .map(({ email: _email, role: _role, ...line }) => line);
    const [mine, theirs] = [await owner.get('/me/export'), await other.get('/me/export')].map((answer) =>
      own(linesOf({ body: String(answer.body) })),
    );
    assert.equal(mine?.length, 4);
    assert.deepEqual(theirs, mine);
    await service.stop();
    const { out } = await runOn(service.folder, 'export', '-', '--format', 'ndjson', '--with-people');
    const lines = linesOf({ body: out });
    assert.deepEqual(own(lines), mine);
    assert.deepEqual(
      lines
        .filter((line) => line['id'] === id && line['type'] === 'list')
        .map((line) => [line['email'], line['role']]),
      [['alice@example.com', 'owner']],
    );
  });
});
