import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { runCommand } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';

const example = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');

describe('.env.example', () => {
  test('names settings alone, each once', () => {
    const names = [...example.matchAll(/^#?(\w+)=/gm)].map(([, name = '']) => name);
    const { settings } = readConfig({});
    assert.ok(names.length > 10);
    assert.deepEqual(
      names.filter((name, at) => !settings.has(name) || names.indexOf(name) !== at),
      [],
    );
  });

  test('shows the defaults: with all of its lines in force, everything is as it is without it', async (t) => {
    const folder = temporaryFolder(t);
    const without = await runCommand(['serve', '--print-config'], { cwd: folder });
    writeFileSync(join(folder, '.env'), example.replace(/^#(?=\w+=)/gm, ''));
    assert.deepEqual(await runCommand(['serve', '--print-config'], { cwd: folder }), without);
    assert.equal(without.code, 0);
  });
});
