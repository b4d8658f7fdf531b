import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { CHECKOUT } from './support/checkout.ts';
import {
  COMMON,
  FOUNDATIONS,
  type Import,
  LEVELS,
  between,
  imports,
  levelOf,
  moduleOf,
  sources,
  within,
} from './support/modules.ts';
import { drawModules, readPicture } from './support/modules-picture.ts';

const files = [...sources.keys()];
const HTTP_USERS = [
  ...['routes.ts', 'accounts/authenticate.ts', 'photos/upload.ts', 'restaurants/caller-view.ts'],
  // They check the permit of a request's caller on a connection of their own.
  ...['changes/revert-thread.ts', 'transfer/import-thread.ts', 'transfer/jobs.ts'],
  ...['changes/stream.ts', 'metrics/access.ts', 'metrics/health.ts', 'metrics/traffic.ts'],
];
// Which modules may import which files of another module; all else is joined in SQL or by app.ts.
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  backup: ['photos/files.ts'],
  changes: [
    'accounts/authenticate.ts',
    ...[
      'restaurants/fields.ts',
      'restaurants/store.ts',
      'restaurants/record.ts',
      'restaurants/taken-along.ts',
    ],
    ...['ratings/record.ts', 'ratings/store.ts', 'photos/record.ts', 'photos/store.ts', 'lookups/store.ts'],
    ...['suggestions/record.ts', 'suggestions/store.ts'],
    ...['lists/items.ts', 'lists/record.ts', 'lists/store.ts', 'visits/record.ts', 'visits/store.ts'],
  ],
  identity: [
    ...['accounts/users.ts', 'accounts/sessions.ts', 'accounts/api-tokens.ts', 'accounts/input.ts'],
    ...['accounts/usernames.ts', 'accounts/invitations.ts', 'accounts/administration.ts'],
  ],
  lists: ['restaurants/personal.ts', 'restaurants/texts.ts'],
  inspection: ['backup/dated.ts', 'photos/files.ts', 'photos/store.ts'],
  people: [
    ...[
      'accounts/users.ts',
      'accounts/sessions.ts',
      'photos/record.ts',
      'photos/store.ts',
      'ratings/record.ts',
    ],
    ...['ratings/store.ts', 'restaurants/lookups.ts', 'restaurants/store.ts', 'suggestions/record.ts'],
    ...['suggestions/store.ts', 'accounts/administration.ts', 'accounts/api-tokens.ts', 'changes/open.ts'],
    ...['changes/purge.ts', 'changes/store.ts'],
    ...['lists/items.ts', 'lists/record.ts', 'lists/store.ts', 'visits/record.ts', 'visits/store.ts'],
  ],
  replication: ['backup/verify.ts', 'photos/disk.ts', 'photos/files.ts', 'photos/store.ts'],
  restaurants: ['answer', 'hours', 'judged', 'schedule', 'timetables', 'zones'].map(
    (file) => `hours/${file}.ts`,
  ),
  visits: ['hours/zones.ts'],
  search: ['caller-view', 'lookups', 'orders', 'resident', 'rows', 'texts', 'views'].map(
    (file) => `restaurants/${file}.ts`,
  ),
  suggestions: [
    ...[
      'field-table',
      'fields',
      'input',
      'lookups',
      'obstacles',
      'opening-texts',
      'record',
      'records',
      'resident',
    ].map((file) => `restaurants/${file}.ts`),
    ...['restaurants/store.ts', 'restaurants/texts.ts', 'ratings/input.ts', 'ratings/store.ts'],
  ],
  transfer: [
    'accounts/authenticate.ts',
    ...['lists/input.ts', 'lists/items.ts', 'lists/record.ts', 'lists/store.ts'],
    ...['visits/record.ts', 'visits/store.ts', 'accounts/users.ts'],
    'restaurants/facts.ts',
    ...['restaurants/fields.ts', 'restaurants/input.ts', 'restaurants/store.ts', 'restaurants/record.ts'],
    'restaurants/lookups.ts',
    ...['ratings/input.ts', 'ratings/record.ts', 'ratings/store.ts', 'lookups/input.ts', 'lookups/store.ts'],
    ...['changes/store.ts', 'photos/disk.ts'],
  ],
};
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'better-sqlite3': ['storage'],
  '@node-rs/argon2': ['accounts/passwords.ts', 'accounts/hashing-thread.ts'],
  busboy: ['http/multipart.ts'],
  '@photostructure/tz-lookup': ['hours/zones.ts'],
  marked: ['documentation/manual-markdown.ts'],
  jose: ['accounts/tokens.ts', 'identity/provider.ts'],
};

function lines(found: readonly Import[]): string[] {
  return found.map(({ from, to }) => `${from} -> ${to}`);
}

describe('the architecture', () => {
  test('has sources and imports to check', () => {
    assert.ok(files.length > 40 && between.length > 60);
  });

  test('has a level for each module, and no others', () => {
    const modules = LEVELS.flatMap((level) => level.modules);
    assert.deepEqual([...new Set(files.map(moduleOf))].sort(), modules.toSorted());
  });

  test('is what the picture in the manual shows', () => {
    const draw = 'draw it anew: node --import tsx test/modules-picture.ts';
    assert.ok(readPicture() === drawModules(), `static/manual/modules.svg is not current; ${draw}`);
  });

  test('has no import of a module on a higher level, and none of the foundations but of memory', () => {
    const upward = between.filter(({ from, to }) => levelOf(to) > levelOf(from));
    assert.deepEqual(lines(upward), []);
    const outside = between.filter(
      ({ from, to }) => FOUNDATIONS.includes(moduleOf(from)) && moduleOf(to) !== 'memory',
    );
    assert.deepEqual(lines(outside), []);
    assert.deepEqual(lines(within.filter(({ from }) => COMMON.includes(from))), []);
  });

  test('lets only routes and their like speak HTTP', () => {
    const strangers = between.filter(
      ({ from, to }) =>
        moduleOf(to) === 'http' &&
        !['app', 'cli'].includes(moduleOf(from)) &&
        !HTTP_USERS.some((user) => from.endsWith(user)),
    );
    assert.deepEqual(lines(strangers), []);
  });

  test('joins modules only along the agreed arrows, and never to a routes.ts', () => {
    const crossing = between.filter(({ from, to }) => {
      if (['app', 'cli'].includes(moduleOf(from)) || FOUNDATIONS.includes(moduleOf(to))) return false;
      return to.endsWith('/routes.ts') || ARROWS[moduleOf(from)]?.includes(to) !== true;
    });
    assert.deepEqual(lines(crossing), []);
  });

  test('reads the configuration in app.ts, access.ts, history.ts, pages.ts and the command line alone, and the environment in config.ts alone', () => {
    const readers = imports.filter(
      ({ from, to }) =>
        to.startsWith('config') &&
        moduleOf(from) !== 'cli' &&
        !from.startsWith('config') &&
        !['app.ts', 'access.ts', 'history.ts', 'pages.ts'].includes(from),
    );
    assert.deepEqual(lines(readers), []);
    const environment = files.filter((file) => sources.get(file)?.includes('process.env') === true);
    assert.deepEqual(environment, ['config.ts']);
  });

  test('opens the app in cli/serve.ts alone', () => {
    assert.deepEqual(lines(imports.filter(({ to }) => to === 'app.ts')), ['cli/serve.ts -> app.ts']);
  });

  test('uses packages in the modules that are theirs alone', () => {
    const packages = imports.filter(({ to }) => !sources.has(to) && !to.startsWith('node:'));
    const astray = packages.filter(
      ({ from, to }) => PACKAGES[to]?.some((place) => from === place || moduleOf(from) === place) !== true,
    );
    assert.deepEqual(lines(astray), []);
  });

  test('states one version: that of the package, on the label of the image too', () => {
    const version = /"version": "([^"]+)"/.exec(readFileSync(new URL('package.json', CHECKOUT), 'utf8'))?.[1];
    const label = /image\.version="([^"]+)"/.exec(readFileSync(new URL('Dockerfile', CHECKOUT), 'utf8'))?.[1];
    assert.equal(label, version);
  });

  test('has no circle of imports, neither of files nor of modules', () => {
    assert.equal(findCircle(within), undefined);
    const modules = between.map(({ from, to }) => ({ from: moduleOf(from), to: moduleOf(to) }));
    assert.equal(findCircle(modules), undefined);
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

function findCircle(arrows: readonly Import[]): string | undefined {
  const places = new Set(arrows.map(({ from }) => from));
  const done = new Set<string>();
  function visit(place: string, path: readonly string[]): string | undefined {
    if (path.includes(place)) return [...path, place].join(' -> ');
    if (done.has(place)) return undefined;
    for (const { to } of arrows.filter(({ from }) => from === place)) {
      const circle = visit(to, [...path, place]);
      if (circle !== undefined) return circle;
    }
    done.add(place);
    return undefined;
  }
  return [...places].map((place) => visit(place, [])).find((circle) => circle !== undefined);
}
