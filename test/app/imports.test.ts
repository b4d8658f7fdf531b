import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import ts from 'typescript';
import { longTest } from '../support/size.ts';
import { MODULES, importsOf, nodesOf, parsed } from './modules.ts';

const REQUESTS = /\b(?:fetch|XMLHttpRequest|EventSource|sendBeacon|WebSocket)\b/;
const WHOLE_PAGE = /\b(?:document|window|location|navigator|localStorage|sessionStorage)\b/;
// Their texts are names of keys, not words.
const KEY = /<kbd[^>]*>[^<]*<\/kbd>/g;
const WORDS_OF_ATTRIBUTES = /\s(?:aria-label|aria-description|alt|title|placeholder)="?([^"\s>]+)/g;

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

// From the bottom up, the first are modules of the service: a module imports only from its own folder and from those below it.
const LAYERS = ['src', 'texts', 'base', 'state', 'map', 'parts'];
const FEATURES = [...new Set(MODULES.map(folderOf))].filter((name) => ![...LAYERS, 'start'].includes(name));

function folderOf(path: string): string {
  return path.split('/')[0] ?? '';
}

/** How high the folder of a module is; screens share one height. */
function heightOf(path: string): number {
  const folder = folderOf(path);
  if (folder === 'start') return LAYERS.length + 1;
  const layer = LAYERS.indexOf(folder);
  return layer === -1 ? LAYERS.length : layer;
}

const own = (path: string): string[] => importsOf(path).filter((target) => !target.startsWith('vendor/'));

/** The modules that one needs, directly or through others. */
function behind(path: string): Set<string> {
  const found = new Set<string>();
  const next = [...own(path)];
  for (let target = next.pop(); target !== undefined; target = next.pop()) {
    if (found.has(target)) continue;
    found.add(target);
    next.push(...own(target));
  }
  return found;
}

describe('the modules of the web app', () => {
  test('import from the folders below their own, and screens nothing from each other', () => {
    const wrong = MODULES.flatMap((path) =>
      own(path)
        .filter((target) => folderOf(target) !== folderOf(path) && heightOf(target) >= heightOf(path))
        .map((target) => `${path} -> ${target}`),
    );
    assert.deepEqual(wrong, []);
    assert.ok(FEATURES.length >= 9);
  });

  test('do not import themselves through others', () => {
    assert.deepEqual(
      MODULES.filter((path) => behind(path).has(path)),
      [],
    );
  });

  test('draw in the frame, the parts and the screens alone', () => {
    const users = MODULES.filter((path) =>
      importsOf(path).some((target) => target.startsWith('vendor/lit-html')),
    );
    const others = users.filter((path) => heightOf(path) < LAYERS.indexOf('parts'));
    assert.deepEqual([users.length > 10, others], [true, []]);
  });

  longTest('know the map library only where the map is', () => {
    const users = MODULES.filter((path) => /\bleaflet\b|\bL\.\w/i.test(codeOf(path)));
    assert.deepEqual(
      users.filter((path) => folderOf(path) !== 'map'),
      [],
    );
  });

  test('ask for something over the network in few places', () => {
    const users = MODULES.filter((path) => REQUESTS.test(codeOf(path)));
    assert.deepEqual(users, ['base/api.ts', 'start/sw.ts']);
  });

  test('know nothing of the page where they only work on texts and figures', () => {
    const pure = MODULES.filter((path) =>
      /^(?:(?:base\/(?:format|geo|hours|keys|money)|add\/fields|visits\/year)\.ts)/.test(path),
    );
    assert.ok(pure.length >= 7);
    const users = pure.filter((path) => WHOLE_PAGE.test(codeOf(path)));
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
