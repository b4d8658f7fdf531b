import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { type TestContext, describe, test } from 'node:test';
import type { Answer } from '../../support/client.ts';
import { GOOGLE_KEY, GOOGLE_REFUSALS, googleError } from '../../support/fake-google.ts';
import { type Fault, TROUBLES, sending, sendingJson, startFakeServer } from '../../support/fake-server.ts';
import { listenOnLoopback } from '../../support/listen.ts';
import {
  type Mapped,
  googleSettings,
  mapWithGoogle,
  mapWithNominatim,
  outcome,
  warnings,
} from '../../support/places.ts';
import { type Service, startService } from '../../support/service.ts';

const FAILED = [502, { error: 'Maps provider failed' }];
const NONSENSE = [502, { error: 'Maps provider gave an answer that cannot be used' }];
const REFUSED = [502, { error: 'Maps provider refused the request' }];
const REJECTED = [502, { error: 'Maps provider did not accept the request' }];
const UNAVAILABLE = [502, { error: 'Maps provider is unavailable' }];
const LATE = [504, { error: 'Maps provider did not answer in time' }];
const ONE_BY_ONE = { concurrency: 1 };
const PATHS = ['/places/search?q=x', '/geocode/cities?q=x'];

// The answer to the client, and status and reason for the log. A host stands before a reason of ours.
const TOLD: Readonly<Record<keyof typeof TROUBLES, readonly [readonly unknown[], number | null, RegExp]>> = {
  'an internal error': [FAILED, 500, /^http 500$/],
  'being overloaded': [FAILED, 503, /^http 503$/],
  'a page': [NONSENSE, 200, /^no (object|array) of places$/],
  'half of its JSON': [NONSENSE, 200, /^no (object|array) of places$/],
  'three megabytes': [FAILED, null, /^127\.0\.0\.1:\d+: answered more than 1048576 bytes$/],
  'a gzip bomb': [FAILED, null, /^127\.0\.0\.1:\d+: answered in an encoding that was not asked for$/],
  'a number': [NONSENSE, 200, /^no (object|array) of places$/],
  null: [NONSENSE, 200, /^no (object|array) of places$/],
  'no content': [NONSENSE, 204, /^http 204$/],
  'a connection that breaks off': [FAILED, null, /^127\.0\.0\.1:\d+: ECONNRESET$/],
  'a body that breaks off': [FAILED, null, /^127\.0\.0\.1:\d+: ECONNRESET$/],
};

/** Everything that left the service in an answer or a line of the log. */
function written({ logs }: Service, answers: readonly Answer[]): string {
  return JSON.stringify([answers.map(({ headers, body }) => [...headers, body]), logs]);
}

function isTrouble(title: string): title is keyof typeof TROUBLES {
  return Object.hasOwn(TROUBLES, title);
}

const providers: readonly [string, (t: TestContext) => Promise<Mapped>, string][] = [
  ['google', mapWithGoogle, '/places/ChIJ-chez_nous'],
  ['nominatim', mapWithNominatim, '/places/osm:N107775'],
];
// Together, since one of them takes its five seconds.
describe('a maps provider in trouble', { concurrency: true }, () => {
  for (const [name, start, one] of providers)
    describe(`that is ${name}`, ONE_BY_ONE, () => {
      for (const [title, fault] of Object.entries(TROUBLES))
        test(`that answers with ${title} is asked once, and well again afterwards`, async (t) => {
          assert.ok(isTrouble(title));
          const [expected, status, reason] = TOLD[title];
          const { service, provider } = await start(t);
          provider.behave(fault);
          const answer = await service.api.get(one);
          assert.deepEqual(outcome(answer), expected);
          const [line, ...more] = warnings(service);
          assert.match(String(line?.['reason']), reason);
          const { reason: _reason, ...rest } = line ?? {};
          assert.deepEqual([rest, more], [{ message: 'maps provider failed', provider: name, status }, []]);
          assert.equal(provider.asked.length, 1);
          for (const path of PATHS) assert.deepEqual(outcome(await service.api.get(path)), expected);
          provider.behave();
          const well = await service.api.get(one);
          assert.equal(well.status, 200);
          assert.ok(!written(service, [answer, well]).includes(GOOGLE_KEY));
        });
    });

  describe('that refuses', ONE_BY_ONE, () => {
    const withReason = (reason: string): Fault =>
      sendingJson(403, googleError(403, 'PERMISSION_DENIED', `No: ${GOOGLE_KEY}`, reason));
    const refusals: readonly [string, Fault, number, string][] = [
      ['a key that is not valid', GOOGLE_REFUSALS['a key that is not valid'], 400, 'API_KEY_INVALID'],
      [
        'a key that is for other referrers',
        GOOGLE_REFUSALS['a key that is for other referrers'],
        403,
        'API_KEY_HTTP_REFERRER_BLOCKED',
      ],
      ['a used up quota', GOOGLE_REFUSALS['a used up quota'], 429, 'http 429'],
      ['a reason that is the key', withReason(GOOGLE_KEY), 403, 'http 403'],
      ['a reason that has no end', withReason('X'.repeat(65)), 403, 'http 403'],
      [
        'a page with the key',
        sending(401, `<html>${GOOGLE_KEY}</html>`, { 'X-Key': GOOGLE_KEY }),
        401,
        'http 401',
      ],
    ];
    for (const [title, fault, status, reason] of refusals)
      test(`because of ${title} is reported to the operator by its reason, and nowhere with the key`, async (t) => {
        const { service, provider } = await mapWithGoogle(t, { LOG_LEVEL: 'debug' });
        provider.behave(fault);
        const answers: Answer[] = [];
        for (const path of [...PATHS, '/places/x']) answers.push(await service.api.get(path));
        assert.deepEqual(answers.map(outcome), [REFUSED, REFUSED, REFUSED]);
        const line = { message: 'maps provider failed', provider: 'google', status, reason };
        assert.deepEqual(warnings(service), [line, line, line]);
        assert.doesNotMatch(written(service, answers), /canary|API key not|Quota of|referer/);
      });

    test('to take a request is reported as such', async (t) => {
      const { service, provider } = await mapWithGoogle(t);
      provider.behave(sendingJson(400, googleError(400, 'INVALID_ARGUMENT', 'Empty text_query.')));
      assert.deepEqual(outcome(await service.api.get('/places/search?q=x')), REJECTED);
    });
  });

  describe('that cannot be reached', () => {
    test('is given five seconds for headers and body together, while others are served', async (t) => {
      const hanging: readonly Fault[] = [
        () => undefined,
        (response) => {
          response.writeHead(200, { 'Content-Type': 'application/json' });
          const timer = setInterval(() => response.write(' '), 200);
          response.on('close', () => {
            clearInterval(timer);
          });
        },
      ];
      const waiting: Promise<readonly [string, readonly unknown[], readonly unknown[]]>[] = [];
      for (const [name, start, path] of providers)
        for (const fault of hanging) {
          const { service, provider } = await start(t);
          provider.behave(fault);
          waiting.push(service.api.get(path).then((answer) => [name, outcome(answer), warnings(service)]));
          assert.equal((await service.api.get('/restaurants')).status, 200);
        }
      for (const [name, told, lines] of await Promise.all(waiting)) {
        assert.deepEqual(told, LATE, name);
        assert.equal(lines.length, 1);
      }
    });

    test('because nothing listens is a failure', async (t) => {
      const service = await startService(t, googleSettings('http://127.0.0.1:9'));
      assert.deepEqual(outcome(await service.api.get('/places/search?q=x')), FAILED);
      assert.deepEqual(warnings(service), [
        {
          message: 'maps provider failed',
          provider: 'google',
          status: null,
          reason: '127.0.0.1:9: ECONNREFUSED',
        },
      ]);
    });

    test('is tried once more where no connection came about', async (t) => {
      let tries = 0;
      // Over TLS nothing is asked before the handshake, which never comes to its end here.
      const server = createServer((socket) => {
        tries += 1;
        socket.destroy();
      });
      const port = await listenOnLoopback(t, server);
      const service = await startService(t, googleSettings(`https://127.0.0.1:${port}`));
      assert.deepEqual(outcome(await service.api.get('/places/search?q=x')), FAILED);
      assert.equal(tries, 2);
      assert.equal(warnings(service).length, 1);
    });

    for (const status of [301, 302, 303, 307, 308])
      test(`because it sends the service elsewhere with ${status} is not followed there`, async (t) => {
        const canary = await startFakeServer(t, sendingJson(200, {}));
        const { service, provider } = await mapWithGoogle(t);
        provider.behave(sending(status, '', { Location: `${canary.url}/?key=${GOOGLE_KEY}` }));
        const answers: Answer[] = [];
        for (const path of [...PATHS, '/places/x']) answers.push(await service.api.get(path));
        assert.deepEqual(answers.map(outcome), [FAILED, FAILED, FAILED]);
        assert.deepEqual([provider.asked.length, canary.asked.length], [3, 0]);
        assert.ok(!written(service, answers).includes(GOOGLE_KEY));
      });
  });

  describe('that fails again and again', ONE_BY_ONE, () => {
    const failures: readonly [string, Fault][] = [
      ['faults', TROUBLES['an internal error']],
      ['nonsense', TROUBLES['a page']],
      ['refusals', GOOGLE_REFUSALS['a key that is not valid']],
      ['broken connections', TROUBLES['a connection that breaks off']],
    ];
    for (const [title, fault] of failures)
      test(`is left alone after five ${title} in a row, while others are served`, async (t) => {
        const { service, provider } = await mapWithGoogle(t);
        provider.behave(fault);
        for (let index = 0; index < 5; index += 1)
          assert.notDeepEqual(outcome(await service.api.get('/places/search?q=x')), UNAVAILABLE);
        provider.behave();
        for (const path of [...PATHS, '/places/ChIJ-chez_nous']) {
          const answer = await service.api.get(path);
          assert.deepEqual(outcome(answer), UNAVAILABLE);
          const seconds = Number(answer.headers.get('retry-after'));
          assert.ok(seconds >= 1 && seconds <= 30, String(seconds));
          assert.ok(!written(service, [answer]).includes(GOOGLE_KEY));
        }
        assert.equal(provider.asked.length, 5);
        const lines = warnings(service).slice(4);
        assert.deepEqual(lines.map(({ message }) => message).sort(), [
          'maps provider failed',
          'maps provider keeps failing: no calls for 30 s',
        ]);
        assert.equal((await service.api.get('/restaurants')).status, 200);
        assert.equal((await service.api.get('/places/a.b')).status, 400);
      });

    const harmless: readonly [string, Fault, number][] = [
      ['no such place', sendingJson(404, googleError(404, 'NOT_FOUND', 'Gone')), 404],
      ['a request that it does not take', sendingJson(400, googleError(400, 'INVALID_ARGUMENT', 'No')), 502],
    ];
    for (const [title, fault, status] of harmless)
      test(`is still asked where it answered of ${title}`, async (t) => {
        const { service, provider } = await mapWithGoogle(t);
        const tell = async (next: Fault, times: number, expected: number): Promise<void> => {
          provider.behave(next);
          for (let index = 0; index < times; index += 1)
            assert.equal((await service.api.get('/places/ChIJ-paris')).status, expected);
        };
        await tell(fault, 10, status);
        await tell(TROUBLES['an internal error'], 4, 502);
        await tell(fault, 1, status);
        await tell(TROUBLES['an internal error'], 4, 502);
        provider.behave();
        assert.equal((await service.api.get('/places/ChIJ-paris')).status, 200);
        assert.equal(provider.asked.length, 20);
      });
  });
});
