import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CHECKOUT } from '../../support/checkout.ts';
import { record } from '../../support/client.ts';
import { FOR_CONTRIBUTORS, codeBlocks, pageText } from '../../support/manual.ts';
import { temporaryFolder } from '../../support/service.ts';

const ROOT = fileURLToPath(CHECKOUT);
// Folders of the repository; other paths in these pages are examples, or are made by the reader.
const PATH = /`((?:\.ci|bin|src|sql|static|test)\/[\w./-]+)`/g;

/** The sections of a page under headings of the second level, each with the text of its diffs. */
const recipes = pageText('contributing.md')
  .split(/^## /m)
  .map((section) => ({
    title: section.split('\n')[0] ?? '',
    diff: [...section.matchAll(/^```diff\n([\s\S]*?)^```$/gm)].map(([, lines = '']) => lines).join(''),
  }))
  .filter(({ diff }) => diff !== '');

const filesOf = (diff: string): string[] =>
  [...diff.matchAll(/^--- a\/(.+)$/gm)].map(([, file = '']) => file);
const newFilesOf = (diff: string): string[] =>
  [...diff.matchAll(/^--- \/dev\/null\n\+\+\+ b\/(.+)$/gm)].map(([, file = '']) => file);

const hasGit = spawnSync('git', ['--version']).status === 0;

describe('the worked examples of the manual', () => {
  test('are four', () => {
    assert.equal(recipes.length, 4);
  });

  test(
    'can be applied to this version, one after the other',
    { skip: !hasGit && 'needs the program git' },
    (t) => {
      const folder = temporaryFolder(t);
      for (const { diff } of recipes)
        for (const file of filesOf(diff)) {
          mkdirSync(dirname(join(folder, file)), { recursive: true });
          cpSync(join(ROOT, file), join(folder, file));
        }
      for (const { title, diff } of recipes)
        assert.doesNotThrow(() => execFileSync('git', ['apply', '-'], { cwd: folder, input: diff }), title);
    },
  );
});

describe('the commands for contributors', () => {
  const commands = FOR_CONTRIBUTORS.flatMap((page) =>
    codeBlocks(pageText(page), 'sh').flatMap((block) => block.trim().split('\n')),
  );
  const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' }).map(
    (file) => `test/${file}`,
  );
  const made = recipes.flatMap(({ diff }) => newFilesOf(diff));

  test('run scripts of package.json', () => {
    const { scripts } = record(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
    const named = commands.flatMap((command) => [...command.matchAll(/\bnpm run ([\w:]+)/g)]);
    assert.ok(named.length > 10);
    const known = Object.keys(record(scripts));
    const unknown = named.map(([, name = '']) => name).filter((name) => !known.includes(name));
    assert.deepEqual(unknown, []);
  });

  test('name tests that are there, and settings that these read', () => {
    const sources = files
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(ROOT, file), 'utf8'))
      .join('\n');
    const faults = commands.filter((command) => {
      const paths = [...command.matchAll(/(?<= )test\/[\w./-]+/g)].map(([path]) => path);
      const settings = [...command.matchAll(/\b([A-Z_]+)=\d/g)].map(([, name = '']) => name);
      return (
        !paths.every((path) => [...files, ...made].some((file) => file.startsWith(path))) ||
        !settings.every((name) => sources.includes(`'${name}'`))
      );
    });
    assert.ok(commands.length > 20);
    assert.deepEqual(faults, []);
  });
});

for (const page of FOR_CONTRIBUTORS)
  test(`static/manual/${page} names files that are there`, () => {
    const made = recipes.flatMap(({ diff }) => newFilesOf(diff));
    const named = [...pageText(page).matchAll(PATH)].map(([, path = '']) => path);
    assert.ok(named.length > 3);
    const missing = named.filter((path) => !made.includes(path) && !existsSync(join(ROOT, path)));
    assert.deepEqual(missing, []);
  });
