import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type TestContext, describe, test } from 'node:test';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { preferredCoding } from '../../src/http/negotiation.ts';
import { jsonArray } from '../../src/http/list-replies.ts';
import { type Reply, content, json, ok, stream } from '../../src/http/reply.ts';
import type { Slice } from '../../src/kit/slices.ts';
import { askBytes, decodedBody, openBytes } from '../support/bytes.ts';
import { createRestaurants } from '../support/catalogue.ts';
import { type Client, array, field } from '../support/client.ts';
import { LOCAL, signUp } from '../support/people.ts';
import { startRoute } from '../support/route.ts';
import { type Service, startService } from '../support/service.ts';
import { longTest } from '../support/size.ts';
import { until } from '../support/until.ts';

const LONG = 'All work and no play. '.repeat(60);
const TEXTS = [
  '/docs',
  '/docs/swagger.json',
  '/swagger.yaml',
  '/categories',
  '/restaurants?limit=5',
  '/restaurants',
];

/** A service with a list of restaurants that is too long to be answered as a whole. */
async function startFilled(t: TestContext): Promise<Service> {
  const service = await startService(t);
  await fill(service.api);
  return service;
}

async function fill(api: Client): Promise<void> {
  const long = Array.from({ length: 25 }, (_, index) => ({
    name: `Chez ${index}`,
    description: 'é 🍝 '.repeat(1_250),
  }));
  await createRestaurants(api, [{ name: 'Chez Nous' }, ...long]);
}

// What is sent as it is, whatever the client would take.
const AS_IT_IS: readonly [string, Reply][] = [
  ['1 KB and less', json(200, 'x'.repeat(1_022))],
  ['what no proxy may change', json(200, LONG, { 'Cache-Control': 'no-transform' })],
  ['what has a coding already', json(200, LONG, { 'Content-Encoding': 'zstd' })],
  ['pictures', content('image/jpeg', Buffer.from(LONG), {})],
  ['bytes of any kind', content('application/octet-stream', Buffer.from(LONG), {})],
  ['a type that only begins alike', content('application/jsonish', Buffer.from(LONG), {})],
  ['a part', { ...json(200, LONG), status: 206 }],
  ['a refusal', json(400, { error: LONG })],
  [
    'a file',
    stream(200, { 'Content-Type': 'text/plain', 'Content-Length': String(LONG.length) }, async function* () {
      yield await Promise.resolve(LONG);
    }),
  ],
];

describe('an answer of more than 1 KB', () => {
  longTest('is compressed for who asks, and is the same inside', async (t) => {
    const { url } = await startFilled(t);
    for (const path of TEXTS) {
      const plain = await askBytes(`${url}/api${path}`);
      assert.ok(plain.body.length > 1_024 && plain.headers['content-encoding'] === undefined, path);
      for (const coding of ['br', 'gzip']) {
        const packed = await askBytes(`${url}/api${path}`, { 'Accept-Encoding': coding });
        assert.equal(packed.headers['content-encoding'], coding, path);
        assert.ok(packed.body.length < plain.body.length / 1.5, path);
        assert.ok(decodedBody(packed).equals(plain.body), path);
        assert.equal(packed.headers['content-type'], plain.headers['content-type']);
        const length = packed.headers['content-length'];
        assert.equal(length, path === '/restaurants' ? undefined : String(packed.body.length), path);
      }
    }
  });

  longTest('says in one line what it varies by, compressed or not', async (t) => {
    const { url } = await startFilled(t);
    for (const [path, vary] of [
      ['/docs', 'Accept, Origin, Accept-Encoding'],
      ['/categories', 'Origin, Accept-Encoding'],
      ['/restaurants', 'Origin, Accept-Encoding'],
      ['/restaurants/1', 'Origin'],
    ])
      for (const coding of ['br', 'identity'])
        for (const method of ['GET', 'HEAD']) {
          const asked = { 'Accept-Encoding': coding };
          const known = { ...asked, 'If-None-Match': '*' };
          const whole = await askBytes(`${url}/api${path ?? ''}`, asked, method);
          const again = await askBytes(`${url}/api${path ?? ''}`, known, method);
          assert.deepEqual([whole.status, whole.headers.vary], [200, vary], path);
          assert.deepEqual([again.status, again.headers.vary], [304, vary], path);
        }
  });

  test('has a tag that stands for each form of it', async (t) => {
    const { url } = await startService(t);
    for (const path of ['/swagger.yaml', '/categories']) {
      const tags = new Set<string | undefined>();
      for (const coding of ['br', 'gzip', 'identity']) {
        const { headers } = await askBytes(`${url}/api${path}`, { 'Accept-Encoding': coding });
        assert.equal(headers.etag?.startsWith('W/'), coding !== 'identity' || path === '/categories', path);
        tags.add(headers.etag);
      }
      for (const tag of tags)
        for (const coding of ['br', 'identity']) {
          const headers = { 'Accept-Encoding': coding, 'If-None-Match': tag ?? '' };
          const again = await askBytes(`${url}/api${path}`, headers);
          assert.deepEqual([again.status, again.body.length], [304, 0]);
          assert.equal(again.headers['content-encoding'], undefined);
          assert.match(String(again.headers.vary), /Accept-Encoding/);
        }
    }
  });

  test('has the same headers for HEAD, but for a length that is not known yet', async (t) => {
    const { url } = await startFilled(t);
    for (const path of ['/categories', '/restaurants', '/docs']) {
      const [get, head] = [
        await askBytes(`${url}/api${path}`, { 'Accept-Encoding': 'br' }),
        await askBytes(`${url}/api${path}`, { 'Accept-Encoding': 'br' }, 'HEAD'),
      ];
      assert.deepEqual([head.status, head.body.length], [200, 0]);
      for (const name of ['content-encoding', 'etag', 'vary', 'content-type'])
        assert.equal(head.headers[name], get.headers[name], `${path} ${name}`);
      assert.ok([undefined, get.headers['content-length']].includes(head.headers['content-length']));
    }
  });

  for (const [title, reply] of AS_IT_IS)
    test(`is sent as it is: ${title}`, async (t) => {
      const { url } = await startRoute(t, () => reply);
      const [plain, asked] = [
        await askBytes(`${url}/api/x`),
        await askBytes(`${url}/api/x`, { 'Accept-Encoding': 'br, gzip' }),
      ];
      assert.ok(asked.body.equals(plain.body));
      const encoding = reply.headers['Content-Encoding'];
      assert.deepEqual([asked.headers['content-encoding'], asked.headers.vary], [encoding, undefined]);
    });

  longTest('is never compressed where it may hold a secret', async (t) => {
    const service = await startService(t, LOCAL);
    const alice = await signUp(service, 'alice');
    const authorization = `Bearer ${alice.accessToken}`;
    for (let count = 0; count < 12; count += 1)
      await alice.api.post('/auth/tokens', { name: `token ${count} ${'x'.repeat(50)}`, expires_in_days: 1 });
    const headers = { Authorization: authorization, 'Accept-Encoding': 'br' };
    const { status, body, headers: told } = await askBytes(`${service.url}/api/auth/tokens`, headers);
    assert.deepEqual([status, told['content-encoding'], told.etag], [200, undefined, undefined]);
    assert.ok(body.length > 1_024);
  });

  longTest('is compressed, without a tag, where it shows what the caller has noted', async (t) => {
    const service = await startService(t, LOCAL);
    const { accessToken, api } = await signUp(service, 'alice');
    await fill(api);
    const headers = { Authorization: `Bearer ${accessToken}`, 'Accept-Encoding': 'br' };
    const { headers: told } = await askBytes(
      `${service.url}/api/restaurants/paginated?include=mine`,
      headers,
    );
    assert.deepEqual(
      [told['cache-control'], told['content-encoding'], told.etag],
      ['private, no-store', 'br', undefined],
    );
  });

  test('is compressed once where it is cached', async (t) => {
    const cached = ok(LONG);
    const { url } = await startRoute(t, () => cached);
    const ask = (method: string): ReturnType<typeof askBytes> =>
      askBytes(`${url}/api/x`, { 'Accept-Encoding': 'br' }, method);
    // What has been compressed is known to HEAD as well.
    assert.equal((await ask('HEAD')).headers['content-length'], undefined);
    const { body } = await ask('GET');
    assert.equal((await ask('HEAD')).headers['content-length'], String(body.length));
    assert.ok((await ask('GET')).body.equals(body));
  });
});

const WISHES: readonly [string, string | undefined, string | undefined][] = [
  ['no header', undefined, undefined],
  ['an empty one', '', undefined],
  ['gzip', 'gzip', 'gzip'],
  ['its old name', 'x-gzip', 'gzip'],
  ['brotli', 'br', 'br'],
  ['what browsers send', 'gzip, deflate, br, zstd', 'br'],
  ['other letters', 'GZip;Q=0.5', 'gzip'],
  ['equal weights', 'gzip;q=0.8, br;q=0.8', 'br'],
  ['gzip before brotli', 'br;q=0.4, gzip;q=0.401', 'gzip'],
  ['anything', '*', 'br'],
  ['anything but brotli', '*, br;q=0', 'gzip'],
  ['gzip before all others', '*;q=0.2, gzip;q=0.7', 'gzip'],
  ['anything that is not the body itself', 'identity;q=0, *', 'br'],
  ['not the body itself, and no other word', 'identity;q=0', undefined],
  ['the body itself', 'identity', undefined],
  ['the body itself before gzip', 'gzip;q=0.5, identity', undefined],
  ['gzip as gladly as the body itself', 'gzip, identity', 'gzip'],
  ['no gzip', 'gzip;q=0', undefined],
  ['no gzip, at length', 'gzip;q=0.000', undefined],
  ['nothing at all', '*;q=0', undefined],
  ['nothing but gzip', '*;q=0, gzip', 'gzip'],
  ['codings of others', 'deflate, zstd, compress', undefined],
  ['blanks', '\t gzip ; q=0.5 ,\tbr\t;\tq=0.4 ', 'gzip'],
  ['empty elements', ',, gzip,', 'gzip'],
  ['a name twice, of which the last counts', 'br, br;q=0', undefined],
];
const MALFORMED = [
  'gzip;q=2',
  'gzip;q=1.001',
  'gzip;q=0.1234',
  'gzip;q=-1',
  'gzip;q=',
  'gzip;q',
  'gzip;q=1;q=0',
  'gzip;level=9',
  'gzip q=1',
  'gzip;q=1e0',
  'gzip;q=.5',
  '"gzip"',
  'gzip, br;q=x',
  'gzip;',
  'gz ip',
  'gzip\0',
  'gzíp',
  '=',
];

describe('Accept-Encoding', () => {
  for (const [title, header, coding] of WISHES)
    test(`is understood where it wants ${title}`, () => {
      assert.equal(preferredCoding(header), coding);
    });

  for (const header of MALFORMED)
    test(`counts for nothing where it is malformed: ${JSON.stringify(header)}`, () => {
      assert.equal(preferredCoding(header), undefined);
    });

  test('is read in no more time than it is long', () => {
    const header = `gzip${' '.repeat(15_000)}${';'.repeat(1_000)}`;
    const before = process.cpuUsage();
    for (let count = 0; count < 10; count += 1) assert.equal(preferredCoding(header), undefined);
    assert.ok(process.cpuUsage(before).user < 5_000_000);
  });
});

const ROW = { name: 'Chez Nous', description: 'é 🍝 '.repeat(20) };
// More than is read of a list before its answer begins.
const LONG_ELEMENT = 'x'.repeat(200_000);
const CODINGS = ['br', 'gzip'];
const ASKED = { 'Accept-Encoding': 'br, gzip' };

function sliceOf(values: readonly unknown[]): Slice<number> {
  const entries = values.map((value, element) => ({ element, pieces: [Buffer.from(JSON.stringify(value))] }));
  return { entries, isCut: false };
}

/** A list of so many slices that reports how far it was read and whether it was closed. */
function readable(
  slices: number,
  failsAt = Infinity,
): { read: number; closed: boolean; all: () => AsyncGenerator<Slice<number>> } {
  const state = {
    read: 0,
    closed: false,
    all: async function* (): AsyncGenerator<Slice<number>> {
      try {
        for (let slice = 0; slice < slices; slice += 1) {
          if (slice === failsAt) throw new Error('the disk is gone');
          state.read += 1;
          yield await Promise.resolve(
            sliceOf(Array.from({ length: 100 }, (_, row) => ({ ...ROW, id: slice * 100 + row }))),
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
    const { url } = await startRoute(t, (context) => jsonArray(context, readable(30).all()));
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
      const { url } = await startRoute(t, (context) =>
        jsonArray(
          context,
          (async function* () {
            yield sliceOf([LONG_ELEMENT]);
            await wait;
            yield sliceOf(['the end']);
          })(),
        ),
      );
      const answer = await openBytes(`${url}/api/x`, { 'Accept-Encoding': coding });
      const decoder = answer.pipe(coding === 'br' ? createBrotliDecompress() : createGunzip());
      let seen = '';
      decoder.on('data', (piece: unknown) => {
        seen += String(piece);
      });
      await until(() => seen === `["${LONG_ELEMENT}"`);
      goOn();
      await once(decoder, 'end');
      assert.equal(seen, JSON.stringify([LONG_ELEMENT, 'the end']));
    });

  for (const coding of ['br', 'identity'])
    test(`is closed when the client goes away in its middle, which is logged: ${coding}`, async (t) => {
      const list = readable(100_000);
      const { url, lines } = await startRoute(t, (context) => jsonArray(context, list.all()));
      const answer = await openBytes(`${url}/api/x`, { 'Accept-Encoding': coding });
      await once(answer, 'readable');
      answer.destroy();
      await until(() => list.closed);
      assert.ok(list.read < 100_000);
      await until(() => lines.length > 0);
      assert.equal(field(JSON.parse(lines.join('')), 'aborted'), true);
    });

  longTest('is read no further than a client takes it', async (t) => {
    let [read, closed] = [0, false];
    // Nothing to compress: what is read has to go somewhere.
    const slices = async function* (): AsyncGenerator<Slice<number>> {
      try {
        for (; read < 5_000; read += 1)
          yield await Promise.resolve(sliceOf([randomBytes(48 * 1_024).toString('base64')]));
      } finally {
        closed = true;
      }
    };
    const { url } = await startRoute(t, (context) => jsonArray(context, slices()));
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

  longTest('is broken off where the source fails, so that no client takes it for whole', async (t) => {
    const { url, lines } = await startRoute(t, (context) => jsonArray(context, readable(2_000, 1_000).all()));
    await assert.rejects(askBytes(`${url}/api/x`, ASKED));
    await until(() => lines.some((line) => line.includes('the disk is gone')));
  });

  test('is an error as any other where the source fails at once', async (t) => {
    for (const failsAt of [0, 1]) {
      const { url } = await startRoute(t, (context) => jsonArray(context, readable(5, failsAt).all()));
      const { status, headers } = await askBytes(`${url}/api/x`, ASKED);
      assert.deepEqual([status, headers['content-encoding'], headers.etag], [500, undefined, undefined]);
    }
  });

  test('is sent as it is to a crowd, and compressed again once others are done', async (t) => {
    const { url } = await startRoute(t, (context) => jsonArray(context, readable(100_000).all()));
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
    const { url } = await startRoute(t, (context) => jsonArray(context, readable(2_000).all()));
    for (let count = 0; count < 6; count += 1) {
      const { headers } = await askBytes(`${url}/api/x`, ASKED, 'HEAD');
      assert.equal(headers['content-encoding'], 'br');
    }
  });
});
