import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readConfig } from '../../src/config.ts';

const ROOT = new URL('../../', import.meta.url);
const PAGES = ['README.md', 'static/manual/configure.md'].map((path) => new URL(path, ROOT));

/** The names in the first cells of table rows. */
function documented(): string[] {
  const text = PAGES.filter((page) => existsSync(page))
    .map((page) => readFileSync(page, 'utf8'))
    .join('\n');
  const cells = [...text.matchAll(/^\| (`[A-Z][A-Z0-9_]+`(?:, `[A-Z][A-Z0-9_]+`)*) \|/gm)];
  return cells.flatMap(([, cell = '']) => [...cell.matchAll(/\w+/g)].map(([name]) => name));
}

test('Every setting stands in the table of settings, and no other', () => {
  const { settings } = readConfig({});
  // Each secret can come from a file as well, which is said once for all of them.
  const names = [...settings.keys()].filter(
    (name) => !settings.has(name.replace(/_FILE$/, '')) || !name.endsWith('_FILE'),
  );
  const rows = new Set(documented());
  assert.deepEqual(
    names.filter((name) => !rows.has(name)),
    [],
  );
  assert.deepEqual(
    [...rows].filter((name) => !names.includes(name)),
    [],
  );
});
