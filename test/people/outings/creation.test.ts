import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR_MS } from '../../../src/kit/time.ts';
import { createRestaurants } from '../../support/catalogue.ts';
import { bodyOf, field, headerValues, record } from '../../support/client.ts';
import {
  ALWAYS,
  NEVER,
  addOuting,
  inDays,
  ofOptions,
  optionsOf,
  refusalOf,
  startOutings,
} from '../../support/outings.ts';
import { addRestaurants } from '../../support/lists.ts';
import { ratingOf } from '../../support/world.ts';

describe('an outing with given options', () => {
  test('has them in this order, with what is public of each', async (t) => {
    const { owner, other } = await startOutings(t);
    await other.post('/ratings', ratingOf(2));
    const at = inDays(2);
    const answer = await owner.post('/outings', { title: 'Friday', at, options: [3, 2] });
    assert.equal(answer.status, 201);
    assert.deepEqual(headerValues(answer, 'location'), ['/api/outings/1']);
    const { options, participants, url, closes_at: closesAt, ...rest } = record(answer.body);
    assert.deepEqual(rest, {
      id: 1,
      title: 'Friday',
      at,
      state: 'open',
      outcome: null,
      winner: null,
      created_by: { id: 2, username: 'alice' },
      ballot: null,
    });
    assert.match(String(url), /^\/o\/[\w-]{43}$/);
    assert.equal(closesAt, new Date(Date.parse(at) - HOUR_MS).toISOString());
    assert.deepEqual(participants, [
      { id: 1, name: 'alice', is_guest: false, coming: null, has_voted: false },
    ]);
    const open = { kind: 'open', until: null };
    assert.deepEqual(ofOptions({ options }, 'reasons'), [
      [open],
      [open, { kind: 'rated', overall: 4, count: 1 }],
    ]);
    assert.deepEqual(optionsOf({ options })[0]?.['opening'], { state: 'open', until: null, reason: null });
    assert.deepEqual(ofOptions({ options }, 'out'), [null, null]);
    const restaurant = bodyOf(await owner.get('/restaurants/3'));
    assert.deepEqual(optionsOf({ options })[0]?.['restaurant'], { ...record(restaurant), cover: null });
  });

  test('can have places with unknown hours, which say so', async (t) => {
    const { owner, admin } = await startOutings(t);
    const [id = 0] = await addRestaurants(admin, 'Who knows');
    const { id: outing } = await addOuting(owner, [id, 1]);
    const [option] = optionsOf(bodyOf(await owner.get(`/outings/${outing}`)));
    assert.deepEqual(option?.['reasons'], [{ kind: 'hours_unknown' }]);
    assert.deepEqual(option['out'], null);
  });

  test('names all that are closed then, and makes nothing', async (t) => {
    const { owner, admin } = await startOutings(t);
    const closed = { status: 'temporarily_closed' };
    await createRestaurants(admin, [
      { name: 'F', ...NEVER },
      { name: 'G', ...ALWAYS, ...closed },
    ]);
    const answer = await owner.post('/outings', { at: inDays(1), options: [6, 1, 7] });
    assert.deepEqual(refusalOf(answer), [400, 'F is closed then; G is closed then']);
    const all = await owner.post('/outings', { at: inDays(1), options: [6, 7] });
    assert.deepEqual(refusalOf(all), [400, 'F is closed then; G is closed then']);
    assert.equal(field((await owner.get('/outings')).body, 'total'), 0);
  });

  test('needs restaurants that exist, not suggestions', async (t) => {
    const { owner } = await startOutings(t);
    await owner.post('/suggestions', { name: 'Later' });
    const answer = await owner.post('/outings', { at: inDays(1), options: [1, 99] });
    assert.deepEqual(refusalOf(answer), [400, 'options: there is no restaurant 99']);
  });

  test('has each restaurant once', async (t) => {
    const { owner } = await startOutings(t);
    const { id } = await addOuting(owner, [2, 1, 2]);
    assert.deepEqual(ofOptions(bodyOf(await owner.get(`/outings/${id}`)), 'id'), [2, 1]);
    const single = await owner.post('/outings', { at: inDays(1), options: [2, 2] });
    assert.deepEqual(refusalOf(single), [400, 'options must have at least 2 ids']);
  });
});
