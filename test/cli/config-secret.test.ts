import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runCommand } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';
import { faultsOf, warningsOf } from '../support/settings.ts';

const SHORT = 'JWT_SECRET_KEY must be at least 16 bytes, and random';
const BLANK = 'JWT_SECRET_KEY must not be blank';
const REPEATED = 'JWT_SECRET_KEY must not be one character repeated';

const WEAK: readonly [string, string, string][] = [
  ['six bytes', 'canary', SHORT],
  ['fifteen bytes', 'canary-canary-1', SHORT],
  ['seven characters of two bytes', 'éèêëàâç', SHORT],
  ['blanks', ' '.repeat(40), BLANK],
  ['blanks of many kinds', '\t \u00a0\u3000'.repeat(10), BLANK],
  ['one letter', 'x'.repeat(64), REPEATED],
  ['one character of two UTF-16 units', '🍕'.repeat(20), REPEATED],
];

describe('a weak JWT_SECRET_KEY', () => {
  for (const [title, JWT_SECRET_KEY, fault] of WEAK)
    test(`of ${title} is a fault in every mode`, () => {
      for (const AUTH_MODE of ['none', 'local', 'oauth', 'both'])
        assert.deepEqual(faultsOf({ AUTH_MODE, JWT_SECRET_KEY }), [fault], AUTH_MODE);
    });

  test('stops the start, is a fault for doctor, and is not printed', async (t) => {
    const cwd = temporaryFolder(t);
    const file = join(cwd, 'secret');
    writeFileSync(file, 'canary-canary\n', { mode: 0o600 });
    for (const variables of [
      { JWT_SECRET_KEY: 'canary-canary' },
      { JWT_SECRET_KEY_FILE: file, AUTH_MODE: 'local' },
      { JWT_SECRET_KEY: 'canary-canary', AUTH_MODE: 'oauth' },
    ]) {
      const options = { variables: { PORT: '0', DATA_DIR: join(cwd, 'data'), ...variables }, cwd };
      const started = await runCommand(['serve'], options);
      assert.deepEqual([started.code, started.err], [1, `${SHORT}\n`]);
      const looked = await runCommand(['doctor'], options);
      assert.equal(looked.code, 1);
      assert.match(looked.out, new RegExp(`^fault {2}${SHORT}$`, 'm'));
      assert.doesNotMatch(JSON.stringify([started, looked]), /canary/);
    }
  });
});

describe('a JWT_SECRET_KEY of 16 to 31 bytes', () => {
  test('is warned of, whatever its characters', () => {
    const warning = 'JWT_SECRET_KEY should be at least 32 bytes, and random';
    for (const JWT_SECRET_KEY of ['0123456789abcdef', 'éèêëàâçù', '0123456789abcdef0123456789abcde'])
      assert.deepEqual(warningsOf({ AUTH_MODE: 'local', JWT_SECRET_KEY }), [warning]);
  });
});
