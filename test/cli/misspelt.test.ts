import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { misspeltSettings } from '../../src/cli/settings.ts';
import { readConfig } from '../../src/config.ts';
import { runCommand, startServerProcess } from '../support/cli.ts';
import { FOREIGN_VARIABLES } from '../support/foreign-variables.ts';
import { linesOf } from '../support/imports.ts';
import { temporaryFolder } from '../support/service.ts';

const { settings } = readConfig({});
const VALUE = 'a value that stays private';

function warningsFor(...names: readonly string[]): readonly string[] {
  return misspeltSettings(Object.fromEntries(names.map((name) => [name, VALUE])), settings);
}

describe('a misspelt setting', () => {
  const meant: readonly (readonly [string, string])[] = [
    ['AUTHMODE', 'AUTH_MODE'],
    ['Auth_Mode', 'AUTH_MODE'],
    ['AUTH-MODE', 'AUTH_MODE'],
    ['ALLOWED_ORIGIN', 'ALLOWED_ORIGINS'],
    ['OIDC_CLIENT_IDS', 'OIDC_CLIENT_ID'],
    ['DATA_DRI', 'DATA_DIR'],
    ['PROT', 'PORT'],
    ['LGO_LEVLE', 'LOG_LEVEL'],
    ['JWT_SECRET', 'JWT_SECRET_KEY'],
    ['RATE_LIMIT', 'RATE_LIMIT_PER_MINUTE or RATE_LIMIT_BURST'],
    ['MAX_CONNECTIONS', 'MAX_CONNECTIONS_PER_ADDRESS'],
    ['IDP_OAUTH_CLIENT', 'IDP_OAUTH_CLIENT_ID or IDP_OAUTH_CLIENT_SECRET'],
  ];
  for (const [given, names] of meant)
    test(`is taken for ${names}: ${given}`, () => {
      assert.deepEqual(warningsFor(given), [`${given} is not a setting; did you mean ${names}?`]);
    });

  test('is none where it is a setting, is empty, or is like none', () => {
    assert.deepEqual(
      warningsFor(...settings.keys(), 'MAPS', 'RATE', 'BACKUP', 'PRTS', 'ORIGINS_ALLOWED'),
      [],
    );
    assert.deepEqual(
      misspeltSettings({ AUTHMODE: '', RATE_LIMIT: ' ', JWT_SECRET: undefined }, settings),
      [],
    );
  });

  for (const [who, names] of Object.entries(FOREIGN_VARIABLES))
    test(`is none of the variables of ${who}`, () => {
      assert.deepEqual(warningsFor(...names), []);
    });

  const VARIABLES = { AUTHMODE: VALUE, JWT_SECRET: VALUE };
  const LINES = [
    'AUTHMODE is not a setting; did you mean AUTH_MODE?',
    'JWT_SECRET is not a setting; did you mean JWT_SECRET_KEY?',
  ];

  test('is a warning at the start, behind those of other settings, and its value is in no line', async (t) => {
    const variables = { DATA_DIR: temporaryFolder(t), METRICS_TOKEN: 'short', ...VARIABLES };
    const { process: server, ended } = await startServerProcess(t, variables);
    server.kill('SIGTERM');
    const { code, out } = await ended;
    assert.equal(code, 0);
    const warnings = linesOf({ body: out }).filter(({ level }) => level === 'warn');
    assert.deepEqual(
      warnings.map(({ message }) => message),
      ['METRICS_TOKEN should be at least 16 characters, and random', ...LINES],
    );
    assert.ok(!out.includes(VALUE));
  });

  test('is reported behind the faults that keep the service from its start', async (t) => {
    const cwd = temporaryFolder(t);
    writeFileSync(join(cwd, '.env'), 'Auth_Mode=local\n');
    const { code, err } = await runCommand(['serve'], { cwd, variables: { NODE_ENV: 'production' } });
    assert.equal(code, 1);
    assert.equal(
      err,
      'AUTH_MODE must be local, oauth or both in production (NODE_ENV=production)\n' +
        'Auth_Mode is not a setting; did you mean AUTH_MODE?\n',
    );
  });

  test('is a risk to the doctor, with and without faults', async (t) => {
    const DATA_DIR = temporaryFolder(t);
    for (const more of [{}, { PORT: 'x' }]) {
      const { out } = await runCommand(['doctor'], { variables: { DATA_DIR, ...VARIABLES, ...more } });
      for (const line of LINES) assert.ok(out.includes(`risk   ${line}\n`), out);
      assert.ok(!out.includes(VALUE));
    }
  });
});
