import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runCommand, startServerProcess } from '../support/cli.ts';
import { linesOf } from '../support/imports.ts';
import { temporaryFolder } from '../support/service.ts';

const OIDC = {
  OIDC_ISSUER_URL: 'https://192.0.2.1',
  OIDC_CLIENT_ID: 'id',
  OIDC_CLIENT_SECRET: 'canary-oidc',
  OIDC_REDIRECT_URL: 'https://food.example/api/auth/oidc/callback',
};

describe('catalogue serve --print-config', () => {
  test('prints .env under the real environment, without secrets, and starts nothing', async (t) => {
    const cwd = temporaryFolder(t);
    const variables = {
      AUTH_MODE: 'both',
      JWT_SECRET_KEY: 'canary-jwt-0123456789',
      ...OIDC,
      PORT: '9002',
      IDP_OAUTH_CLIENT_ID: 'id',
      IDP_OAUTH_CLIENT_SECRET: 'canary-idp',
      MAPS_API_KEY: 'canary-maps',
      ADMIN_EMAIL: 'a@example.com',
      ADMIN_PASSWORD: 'canary-admin',
    };
    writeFileSync(join(cwd, '.env'), 'PORT=9001\nLOG_LEVEL="warn" # quiet\n');
    const { code, out, err } = await runCommand(['serve', '--print-config'], { cwd, variables });
    assert.deepEqual([code, err], [0, '']);
    assert.ok(!out.includes('canary'));
    for (const line of [
      'PORT=9002',
      'LOG_LEVEL=warn',
      'DATA_DIR=./data',
      'JWT_SECRET_KEY=(set)',
      'MAPS_API_KEY=(set)',
      'MAPS_BASE_URL=https://places.googleapis.com',
    ])
      assert.ok(out.split('\n').includes(line), line);
    assert.equal((await runCommand(['--print-config'], { cwd, variables })).out, out);
    assert.equal(existsSync(join(cwd, 'data')), false);
  });

  test('reports faults in a line each, without repeating what may hold a secret', async (t) => {
    const variables = {
      PORT: 'x',
      JWT_SECRET_KEY: 'canary-canary',
      MAPS_API_KEY: 'canary \n',
      MAPS_BASE_URL: 'https://x:canary@maps.example',
    };
    const { code, err } = await runCommand(['--print-config'], { cwd: temporaryFolder(t), variables });
    assert.deepEqual([code, err.includes('canary')], [1, false]);
    assert.deepEqual(
      err
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' ')[0])
        .toSorted(),
      ['JWT_SECRET_KEY', 'MAPS_API_KEY', 'MAPS_BASE_URL', 'PORT'],
    );
  });
});

describe('the start of the service', () => {
  test('stops for a fault of the settings, with misspelt ones behind it, and makes nothing', async (t) => {
    const cwd = temporaryFolder(t);
    writeFileSync(join(cwd, '.env'), 'Auth_Mode=canary\n');
    writeFileSync(join(cwd, 'secret'), 'canary-canary\n', { mode: 0o600 });
    const variables = { PORT: '0', JWT_SECRET_KEY_FILE: join(cwd, 'secret'), AUTH_MODE: 'local' };
    assert.deepEqual(await runCommand(['serve'], { cwd, variables }), {
      code: 1,
      out: '',
      err:
        'JWT_SECRET_KEY must be at least 16 bytes, and random\n' +
        'Auth_Mode is not a setting; did you mean AUTH_MODE?\n',
    });
    assert.equal(existsSync(join(cwd, 'data')), false);
  });

  test('stops for an administrator who could not be made', async (t) => {
    const variables = {
      AUTH_MODE: 'local',
      JWT_SECRET_KEY: '0123456789abcdef0123456789abcdef',
      ADMIN_EMAIL: 'a',
      ADMIN_PASSWORD: 'short',
      PORT: '0',
      DATA_DIR: temporaryFolder(t),
    };
    const { code, err } = await runCommand(['serve'], { variables });
    assert.equal(code, 1);
    assert.match(err, /email must be a valid email address; password must be at least 8 characters\n$/);
  });

  test('warns of settings and of misspelt ones, without their values, and waits for no provider', async (t) => {
    const variables = { AUTH_MODE: 'oauth', ...OIDC, METRICS_TOKEN: 'canary', JWT_SECRET: 'canary' };
    const place = { DATA_DIR: temporaryFolder(t), HOST: '127.0.0.1' };
    const { api, process: server, ended } = await startServerProcess(t, { ...variables, ...place });
    assert.equal((await api.get('/health')).status, 200);
    server.kill('SIGTERM');
    const { code, out } = await ended;
    assert.deepEqual([code, out.includes('canary')], [0, false]);
    const warnings = linesOf({ body: out }).filter(({ level }) => level === 'warn');
    assert.deepEqual(
      warnings.map(({ message }) => message),
      [
        'METRICS_TOKEN should be at least 16 characters, and random',
        'JWT_SECRET is not a setting; did you mean JWT_SECRET_KEY?',
      ],
    );
  });
});
