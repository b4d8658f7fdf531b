import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CHECKOUT } from '../support/checkout.ts';
import { runCommand } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const ROOT = fileURLToPath(CHECKOUT);

/** A checkout of its own that was never built. */
function copyCheckout(t: TestContext): string {
  const folder = temporaryFolder(t);
  for (const name of ['bin', 'src', 'package.json', 'tsconfig.json', 'tsconfig.build.json'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  for (const name of ['node_modules', 'sql', 'static']) symlinkSync(join(ROOT, name), join(folder, name));
  return folder;
}

/** Loads every command. */
async function showHelp(folder: string): Promise<void> {
  const program = join(folder, 'bin', 'catalogue');
  const { code, err } = await runCommand(['--help'], { program, cwd: folder });
  assert.deepEqual([code, err], [0, '']);
}

async function build(folder: string, meanwhile: (isDone: () => boolean) => Promise<unknown>): Promise<void> {
  const child = spawn(process.execPath, [join(folder, 'bin', 'build.js')], { stdio: 'inherit' });
  await meanwhile(() => child.exitCode !== null);
  await until(() => child.exitCode !== null);
  assert.equal(child.exitCode, 0);
}

describe('a build', () => {
  test('never disturbs the commands that are run meanwhile', async (t) => {
    const folder = copyCheckout(t);
    await build(folder, async () => {
      await until(() => existsSync(join(folder, 'dist')));
      await showHelp(folder);
    });

    appendFileSync(join(folder, 'src', 'version.ts'), '\nexport const IS_NEWER = true;\n');
    await build(folder, async (isDone) => {
      while (!isDone()) await showHelp(folder);
    });
    assert.match(readFileSync(join(folder, 'dist', 'version.js'), 'utf8'), /IS_NEWER/);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('.build-')),
      [],
    );
  });
});
