import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../support/service.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGES = ['architecture', 'contributing', 'testing', 'releasing'];
// Folders of the repository; other paths in these pages are examples, or are made by the reader.
const PATH = /`((?:\.ci|bin|src|sql|static|test)\/[\w./-]+)`/g;

const read = (page: string): string => readFileSync(join(ROOT, 'static/manual', `${page}.md`), 'utf8');

/** The sections of a page under headings of the second level, each with the text of its diffs. */
const recipes = read('contributing')
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

  test('can be applied to this version, one after the other', { skip: !hasGit && 'needs git' }, (t) => {
    const folder = temporaryFolder(t);
    for (const { diff } of recipes)
      for (const file of filesOf(diff)) {
        mkdirSync(dirname(join(folder, file)), { recursive: true });
        cpSync(join(ROOT, file), join(folder, file));
      }
    for (const { title, diff } of recipes)
      assert.doesNotThrow(() => execFileSync('git', ['apply', '-'], { cwd: folder, input: diff }), title);
  });
});

for (const page of PAGES)
  test(`static/manual/${page}.md names files that are there`, () => {
    const made = recipes.flatMap(({ diff }) => newFilesOf(diff));
    const named = [...read(page).matchAll(PATH)].map(([, path = '']) => path);
    assert.ok(named.length > 3);
    assert.deepEqual(
      named.filter((path) => !made.includes(path) && !existsSync(join(ROOT, path))),
      [],
    );
  });
