import assert from 'node:assert/strict';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CHECKOUT } from '../support/checkout.ts';
import { type Ended, runCommand } from '../support/cli.ts';
import { installPackage } from '../support/package.ts';
import { temporaryFolder } from '../support/service.ts';
import { has } from '../support/small-disk.ts';

const DRIVER = fileURLToPath(new URL('node_modules/better-sqlite3/', CHECKOUT));
const COMMANDS = [['serve'], ['doctor']];

/** An install in which the compiled part of the driver is this file, or is not there. */
function installWith(
  t: TestContext,
  compiled?: string,
): { readonly folder: string; readonly program: string } {
  const installed = installPackage(temporaryFolder(t), ['better-sqlite3']);
  const driver = join(installed.folder, 'node_modules', 'better-sqlite3');
  for (const part of ['lib', 'package.json'])
    cpSync(join(DRIVER, part), join(driver, part), { recursive: true });
  if (compiled !== undefined) {
    mkdirSync(join(driver, 'build', 'Release'), { recursive: true });
    writeFileSync(join(driver, 'build', 'Release', 'better_sqlite3.node'), compiled);
  }
  return installed;
}

function run(t: TestContext, args: readonly string[], program: string): Promise<Ended> {
  return runCommand(args, { program, variables: { DATA_DIR: temporaryFolder(t), PORT: '0' } });
}

describe('an install', { skip: has('npm') ? false : 'needs the program npm' }, () => {
  for (const args of COMMANDS) {
    const [name] = args;
    test(`whose driver is for another Node says in one line what to do: ${name}`, async (t) => {
      const { folder, program } = installWith(t, 'compiled for another Node');
      const { code, err } = await run(t, args, program);
      const fault = `cannot be loaded by Node ${process.versions.node}`;
      assert.equal(err, `the SQLite driver ${fault}: run npm rebuild better-sqlite3 in ${folder}\n`);
      assert.equal(code, 1);
    });

    test(`whose driver is missing does so, too: ${name}`, async (t) => {
      const { folder, program } = installWith(t);
      const { code, err } = await run(t, args, program);
      assert.equal(err, `the SQLite driver is not installed: run npm rebuild better-sqlite3 in ${folder}\n`);
      assert.equal(code, 1);
    });
  }

  test('without a package names it', async (t) => {
    const { program } = installPackage(temporaryFolder(t), ['better-sqlite3']);
    const { code, err } = await run(t, ['serve'], program);
    assert.match(err, /^The package better-sqlite3 is not installed: run npm ci in [^\n]*\n$/);
    assert.equal(code, 1);
  });
});
