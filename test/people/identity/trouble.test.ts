import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { fetchText } from '../../../src/kit/fetch.ts';
import type { Misbehaviour } from '../../support/fake-provider.ts';
import { listenOnLoopback } from '../../support/listen.ts';
import { federateWithFake, providerSettings } from '../../support/sign-in.ts';
import { startService } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';
import { until } from '../../support/until.ts';

type Path = '/.well-known/openid-configuration' | '/keys' | '/token' | '/userinfo';

const PERSON = { email: 'someone@example.com', email_verified: true };
const PATHS: readonly Path[] = ['/.well-known/openid-configuration', '/token', '/keys', '/userinfo'];

/** Answers one path in a way of its own; userinfo is asked because the ID token has no email. */
function trouble(path: Path, answer: NonNullable<Misbehaviour['answer']>): Misbehaviour {
  return {
    idToken: ({ claims: { email: _email, ...claims }, sign }) => sign(claims),
    answer: (asked, response, request) => asked === path && answer(asked, response, request),
  };
}

// What a provider may do instead of answering.
const TROUBLES: readonly [string, NonNullable<Misbehaviour['answer']>][] = [
  ['an error', (_path, response) => Boolean(response.writeHead(500).end('{}'))],
  ['a page', (_path, response) => Boolean(response.end('<html>'))],
  [
    'a redirect',
    (_path, response) => Boolean(response.writeHead(302, { Location: 'http://127.0.0.1:9/canary' }).end()),
  ],
  ['two megabytes', (_path, response) => Boolean(response.end(`{"x":"${'x'.repeat(2_000_000)}"}`))],
  [
    'a compressed answer',
    (_path, response) => Boolean(response.setHeader('Content-Encoding', 'gzip').end(gzipSync('{}'))),
  ],
  [
    'half an answer',
    (_path, response) => {
      response.writeHead(200, { 'Content-Length': '100' }).write('{"a":');
      setTimeout(() => response.destroy(), 20);
      return true;
    },
  ],
  ['nothing', (_path, response) => Boolean(response.destroy())],
];

describe('a provider in trouble', () => {
  for (const path of PATHS)
    longTest(
      `that answers ${path} with anything else is reported to the client as unavailable`,
      async (t) => {
        const { provider, signIn } = await federateWithFake(t, PERSON);
        for (const [index, [title, answer]] of TROUBLES.entries()) {
          provider.behave(trouble(path, answer));
          assert.equal((await signIn())['error'], 'provider_unavailable', title);
          // Each was asked for, and none of these answers is kept.
          assert.equal(provider.asked.filter((asked) => asked === path).length, index + 1, title);
        }
        provider.behave({});
        // A connection that the provider has just closed may still be tried once.
        await until(async () => (await signIn())['error'] === undefined);
      },
    );

  test('that is down costs the service nothing, and is reported to the client', async (t) => {
    const service = await startService(t, providerSettings('oidc', 'http://127.0.0.1:9'));
    const { headers } = await service.api.get('/auth/oidc');
    assert.match(headers.get('location') ?? '', /#error=provider_unavailable&/);
    assert.equal((await service.api.get('/health')).status, 200);
  });

  longTest(
    'that hangs is given five seconds, by one request however many wait, while others are served',
    async (t) => {
      const { provider, service, signIn } = await federateWithFake(t, PERSON);
      provider.behave(trouble('/.well-known/openid-configuration', () => true));
      const waiting = Array.from({ length: 5 }, async () => (await signIn())['error']);
      assert.equal((await service.api.get('/restaurants')).status, 200);
      for (const error of await Promise.all(waiting)) assert.equal(error, 'provider_unavailable');
      assert.equal(provider.asked.length, 1);
    },
  );
});

describe('an endpoint that a public provider names at a private address', () => {
  test('is not asked', async (t) => {
    let asked = 0;
    const server = createServer((_request, response) => {
      asked += 1;
      response.end('{}');
    });
    const port = await listenOnLoopback(t, server);
    const own = [
      '127.0.0.1',
      'localhost',
      '0.0.0.0',
      '2130706433',
      '0x7f.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[0:0:0:0:0:FFFF:7F00:1]',
    ].map((host) => `${host}:${port}`);
    const others = [
      '10.0.0.1',
      '192.168.1.1',
      '172.16.0.1',
      '100.64.0.1',
      '169.254.169.254',
      '[fd00::1]',
      '[fe80::1]',
      '[64:ff9b::7f00:1]',
      '[::ffff:a9fe:a9fe]',
    ];
    for (const host of [...own, ...others]) {
      const asking = fetchText(`http://${host}/`, { allowPrivate: false });
      await assert.rejects(asking, /is not a public address/, host);
    }
    assert.equal(asked, 0);
    assert.equal((await fetchText(`http://127.0.0.1:${port}/`, { allowPrivate: true })).status, 200);
    assert.equal(asked, 1);
  });
});
