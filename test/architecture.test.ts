import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { CHECKOUT } from './support/checkout.ts';
import {
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
// The files that know of requests and answers, besides those called routes.ts and the module http itself.
const HTTP_USERS = [
  'routes.ts',
  'accounts/authenticate.ts',
  'accounts/checks.ts',
  'upload.ts',
  'catalogue/public-answers.ts',
  'restaurants/reads.ts',
  'restaurants/views.ts',
  // They check the permit of a request's caller on a connection of their own.
  'people/request-thread.ts',
  'history/merge-thread.ts',
  'history/undo.ts',
  'history/stream.ts',
  'metrics/access.ts',
  'metrics/traffic.ts',
];
// They join modules, and go into app.ts.
const WIRING = ['catalogue/open.ts', 'history/open.ts', 'people/open.ts', 'web/open.ts'];
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'better-sqlite3': ['storage'],
  '@node-rs/argon2': ['people/accounts'],
  busboy: ['http/multipart.ts'],
  esbuild: ['web/pages/web-app-files.ts'],
  '@photostructure/tz-lookup': ['catalogue/hours/zones.ts'],
  marked: ['web/documentation/manual-markdown.ts'],
  jose: ['people/accounts/tokens.ts', 'people/identity/provider.ts'],
};
// Imports that run upward or sideways, to be removed.
const ASTRAY: readonly string[] = [];

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
    const draw = 'draw it anew: node test/modules-picture.ts';
    assert.ok(readPicture() === drawModules(), `static/manual/modules.svg is not current; ${draw}`);
  });

  test('has imports that run down alone, from one level to those below', () => {
    const astray = between.filter(({ from, to }) => levelOf(to) >= levelOf(from));
    assert.deepEqual(
      lines(astray).filter((line) => !ASTRAY.includes(line)),
      [],
    );
  });

  test('lets only routes and their like speak HTTP', () => {
    const strangers = between.filter(
      ({ from, to }) =>
        moduleOf(to) === 'http' &&
        !['app', 'cli'].includes(moduleOf(from)) &&
        ![...HTTP_USERS, ...WIRING].some((user) => from.endsWith(user)),
    );
    assert.deepEqual(lines(strangers), []);
  });

  test('lets others into the index only by its door', () => {
    const door = ['catalogue-index', 'request', 'lookups', 'geo'].map((name) => `index/${name}.ts`);
    const strangers = between.filter(({ to }) => moduleOf(to) === 'index' && !door.includes(to));
    assert.deepEqual(lines(strangers), []);
  });

  test('reads the environment in config/environment.ts alone', () => {
    const readers = files.filter((file) => sources.get(file)?.includes('process.env') === true);
    assert.deepEqual(readers, ['config/environment.ts']);
  });

  test('opens the app in cli/serve.ts alone', () => {
    assert.deepEqual(lines(imports.filter(({ to }) => to === 'app.ts')), ['cli/serve.ts -> app.ts']);
  });

  test('uses packages in the modules that are theirs alone', () => {
    const packages = imports.filter(({ to }) => !sources.has(to) && !to.startsWith('node:'));
    const astray = packages.filter(
      ({ from, to }) =>
        PACKAGES[to]?.some((place) => from === place || from.startsWith(`${place}/`)) !== true,
    );
    assert.deepEqual(lines(astray), []);
  });

  test('states one version: that of the package, on the label of the image too', () => {
    const version = /"version": "([^"]+)"/.exec(readFileSync(new URL('package.json', CHECKOUT), 'utf8'))?.[1];
    const label = /image\.version="([^"]+)"/.exec(readFileSync(new URL('Dockerfile', CHECKOUT), 'utf8'))?.[1];
    assert.equal(label, version);
  });

  test('has no circle of imports', () => {
    assert.equal(findCircle(within), undefined);
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
