import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runCommand, startServerProcess } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';
import { type Variables, configOf, faultsOf, warningsOf } from '../support/settings.ts';

const SECRET = '0123456789abcdef0123456789abcdef';
const LOCAL = { AUTH_MODE: 'local', JWT_SECRET_KEY: SECRET };
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

describe('the configuration of accounts', () => {
  const wrong: readonly [Variables, string][] = [
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
    [
      { CLIENT_REDIRECT_URL: 'https://food.example/#done' },
      'CLIENT_REDIRECT_URL must be an absolute address without a fragment, not "https://food.example/#done"',
    ],
    [
      { CLIENT_REDIRECT_URL: 'javascript:alert(1)' },
      'CLIENT_REDIRECT_URL must be an absolute address without a fragment, not "javascript:alert(1)"',
    ],
  ];
  for (const [environment, fault] of wrong)
    test(`refuses ${JSON.stringify(environment)}`, () => {
      assert.deepEqual(faultsOf(environment), [fault]);
    });

  const unwise: readonly [Variables, string][] = [
    [
      { ...LOCAL, JWT_SECRET_KEY: SECRET.slice(0, 31) },
      'JWT_SECRET_KEY should be at least 32 bytes, and random',
    ],
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
  ];
  for (const [environment, warning] of unwise)
    test(`warns of ${JSON.stringify(environment)}`, () => {
      assert.deepEqual(warningsOf(environment), [warning]);
    });

  test('warns of nothing when all is well', () => {
    for (const fine of [
      {},
      LOCAL,
      { AUTH_MODE: 'oauth', ...IDP },
      { ...LOCAL, AUTH_MODE: 'both', ...IDP, ...OIDC },
    ])
      assert.deepEqual(warningsOf(fine), []);
  });

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

  test('listens on this machine alone in mode none, on all addresses otherwise, and on HOST where that is set', () => {
    const environments = [{}, LOCAL, { HOST: '0.0.0.0' }, { ...LOCAL, HOST: '127.0.0.1' }];
    assert.deepEqual(
      environments.map((environment) => configOf(environment).host),
      ['127.0.0.1', '::', '0.0.0.0', '127.0.0.1'],
    );
  });

  test('reads every secret from a file too, without the line break at its end', (t) => {
    const folder = temporaryFolder(t);
    const file = (name: string, content: string): string => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const { auth } = configOf({
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
    });
    assert.deepEqual(
      [auth.jwtSecret, auth.idp?.clientSecret, auth.oidc?.clientSecret, auth.administrator?.password],
      [SECRET, 'idp secret', 'oidc secret', ' kept blanks '],
    );
    assert.match(
      faultsOf({ ...LOCAL, JWT_SECRET_KEY: '', JWT_SECRET_KEY_FILE: '/none' }).join(),
      /^JWT_SECRET_KEY_FILE names a file that cannot be read \(there is no such file or folder\): \/none/,
    );
    assert.match(
      faultsOf({ ...LOCAL, JWT_SECRET_KEY: '', JWT_SECRET_KEY_FILE: file('empty', '\n') }).join(),
      /^JWT_SECRET_KEY_FILE names an empty file: /,
    );
  });

  test('is printed without its secrets', async (t) => {
    const variables = {
      ...{ AUTH_MODE: 'both', JWT_SECRET_KEY: 'canary-jwt-0123456789' },
      ...{ ...IDP, IDP_OAUTH_CLIENT_SECRET: 'canary-idp', ...OIDC, OIDC_CLIENT_SECRET: 'canary-oidc' },
      ...{ ADMIN_EMAIL: 'a@example.com', ADMIN_PASSWORD: 'canary-admin' },
    };
    const { code, out, err } = await runCommand(['--print-config'], { variables, cwd: temporaryFolder(t) });
    assert.equal(code, 0);
    assert.ok(!`${out}${err}`.includes('canary'));
    assert.match(out, /^JWT_SECRET_KEY=\(set\)$/m);
  });
});

describe('the start of the service', () => {
  test('stops for an administrator who could not be made', async (t) => {
    const administrator = { ADMIN_EMAIL: 'a', ADMIN_PASSWORD: 'short' };
    const variables = { ...LOCAL, ...administrator, PORT: '0', DATA_DIR: temporaryFolder(t) };
    const { code, err } = await runCommand(['serve'], { variables });
    assert.equal(code, 1);
    assert.match(err, /email must be a valid email address; password must be at least 8 characters\n$/);
  });

  test('takes no longer with an identity provider that does not answer', async (t) => {
    const { api } = await startServerProcess(t, {
      ...{ AUTH_MODE: 'oauth', ...OIDC, OIDC_ISSUER_URL: 'https://192.0.2.1' },
      DATA_DIR: temporaryFolder(t),
      HOST: '127.0.0.1',
    });
    assert.equal((await api.get('/health')).status, 200);
  });
});
