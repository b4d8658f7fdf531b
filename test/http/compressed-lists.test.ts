import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { jsonArray } from '../../src/http/reply.ts';
import { askBytes, decodedBody, openBytes } from '../support/bytes.ts';
import { array, field } from '../support/client.ts';
import { startRoute } from '../support/route.ts';
import { until } from '../support/until.ts';

const ROW = { name: 'Chez Nous', description: 'é 🍝 '.repeat(20) };
// More than is read of a list before its answer begins.
const LONG = JSON.stringify('x'.repeat(200_000));
const CODINGS = ['br', 'gzip'];
const ASKED = { 'Accept-Encoding': 'br, gzip' };

/** A list of so many slices that reports how far it was read and whether it was closed. */
function readable(
  slices: number,
  failsAt = Infinity,
): { read: number; closed: boolean; all: () => AsyncGenerator<{ text: string }[]> } {
  const state = {
    read: 0,
    closed: false,
    all: async function* (): AsyncGenerator<{ text: string }[]> {
      try {
        for (let slice = 0; slice < slices; slice += 1) {
          if (slice === failsAt) throw new Error('the disk is gone');
          state.read += 1;
          yield await Promise.resolve(
            Array.from({ length: 100 }, (_, row) => ({
              text: JSON.stringify({ ...ROW, id: slice * 100 + row }),
            })),
          );
        }
      } finally {
        state.closed = true;
      }
    },
  };
  return state;
}

describe('a list that is compressed as it is read', () => {
  test('is the same inside', async (t) => {
    const { url } = await startRoute(t, () => jsonArray(readable(30).all()));
    const plain = await askBytes(`${url}/api/x`);
    assert.equal(array(JSON.parse(plain.body.toString())).length, 3_000);
    for (const coding of CODINGS) {
      const packed = await askBytes(`${url}/api/x`, { 'Accept-Encoding': coding });
      assert.equal(packed.headers['content-encoding'], coding);
      assert.deepEqual([packed.headers['content-length'], packed.headers.etag], [undefined, undefined]);
      assert.ok(decodedBody(packed).equals(plain.body));
    }
  });

  for (const coding of CODINGS)
    test(`arrives piece by piece where it is slow: ${coding}`, async (t) => {
      let goOn: () => void = () => undefined;
      const wait = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      const { url } = await startRoute(t, () =>
        jsonArray(
          (async function* () {
            yield [{ text: LONG }];
            await wait;
            yield [{ text: '"the end"' }];
          })(),
        ),
      );
      const answer = await openBytes(`${url}/api/x`, { 'Accept-Encoding': coding });
      const decoder = answer.pipe(coding === 'br' ? createBrotliDecompress() : createGunzip());
      let seen = '';
      decoder.on('data', (piece: unknown) => {
        seen += String(piece);
      });
      await until(() => seen === `[${LONG}`);
      goOn();
      await once(decoder, 'end');
      assert.equal(seen, `[${LONG},"the end"]`);
    });

  for (const coding of ['br', 'identity'])
    test(`is closed when the client goes away in its middle, which is logged: ${coding}`, async (t) => {
      const list = readable(100_000);
      const { url, lines } = await startRoute(t, () => jsonArray(list.all()));
      const answer = await openBytes(`${url}/api/x`, { 'Accept-Encoding': coding });
      await once(answer, 'readable');
      answer.destroy();
      await until(() => list.closed);
      assert.ok(list.read < 100_000);
      await until(() => lines.length > 0);
      assert.equal(field(JSON.parse(lines.join('')), 'aborted'), true);
    });

  test('is read no further than a client takes it', async (t) => {
    let [read, closed] = [0, false];
    // Nothing to compress: what is read has to go somewhere.
    const slices = async function* (): AsyncGenerator<{ text: string }[]> {
      try {
        for (; read < 5_000; read += 1)
          yield await Promise.resolve([{ text: JSON.stringify(randomBytes(48 * 1_024).toString('base64')) }]);
      } finally {
        closed = true;
      }
    };
    const { url } = await startRoute(t, () => jsonArray(slices()));
    const answer = await openBytes(`${url}/api/x`, ASKED);
    let [before, still] = [-1, 0];
    await until(() => {
      still = read === before ? still + 1 : 0;
      before = read;
      return still > 20;
    });
    assert.ok(read < 1_000 && !closed, String(read));
    answer.destroy();
    await until(() => closed);
  });

  test('is broken off where the source fails, so that no client takes it for whole', async (t) => {
    const { url, lines } = await startRoute(t, () => jsonArray(readable(2_000, 1_000).all()));
    await assert.rejects(askBytes(`${url}/api/x`, ASKED));
    await until(() => lines.some((line) => line.includes('the disk is gone')));
  });

  test('is an error as any other where the source fails at once', async (t) => {
    for (const failsAt of [0, 1]) {
      const { url } = await startRoute(t, () => jsonArray(readable(5, failsAt).all()));
      const { status, headers } = await askBytes(`${url}/api/x`, ASKED);
      assert.deepEqual([status, headers['content-encoding'], headers.etag], [500, undefined, undefined]);
    }
  });

  test('is sent as it is to a crowd, and compressed again once others are done', async (t) => {
    const { url } = await startRoute(t, () => jsonArray(readable(100_000).all()));
    const answers = [];
    for (let count = 0; count < 6; count += 1) answers.push(await openBytes(`${url}/api/x`, ASKED));
    const codings = answers.map(({ headers }) => headers['content-encoding']);
    assert.deepEqual(codings, ['br', 'br', 'br', undefined, undefined, undefined]);
    assert.deepEqual(new Set(answers.map(({ headers }) => headers.vary)), new Set(['Accept-Encoding']));
    for (const answer of answers) answer.destroy();
    await until(async () => {
      const answer = await openBytes(`${url}/api/x`, ASKED);
      answer.destroy();
      return answer.headers['content-encoding'] === 'br';
    });
  });

  test('takes no place of that crowd for HEAD', async (t) => {
    const { url } = await startRoute(t, () => jsonArray(readable(2_000).all()));
    for (let count = 0; count < 6; count += 1) {
      const { headers } = await askBytes(`${url}/api/x`, ASKED, 'HEAD');
      assert.equal(headers['content-encoding'], 'br');
    }
  });
});
