import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { runCommand } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';

function faultsOf(environment: Readonly<Record<string, string>>): readonly string[] {
  const result = readConfig(environment);
  return result.ok ? [] : result.faults;
}

describe('the configuration', () => {
  test('has a default for everything', () => {
    const result = readConfig({});
    assert.ok(result.ok);
    assert.deepEqual(Object.fromEntries(result.settings), {
      NODE_ENV: 'development',
      HOST: '127.0.0.1',
      PORT: '8080',
      DATA_DIR: './data',
      LOG_LEVEL: 'info',
      LOG_FORMAT: 'auto',
      ALLOWED_ORIGINS: 'http://localhost:3000,http://localhost:5173',
      ALLOWED_HOSTS: '',
      TRUSTED_PROXIES: 'loopback',
      RATE_LIMIT_PER_MINUTE: '100',
      RATE_LIMIT_BURST: '20',
      FILES_RATE_LIMIT_PER_MINUTE: '1200',
      FILES_RATE_LIMIT_BURST: '300',
      EDGE_LIMITS: 'false',
      MAX_CONNECTIONS_PER_ADDRESS: '64',
      BODY_MEMORY_MB: '64',
      CATALOGUE_NAME: 'Catalogue',
      MAP_TILES: 'none',
      MAP_ATTRIBUTION: '',
      AUTH_MODE: 'none',
      JWT_SECRET_KEY: '',
      JWT_SECRET_KEY_FILE: '',
      REFRESH_TOKEN_ROTATION: 'false',
      REGISTRATION: 'open',
      WRITE_ACCESS: 'users',
      ADMIN_EMAIL: '',
      ADMIN_PASSWORD: '',
      ADMIN_PASSWORD_FILE: '',
      IDP_ISSUER_URL: 'https://accounts.google.com',
      IDP_OAUTH_CLIENT_ID: '',
      IDP_OAUTH_CLIENT_SECRET: '',
      IDP_OAUTH_CLIENT_SECRET_FILE: '',
      IDP_OAUTH_REDIRECT_URL: '',
      OIDC_ISSUER_URL: '',
      OIDC_CLIENT_ID: '',
      OIDC_CLIENT_SECRET: '',
      OIDC_CLIENT_SECRET_FILE: '',
      OIDC_REDIRECT_URL: '',
      CLIENT_REDIRECT_URL: 'http://localhost:3000/auth/callback',
      MAPS_PROVIDER: 'none',
      MAPS_API_KEY: '',
      MAPS_API_KEY_FILE: '',
      MAPS_BASE_URL: '',
      MAPS_CONTACT: '',
      MAPS_DAILY_LIMIT: '1000',
      MAPS_REQUESTS_PER_SECOND: '1',
      READ_ONLY: 'false',
      PRIMARY_URL: '',
      BACKUP_SCHEDULE: '',
      BACKUP_DIR: resolve('data/backups'),
      BACKUP_KEEP: '7',
      TLS_CERT_FILE: '',
      TLS_KEY_FILE: '',
      HTTPS_PORT: '8443',
      METRICS_TOKEN: '',
      METRICS_TOKEN_FILE: '',
      FOLLOW_TOKEN: '',
      FOLLOW_TOKEN_FILE: '',
      MIGRATE: 'auto',
      TRASH_DAYS: '30',
      CHANGE_LOG_DAYS: '365',
      AUTHORS: 'usernames',
    });
  });

  test('takes an empty variable for an unset one', () => {
    const result = readConfig({ PORT: '', HOST: ' ', LOG_LEVEL: '' });
    assert.ok(result.ok);
    assert.deepEqual([result.config.port, result.config.host], [8080, '127.0.0.1']);
  });

  const wrong: readonly [Readonly<Record<string, string>>, string][] = [
    [{ PORT: '65536' }, 'PORT must be an integer from 0 to 65535, not "65536"'],
    [{ PORT: '80.5' }, 'PORT must be an integer from 0 to 65535, not "80.5"'],
    [{ PORT: '-1' }, 'PORT must be an integer from 0 to 65535, not "-1"'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of debug, info, warn, error, silent, not "loud"'],
    [{ NODE_ENV: 'staging' }, 'NODE_ENV must be one of development, production, test, not "staging"'],
    [
      { ALLOWED_ORIGINS: 'https://a.example,*' },
      'ALLOWED_ORIGINS must be origins such as https://example.com, separated by commas, not "*"',
    ],
    [
      { ALLOWED_ORIGINS: 'https://a.example/' },
      'ALLOWED_ORIGINS must be origins such as https://example.com, separated by commas, not "https://a.example/"',
    ],
    [
      { TRUSTED_PROXIES: 'loopback,10.0.0.0/99' },
      'TRUSTED_PROXIES must be loopback, private, none, addresses or CIDR ranges, separated by commas, not "10.0.0.0/99"',
    ],
    ...['food.example:8080', 'https://food.example', '*.example', '[::1]', '.example'].map(
      (entry): [Readonly<Record<string, string>>, string] => [
        { ALLOWED_HOSTS: `a.example,${entry}` },
        `ALLOWED_HOSTS must be host names such as food.example, separated by commas, not "${entry}"`,
      ],
    ),
    [{ BODY_MEMORY_MB: '0' }, 'BODY_MEMORY_MB must be an integer from 1 to 10000, not "0"'],
    [{ BODY_MEMORY_MB: '10001' }, 'BODY_MEMORY_MB must be an integer from 1 to 10000, not "10001"'],
    [{ EDGE_LIMITS: 'yes' }, 'EDGE_LIMITS must be one of true, false, not "yes"'],
    [{ AUTH_MODE: 'open' }, 'AUTH_MODE must be one of none, local, oauth, both, not "open"'],
    [
      { NODE_ENV: 'production' },
      'AUTH_MODE must be local, oauth or both in production (NODE_ENV=production)',
    ],
    [
      { NODE_ENV: 'production', AUTH_MODE: 'none' },
      'AUTH_MODE must be local, oauth or both in production (NODE_ENV=production)',
    ],
  ];
  for (const [environment, fault] of wrong)
    test(`refuses ${JSON.stringify(environment)}`, () => {
      assert.deepEqual(faultsOf(environment), [fault]);
    });

  test('reports all faults together, one line each', async (t) => {
    const variables = { PORT: 'x', LOG_FORMAT: 'xml', RATE_LIMIT_BURST: 'lots' };
    const { code, err } = await runCommand(['serve'], { variables, cwd: temporaryFolder(t) });
    assert.equal(code, 1);
    assert.deepEqual(
      err
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' ')[0]),
      ['RATE_LIMIT_BURST', 'PORT', 'LOG_FORMAT'],
    );
  });

  test('is read from .env, which the real environment overrides', async (t) => {
    const cwd = temporaryFolder(t);
    writeFileSync(join(cwd, '.env'), 'PORT=9001\nLOG_LEVEL="warn" # quiet\n');
    const { code, out } = await runCommand(['serve', '--print-config'], { cwd, variables: { PORT: '9002' } });
    assert.equal(code, 0);
    assert.match(out, /^PORT=9002$/m);
    assert.match(out, /^LOG_LEVEL=warn$/m);
  });

  test('is printed without starting anything', async (t) => {
    const cwd = temporaryFolder(t);
    const { out } = await runCommand(['--print-config'], { cwd });
    assert.match(out, /^DATA_DIR=\.\/data$/m);
    assert.equal((await runCommand(['serve', '--print-config'], { cwd })).out, out);
  });
});
