import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { parseEnv } from 'node:util';
import { type Config, readConfig } from '../../src/config/config.ts';
import { pageText } from '../support/manual.ts';
import { temporaryFolder } from '../support/service.ts';
import { type Variables, configOf, faultsOf, warningsOf } from '../support/settings.ts';

const SECRET = '0123456789abcdef0123456789abcdef';
const LOCAL = { AUTH_MODE: 'local', JWT_SECRET_KEY: SECRET };
const PRODUCTION = { ...LOCAL, NODE_ENV: 'production' };
const IDP = {
  IDP_OAUTH_CLIENT_ID: 'id',
  IDP_OAUTH_CLIENT_SECRET: 'secret',
  IDP_OAUTH_REDIRECT_URL: 'https://food.example/api/auth/idp/callback',
};
const OIDC = {
  OIDC_ISSUER_URL: 'https://id.example/',
  OIDC_CLIENT_ID: 'id',
  OIDC_CLIENT_SECRET: 'secret',
  OIDC_REDIRECT_URL: 'https://food.example/api/auth/oidc/callback',
};
const NOMINATIM = {
  MAPS_PROVIDER: 'nominatim',
  MAPS_BASE_URL: 'https://nominatim.example/',
  MAPS_CONTACT: 'maps@food.example',
};
const PUBLIC = { ...NOMINATIM, MAPS_BASE_URL: 'https://nominatim.openstreetmap.org' };
const TILES = 'https://tiles.example/{z}/{x}/{y}.png';
const ATTRIBUTED = { MAP_ATTRIBUTION: '© a map' };

// In words in the manual.
const IN_WORDS: Readonly<Record<string, string>> = {
  HOST: '127.0.0.1',
  AUTH_MODE: 'none',
  JWT_SECRET_KEY: '',
  CLIENT_REDIRECT_URL: 'http://localhost:3000/auth/callback',
  MAPS_PROVIDER: 'none',
  MAPS_API_KEY: '',
  MAPS_BASE_URL: '',
  MAPS_CONTACT: '',
  BACKUP_DIR: resolve('data/backups'),
  ALLOWED_ORIGINS: 'http://localhost:3000,http://localhost:5173',
};

/** The default of a setting as configure.md has it. */
function documented(name: string): string | undefined {
  // The file of a secret has no row of its own.
  if (name.endsWith('_FILE') && !name.startsWith('TLS_')) return '';
  const row = new RegExp(`^\\| (?:[^|]*, )?\`${name}\`(?:, [^|]*)? \\| ([^|]*) \\|`, 'm');
  const [, text = ''] = row.exec(pageText('configure.md')) ?? [];
  return text === 'none' ? '' : (IN_WORDS[name] ?? /^`([^`]*)`$/.exec(text)?.[1]);
}

describe('the configuration', () => {
  test('has the default for everything that the manual has', () => {
    const { settings } = readConfig({});
    const expected = [...settings].map(([name]) => [name, documented(name)]);
    assert.deepEqual([...settings], expected);
    for (const name of Object.keys(IN_WORDS)) assert.ok(settings.has(name), name);
  });

  test('is as it is without .env.example where all lines of that are in force, and each setting is there once', () => {
    const example = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');
    const names = [...example.matchAll(/^#?(\w+)=/gm)].map(([, name = '']) => name);
    const { settings } = readConfig({});
    assert.ok(names.length > 10);
    assert.deepEqual(
      names.filter((name, at) => !settings.has(name) || names.indexOf(name) !== at),
      [],
    );
    const inForce = readConfig({ ...parseEnv(example.replace(/^#(?=\w+=)/gm, '')) });
    assert.deepEqual([inForce.ok, inForce.settings], [true, settings]);
  });

  test('takes an empty variable for an unset one', () => {
    const { port, host } = configOf({ PORT: '', HOST: ' ', LOG_LEVEL: '' });
    assert.deepEqual([port, host], [8080, '127.0.0.1']);
  });

  test('reports all faults together', () => {
    assert.deepEqual(
      faultsOf({ PORT: 'x', LOG_FORMAT: 'xml', RATE_LIMIT_BURST: 'lots' }).map((line) => line.split(' ')[0]),
      ['RATE_LIMIT_BURST', 'PORT', 'LOG_FORMAT'],
    );
  });

  test('listens on this machine alone in mode none, on all addresses otherwise, and on HOST where that is set', () => {
    const environments = [{}, LOCAL, { HOST: '0.0.0.0' }, { ...LOCAL, HOST: '127.0.0.1' }];
    assert.deepEqual(
      environments.map((environment) => configOf(environment).host),
      ['127.0.0.1', '::', '0.0.0.0', '127.0.0.1'],
    );
  });
});

describe('the configuration of accounts', () => {
  test('is for providers only in the modes that have them', () => {
    assert.equal(configOf({ ...LOCAL, ...IDP }).auth.idp, undefined);
    assert.equal(configOf(OIDC).auth.oidc, undefined);
    const { idp, oidc } = configOf({ ...LOCAL, AUTH_MODE: 'both', ...IDP, ...OIDC }).auth;
    assert.deepEqual([idp?.issuer, oidc?.issuer], ['https://accounts.google.com', 'https://id.example/']);
  });

  test('sends browsers back to the first allowed origin, else next to the API, unless configured otherwise', () => {
    const url = (more: Variables): string | undefined =>
      configOf({ AUTH_MODE: 'oauth', NODE_ENV: 'production', ...IDP, ...more }).auth.clientRedirectUrl;
    assert.equal(
      url({ ALLOWED_ORIGINS: 'https://a.example,https://b.example' }),
      'https://a.example/auth/callback',
    );
    assert.equal(url({}), 'https://food.example/auth/callback');
    const elsewhere = { ...OIDC, OIDC_REDIRECT_URL: 'https://other.example/api/auth/oidc/callback' };
    assert.equal(url(elsewhere), 'https://food.example/auth/callback');
    assert.equal(url({ CLIENT_REDIRECT_URL: 'app://signed-in' }), 'app://signed-in');
  });

  test('reads every secret from a file too, without the line break at its end', (t) => {
    const folder = temporaryFolder(t);
    const file = (name: string, content: string): string => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const { auth, maps } = configOf({
      AUTH_MODE: 'both',
      ...IDP,
      ...OIDC,
      IDP_OAUTH_CLIENT_SECRET: '',
      OIDC_CLIENT_SECRET: '',
      JWT_SECRET_KEY_FILE: file('jwt', `${SECRET}\n`),
      IDP_OAUTH_CLIENT_SECRET_FILE: file('idp', 'idp secret\r\n'),
      OIDC_CLIENT_SECRET_FILE: file('oidc', 'oidc secret'),
      ADMIN_EMAIL: 'a@example.com',
      ADMIN_PASSWORD_FILE: file('admin', ' kept blanks \n'),
      MAPS_API_KEY_FILE: file('key', 'from-a-file\n'),
    });
    assert.deepEqual(
      [auth.jwtSecret, auth.idp?.clientSecret, auth.oidc?.clientSecret, auth.administrator?.password],
      [SECRET, 'idp secret', 'oidc secret', ' kept blanks '],
    );
    assert.equal(maps?.provider === 'google' && maps.key, 'from-a-file');
    const faultOf = (JWT_SECRET_KEY_FILE: string): string =>
      faultsOf({ AUTH_MODE: 'local', JWT_SECRET_KEY_FILE }).join();
    assert.match(
      faultOf('/none'),
      /^JWT_SECRET_KEY_FILE names a file that cannot be read \(there is no such file or folder\): \/none/,
    );
    assert.match(faultOf(file('empty', '\n')), /^JWT_SECRET_KEY_FILE names an empty file: /);
  });

  const weak: readonly [string, string, string][] = [
    ['six bytes', 'canary', 'JWT_SECRET_KEY must be at least 16 bytes, and random'],
    ['fifteen bytes', 'canary-canary-1', 'JWT_SECRET_KEY must be at least 16 bytes, and random'],
    ['seven characters of two bytes', 'éèêëàâç', 'JWT_SECRET_KEY must be at least 16 bytes, and random'],
    ['blanks', ' '.repeat(40), 'JWT_SECRET_KEY must not be blank'],
    ['blanks of many kinds', '\t \u00a0\u3000'.repeat(10), 'JWT_SECRET_KEY must not be blank'],
    ['one letter', 'x'.repeat(64), 'JWT_SECRET_KEY must not be one character repeated'],
    [
      'one character of two UTF-16 units',
      '🍕'.repeat(20),
      'JWT_SECRET_KEY must not be one character repeated',
    ],
  ];
  for (const [title, JWT_SECRET_KEY, fault] of weak)
    test(`refuses a JWT_SECRET_KEY of ${title} in every mode`, () => {
      for (const AUTH_MODE of ['none', 'local', 'oauth', 'both'])
        assert.deepEqual(faultsOf({ AUTH_MODE, JWT_SECRET_KEY }), [fault], AUTH_MODE);
    });

  test('warns of a JWT_SECRET_KEY of 16 to 31 bytes, whatever its characters', () => {
    for (const JWT_SECRET_KEY of ['0123456789abcdef', 'éèêëàâçù', SECRET.slice(0, 31)])
      assert.deepEqual(warningsOf({ AUTH_MODE: 'local', JWT_SECRET_KEY }), [
        'JWT_SECRET_KEY should be at least 32 bytes, and random',
      ]);
  });
});

describe('the configuration of maps', () => {
  const mapsOf = (environment: Variables): Config['maps'] => configOf(environment).maps;

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
    const MAPS_BASE_URL = 'https://Maps.example:8443/google/';
    assert.deepEqual(mapsOf({ MAPS_API_KEY: 'key', MAPS_BASE_URL, MAPS_DAILY_LIMIT: '0' }), {
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
});

describe('the configuration of operations', () => {
  test('is off as it stands', () => {
    assert.deepEqual(configOf({}).operations, {
      tls: undefined,
      backups: undefined,
      metricsToken: undefined,
      migrate: 'auto',
      readOnly: false,
      primaryUrl: undefined,
    });
  });

  test('takes all of it', () => {
    const all = {
      TLS_CERT_FILE: 'tls/cert.pem',
      TLS_KEY_FILE: '/etc/tls/key.pem',
      HTTPS_PORT: '443',
      BACKUP_SCHEDULE: '03:30',
      BACKUP_DIR: '/backups',
      BACKUP_KEEP: '30',
      MIGRATE: 'manual',
      METRICS_TOKEN: 'a-token-of-tests',
      PRIMARY_URL: 'https://food.example',
    };
    assert.deepEqual(warningsOf(all), []);
    assert.deepEqual(configOf(all).operations, {
      tls: { certFile: resolve('tls/cert.pem'), keyFile: '/etc/tls/key.pem', port: 443 },
      backups: { minuteOfDay: 210, folder: '/backups', keep: 30 },
      metricsToken: 'a-token-of-tests',
      migrate: 'manual',
      readOnly: false,
      primaryUrl: 'https://food.example',
    });
  });

  test('puts backups into the data folder unless another one is set', () => {
    const { backups } = configOf({ BACKUP_SCHEDULE: '23:59', DATA_DIR: '/srv/catalogue' }).operations;
    assert.deepEqual(backups, { minuteOfDay: 1439, folder: '/srv/catalogue/backups', keep: 7 });
  });

  test('enforces the limits of the edge where it ends TLS', () => {
    assert.equal(configOf({ TLS_CERT_FILE: 'cert.pem', TLS_KEY_FILE: 'key.pem' }).edgeLimits, true);
  });

  test('keeps deletions and changes for as long as it says', () => {
    const cases: readonly (readonly [Variables, readonly [number, number, boolean]])[] = [
      [{}, [30, 365, true]],
      [{ TRASH_DAYS: '0', CHANGE_LOG_DAYS: '1', AUTHORS: 'none' }, [0, 1, false]],
      [{ TRASH_DAYS: '3650', CHANGE_LOG_DAYS: '36500', AUTHORS: 'usernames' }, [3_650, 36_500, true]],
      [{ TRASH_DAYS: '365' }, [365, 365, true]],
    ];
    for (const [environment, expected] of cases) {
      const { trashDays, changeLogDays, showsAuthors } = configOf(environment).history;
      assert.deepEqual([trashDays, changeLogDays, showsAuthors], expected);
    }
  });
});

const OSM = {
  template: 'https://tile.openstreetmap.org/{z}/{x}/{y}.png',
  attribution: '© OpenStreetMap contributors',
};

describe('the configuration of pages', () => {
  test('has a name by default, and streets for readers who ask', () => {
    const blank = { CATALOGUE_NAME: ' ', MAP_TILES: '' };
    const defaults = { name: 'Catalogue', currencySign: '€', tiles: { kind: 'ask', ...OSM } };
    assert.deepEqual(configOf(blank).pages, defaults);
    assert.deepEqual(warningsOf(blank), []);
  });

  test('counts characters of a name and of the source of a map, whatever their bytes', () => {
    assert.deepEqual(faultsOf({ CATALOGUE_NAME: '🍜'.repeat(60) }), []);
    const named = 'CATALOGUE_NAME must be at most 60 characters, without control characters';
    for (const name of ['x'.repeat(61), 'a\nb', 'a\u0000b', 'a\u009bb'])
      assert.deepEqual(faultsOf({ CATALOGUE_NAME: name }), [named]);
    assert.deepEqual(faultsOf({ MAP_TILES: TILES, MAP_ATTRIBUTION: '©'.repeat(300) }), []);
    const source = 'MAP_ATTRIBUTION must be at most 300 characters, without control characters';
    assert.deepEqual(faultsOf({ MAP_TILES: TILES, MAP_ATTRIBUTION: '©'.repeat(301) }), [source]);
  });

  for (const tiles of [
    TILES,
    'https://Tiles.example:8443/v1?z={z}&x={x}&y={y}&key=a%20b',
    'https://tiles.example/{z}/{x}/{y}@2x.webp',
  ])
    test(`accepts the map ${tiles}`, () => {
      assert.deepEqual(faultsOf({ MAP_TILES: tiles, ...ATTRIBUTED }), []);
    });

  test('names the source of OpenStreetMap’s tiles itself', () => {
    assert.deepEqual(configOf({ MAP_TILES: 'osm' }).pages.tiles, { kind: 'raster', ...OSM });
    assert.deepEqual(configOf({ MAP_TILES: 'ask', ...ATTRIBUTED }).pages.tiles, { kind: 'ask', ...OSM });
    assert.deepEqual(configOf({ MAP_TILES: 'none' }).pages.tiles, { kind: 'none' });
    assert.deepEqual(warningsOf({ MAP_TILES: 'osm' }), []);
  });

  for (const tiles of [
    'OSM',
    'None',
    'http://tiles.example/{z}/{x}/{y}.png',
    'https://tiles.example/{z}/{x}.png',
    'https://tiles.example/{z}/{x}/{y}/{r}.png',
    'https://{z}.example/{x}/{y}.png',
    'https://tiles.example;script-src/{z}/{x}/{y}.png',
    'https://user:word@tiles.example/{z}/{x}/{y}.png',
    'https://tiles.example/{z}/{x}/{y}.png#here',
    'https://tiles.example/{z} /{x}/{y}.png',
    'https://tiles.example/city.pmtiles',
    'javascript:{z}{x}{y}',
    '/srv/city.mbtiles',
  ])
    test(`refuses the map ${tiles}`, () => {
      const shape =
        'MAP_TILES must be ask, osm, none, a file that ends in .pmtiles, or an https address with {z}, {x} and {y}';
      assert.deepEqual(faultsOf({ MAP_TILES: tiles, ...ATTRIBUTED }), [`${shape}, not "${tiles}"`]);
    });

  test('wants the file of a map to be there', (t) => {
    const folder = temporaryFolder(t);
    const pathOf = (name: string): string => join(folder, `${name}.pmtiles`);
    writeFileSync(pathOf('present'), 'PMTiles');
    mkdirSync(pathOf('folder'));
    const faultOf = (name: string): string => faultsOf({ MAP_TILES: pathOf(name), ...ATTRIBUTED }).join();
    assert.equal(faultOf('present'), '');
    assert.match(faultOf('folder'), /cannot be used \(it is not a file\): /);
    const reason = 'there is no such file or folder';
    assert.equal(
      faultOf('none'),
      `MAP_TILES names a file that cannot be used (${reason}): ${pathOf('none')}`,
    );
  });
});

describe('a wrong setting', () => {
  const badUrl = 'MAPS_BASE_URL must be an http or https address without query, fragment and credentials';
  const badKey = 'MAPS_API_KEY must be 1 to 500 printable ASCII characters without blanks';
  const badPace =
    'MAPS_REQUESTS_PER_SECOND must be 1 for nominatim.openstreetmap.org, as its usage policy says';
  const badContact = 'MAPS_CONTACT must be an email address or a web address, not';
  const badRedirect = 'CLIENT_REDIRECT_URL must be an absolute address without a fragment, not';
  const fewDays = (days: number): string =>
    `CHANGE_LOG_DAYS must not be less than TRASH_DAYS (${days}): a deletion is undone by its change`;
  const wrong: readonly (readonly [Variables, ...string[]])[] = [
    [{ PORT: '65536' }, 'PORT must be an integer from 0 to 65535, not "65536"'],
    [{ PORT: '80.5' }, 'PORT must be an integer from 0 to 65535, not "80.5"'],
    [{ PORT: '-1' }, 'PORT must be an integer from 0 to 65535, not "-1"'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of debug, info, warn, error, silent, not "loud"'],
    [{ NODE_ENV: 'staging' }, 'NODE_ENV must be one of development, production, test, not "staging"'],
    ...['*', 'https://a.example/'].map((origin): [Variables, string] => [
      { ALLOWED_ORIGINS: `https://b.example,${origin}` },
      `ALLOWED_ORIGINS must be origins such as https://example.com, separated by commas, not "${origin}"`,
    ]),
    [
      { TRUSTED_PROXIES: 'loopback,10.0.0.0/99' },
      'TRUSTED_PROXIES must be loopback, private, none, addresses or CIDR ranges, separated by commas, not "10.0.0.0/99"',
    ],
    ...['food.example:8080', 'https://food.example', '*.example', '[::1]', '.example'].map(
      (entry): [Variables, string] => [
        { ALLOWED_HOSTS: `a.example,${entry}` },
        `ALLOWED_HOSTS must be host names such as food.example, separated by commas, not "${entry}"`,
      ],
    ),
    [{ BODY_MEMORY_MB: '0' }, 'BODY_MEMORY_MB must be an integer from 1 to 10000, not "0"'],
    [{ BODY_MEMORY_MB: '10001' }, 'BODY_MEMORY_MB must be an integer from 1 to 10000, not "10001"'],
    [{ USER_MB_PER_DAY: '-1' }, 'USER_MB_PER_DAY must be an integer from 0 to 1000000, not "-1"'],
    [{ EDGE_LIMITS: 'yes' }, 'EDGE_LIMITS must be one of true, false, not "yes"'],

    [{ AUTH_MODE: 'open' }, 'AUTH_MODE must be one of none, local, oauth, both, not "open"'],
    ...[{}, { AUTH_MODE: 'none' }].map((mode): [Variables, string] => [
      { NODE_ENV: 'production', ...mode },
      'AUTH_MODE must be local, oauth or both in production (NODE_ENV=production)',
    ]),
    [{ AUTH_MODE: 'local' }, 'JWT_SECRET_KEY is required when AUTH_MODE is local'],
    [{ AUTH_MODE: 'both', JWT_SECRET_KEY: '' }, 'JWT_SECRET_KEY is required when AUTH_MODE is both'],
    [{ ...LOCAL, JWT_SECRET_KEY_FILE: '/x' }, 'JWT_SECRET_KEY and JWT_SECRET_KEY_FILE must not both be set'],
    [{ ...LOCAL, ADMIN_EMAIL: 'a@example.com' }, 'ADMIN_EMAIL and ADMIN_PASSWORD must be set together'],
    [{ ...LOCAL, ADMIN_PASSWORD: 'x' }, 'ADMIN_EMAIL and ADMIN_PASSWORD must be set together'],
    [{ WRITE_ACCESS: 'nobody' }, 'WRITE_ACCESS must be one of users, admins, not "nobody"'],
    [{ REGISTRATION: 'no' }, 'REGISTRATION must be one of open, invite, closed, not "no"'],
    [{ REFRESH_TOKEN_ROTATION: '1' }, 'REFRESH_TOKEN_ROTATION must be one of true, false, not "1"'],
    [{ OIDC_ISSUER_URL: 'id.example' }, 'OIDC_ISSUER_URL must be an http or https address, not "id.example"'],
    [
      { IDP_ISSUER_URL: 'ftp://id.example' },
      'IDP_ISSUER_URL must be an http or https address, not "ftp://id.example"',
    ],
    [
      { ...IDP, IDP_OAUTH_REDIRECT_URL: 'https://food.example/callback' },
      'IDP_OAUTH_REDIRECT_URL must be an address that ends in /api/auth/idp/callback, not "https://food.example/callback"',
    ],
    ...['https://food.example/#done', 'javascript:alert(1)'].map((address): [Variables, string] => [
      { CLIENT_REDIRECT_URL: address },
      `${badRedirect} "${address}"`,
    ]),

    [{ MAPS_PROVIDER: 'bing' }, 'MAPS_PROVIDER must be one of google, nominatim, none, not "bing"'],
    [{ MAPS_PROVIDER: 'google' }, 'MAPS_API_KEY is required when MAPS_PROVIDER is google'],
    [{ MAPS_API_KEY: 'a b' }, badKey],
    [{ MAPS_API_KEY: 'a\r\nX-Evil: 1' }, badKey],
    [{ MAPS_API_KEY: 'clé' }, badKey],
    [
      { MAPS_API_KEY: 'a', MAPS_API_KEY_FILE: '/x' },
      'MAPS_API_KEY and MAPS_API_KEY_FILE must not both be set',
    ],
    [{ MAPS_BASE_URL: 'maps.example' }, badUrl],
    [{ MAPS_BASE_URL: 'file:///etc/passwd' }, badUrl],
    [{ MAPS_BASE_URL: 'https://a:b@maps.example' }, badUrl],
    [{ MAPS_BASE_URL: 'https://maps.example/?key=a' }, badUrl],
    [{ MAPS_BASE_URL: 'https://maps.example/?' }, badUrl],
    [{ MAPS_BASE_URL: 'https://maps.example/#' }, badUrl],
    [
      { MAPS_PROVIDER: 'nominatim' },
      'MAPS_BASE_URL is required when MAPS_PROVIDER is nominatim',
      'MAPS_CONTACT is required when MAPS_PROVIDER is nominatim',
    ],
    // One is no contact, the others would end the comment or the header in which it is sent.
    ...['me', 'a@b.example)(x', 'a@b.example\r\nX: y@z.example'].map((contact): [Variables, string] => [
      { ...NOMINATIM, MAPS_CONTACT: contact },
      `${badContact} "${contact}"`,
    ]),
    [{ MAPS_DAILY_LIMIT: '-1' }, 'MAPS_DAILY_LIMIT must be an integer from 0 to 1000000, not "-1"'],
    [{ MAPS_REQUESTS_PER_SECOND: '0' }, 'MAPS_REQUESTS_PER_SECOND must be an integer from 1 to 100, not "0"'],
    [{ ...PUBLIC, MAPS_REQUESTS_PER_SECOND: '2' }, badPace],
    [
      { ...PUBLIC, MAPS_BASE_URL: 'http://Nominatim.OpenStreetMap.org./', MAPS_REQUESTS_PER_SECOND: '100' },
      badPace,
    ],

    [{ TLS_CERT_FILE: 'cert.pem' }, 'TLS_CERT_FILE and TLS_KEY_FILE must be set together'],
    [{ TLS_KEY_FILE: 'key.pem' }, 'TLS_CERT_FILE and TLS_KEY_FILE must be set together'],
    [{ HTTPS_PORT: '65536' }, 'HTTPS_PORT must be an integer from 0 to 65535, not "65536"'],
    [{ TLS_CERT_FILE: 'a', TLS_KEY_FILE: 'b', PORT: '8443' }, 'HTTPS_PORT must not be the same as PORT'],
    [{ BACKUP_SCHEDULE: 'daily' }, 'BACKUP_SCHEDULE must be a time of day such as 03:30, not "daily"'],
    [{ BACKUP_SCHEDULE: '24:00' }, 'BACKUP_SCHEDULE must be a time of day such as 03:30, not "24:00"'],
    [{ BACKUP_SCHEDULE: '3:30' }, 'BACKUP_SCHEDULE must be a time of day such as 03:30, not "3:30"'],
    [{ BACKUP_KEEP: '0' }, 'BACKUP_KEEP must be an integer from 1 to 10000, not "0"'],
    [
      { METRICS_TOKEN: 'two words' },
      'METRICS_TOKEN must be 1 to 500 printable ASCII characters without blanks',
    ],
    [{ READ_ONLY: 'yes' }, 'READ_ONLY must be one of true, false, not "yes"'],
    [{ PRIMARY_URL: 'food.example' }, 'PRIMARY_URL must be an http or https address, not "food.example"'],

    [{ TRASH_DAYS: '-1' }, 'TRASH_DAYS must be an integer from 0 to 3650, not "-1"'],
    [
      { TRASH_DAYS: '3651', CHANGE_LOG_DAYS: '9999' },
      'TRASH_DAYS must be an integer from 0 to 3650, not "3651"',
    ],
    [{ TRASH_DAYS: 'ever' }, 'TRASH_DAYS must be an integer from 0 to 3650, not "ever"'],
    [
      { TRASH_DAYS: '0', CHANGE_LOG_DAYS: '0' },
      'CHANGE_LOG_DAYS must be an integer from 1 to 36500, not "0"',
    ],
    [{ CHANGE_LOG_DAYS: '36501' }, 'CHANGE_LOG_DAYS must be an integer from 1 to 36500, not "36501"'],
    [{ CHANGE_LOG_DAYS: '29' }, fewDays(30)],
    [{ TRASH_DAYS: '366' }, fewDays(366)],
    [{ AUTHORS: 'all' }, 'AUTHORS must be one of usernames, none, not "all"'],
  ];
  for (const [environment, ...faults] of wrong)
    test(`is refused: ${JSON.stringify(environment)}`, () => {
      assert.deepEqual(faultsOf(environment), faults);
    });
});

describe('an unwise setting', () => {
  const open =
    'anyone may make an account and write the catalogue: set REGISTRATION=invite or closed, or WRITE_ACCESS=admins';
  const inTheOpen = 'MAPS_BASE_URL is not https: an attacker who listens on the way learns the API key';
  const mapAt = (address: string): Variables => ({ MAPS_API_KEY: 'key', MAPS_BASE_URL: address });
  const unwise: readonly (readonly [Variables, string])[] = [
    [PRODUCTION, open],
    [
      { AUTH_MODE: 'oauth' },
      'AUTH_MODE is oauth, but no identity provider is configured: OAuth is not available',
    ],
    [
      { ...LOCAL, AUTH_MODE: 'both' },
      'AUTH_MODE is both, but no identity provider is configured: OAuth is not available',
    ],
    [
      { AUTH_MODE: 'oauth', ...OIDC, OIDC_ISSUER_URL: 'http://id.example' },
      'OIDC_ISSUER_URL is not https: an attacker who listens on the way can sign in as anyone',
    ],
    [
      { AUTH_MODE: 'oauth', ...OIDC, IDP_OAUTH_CLIENT_ID: 'id' },
      'sign-in at /api/auth/idp is not available without IDP_OAUTH_CLIENT_SECRET, IDP_OAUTH_REDIRECT_URL',
    ],
    [
      { AUTH_MODE: 'oauth', ...IDP, ADMIN_EMAIL: 'a@example.com', ADMIN_PASSWORD: 'x' },
      'ADMIN_EMAIL has no effect when AUTH_MODE is oauth: sign in once, then run catalogue user grant-admin',
    ],
    [mapAt('http://maps.example'), inTheOpen],
    [{ MAP_TILES: TILES }, 'MAP_TILES is set without MAP_ATTRIBUTION: name the source of the map'],
    [{ METRICS_TOKEN: 'a-token-of-test' }, 'METRICS_TOKEN should be at least 16 characters, and random'],
    [
      { READ_ONLY: 'true', BACKUP_SCHEDULE: '03:30' },
      'BACKUP_SCHEDULE has no effect when READ_ONLY is true: back up the primary',
    ],
  ];
  for (const [environment, warning] of unwise)
    test(`is warned of: ${JSON.stringify(environment)}`, () => {
      assert.deepEqual(warningsOf(environment), [warning]);
    });

  test('is none of these', () => {
    const fine: readonly Variables[] = [
      {},
      LOCAL,
      { AUTH_MODE: 'oauth', ...IDP },
      { ...LOCAL, AUTH_MODE: 'both', ...IDP, ...OIDC },
      ...[{ REGISTRATION: 'invite' }, { REGISTRATION: 'closed' }, { WRITE_ACCESS: 'admins' }].map((more) => ({
        ...PRODUCTION,
        ...more,
      })),
      ...['http://127.0.0.1:9000', 'http://localhost', 'http://[::1]:80', 'https://maps.example'].map(mapAt),
      { ...NOMINATIM, MAPS_BASE_URL: 'http://maps.example' },
    ];
    for (const environment of fine)
      assert.deepEqual(warningsOf(environment), [], JSON.stringify(environment));
  });
});
