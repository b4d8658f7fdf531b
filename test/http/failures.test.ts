import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HttpError } from '../../src/http/errors.ts';
import { jsonArray } from '../../src/http/list-replies.ts';
import { ok, stream } from '../../src/http/reply.ts';
import type { Slice } from '../../src/kit/slices.ts';
import { field } from '../support/client.ts';
import { startRoute } from '../support/route.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const SECRET = 'the secret of the service';
const LONG_SLICE = { entries: [{ element: 0, pieces: [Buffer.alloc(200_000, 'x')] }], isCut: false };
const THROWN: readonly [string, unknown][] = [
  ['an error', new Error(SECRET)],
  ['a type error', new TypeError(SECRET)],
  ['an error with a status', Object.assign(new Error(SECRET), { status: 418, code: 'EVIL' })],
  ['text', SECRET],
  ['nothing', undefined],
  ['null', null],
  ['an object without a prototype', Object.assign(Object.create(null), { [SECRET]: 1 })],
  [
    'an object that throws when it is read',
    {
      toString: () => {
        throw new Error(SECRET);
      },
    },
  ],
];

describe('a failure', () => {
  for (const [title, thrown] of THROWN)
    test(`by ${title} is a constant sentence with the request’s id to the client, and logged`, async (t) => {
      const { api, lines } = await startRoute(t, () => {
        throw thrown;
      });
      const id = '0b9f3a1e-6a57-4a54-9d0e-3f3c5d0d8a11';
      const answer = await api.get('/x', { 'X-Request-Id': id });
      assert.deepEqual(
        [answer.status, answer.body],
        [500, { error: `Internal server error (request ${id})` }],
      );
      const failure = lines.find((line) => line.includes('unexpected failure'));
      assert.equal(field(JSON.parse(failure ?? '{}'), 'id'), id);
    });

  test('that is an HttpError is answered in its own words, with its headers', async (t) => {
    const { api } = await startRoute(t, () => {
      throw new HttpError(418, 'Short and stout', { 'X-Tea': 'green' });
    });
    const answer = await api.get('/x');
    assert.deepEqual(
      [answer.status, answer.body, answer.headers.get('x-tea')],
      [418, { error: 'Short and stout' }, 'green'],
    );
  });

  test('to count a request harms neither the request nor the service', async (t) => {
    const { api, lines } = await startRoute(
      t,
      () => ok({}),
      () => {
        throw new Error('no more counting');
      },
    );
    for (let count = 0; count < 2; count += 1) assert.equal((await api.get('/x')).status, 200);
    await until(() => lines.filter((line) => line.includes('observing a request failed')).length === 2);
    assert.equal(lines.filter((line) => line.includes('"request"')).length, 2);
  });

  test('that is classified is answered as its class, and logged as it was', async (t) => {
    const { api, lines } = await startRoute(t, () => Promise.reject(new RangeError(SECRET)));
    const answer = await api.get('/x');
    assert.deepEqual(
      [answer.status, answer.body, answer.headers.get('retry-after')],
      [503, { error: 'Come back later' }, '7'],
    );
    assert.ok(lines.some((line) => line.includes(SECRET)));
  });

  test('behind a body that was read whole is answered and logged like any other', async (t) => {
    const asked = { method: 'POST', body: 'json' } as const;
    const { api, lines } = await startRoute(t, () => Promise.reject(new Error(SECRET)), undefined, asked);
    const answer = await api.post('/x', {});
    assert.equal(answer.status, 500);
    assert.match(String(field(answer.body, 'error')), /^Internal server error \(request /);
    assert.ok(lines.some((line) => line.includes('unexpected failure') && line.includes(SECRET)));
  });

  test('before the first piece of a list is an answer; behind it the connection breaks, so that no client takes it for whole', async (t) => {
    const broken = async function* <Piece>(...pieces: readonly Piece[]): AsyncGenerator<Piece> {
      for (const piece of pieces) yield await Promise.resolve(piece);
      throw new Error(SECRET);
    };
    const early = await startRoute(t, (context) => jsonArray(context, broken<Slice<number>>()));
    assert.equal((await early.api.get('/x')).status, 500);
    const unopened = await startRoute(t, () => stream(200, {}, () => broken<string>()));
    assert.equal((await unopened.api.get('/x')).status, 500);
    const late = await startRoute(t, (context) => jsonArray(context, broken(LONG_SLICE)));
    // As it is: what is compressed may still be answered 500, when it fails before any of it is out.
    await assert.rejects(late.api.get('/x', { 'Accept-Encoding': 'identity' }));
    assert.ok(late.lines.some((line) => line.includes('answer broke off')));
  });
});

describe('a database that does not answer', () => {
  test('is reported by the health check with 503, while the service lives on', async (t) => {
    const { api, closeStorage } = await startService(t);
    closeStorage();
    const answer = await api.get('/health');
    assert.deepEqual([answer.status, answer.body], [503, { status: 'unavailable' }]);
    const failed = await api.get('/categories');
    assert.equal(failed.status, 500);
    assert.match(String(field(failed.body, 'error')), /^Internal server error \(request [0-9a-f-]{36}\)$/);
    const plain = await api.send('/health', {});
    assert.deepEqual([plain.status, plain.body], [503, 'unavailable']);
  });
});
