import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR_MS } from '../../../src/kit/time.ts';
import { bodyOf, field } from '../../support/client.ts';
import { inDays, inHours, refusalOf, startOutings } from '../../support/outings.ts';

const hoursBetween = (outing: unknown, start: string, end: string): number =>
  (Date.parse(String(field(outing, end))) - Date.parse(start)) / HOUR_MS;

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
      assert.deepEqual(refusalOf(await owner.post('/outings', body())), [400, sentence]);
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
