import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { createRestaurants } from '../../support/catalogue.ts';
import { changeOf, refusal, revert } from '../../support/changes.ts';
import { type Client, array, bodyOf, createClient, field } from '../../support/client.ts';
import { PLACE, SAME, floors, idsOfPairs, pairPage, pairs } from '../../support/duplicates.ts';
import { merged } from '../../support/merges.ts';
import { type Service, startService } from '../../support/service.ts';
import { changeStored } from '../../support/people.ts';
import { startWorld } from '../../support/world.ts';

const OTHER = { name: 'Osteria Bella', address: '9 Via Roma, Torino' };
const PAIR = [[1, 2]];

/** A service with restaurants 1 and 2, which look like one, and 3, which is another one. */
async function startPair(t: TestContext): Promise<Service> {
  const service = await startService(t);
  await createRestaurants(service.api, [PLACE, SAME, OTHER]);
  return service;
}

async function dismiss(api: Client, a: number, b: number): Promise<void> {
  const answer = await api.post('/duplicates/dismiss', { a, b });
  assert.deepEqual([answer.status, answer.headers.get('change')], [204, null]);
}

describe('the pairs that look like one', () => {
  test('are both restaurants in full, the older one first, with the reasons', async (t) => {
    const { api } = await startPair(t);
    const page = await pairPage(api);
    const [one, other] = await Promise.all([1, 2].map((id) => api.get(`/restaurants/${id}`)));
    const [pair] = array(field(page, 'data'));
    assert.equal(field(field(pair, 'a'), 'name'), field(one?.body, 'name'));
    assert.equal(field(field(pair, 'b'), 'name'), field(other?.body, 'name'));
    const listed = array(bodyOf(await api.get('/restaurants')));
    assert.deepEqual(
      [field(pair, 'b'), field(pair, 'a')],
      listed.filter((restaurant) => Number(field(restaurant, 'id')) < 3),
    );
    assert.deepEqual(
      ['certain', 'reasons', 'distance_m'].map((name) => field(pair, name)),
      [true, ['phone', 'name', 'address', 'near'], 13],
    );
    assert.deepEqual(
      ['next_cursor', 'has_more', 'total', 'complete', 'searching'].map((name) => field(page, name)),
      [null, false, 1, true, false],
    );
  });

  test('are read page by page, certain ones first, and each once', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [{ name: PLACE.name }, ...floors(3)]);
    const whole = await pairPage(api, '?limit=100');
    const all = idsOfPairs(whole);
    assert.deepEqual(all.slice(0, 3), [
      [2, 3],
      [2, 4],
      [3, 4],
    ]);
    const certain = array(field(whole, 'data')).map((pair) => field(pair, 'certain'));
    assert.deepEqual(certain, [true, true, true, false, false, false]);
    assert.equal(field(whole, 'total'), 6);
    const read: (readonly [number, number])[] = [];
    let next: unknown = undefined;
    do {
      const cursor = typeof next === 'string' ? `&cursor=${encodeURIComponent(next)}` : '';
      const page = bodyOf(await api.get(`/duplicates?limit=2${cursor}`));
      const here = idsOfPairs(page);
      assert.ok(here.length <= 2);
      read.push(...here);
      assert.equal(field(page, 'total'), all.length);
      next = field(page, 'next_cursor');
      assert.equal(field(page, 'has_more'), next !== null);
    } while (next !== null);
    assert.deepEqual(read, all);
  });

  test('go on after a cursor whose pair is gone', async (t) => {
    const { api } = await startService(t);
    const far = { name: 'Osteria Bella', address: '9 Via Roma, Torino', phone: '+39 011 555 1234' };
    await createRestaurants(api, [PLACE, SAME, far, { ...far, name: 'Bella Osteria' }]);
    const first = await pairPage(api, '?limit=1');
    const cursor = encodeURIComponent(String(field(first, 'next_cursor')));
    const [pair] = idsOfPairs(first);
    assert.equal((await api.delete(`/restaurants/${pair?.[0]}`)).status, 204);
    const rest = bodyOf(await api.get(`/duplicates?cursor=${cursor}`));
    assert.equal(field(rest, 'total'), 1);
    assert.equal(idsOfPairs(rest).length, 1);
  });

  test('are at most ten of each restaurant, and the others follow as these go', async (t) => {
    const { api } = await startService(t);
    const ids = await createRestaurants(api, floors(14));
    const dismissed = new Set<string>();
    /** Checks the pairs of restaurants that all look alike, of which these are there. */
    const check = async (left: readonly number[], what: string): Promise<(readonly [number, number])[]> => {
      const page = await pairPage(api, '?limit=100');
      const listed = idsOfPairs(page);
      assert.equal(new Set(listed.map(String)).size, listed.length, what);
      assert.ok(!listed.some((pair) => dismissed.has(String(pair))), what);
      for (const pair of listed)
        assert.ok(
          pair.every((id) => left.includes(id)),
          what,
        );
      for (const id of left) assert.ok(listed.filter((pair) => pair.includes(id)).length <= 10, what);
      const all = (left.length * (left.length - 1)) / 2 - dismissed.size;
      assert.equal(field(page, 'total'), listed.length, what);
      assert.equal(field(page, 'complete'), listed.length === all, what);
      if (left.length <= 11) assert.equal(listed.length, all, what);
      else assert.ok(listed.length > 40, what);
      return listed;
    };
    await check(ids, 'at first');
    for (const [a, b] of (await check(ids, 'before dismissals')).slice(0, 3)) {
      await dismiss(api, a, b);
      dismissed.add(String([a, b]));
      await check(ids, `dismissed ${a}, ${b}`);
    }
    const merge = await merged(api, 14, 13);
    await check(
      ids
        .slice(0, 13)
        .filter((id) => id !== 13)
        .concat(14),
      'merged',
    );
    bodyOf(await revert(api, merge));
    await check(ids, 'separated');
    const deletions: number[] = [];
    for (const id of [7, 11, 14, 10]) {
      deletions.push(changeOf(await api.delete(`/restaurants/${id}`)));
      await check(
        ids.filter((one) => ![7, 11, 14, 10].slice(0, deletions.length).includes(one)),
        `without ${id}`,
      );
    }
    for (const pair of dismissed) {
      assert.equal((await api.delete(`/duplicates/dismissed/${pair.replace(',', '/')}`)).status, 204);
      dismissed.delete(pair);
    }
    await check(
      ids.filter((one) => ![7, 11, 14, 10].includes(one)),
      'nothing dismissed',
    );
    for (const change of deletions) bodyOf(await revert(api, change));
    await check(ids, 'restored');
  });

  test('refuse a wrong cursor or limit', async (t) => {
    const { api } = await startPair(t);
    const answers = ['?cursor=x', '?cursor=', '?limit=0', '?limit=x'].map((query) =>
      api.get(`/duplicates${query}`),
    );
    assert.deepEqual((await Promise.all(answers)).map(refusal), [
      [400, 'Invalid cursor'],
      [400, 'cursor must not be blank'],
      [400, 'limit must be at least 1'],
      [400, 'limit must be an integer'],
    ]);
  });

  test('come and go with the restaurants', async (t) => {
    const { api } = await startPair(t);
    assert.deepEqual(await pairs(api), PAIR);
    const deletion = changeOf(await api.delete('/restaurants/2'));
    assert.deepEqual(await pairs(api), [], 'deleted');
    bodyOf(await revert(api, deletion));
    assert.deepEqual(await pairs(api), PAIR, 'restored');
    const edit = changeOf(
      await api.put('/restaurants/2', {
        ...OTHER,
        name: 'Bella Osteria',
        phone: null,
        latitude: null,
        longitude: null,
      }),
    );
    assert.deepEqual(await pairs(api), [[2, 3]], 'made another one');
    bodyOf(await revert(api, edit));
    assert.deepEqual(await pairs(api), PAIR, 'put right');
    await createRestaurants(api, [{ ...OTHER, name: 'Bella Osteria' }]);
    assert.deepEqual((await pairs(api)).toSorted(), [...PAIR, [3, 4]], 'created');
  });

  test('go with a merge, and come back with its revert', async (t) => {
    const { api } = await startPair(t);
    assert.deepEqual(await pairs(api), PAIR);
    const change = await merged(api, 1, 2);
    assert.deepEqual(await pairs(api), []);
    bodyOf(await revert(api, change));
    assert.deepEqual(await pairs(api), PAIR);
  });

  test('are restaurants alone, without suggestions', async (t) => {
    const { api } = await startService(t);
    await createRestaurants(api, [PLACE]);
    bodyOf(await api.post('/suggestions', SAME));
    assert.deepEqual(await pairs(api), []);
  });

  test('are not certain where one source has both under different ids', async (t) => {
    const { api } = await startService(t);
    const osm = (id: string): object => ({ external_ids: { osm: id } });
    await createRestaurants(api, [
      { ...PLACE, ...osm('N1') },
      { ...SAME, ...osm('N2') },
    ]);
    const [pair] = array(field(await pairPage(api), 'data'));
    if (pair !== undefined) assert.equal(field(pair, 'certain'), false);
    bodyOf(await api.put('/restaurants/2', { ...SAME, external_ids: { osm: null } }));
    const [other] = array(field(await pairPage(api), 'data'));
    assert.equal(field(other, 'certain'), true);
  });
});

describe('a dismissed pair', () => {
  for (const [a, b] of [
    [1, 2],
    [2, 1],
  ] as const)
    test(`is not listed until that is undone: ${a}, ${b}`, async (t) => {
      const { api } = await startPair(t);
      await dismiss(api, a, b);
      await dismiss(api, b, a);
      const page = await pairPage(api);
      assert.deepEqual([idsOfPairs(page), field(page, 'total')], [[], 0]);
      assert.equal((await api.delete(`/duplicates/dismissed/${a}/${b}`)).status, 204);
      assert.deepEqual(await pairs(api), PAIR);
      assert.deepEqual(refusal(await api.delete(`/duplicates/dismissed/${a}/${b}`)), [
        404,
        'Dismissed pair not found',
      ]);
    });

  const EDITS: readonly (readonly [string, object, boolean])[] = [
    ['name', { name: 'Chez Nous Paris' }, true],
    ['address', { address: '1 Rue du Bac, 75007 Paris, France' }, true],
    ['coordinates', { latitude: 48.85805, longitude: 2.32705 }, true],
    ['description', { description: 'Soup' }, false],
    ['phone', { phone: '+33 1 23 45 67 89' }, false],
  ];
  for (const [what, edit, comesBack] of EDITS)
    test(`${comesBack ? 'comes back' : 'stays dismissed'} when the ${what} of one changes`, async (t) => {
      const { api } = await startPair(t);
      await dismiss(api, 1, 2);
      bodyOf(await api.put('/restaurants/2', { ...SAME, ...edit }));
      assert.deepEqual(await pairs(api), comesBack ? PAIR : []);
    });

  test('stays dismissed when one is deleted and restored', async (t) => {
    const { api } = await startPair(t);
    await dismiss(api, 1, 2);
    const deletion = changeOf(await api.delete('/restaurants/2'));
    bodyOf(await revert(api, deletion));
    assert.deepEqual(await pairs(api), []);
  });

  test('stays dismissed when the service starts again', async (t) => {
    const first = await startPair(t);
    await dismiss(first.api, 1, 2);
    await first.stop();
    const second = await startService(t, { DATA_DIR: first.folder });
    assert.deepEqual(await pairs(second.api), []);
  });

  test('is one of at most 10,000 of its user', async (t) => {
    const { admin, owner, service, people } = await startWorld(t);
    await createRestaurants(admin, [PLACE, SAME, OTHER]);
    changeStored(
      service.folder,
      `INSERT INTO dismissed_pairs (a, b, user_id)
       WITH RECURSIVE n (i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 10008) SELECT 9, i, ? FROM n`,
      people.owner.id,
    );
    await dismiss(owner, 1, 2);
    assert.deepEqual(refusal(await owner.post('/duplicates/dismiss', { a: 1, b: 3 })), [
      409,
      'You have dismissed 10,000 pairs',
    ]);
    await dismiss(owner, 1, 2);
    await dismiss(admin, 1, 3);
    await dismiss(owner, 1, 3);
    assert.equal((await owner.delete('/duplicates/dismissed/1/2')).status, 204);
    await dismiss(owner, 2, 3);
  });

  test('has two restaurants that exist', async (t) => {
    const { api } = await startPair(t);
    const answers = [
      api.post('/duplicates/dismiss', { a: 1, b: 99 }),
      api.post('/duplicates/dismiss', { a: 1, b: 1 }),
      api.post('/duplicates/dismiss', {}),
      api.post('/duplicates/dismiss', { a: '1', b: 0 }),
      api.delete('/duplicates/dismissed/1/x'),
      api.delete('/duplicates/dismissed/0/1'),
    ];
    assert.deepEqual((await Promise.all(answers)).map(refusal), [
      [404, 'Restaurant not found'],
      [400, 'a and b must be different restaurants'],
      [400, 'a is required; b is required'],
      [400, 'a must be a positive integer; b must be a positive integer'],
      [400, 'Invalid restaurant ID'],
      [400, 'Invalid restaurant ID'],
    ]);
  });
});

describe('duplicates', () => {
  test('are for users to see, and for those who may write to dismiss', async (t) => {
    const { service, admin, owner, token } = await startWorld(t, { WRITE_ACCESS: 'admins' });
    await createRestaurants(admin, [PLACE, SAME]);
    const stranger = createClient(service.url);
    const pair = { a: 1, b: 2 };
    const refused = (api: Client): Promise<number[]> =>
      Promise.all([
        api.get('/duplicates').then(({ status }) => status),
        api.post('/duplicates/dismiss', pair).then(({ status }) => status),
        api.delete('/duplicates/dismissed/1/2').then(({ status }) => status),
      ]);
    assert.deepEqual(await refused(stranger), [401, 401, 401]);
    assert.deepEqual(await refused(owner), [200, 403, 403]);
    assert.deepEqual(await refused(token), [200, 403, 403]);
    assert.deepEqual(await pairs(owner), PAIR);
    await dismiss(admin, 1, 2);
    assert.deepEqual(await pairs(owner), [], 'dismissed for all');
  });
});
