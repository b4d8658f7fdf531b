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
  inHours,
  ofOptions,
  optionsOf,
  participantsOf,
  refusalOf,
  startOutings,
  sumsOf,
} from '../../support/outings.ts';
import { addRestaurants } from '../../support/lists.ts';
import { ratingOf } from '../../support/world.ts';

const hoursBetween = (outing: unknown, start: string, end: string): number =>
  (Date.parse(String(field(outing, end))) - Date.parse(start)) / HOUR_MS;

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
    assert.deepEqual(participants, [{ name: 'alice', is_guest: false, coming: null, has_voted: false }]);
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

  test('shows the creator no sums before a vote', async (t) => {
    const { owner } = await startOutings(t);
    const { id } = await addOuting(owner, [1, 2]);
    const seen = bodyOf(await owner.get(`/outings/${id}`));
    assert.deepEqual(sumsOf(seen)[0], [null, null, null, null]);
    assert.deepEqual(participantsOf(seen), [['alice', false, null, false]]);
  });
});

describe('the times of an outing', () => {
  test('are read with their offsets and written in UTC', async (t) => {
    const { owner } = await startOutings(t);
    const hour = new Date(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + 48 * HOUR_MS).toISOString();
    const local = new Date(Date.parse(hour) + 2 * HOUR_MS).toISOString().slice(0, 16);
    const answer = await owner.post('/outings', { at: `${local}+02:00`, options: [1, 2] });
    assert.equal(field(bodyOf(answer), 'at'), hour);
  });

  test('end voting an hour before, half-way when there is less time, or when the creator says', async (t) => {
    const { owner } = await startOutings(t);
    const make = async (at: string, more = {}): Promise<unknown> =>
      bodyOf(await owner.post('/outings', { at, options: [1, 2], ...more }));
    const inTwo = inHours(2);
    assert.ok(Math.abs(hoursBetween(await make(inTwo), inTwo, 'closes_at') + 1) < 0.001);
    const soon = inHours(0.5);
    assert.ok(Math.abs(hoursBetween(await make(soon), soon, 'closes_at') + 0.25) < 0.01);
    const closesAt = inHours(1.5);
    assert.equal(field(await make(inTwo, { closes_at: closesAt }), 'closes_at'), closesAt);
    assert.equal(field(await make(inTwo, { closes_at: null, title: null }), 'title'), null);
  });

  const AHEAD = 'at must be in the future, at most 60 days ahead';
  const CLOSES = 'closes_at must be in the future and before at';
  const SHAPE = 'must be a time with its offset';
  const options = [1, 2];
  const refusals: readonly (readonly [string, () => object, string])[] = [
    ['at, when it is missing', () => ({ options }), 'at is required'],
    ['at in the past', () => ({ at: inHours(-0.01), options }), AHEAD],
    ['at more than 60 days ahead', () => ({ at: inDays(60.01), options }), AHEAD],
    ['at without an offset', () => ({ at: '2030-01-01T12:00', options }), `at ${SHAPE}`],
    ['at that is no day', () => ({ at: '2030-02-30T12:00Z', options }), `at ${SHAPE}`],
    ['closes_at in the past', () => ({ at: inHours(2), closes_at: inHours(-1), options }), CLOSES],
    ['closes_at behind at', () => ({ at: inHours(2), closes_at: inHours(3), options }), CLOSES],
    [
      'closes_at that is no time',
      () => ({ at: inHours(2), closes_at: 'noon', options }),
      `closes_at ${SHAPE}`,
    ],
  ];
  for (const [title, body, sentence] of refusals)
    test(`refuse ${title}`, async (t) => {
      const { owner } = await startOutings(t);
      const [status, detail] = refusalOf(await owner.post('/outings', body()));
      assert.equal(status, 400);
      assert.ok(String(detail).split('; ').includes(sentence), String(detail));
    });

  test('refuse closes_at at the same moment, and take 60 days ahead', async (t) => {
    const { owner } = await startOutings(t);
    const at = inHours(2);
    assert.deepEqual(refusalOf(await owner.post('/outings', { at, closes_at: at, options })), [400, CLOSES]);
    assert.equal((await owner.post('/outings', { at: inDays(59.99), options })).status, 201);
  });
});

describe('a body of an outing', () => {
  const EITHER = 'Either options or from is required';
  const refusals: readonly (readonly [string, object, string])[] = [
    ['without options', {}, EITHER],
    ['with no options', { options: [] }, EITHER],
    ['with options and a source', { options: [1, 2], from: {} }, EITHER],
    ['with one option', { options: [1] }, 'options must have at least 2 ids'],
    ['with six options', { options: [1, 2, 3, 4, 5, 6] }, 'options must have at most 5 ids'],
    ['with options that are no ids', { options: ['1', 2] }, 'options must be an array of positive integers'],
    [
      'with a long title',
      { options: [1, 2], title: 'x'.repeat(101) },
      'title must be at most 100 characters',
    ],
    ['with a source that is a text', { from: 'near' }, 'from must be an object'],
  ];
  for (const [title, body, sentence] of refusals)
    test(`${title} is refused`, async (t) => {
      const { owner } = await startOutings(t);
      const [status, detail] = refusalOf(await owner.post('/outings', { at: inDays(1), ...body }));
      assert.equal(status, 400);
      assert.ok(String(detail).split('; ').includes(sentence), String(detail));
    });

  test('is for people with an account', async (t) => {
    const { service } = await startOutings(t);
    const answer = await service.api.post('/outings', { at: inDays(1), options: [1, 2] });
    assert.equal(answer.status, 401);
  });
});
