import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from '../support/cleanup.ts';
import { CHECKOUT } from '../support/checkout.ts';
import { temporaryFolder } from '../support/service.ts';

const RUNNER = fileURLToPath(new URL('.test-build/test/run.js', CHECKOUT));
const HEAD = "import test, { describe } from 'node:test';\n";
const PASSES = `${HEAD}test('one', () => {});\ntest('two', () => {});\n`;

/** Runs the runner in a folder with these test files, which are both source and compiled. */
function runTests(
  t: Cleanup,
  files: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
): { readonly status: number | null; readonly output: string } {
  const folder = temporaryFolder(t);
  for (const [name, text] of Object.entries(files))
    for (const path of [`test/${name}.ts`, `.test-build/test/${name}.js`]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  // Not those of the run that this test is part of.
  const { CI: _ci, NODE_TEST_CONTEXT: _context, TEST_SCALE: _scale, ...rest } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [RUNNER, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...rest, ...variables },
    timeout: 60_000,
  });
  return { status, output: stdout + stderr };
}

describe('the runner of the tests', () => {
  test('counts what passes, in several files of one process', (t) => {
    const { status, output } = runTests(t, { 'a.test': PASSES, 'b/b.test': PASSES });
    assert.equal(status, 0, output);
    assert.match(output, /^4 tests passed, 0 failed/m);
  });

  test('names the file and the title of what fails, with its reason', (t) => {
    const throws = "test('is not', () => { throw new Error('the reason'); });";
    const fails = `${HEAD}describe('a suite', () => { test('is well', () => {}); ${throws} });`;
    const { status, output } = runTests(t, { 'a.test': PASSES, 'b.test': fails });
    assert.equal(status, 1);
    assert.match(output, /^✖ test\/b\.test\.ts: a suite > is not\n.*the reason/m);
    assert.match(output, /^3 tests passed, 1 failed/m);
  });

  const lost: readonly [string, string][] = [
    [
      'ends its process, as if all were well',
      `${HEAD}test('one', () => process.exit(0));\ntest('two', () => {});`,
    ],
    ['cannot be loaded', `${HEAD}throw new Error('broken');\ntest('one', () => {});\ntest('two', () => {});`],
    ['declares a test where it is never reached', `${HEAD}if (Date.now() === 0)\n  test('one', () => {});`],
  ];
  for (const [what, text] of lost)
    test(`fails for a file that ${what}`, (t) => {
      const { status, output } = runTests(t, { 'a.test': text });
      assert.equal(status, 1, output);
      assert.match(output, /^✖ test\/a\.test\.ts: declares [12] tests$/m);
    });

  test('ends a process of which nothing is heard, and names the test', (t) => {
    const hangs = `${HEAD}test('hangs', () => new Promise((resolve) => setTimeout(resolve, 60_000)));`;
    const { status, output } = runTests(t, { 'a.test': hangs }, ['--silence', '1']);
    assert.equal(status, 1, output);
    assert.match(output, /^✖ test\/a\.test\.ts: hangs\n'nothing was heard of it for 1 seconds'/m);
  });

  test('counts skipped tests by reason; in CI a program that is missing fails the run', (t) => {
    const skips = ['needs the program x', 'needs root'].map(
      (skip) => `test('one', { skip: '${skip}' }, () => {});`,
    );
    const here = runTests(t, { 'a.test': HEAD + skips.join('') });
    assert.deepEqual(
      [here.status, here.output.match(/^Skipped: .*$/gm)],
      [0, ['Skipped: 1 (needs the program x)', 'Skipped: 1 (needs root)']],
    );
    const inCi = runTests(t, { 'a.test': HEAD + skips.join('') }, [], { CI: 'true' });
    assert.equal(inCi.status, 1);
    assert.match(inCi.output, /^✖ not everything could be tested: needs the program x$/m);
  });

  test('chooses files by their kind, or by their paths', (t) => {
    const names = ['a', 'b.browser', 'c.disk', 'd.slow'];
    const files = Object.fromEntries(
      names.map((name) => [`${name}.test`, `${HEAD}test('${name}', () => {});`]),
    );
    const countOf = (...args: string[]): string | undefined =>
      /^(\d+) tests passed/m.exec(runTests(t, files, args).output)?.[1];
    assert.deepEqual(
      [countOf('--quick'), countOf(), countOf('--full'), countOf('--full', '--added'), countOf('test/d')],
      ['1', '3', '4', '3', '1'],
    );
  });
});
