import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import ts from 'typescript';
import { longTest } from '../support/size.ts';

const FOLDER = new URL('../../static/app/', import.meta.url);
const MODULES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.js') && !path.startsWith('vendor/'))
  .sort();
const REQUESTS = /\b(?:fetch|XMLHttpRequest|EventSource|sendBeacon|WebSocket)\b/;
const WHOLE_PAGE = /\b(?:document|window|location|navigator|localStorage|sessionStorage)\b/;
// Their texts are names of keys, not words.
const KEY = /<kbd[^>]*>[^<]*<\/kbd>/g;
const WORDS_OF_ATTRIBUTES = /\s(?:aria-label|aria-description|alt|title|placeholder)="?([^"\s>]+)/g;

const sourceOf = (path: string): string => readFileSync(new URL(path, FOLDER), 'utf8');

const PARSED = new Map(
  MODULES.map((path) => [
    path,
    ts.createSourceFile(path, sourceOf(path), ts.ScriptTarget.Latest, true, ts.ScriptKind.JS),
  ]),
);

function parsed(path: string): ts.SourceFile {
  const found = PARSED.get(path);
  if (!found) throw new Error(`no module ${path}`);
  return found;
}

const NODES = new Map(MODULES.map((path) => [path, allNodes(parsed(path))]));

/** A node and all below it. */
function allNodes(node: ts.Node): ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (one: ts.Node): void => {
    found.push(one);
    one.forEachChild(visit);
  };
  visit(node);
  return found;
}

const nodesOf = (path: string): readonly ts.Node[] => NODES.get(path) ?? [];

/** The modules that one imports, at once or later, by their paths in the folder of the app. */
function importsOf(path: string): string[] {
  return nodesOf(path)
    .map((node) => {
      if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
      const isImport = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
      return isImport ? node.arguments[0] : undefined;
    })
    .filter((name) => name !== undefined)
    .filter(ts.isStringLiteral)
    .map(({ text }) => new URL(text, new URL(path, FOLDER)).href.slice(FOLDER.href.length));
}

/** The code of a module without its comments. */
function codeOf(path: string): string {
  const printer = ts.createPrinter({ removeComments: true });
  return printer.printFile(parsed(path));
}

/** The texts of the templates of a module; a blank stands where something is put in. */
function templatesOf(path: string): string[] {
  return nodesOf(path)
    .filter(ts.isTaggedTemplateExpression)
    .filter(({ tag }) => ['html', 'svg'].includes(tag.getText()))
    .map(({ template }) =>
      ts.isNoSubstitutionTemplateLiteral(template)
        ? template.text
        : [template.head, ...template.templateSpans.map(({ literal }) => literal)]
            .map(({ text }) => text)
            .join(' '),
    );
}

/** The words that stand in a template itself: between its tags, and in what is read out of them. */
function wordsIn(template: string): string[] {
  const shown = template.replaceAll(KEY, ' ').replaceAll(/<!--.*?-->|<[^>]*>/gs, ' ');
  const attributes = [...template.matchAll(WORDS_OF_ATTRIBUTES)].map(([, text = '']) => text);
  const texts = [...shown.replaceAll(/&\w+;/g, ' ').split(/\s+/), ...attributes];
  return texts.filter((text) => /\p{Letter}/u.test(text));
}

const inFolder =
  (folder: string) =>
  (path: string): boolean =>
    path.startsWith(`${folder}/`);

describe('the modules of the web app', () => {
  test('are views, which only the routes know, and what they share', () => {
    const users = MODULES.filter((path) => importsOf(path).some(inFolder('views')));
    assert.deepEqual(users, ['routes.js']);
    assert.ok(MODULES.filter(inFolder('views')).length >= 12);
  });

  test('draw in the frame, the parts and the views alone', () => {
    const users = MODULES.filter((path) => importsOf(path).some(inFolder('vendor/lit-html')));
    const others = users.filter((path) => !/^(?:main\.js|ui\/|views\/)/.test(path));
    assert.deepEqual([users.length > 10, others], [true, []]);
  });

  longTest('know the map library only where the map is', () => {
    const users = MODULES.filter((path) => /\bleaflet\b|\bL\.\w/i.test(codeOf(path)));
    assert.deepEqual(
      users.filter((path) => !/^map[^/]*\.js$/.test(path)),
      [],
    );
  });

  test('ask for something over the network in few places', () => {
    const users = MODULES.filter((path) => REQUESTS.test(codeOf(path)));
    assert.deepEqual(users, ['api.js', 'live.js', 'sw.js', 'wire.js']);
  });

  test('know nothing of the page where they only work on texts and figures', () => {
    const pure = [
      'format.js',
      'geo.js',
      'keys.js',
      'place-text.js',
      'texts.js',
      ...MODULES.filter(inFolder('texts')),
    ];
    const users = pure.filter((path) => MODULES.includes(path) && WHOLE_PAGE.test(codeOf(path)));
    assert.deepEqual(users, []);
  });

  test('have no words in their templates', () => {
    const found = MODULES.flatMap((path) =>
      templatesOf(path)
        .flatMap(wordsIn)
        .map((text) => `${path}: ${text}`),
    );
    assert.deepEqual(found, []);
    assert.deepEqual(wordsIn('<p title="Hi"><b>Now</b> <kbd>u</kbd>&nbsp;1</p>'), ['Now', 'Hi']);
  });
});
