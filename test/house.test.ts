import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, test } from 'node:test';

const ROOT = new URL('../', import.meta.url).pathname;
const GROUND = ['http', 'storage', 'input', 'outbound'];
// They import nothing of ours, so that every room may use them.
const COMMON = ['system-error.ts', 'sentences.ts', 'threads.ts'];
const HTTP_USERS = [
  ...['routes.ts', 'accounts/authenticate.ts', 'photos/upload.ts'],
  ...['changes/permission.ts', 'changes/stream.ts'],
  ...['health.ts', 'metrics.ts', 'metrics-access.ts', 'replica.ts'].map((file) => `operations/${file}`),
];
// Which rooms may take which files of another room; all else is joined in SQL or by app.ts.
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  changes: [
    ...['restaurants/input.ts', 'restaurants/store.ts', 'restaurants/record.ts', 'restaurants/taken-along.ts'],
    ...['ratings/store.ts', 'photos/store.ts', 'lookups/store.ts'],
    ...['suggestions/record.ts', 'suggestions/store.ts'],
  ],
  identity: [
    ...['accounts/users.ts', 'accounts/sessions.ts', 'accounts/api-tokens.ts', 'accounts/input.ts'],
    'accounts/usernames.ts',
  ],
  operations: ['photos/files.ts', 'photos/store.ts'],
  search: ['restaurants/pieces.ts'],
  suggestions: [
    ...['restaurants/input.ts', 'restaurants/store.ts', 'restaurants/record.ts', 'ratings/store.ts'],
  ],
  transfer: [
    ...['restaurants/input.ts', 'restaurants/store.ts', 'restaurants/record.ts', 'restaurants/list.ts'],
    ...['ratings/input.ts', 'ratings/store.ts', 'lookups/input.ts', 'lookups/store.ts'],
  ],
};
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'better-sqlite3': ['storage'],
  '@node-rs/argon2': ['accounts/passwords.ts', 'accounts/hashing-thread.ts'],
  busboy: ['photos/upload.ts'],
  yaml: ['documentation'],
  jose: ['accounts/tokens.ts', 'identity/provider.ts'],
};

// What a database is given that is no literal: statements and fragments by names that a file of sql/ has to hold, whole
// migrations, and settings that stand in the program.
const GIVEN_BY_NAME = [
  "changes/store.ts: assemble(['selectChange', ...names].map((name) => sql.fragment(name)))",
  "changes/store.ts: assemble(['selectBatch', name].map((part) => sql.fragment(part)))",
  'lookups/store.ts: prepare(`${noun}sOf${scope}`)',
  "lookups/store.ts: prepare(`attach${scope}To${noun === 'restaurant' ? 'Restaurants' : 'Suggestions'}`)",
  ...['lookups/sweep.ts: prepare(name)', 'operations/check.ts: prepare(statement)'],
  'restaurants/kinds.ts: assemble(names.map((name) => sql.fragment(name)))',
  'restaurants/list.ts: prepare(kind.idsAfter)',
  'restaurants/list.ts: prepare(kind.idsInBox)',
  'restaurants/records.ts: prepare(name)',
  "search/matches.ts: prepare(kind === '' ? 'listAll' : 'listPending')",
  ...['countIn${kind}${scope}', 'listIn${kind}${scope}', 'get${kind}Documents', 'get${kind}FoodTypes'].map(
    (name) => `search/matches.ts: prepare(\`${name}\`)`,
  ),
  'search/store.ts: prepare(name)',
  'storage/database.ts: pragma(`application_id = ${String(APPLICATION_ID)}`)',
  ...[
    'storage/database.ts: pragma(`${name} = ${value}`)',
    'storage/database.ts: pragma(name, { simple: true })',
  ],
  ...[
    'storage/kept.ts: exec(trigger)',
    'storage/migrations.ts: exec(sql)',
    'storage/reading.ts: pragma(setting)',
  ],
  ...[
    'storage/statements.ts: prepare(fragment(query))',
    `storage/statements.ts: prepare(fragments.join('\\n'))`,
  ],
  ...[
    'storage/storage.ts: pragma(`busy_timeout = ${String(BUSY_TIMEOUT_MS)}`)',
    'storage/storage.ts: pragma(`busy_timeout = ${String(SHORT_BUSY_TIMEOUT_MS)}`)',
  ],
];

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.replaceAll('\\', '/'));
const sources = new Map(files.map((file) => [file, readFileSync(join(ROOT, 'src', file), 'utf8')]));
const imports = files.flatMap((file) => importsOf(file));
const between = imports.filter(({ to }) => sources.has(to) && roomOf(to) !== undefined);

function importsOf(from: string): Import[] {
  // Also what is loaded when it is first needed.
  const pattern = /^import (type )?[^;]*?from '([^']+)';|\bimport\('([^']+)'\)/gms;
  return [...(sources.get(from) ?? '').matchAll(pattern)].map(([, type, atStart, later = '']) => ({
    from,
    to: targetOf(from, atStart ?? later),
    typeOnly: type !== undefined,
  }));
}

function targetOf(from: string, named: string): string {
  return named.startsWith('.') ? normalize(join(dirname(from), named)) : named;
}

function roomOf(file: string): string | undefined {
  return file.includes('/') ? file.split('/')[0] : undefined;
}

function lines(found: readonly Import[]): string[] {
  return found.map(({ from, to }) => `${from} -> ${to}`);
}

describe('the house', () => {
  test('has sources to look at', () => {
    assert.ok(files.length > 40 && between.length > 60);
  });

  test('keeps its ground rooms free of everything outside themselves', () => {
    const ground = imports.filter(({ from, to }) => sources.has(to) && GROUND.includes(roomOf(from) ?? ''));
    const outside = ground.filter(({ from, to }) => roomOf(from) !== roomOf(to) && !COMMON.includes(to));
    assert.deepEqual(lines(outside), []);
    assert.deepEqual(lines(imports.filter(({ from, to }) => COMMON.includes(from) && sources.has(to))), []);
  });

  test('lets only routes and their like speak HTTP', () => {
    const strangers = between.filter(
      ({ from, to }) =>
        roomOf(to) === 'http' &&
        roomOf(from) !== 'http' &&
        !HTTP_USERS.some((user) => from.endsWith(user)) &&
        roomOf(from) !== 'cli' &&
        !['app.ts', 'accounts.ts', 'catalogue.ts', 'failures.ts', 'history.ts'].includes(from),
    );
    assert.deepEqual(lines(strangers), []);
  });

  test('joins rooms only along the agreed arrows, and never to a routes.ts', () => {
    const crossing = between.filter(({ from, to }) => {
      const [room, other] = [roomOf(from), roomOf(to)];
      if (room === undefined || room === 'cli' || room === other || GROUND.includes(other ?? ''))
        return false;
      return to.endsWith('/routes.ts') || ARROWS[room]?.includes(to) !== true;
    });
    assert.deepEqual(lines(crossing), []);
  });

  test('reads the configuration in app.ts, accounts.ts, history.ts and the command line alone, and the environment in config.ts alone', () => {
    const readers = imports.filter(
      ({ from, to }) =>
        to.startsWith('config') &&
        roomOf(from) !== 'cli' &&
        !from.startsWith('config') &&
        !['app.ts', 'accounts.ts', 'history.ts'].includes(from),
    );
    assert.deepEqual(lines(readers), []);
    const environment = files.filter((file) => sources.get(file)?.includes('process.env') === true);
    assert.deepEqual(environment, ['config.ts']);
  });

  test('opens the app in cli/serve.ts alone', () => {
    assert.deepEqual(lines(imports.filter(({ to }) => to === 'app.ts')), ['cli/serve.ts -> app.ts']);
  });

  test('uses packages in the rooms that are theirs alone', () => {
    const packages = imports.filter(({ to }) => !sources.has(to) && !to.startsWith('node:'));
    const astray = packages.filter(
      ({ from, to }) => PACKAGES[to]?.some((place) => from === place || roomOf(from) === place) !== true,
    );
    assert.deepEqual(lines(astray), []);
  });

  test('tells one version: that of the package, on the label of the image too', () => {
    const version = /"version": "([^"]+)"/.exec(readFileSync(join(ROOT, 'package.json'), 'utf8'))?.[1];
    const label = /image\.version="([^"]+)"/.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))?.[1];
    assert.equal(label, version);
  });

  test('has no circle of imports', () => {
    const circle = findCircle();
    assert.equal(circle, undefined);
  });

  test('has no export without a docstring', () => {
    const bare = files.flatMap((file) => {
      const text = sources.get(file) ?? '';
      const exported = [...text.matchAll(/^export (?:async )?function\*? (\w+)/gm)];
      const documented = new Set(
        [...text.matchAll(/\*\/\nexport (?:async )?function\*? (\w+)/g)].map(([, name]) => name),
      );
      return exported
        .map(([, name]) => name)
        .filter((name) => !documented.has(name))
        .map((name) => `${file}: ${name}`);
    });
    assert.deepEqual(bare, []);
  });

  test('keeps SQL in sql/: no statement text in src/ but pragmas, transactions and the migration record', () => {
    const pattern = /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE TABLE)\b[^\n]*/g;
    const found = files.flatMap((file) => {
      const code = (sources.get(file) ?? '').replace(/\/\*\*[\s\S]*?\*\/|\/\/.*$/gm, '');
      return [...code.matchAll(pattern)].map(() => file);
    });
    assert.deepEqual([...new Set(found)], ['storage/database.ts', 'storage/migrations.ts']);
  });

  test('gives a database no text that was put together, but fragments of sql/ by their names', () => {
    const call = /(?<=\w)\.(prepare|exec|pragma|assemble)\b(?:<(?:[^<>]|<[^<>]*>)*>)?\(/g;
    const given = files.flatMap((file) => {
      const text = sources.get(file) ?? '';
      // A pattern has an exec of its own.
      const hasConnection = /\bConnection\b|better-sqlite3/.test(text);
      return [...text.matchAll(call)].flatMap((found) => {
        const argument = argumentsAt(text, found.index + found[0].length);
        const isLiteral = /^\s*(?:'[^']*'|`[^`$]*`)(?:, \{ simple: true \}|,?\s*)$/.test(argument);
        const isOther = found[1] === 'exec' && !hasConnection;
        return isLiteral || isOther ? [] : [`${file}: ${found[1] ?? ''}(${argument})`];
      });
    });
    assert.deepEqual([...new Set(given)], GIVEN_BY_NAME);
  });
});

/** What stands in the brackets of a call, from behind the opening one. */
function argumentsAt(text: string, start: number): string {
  let depth = 1;
  let end = start;
  for (; depth > 0 && end < text.length; end += 1)
    if (text[end] === '(') depth += 1;
    else if (text[end] === ')') depth -= 1;
  return text.slice(start, end - 1);
}

function findCircle(): string | undefined {
  const done = new Set<string>();
  function visit(file: string, path: readonly string[]): string | undefined {
    if (path.includes(file)) return [...path, file].join(' -> ');
    if (done.has(file)) return undefined;
    for (const { to } of imports.filter(({ from, to: target }) => from === file && sources.has(target))) {
      const circle = visit(to, [...path, file]);
      if (circle !== undefined) return circle;
    }
    done.add(file);
    return undefined;
  }
  return files.map((file) => visit(file, [])).find((circle) => circle !== undefined);
}
