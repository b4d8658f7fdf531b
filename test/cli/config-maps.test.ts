import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Config } from '../../src/config.ts';
import { runCommand } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';
import { type Variables, configOf, faultsOf, warningsOf } from '../support/settings.ts';

const NOMINATIM = {
  MAPS_PROVIDER: 'nominatim',
  MAPS_BASE_URL: 'https://nominatim.example/',
  MAPS_CONTACT: 'maps@food.example',
};
const PUBLIC = { ...NOMINATIM, MAPS_BASE_URL: 'https://nominatim.openstreetmap.org' };
const BAD_URL = 'MAPS_BASE_URL must be an http or https address without query, fragment and credentials';
const BAD_KEY = 'MAPS_API_KEY must be 1 to 500 printable ASCII characters without blanks';
const BAD_PACE =
  'MAPS_REQUESTS_PER_SECOND must be 1 for nominatim.openstreetmap.org, as its usage policy says';

const mapsOf = (environment: Variables): Config['maps'] => configOf(environment).maps;

describe('the configuration of maps', () => {
  test('is none without a key, and Google at its own host with one', () => {
    assert.equal(mapsOf({}), undefined);
    assert.equal(mapsOf({ MAPS_BASE_URL: 'https://maps.example', MAPS_CONTACT: 'a@b.example' }), undefined);
    assert.equal(mapsOf({ MAPS_API_KEY: 'key', MAPS_PROVIDER: 'none' }), undefined);
    assert.deepEqual(mapsOf({ MAPS_API_KEY: 'key' }), {
      provider: 'google',
      key: 'key',
      baseUrl: 'https://places.googleapis.com',
      dailyLimit: 1000,
      hasOwnHost: false,
    });
  });

  test('is another host and limit where they are set, without the slash at its end', () => {
    const set = {
      MAPS_API_KEY: 'key',
      MAPS_BASE_URL: 'https://Maps.example:8443/google/',
      MAPS_DAILY_LIMIT: '0',
    };
    assert.deepEqual(mapsOf(set), {
      provider: 'google',
      key: 'key',
      baseUrl: 'https://maps.example:8443/google',
      dailyLimit: 0,
      hasOwnHost: true,
    });
  });

  test('is Nominatim only by its name, with host and contact', () => {
    assert.deepEqual(mapsOf({ ...NOMINATIM, MAPS_REQUESTS_PER_SECOND: '20' }), {
      provider: 'nominatim',
      contact: 'maps@food.example',
      baseUrl: 'https://nominatim.example',
      requestsPerSecond: 20,
      dailyLimit: 1000,
    });
    assert.equal(mapsOf(PUBLIC)?.baseUrl, 'https://nominatim.openstreetmap.org');
    assert.ok(mapsOf({ ...NOMINATIM, MAPS_CONTACT: 'https://food.example/about' }));
  });

  const wrong: readonly [string, Variables, readonly string[]][] = [
    [
      'another provider',
      { MAPS_PROVIDER: 'bing' },
      ['MAPS_PROVIDER must be one of google, nominatim, none, not "bing"'],
    ],
    [
      'Google without a key',
      { MAPS_PROVIDER: 'google' },
      ['MAPS_API_KEY is required when MAPS_PROVIDER is google'],
    ],
    ['a key with a blank', { MAPS_API_KEY: 'a b' }, [BAD_KEY]],
    ['a key with a line break', { MAPS_API_KEY: 'a\r\nX-Evil: 1' }, [BAD_KEY]],
    ['a key beyond ASCII', { MAPS_API_KEY: 'clé' }, [BAD_KEY]],
    [
      'a key that is set twice',
      { MAPS_API_KEY: 'a', MAPS_API_KEY_FILE: '/x' },
      ['MAPS_API_KEY and MAPS_API_KEY_FILE must not both be set'],
    ],
    ['a host without a scheme', { MAPS_BASE_URL: 'maps.example' }, [BAD_URL]],
    ['a file', { MAPS_BASE_URL: 'file:///etc/passwd' }, [BAD_URL]],
    ['credentials in the address', { MAPS_BASE_URL: 'https://a:b@maps.example' }, [BAD_URL]],
    ['a query in the address', { MAPS_BASE_URL: 'https://maps.example/?key=a' }, [BAD_URL]],
    ['a bare question mark', { MAPS_BASE_URL: 'https://maps.example/?' }, [BAD_URL]],
    ['a fragment in the address', { MAPS_BASE_URL: 'https://maps.example/#' }, [BAD_URL]],
    [
      'Nominatim without host and contact',
      { MAPS_PROVIDER: 'nominatim' },
      [
        'MAPS_BASE_URL is required when MAPS_PROVIDER is nominatim',
        'MAPS_CONTACT is required when MAPS_PROVIDER is nominatim',
      ],
    ],
    [
      'a contact that is none',
      { ...NOMINATIM, MAPS_CONTACT: 'me' },
      ['MAPS_CONTACT must be an email address or a web address, not "me"'],
    ],
    [
      'a contact that ends the comment',
      { ...NOMINATIM, MAPS_CONTACT: 'a@b.example)(x' },
      ['MAPS_CONTACT must be an email address or a web address, not "a@b.example)(x"'],
    ],
    [
      'a contact with a line break',
      { ...NOMINATIM, MAPS_CONTACT: 'a@b.example\r\nX: y@z.example' },
      ['MAPS_CONTACT must be an email address or a web address, not "a@b.example\r\nX: y@z.example"'],
    ],
    [
      'a limit below 0',
      { MAPS_DAILY_LIMIT: '-1' },
      ['MAPS_DAILY_LIMIT must be an integer from 0 to 1000000, not "-1"'],
    ],
    [
      'no pace',
      { MAPS_REQUESTS_PER_SECOND: '0' },
      ['MAPS_REQUESTS_PER_SECOND must be an integer from 1 to 100, not "0"'],
    ],
    ['a fast pace at the public host', { ...PUBLIC, MAPS_REQUESTS_PER_SECOND: '2' }, [BAD_PACE]],
    [
      'a fast pace at the public host in another spelling',
      { ...PUBLIC, MAPS_BASE_URL: 'http://Nominatim.OpenStreetMap.org./', MAPS_REQUESTS_PER_SECOND: '100' },
      [BAD_PACE],
    ],
  ];
  for (const [title, environment, faults] of wrong)
    test(`refuses ${title}`, () => {
      assert.deepEqual(faultsOf(environment), faults);
    });

  test('warns where the key would go over the network in the open, and nowhere else', () => {
    const key = { MAPS_API_KEY: 'key' };
    assert.deepEqual(warningsOf({ ...key, MAPS_BASE_URL: 'http://maps.example' }), [
      'MAPS_BASE_URL is not https: an attacker who listens on the way learns the API key',
    ]);
    for (const url of [
      'http://127.0.0.1:9000',
      'http://localhost',
      'http://[::1]:80',
      'https://maps.example',
    ])
      assert.deepEqual(warningsOf({ ...key, MAPS_BASE_URL: url }), []);
    assert.deepEqual(warningsOf({ ...NOMINATIM, MAPS_BASE_URL: 'http://maps.example' }), []);
  });

  test('reads the key from a file, which makes Google the provider too', (t) => {
    const file = join(temporaryFolder(t), 'key');
    writeFileSync(file, 'from-a-file\n');
    const maps = mapsOf({ MAPS_API_KEY_FILE: file });
    assert.equal(maps?.provider === 'google' && maps.key, 'from-a-file');
  });

  test('is printed without the key, and refused without repeating what may hold a password', async (t) => {
    const cwd = temporaryFolder(t);
    const printed = await runCommand(['--print-config'], { cwd, variables: { MAPS_API_KEY: 'canary' } });
    assert.match(printed.out, /^MAPS_API_KEY=\(set\)$/m);
    assert.match(printed.out, /^MAPS_BASE_URL=https:\/\/places\.googleapis\.com$/m);
    const variables = { MAPS_API_KEY: 'canary \n', MAPS_BASE_URL: 'https://x:canary@maps.example' };
    const refused = await runCommand(['--print-config'], { cwd, variables });
    assert.deepEqual(refused.err, `${BAD_KEY}\n${BAD_URL}\n`);
    assert.ok(![printed, refused].some(({ out, err }) => `${out}${err}`.includes('canary')));
  });
});
