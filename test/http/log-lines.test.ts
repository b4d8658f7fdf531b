import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { CHECKOUT } from '../support/checkout.ts';
import { partOf } from '../support/manual.ts';

const SOURCES = new URL('src/', CHECKOUT);
// Every way in which a module writes a line: a logger's, or a function that app.ts makes of one.
const CALL = /\b(debug|info|warn|error|report)\(\s*'((?:[^'\\\n]|\\.)+)'/g;

const section = partOf('observe.md', 'Log lines');
const documented = [...section.matchAll(/^\| `([^`]+)` \| (\w+) \|/gm)].map(
  ([, message = '', level = '']) => ({
    message,
    level,
  }),
);

function written(): { message: string; level: string }[] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(new URL(file, SOURCES), 'utf8').matchAll(CALL)])
    .map(([, name = '', message = '']) => ({ message, level: name === 'report' ? 'warn' : name }));
}

const byMessage = (a: { message: string }, b: { message: string }): number =>
  a.message < b.message ? -1 : 1;

describe('the log lines', () => {
  test('are all described in the manual with their level, and no others', () => {
    assert.ok(documented.length > 10);
    // Some are written in more than one place.
    const all = new Map(written().map((line) => [line.message, line]));
    assert.deepEqual(documented.toSorted(byMessage), [...all.values()].toSorted(byMessage));
  });

  test('of requests are described with each of their fields', () => {
    const source = readFileSync(new URL('http/log.ts', SOURCES), 'utf8');
    const entry = /interface AccessEntry \{([\s\S]*?)^\}/m.exec(source)?.[1] ?? '';
    const fields = [...entry.matchAll(/readonly (\w+):/g)].map(([, name = '']) => name);
    assert.ok(fields.length > 5);
    assert.deepEqual(
      fields.filter((name) => !section.includes(`\`${name}\``) && !section.includes(`\`"${name}":`)),
      [],
    );
  });
});
