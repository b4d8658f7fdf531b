import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { importsIn, modulesBehind } from '../../../src/web/pages/web-app-routes.ts';

function behind(sources: Readonly<Record<string, string>>): string[] {
  const imports = Object.entries(sources).map(([path, source]) => [path, importsIn(source, path)] as const);
  return modulesBehind('main.js', new Map(imports));
}

describe('the modules behind one', () => {
  test('are those that it imports, and those that they import, each once', () => {
    const sources = {
      'main.js': "import { a } from './a.js';\nimport './ui/b.js';\n",
      'a.js': "import {\n  b,\n  c as d,\n} from './ui/b.js';\nexport * from './c.js';\n",
      'ui/b.js': "import * as main from '../main.js';\nexport { x } from './deep.js';\n",
      'ui/deep.js': 'const a = 1;\n',
      'c.js': '',
    };
    assert.deepEqual(behind(sources), ['main.js', 'a.js', 'ui/b.js', 'c.js', 'ui/deep.js']);
  });

  test('are found in what a minifier wrote', () => {
    const sources = {
      'main.js': 'import{a as t}from"./a.js";import{$,_ as r}from"./b.js";export{c}from"./c.js";const x=1;',
      'a.js': '',
      'b.js': '',
      'c.js': '',
    };
    assert.deepEqual(behind(sources), ['main.js', 'a.js', 'b.js', 'c.js']);
  });

  for (const [title, source] of [
    ['modules that are loaded later', "const later = () => import('./x.js');\nimport('./x.js').then(go);\n"],
    [
      'types in comments',
      "/** @import { X } from './x.js' */\n/** @type {import('./x.js').X} */\n * @import './x.js'\n",
    ],
    ['texts', "const a = 'from';\nexport const b = './x.js';\nexport default './x.js';\n"],
    ['other words', "importAll('./x.js');\nexported = './x.js';\n"],
  ] as const)
    test(`are not: ${title}`, () => {
      assert.deepEqual(behind({ 'main.js': source }), ['main.js']);
    });

  test('must be there', () => {
    assert.throws(() => behind({ 'main.js': "import './gone.js';" }), /main\.js needs the module gone\.js/);
  });
});
