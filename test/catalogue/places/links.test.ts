import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { OutboundError, fetchRedirect } from '../../../src/kit/fetch.ts';
import { refusal } from '../../support/changes.ts';
import { type Client, field, record } from '../../support/client.ts';
import { type Fault, type FakeServer, sending, startFakeServer } from '../../support/fake-server.ts';
import { LINKS } from '../../support/map-links.ts';
import { LOCAL } from '../../support/people.ts';
import { outcome, warnings } from '../../support/places.ts';
import { type Service, type Variables, startService } from '../../support/service.ts';
import { longTest } from '../../support/size.ts';

const UNKNOWN = [400, 'This is no link of a map that is known'] as const;
const MANY = [400, 'This is a link to a list or a map of many places, not to one place'] as const;
const CLOSED = [
  400,
  'This link says nothing until it is opened: open it, and send the address that it leads to',
] as const;
const NO_IDS = { google: null, osm: null, fsq: null, overture: null, wikidata: null };
const ENZO = {
  name: 'Trattoria Da Enzo',
  address: null,
  latitude: 41.8884,
  longitude: 12.4775,
  external_ids: NO_IDS,
};
const PLACE =
  'https://www.google.com/maps/place/Trattoria+Da+Enzo/@41.8,12.4,17z/data=!8m2!3d41.8884!4d12.4775';
const SHORT = 'https://maps.app.goo.gl/AbC123';
const STOOD_FOR = [
  'maps.app.goo.gl',
  'goo.gl',
  'maps.apple.com',
  'maps.apple',
  'www.google.com',
  'maps.google.com',
  'g.co',
  'share.google',
];

const read = (api: Client, url: unknown) => api.post('/places/link', { url });
const redirecting = (location: string, status = 302): Fault =>
  sending(status, 'moved', { Location: location });

interface Followed {
  readonly service: Service;
  readonly hosts: FakeServer;
}

/** A service, and a server that stands for all hosts that it may ask. */
async function follow(t: TestContext, honest: Fault, variables: Variables = {}): Promise<Followed> {
  const hosts = await startFakeServer(t, honest);
  const mapHosts = new Map(STOOD_FOR.map((host) => [host, hosts.url]));
  return { hosts, service: await startService(t, variables, { mapHosts }) };
}

describe('POST /places/link', () => {
  for (const link of [
    SHORT,
    'http://maps.app.goo.gl/AbC123',
    'maps.app.goo.gl/AbC123?g_st=ic',
    'https://goo.gl/maps/AbC123',
    'https://maps.apple.com/p/AbC123',
    'https://maps.apple/p/AbC123',
    'https://g.co/kgs/AbC123',
    'https://share.google/AbC123',
    'https://www.google.co.jp/maps/AbC123?cid=5',
  ])
    test(`follows ${link} with one request, which names no one`, async (t) => {
      const { service, hosts } = await follow(t, redirecting(PLACE));
      assert.deepEqual(outcome(await read(service.api, link)), [200, { url: PLACE, ...ENZO }]);
      const [asked, ...more] = hosts.asked;
      assert.deepEqual([asked?.method, asked?.path.endsWith('/AbC123'), more], ['GET', true, []]);
      assert.equal(asked?.headers['user-agent'], 'restaurant-catalogue');
      assert.deepEqual([asked.headers.cookie, asked.headers.referer], [undefined, undefined]);
    });

  test('follows redirects of redirects, relative ones too, and Google’s consent page', async (t) => {
    const consent = `https://consent.google.com/ml?continue=${encodeURIComponent(PLACE)}&gl=IT`;
    const { service, hosts } = await follow(t, (response, { path }) => {
      const next =
        path === '/AbC123' ? 'http://maps.google.com/?cid=5' : path === '/' ? '/maps?cid=5' : consent;
      response.writeHead(path === '/' ? 301 : 302, { Location: next }).end();
    });
    assert.deepEqual(outcome(await read(service.api, SHORT)), [200, { url: PLACE, ...ENZO }]);
    assert.deepEqual(
      hosts.asked.map(({ path }) => path),
      ['/AbC123', '/', '/maps'],
    );
  });

  test('asks nobody when the address says enough, as a code of OpenStreetMap does', async (t) => {
    const { service, hosts } = await follow(t, sending(500, ''));
    // The example of https://wiki.openstreetmap.org/wiki/Shortlink
    for (const [link, osm] of [
      ['https://osm.org/go/0EEQjE--', null],
      ['https://www.openstreetmap.org/go/0EEQjE==', null],
      ['osm.org/go/0EEQjE--?m=&node=26608425', 'N26608425'],
    ] as const) {
      const { status, body } = await read(service.api, link);
      assert.equal(status, 200, link);
      assert.ok(Math.abs(Number(field(body, 'latitude')) - 51.511) < 0.002, JSON.stringify(body));
      assert.ok(Math.abs(Number(field(body, 'longitude')) - 0.055) < 0.002, JSON.stringify(body));
      assert.deepEqual(field(body, 'external_ids'), { ...NO_IDS, osm });
    }
    assert.deepEqual(outcome(await read(service.api, PLACE)), [200, { url: PLACE, ...ENZO }]);
    assert.equal(hosts.asked.length, 0);
  });

  test('reads the addresses of maps like the app does', async (t) => {
    const { service } = await follow(t, sending(200, 'a page'));
    for (const [
      form,
      link,
      { url = link, name = null, address = null, lat = null, lng = null, ...more },
    ] of LINKS) {
      const { google_place_id: google = null, osm = null, unresolved, many } = more;
      if (unresolved === true) continue;
      const { status, body } = await read(service.api, link);
      if (many === true) {
        assert.deepEqual([status, field(body, 'error')], [...MANY], form);
        continue;
      }
      assert.equal(status, 200, form);
      const { url: shown, ...place } = record(body);
      assert.equal(shown, url, form);
      const expected = { name, address, latitude: lat, longitude: lng };
      assert.deepEqual(place, { ...expected, external_ids: { ...NO_IDS, google, osm } }, form);
    }
  });

  for (const link of [
    'https://food.example/menu',
    'https://www.google.com/',
    'https://maps.app.goo.gl/',
    'https://maps.app.goo.gl:8443/AbC123',
    'https://user:word@maps.app.goo.gl/AbC123',
    'https://maps.app.goo.gl.evil.example/AbC123',
    'https://goo.gl/AbC123',
    'https://evil.example/?continue=https://maps.app.goo.gl/AbC123',
    'https://127.0.0.1/maps/place/x',
    'ftp://maps.google.com/?q=1,2',
    'Da Enzo',
  ])
    test(`refuses ${link} without asking anyone`, async (t) => {
      const { service, hosts } = await follow(t, redirecting(PLACE));
      assert.deepEqual(refusal(await read(service.api, link)), UNKNOWN);
      assert.equal(hosts.asked.length, 0);
    });

  for (const target of [
    'https://evil.example/maps/place/x',
    'https://127.0.0.1/',
    'https://[::1]/',
    'http://169.254.169.254/latest/meta-data',
    'https://maps.google.com:22/?cid=1',
    'file:///etc/passwd',
    'https://',
  ])
    test(`does not follow a redirect to ${target}`, async (t) => {
      const { service, hosts } = await follow(t, redirecting(target));
      assert.deepEqual(refusal(await read(service.api, SHORT)), UNKNOWN);
      assert.equal(hosts.asked.length, 1);
    });

  test('says that a link leads to many places, or that its own service is not asked', async (t) => {
    const { service, hosts } = await follow(t, redirecting('https://www.google.com/maps/d/viewer?mid=AbC'));
    assert.deepEqual(refusal(await read(service.api, SHORT)), MANY);
    for (const link of ['https://naver.me/AbC', 'https://yandex.ru/maps/-/AbC', 'https://her.is/AbC'])
      assert.deepEqual(refusal(await read(service.api, link)), CLOSED);
    assert.equal(hosts.asked.length, 1);
  });

  test('gives up after five redirects', async (t) => {
    const { service, hosts } = await follow(t, redirecting('/AbC124'));
    const error = 'Maps provider gave an answer that cannot be used';
    assert.deepEqual(refusal(await read(service.api, SHORT)), [502, error]);
    assert.equal(hosts.asked.length, 5);
  });

  const troubles: readonly (readonly [string, Fault, number, string])[] = [
    ['an error', sending(500, 'oops'), 502, 'Maps provider failed'],
    ['a page', sending(200, '<title>Maps</title>'), 502, 'Maps provider gave an answer that cannot be used'],
    ['a redirect to nowhere', sending(302, ''), 502, 'Maps provider gave an answer that cannot be used'],
    ['that there is no such link', sending(404, ''), 404, 'Place not found'],
    ['nothing', (response) => response.destroy(), 502, 'Maps provider failed'],
  ];
  for (const [title, fault, status, error] of troubles)
    test(`answers ${status} when a host answers ${title}`, async (t) => {
      const { service } = await follow(t, fault);
      assert.deepEqual(refusal(await read(service.api, SHORT)), [status, error]);
      const logged = warnings(service);
      assert.equal(logged.length, status === 404 ? 0 : 1);
      for (const { host } of logged) assert.equal(host, 'maps.app.goo.gl');
      assert.equal(JSON.stringify(service.logs).includes('AbC123'), false);
    });

  longTest('answers 504 when a host does not answer in time, and reads no body', async (t) => {
    const { service, hosts } = await follow(t, () => undefined);
    assert.deepEqual(refusal(await read(service.api, SHORT)), [504, 'Maps provider did not answer in time']);
    hosts.behave((response) => {
      response.writeHead(302, { Location: PLACE });
      // A body without an end, which leaves others a turn.
      const write = (): void => {
        if (!response.destroyed) response.write(Buffer.alloc(16_384), () => setImmediate(write));
      };
      write();
    });
    assert.deepEqual(outcome(await read(service.api, SHORT)), [200, { url: PLACE, ...ENZO }]);
  });

  test('asks at public addresses alone, whatever a name resolves to', async (t) => {
    const { port, asked } = await startFakeServer(t, redirecting(PLACE));
    for (const host of ['localhost', '127.0.0.1', '[::1]'])
      await assert.rejects(
        fetchRedirect(`https://${host}:${port}/AbC123`, { allowPrivate: false }),
        (error: unknown) => error instanceof OutboundError && error.kind === 'address',
      );
    assert.equal(asked.length, 0);
  });

  test('is for users, and has a limit of its own for what is followed', async (t) => {
    const limits = { RATE_LIMIT_PER_MINUTE: '1000', RATE_LIMIT_BURST: '1000' };
    const { service } = await follow(t, redirecting(PLACE), limits);
    for (let count = 0; count < 10; count += 1) assert.equal((await read(service.api, SHORT)).status, 200);
    const refused = await read(service.api, SHORT);
    assert.deepEqual([refused.status, refused.headers.has('retry-after')], [429, true]);
    assert.equal((await read(service.api, PLACE)).status, 200);
    const { api } = await startService(t, LOCAL);
    assert.equal((await read(api, SHORT)).status, 401);
  });

  test('can be switched off', async (t) => {
    const { service, hosts } = await follow(t, redirecting(PLACE), { MAP_LINKS: 'false' });
    for (const link of [SHORT, PLACE])
      assert.deepEqual(refusal(await read(service.api, link)), [503, 'Map links are switched off']);
    assert.equal(hosts.asked.length, 0);
  });

  test('wants a link', async (t) => {
    const { api } = await startService(t);
    const cases = [
      [undefined, 'url is required'],
      [5, 'url must be a string'],
      ['x'.repeat(2_001), 'url must be at most 2000 characters'],
    ] as const;
    for (const [url, error] of cases) assert.deepEqual(refusal(await read(api, url)), [400, error]);
  });
});
