import assert from 'node:assert/strict';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CHECKOUT } from '../support/checkout.ts';
import { type Ended, runCommand } from '../support/cli.ts';
import { installPackage } from '../support/package.ts';
import { temporaryFolder } from '../support/service.ts';
import { has } from '../support/small-disk.ts';

const DRIVER = fileURLToPath(new URL('node_modules/better-sqlite3/', CHECKOUT));
// What an operator would see who has put an older driver in the place of ours.
const OLD = `
  const Driver = require(${JSON.stringify(DRIVER)});
  const { prepare } = Driver.prototype;
  Driver.prototype.prepare = function (text) {
    return prepare.call(this, text.replace('sqlite_version()', "'3.53.2'"));
  };
  module.exports = Driver;
`;

/** An install with another driver: one with these files beside its own, none of which is compiled. */
function installWith(
  t: TestContext,
  files: Readonly<Record<string, string>>,
): { readonly folder: string; readonly program: string } {
  const installed = installPackage(temporaryFolder(t), ['better-sqlite3']);
  const driver = join(installed.folder, 'node_modules', 'better-sqlite3');
  for (const part of ['lib', 'package.json'])
    cpSync(join(DRIVER, part), join(driver, part), { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(driver, name)), { recursive: true });
    writeFileSync(join(driver, name), content);
  }
  return installed;
}

function run(t: TestContext, args: readonly string[], program: string): Promise<Ended> {
  return runCommand(args, { program, variables: { DATA_DIR: temporaryFolder(t), PORT: '0' } });
}

describe('an install', { skip: has('npm') ? false : 'needs the program npm' }, () => {
  const faults: readonly [string, Readonly<Record<string, string>>, RegExp][] = [
    ['is missing', {}, /^the SQLite driver for \w+-\w+ is not installed: run npm ci in (\S+)$/],
    [
      'does not fit this system',
      { 'build/Release/better_sqlite3.node': 'for another' },
      /^the SQLite driver for \w+-\w+ cannot be loaded \(.*\): run npm ci in (\S+)$/,
    ],
    [
      'is too old',
      { 'lib/index.js': OLD },
      /^SQLite 3\.53\.2 is too old, 3\.54 or later is needed: run npm ci$/,
    ],
  ];
  for (const [title, files, line] of faults)
    test(`whose driver ${title} says in one line what to do`, async (t) => {
      const { folder, program } = installWith(t, files);
      const { code, err } = await run(t, ['serve'], program);
      const [, named = folder] = line.exec(err.trimEnd()) ?? [];
      assert.deepEqual([code, named], [1, folder], err);
      const { code: sick, out, err: told } = await run(t, ['doctor'], program);
      assert.equal(sick, 1);
      assert.match([out, told].join('\n'), new RegExp(line.source.replace('^', '^(?:fault  )?'), 'm'));
    });

  test('without a package names it', async (t) => {
    const { program } = installPackage(temporaryFolder(t), ['better-sqlite3']);
    const { code, err } = await run(t, ['serve'], program);
    assert.match(err, /^The package better-sqlite3 is not installed: run npm ci in [^\n]*\n$/);
    assert.equal(code, 1);
  });
});
