import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { misspeltSettings } from '../../src/cli/settings.ts';
import { readConfig } from '../../src/config/config.ts';
import { FOREIGN_VARIABLES } from '../support/foreign-variables.ts';

const { settings } = readConfig({});

function warningsFor(...names: readonly string[]): readonly string[] {
  return misspeltSettings(Object.fromEntries(names.map((name) => [name, 'a value'])), settings);
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
});
