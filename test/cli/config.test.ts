import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { runCommand } from '../support/cli.ts';
import { pageText } from '../support/manual.ts';
import { temporaryFolder } from '../support/service.ts';
import { type Variables, configOf, faultsOf } from '../support/settings.ts';

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

  test('takes an empty variable for an unset one', () => {
    const { port, host } = configOf({ PORT: '', HOST: ' ', LOG_LEVEL: '' });
    assert.deepEqual([port, host], [8080, '127.0.0.1']);
  });

  const wrong: readonly [Variables, string][] = [
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
      (entry): [Variables, string] => [
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
