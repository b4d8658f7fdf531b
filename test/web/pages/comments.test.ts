import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withoutComments } from '../../../src/web/pages/web-app-routes.ts';

describe('modules are sent without comments', () => {
  test('that take whole lines', () => {
    const code = `/** @import { State } from './types.js' */\n// Why.\nexport const a = 1;\n\n/**\n * @param {State} b\n */\nfunction f(b) {\n  // Inside.\n  return b;\n}\n`;
    assert.equal(withoutComments(code), 'export const a = 1;\n\nfunction f(b) {\n  return b;\n}\n');
  });

  test('but with those that stand in a line of code, and with texts that look like one', () => {
    const code = `const x =\n  /** @type {any} */ (y);\nconst a = 'https://b'; // end\nconst z = 1; /** @type {b} */\n`;
    assert.equal(withoutComments(code), code);
  });
});
