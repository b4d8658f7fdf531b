import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, test } from 'node:test';

const ROOT = new URL('../', import.meta.url).pathname;
const GROUND = ['http', 'storage', 'input', 'outbound', 'memory'];
// They import nothing of ours, so that every module may use them.
const COMMON = ['system-error.ts', 'sentences.ts', 'threads.ts', 'objects.ts'];
const HTTP_USERS = [
  ...['routes.ts', 'accounts/authenticate.ts', 'photos/upload.ts'],
  ...['changes/permission.ts', 'changes/stream.ts'],
  ...['health.ts', 'metrics.ts', 'metrics-access.ts', 'replica.ts'].map((file) => `operations/${file}`),
];
// Which rooms may take which files of another room; all else is joined in SQL or by app.ts.
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  changes: [
    ...[
      'restaurants/fields.ts',
      'restaurants/store.ts',
      'restaurants/record.ts',
      'restaurants/taken-along.ts',
    ],
    ...['ratings/store.ts', 'photos/record.ts', 'photos/store.ts', 'lookups/store.ts'],
    ...['suggestions/record.ts', 'suggestions/store.ts'],
  ],
  identity: [
    ...['accounts/users.ts', 'accounts/sessions.ts', 'accounts/api-tokens.ts', 'accounts/input.ts'],
    'accounts/usernames.ts',
  ],
  operations: ['photos/files.ts', 'photos/store.ts'],
  search: ['restaurants/pieces.ts'],
  suggestions: [
    ...[
      'restaurants/fields.ts',
      'restaurants/input.ts',
      'restaurants/obstacles.ts',
      'restaurants/store.ts',
      'restaurants/record.ts',
      'ratings/store.ts',
    ],
  ],
  transfer: [
    ...['restaurants/fields.ts', 'restaurants/input.ts', 'restaurants/store.ts', 'restaurants/record.ts'],
    'restaurants/list.ts',
    ...['ratings/input.ts', 'ratings/store.ts', 'lookups/input.ts', 'lookups/store.ts'],
  ],
};
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'better-sqlite3': ['storage'],
  '@node-rs/argon2': ['accounts/passwords.ts', 'accounts/hashing-thread.ts'],
  busboy: ['photos/upload.ts'],
  jose: ['accounts/tokens.ts', 'identity/provider.ts'],
};

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
    const outside = ground.filter(
      ({ from, to }) => ![roomOf(from), 'memory'].includes(roomOf(to)) && !COMMON.includes(to),
    );
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
});

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
