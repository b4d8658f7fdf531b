import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRestaurants, rate } from '../../support/catalogue.ts';
import { bodyOf } from '../../support/client.ts';
import {
  ALWAYS,
  NEVER,
  inDays,
  ofOptions,
  propose,
  proposedNames,
  refusalOf,
  startWith,
} from '../../support/outings.ts';

const PARIS = { latitude: 48.86, longitude: 2.34 };

describe('a proposal', () => {
  test('takes the best rated, then the oldest, and at most five', async (t) => {
    const { owner, other } = await startWith(t, {}, {}, {}, {}, {}, {});
    await rate(other, 5, 3);
    await rate(other, 6, 4);
    assert.deepEqual(await proposedNames(owner, {}), ['F', 'E', 'A', 'B', 'C']);
    assert.deepEqual(await proposedNames(other, {}), ['F', 'E', 'A', 'B', 'C']);
  });

  test('has those with unknown hours behind open ones, and leaves closed ones out', async (t) => {
    const { owner, other } = await startWith(
      t,
      { opening_hours: null },
      NEVER,
      {},
      {
        status: 'closed',
      },
    );
    await rate(other, 1, 5);
    const made = bodyOf(await propose(owner, {}));
    assert.deepEqual(ofOptions(made, 'name'), ['C', 'A']);
    assert.deepEqual(ofOptions(made, 'reasons'), [
      [{ kind: 'open', until: null }],
      [{ kind: 'hours_unknown' }, { kind: 'rated', overall: 5, count: 1 }],
    ]);
  });

  test('says how many are closed when fewer than two fit', async (t) => {
    const { owner } = await startWith(t, {}, NEVER, NEVER, NEVER);
    const few = [400, 'Fewer than two places fit; 3 are closed then'];
    assert.deepEqual(refusalOf(await propose(owner, {})), few);
    const none = [400, 'Fewer than two places fit; 0 are closed then'];
    assert.deepEqual(refusalOf(await propose(owner, { q: 'nothing like it' })), none);
  });

  test('finds what is open, or may be, behind a hundred better places that are closed', async (t) => {
    const { owner, admin, other } = await startWith(t, { opening_hours: null }, {}, { opening_hours: null });
    const closed = Array.from({ length: 110 }, (_, index) => ({ name: `Closed ${index}`, ...NEVER }));
    for (const id of await createRestaurants(admin, closed)) await rate(other, id, 5);
    assert.deepEqual(await proposedNames(owner, {}), ['B', 'A', 'C']);
  });

  test('finds the nearest open one behind a hundred nearer places that are closed', async (t) => {
    const near = (km: number): object => ({ latitude: 48.86 + km / 111.195, longitude: 2.34 });
    const { owner, admin } = await startWith(t, near(9), near(8), near(7), near(6), near(5), near(4));
    const closed = Array.from({ length: 110 }, (_, index) => ({
      name: `Closed ${index}`,
      ...NEVER,
      ...near(1),
    }));
    await createRestaurants(admin, closed);
    const far = Array.from({ length: 110 }, (_, index) => ({ name: `Far ${index}`, ...ALWAYS, ...near(20) }));
    await createRestaurants(admin, far);
    const { latitude: lat, longitude: lng } = PARIS;
    assert.deepEqual(await proposedNames(owner, { near: { lat, lng, radius: 30 } }), [
      'F',
      'E',
      'D',
      'C',
      'B',
    ]);
  });
});

describe('the area of a proposal', () => {
  test('is a circle, of which the nearest places come first of equals', async (t) => {
    const { owner } = await startWith(
      t,
      { ...PARIS, latitude: 48.87 },
      PARIS,
      { latitude: 40, longitude: 2 },
      { ...PARIS, latitude: 48.865 },
      {},
    );
    const { latitude: lat, longitude: lng } = PARIS;
    assert.deepEqual(await proposedNames(owner, { near: { lat, lng, radius: 5 } }), ['B', 'D', 'A']);
    assert.deepEqual(
      await proposedNames(owner, { near: { lat: String(lat), lng: String(lng), radius: '0.8' } }),
      ['B', 'D'],
    );
    assert.deepEqual(await proposedNames(owner, { bbox: [1, 30, 3, 48.861] }), ['B', 'C']);
    assert.deepEqual(await proposedNames(owner, { bbox: '1,30,3,48.861' }), ['B', 'C']);
  });

  const refusals: readonly (readonly [string, object])[] = [
    ['from.lat and lng must be given together', { near: { lat: 1, radius: 1 } }],
    ['from.near must be an object', { near: 'here' }],
    ['from.near must be an object', { near: [1, 2] }],
    ['from.lat must be between -90 and 90', { near: { lat: 91, lng: 1, radius: 1 } }],
    ['from.near.radius is required', { near: { lat: 1, lng: 1 } }],
    ['from.near.radius is required', { near: { lat: 1, lng: 1, radius: null } }],
    ['from.q must be a number, a text or an array of these', { q: { a: 1 } }],
    ['from.category_id must be a number, a text or an array of these', { category_id: [true] }],
    ['from.list must be the id of a list, want or favourites', { list: 'mine' }],
    ['from.min_rating must be between 1 and 5', { min_rating: 9 }],
    ['from.visited must be one of yes, no', { visited: 'maybe' }],
  ];
  for (const [sentence, from] of refusals)
    test(`is refused: ${sentence}, for ${JSON.stringify(from)}`, async (t) => {
      const { owner } = await startWith(t, {}, {});
      assert.deepEqual(refusalOf(await propose(owner, from)), [400, sentence]);
    });

  test('reports fields that are unknown', async (t) => {
    const { owner } = await startWith(t, PARIS, PARIS);
    const near = { lat: PARIS.latitude, lng: PARIS.longitude, radius: 5, raduis: 1 };
    const body = { at: inDays(1), from: { near, min_ratng: 4, colour: 'red', open_at: 1 }, tite: 'x' };
    const expected =
      'unknown field tite; did you mean title?; unknown field from.min_ratng; did you mean from.min_rating?; ' +
      'unknown field from.colour; unknown field from.open_at; unknown field from.near.raduis; did you mean from.near.radius?';
    const made = await owner.post('/outings', body);
    assert.deepEqual([made.status, made.headers.get('catalogue-warning')], [201, expected]);
    const strict = await owner.post('/outings', body, { Prefer: 'handling=strict' });
    assert.deepEqual(refusalOf(strict), [400, expected]);
  });
});
