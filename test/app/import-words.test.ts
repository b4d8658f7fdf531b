import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import ts from 'typescript';
import { fieldWord } from '../../static/app/base/field-words.js';
import { texts } from '../../static/app/texts/texts.js';
import { CHECKOUT } from '../support/checkout.ts';
import { readDescription } from '../support/description.ts';
import { LANGUAGES, compare } from '../support/languages.ts';

const FOLDER = new URL('src/transfer/', CHECKOUT);
/** All that the reader of a file can say, as its sources have it. */
const said = {
  refusals: new Set<string>(),
  lineFaults: new Set<string>(),
  reasons: new Set<string>(),
  fields: new Set<string>(),
};
const TABLES: Readonly<Record<string, Set<string>>> = {
  REFUSALS: said.refusals,
  FAULTS: said.lineFaults,
  NAMES: said.fields,
};
const words = texts.import;

for (const name of readdirSync(FOLDER)) {
  const text = readFileSync(new URL(name, FOLDER), 'utf8');
  visit(ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true));
}

/** Notes the keys of the tables, the literals of the types of reasons, and the words of the calls that note something. */
function visit(node: ts.Node): void {
  if (ts.isVariableDeclaration(node)) {
    const { initializer } = node;
    const table = initializer && ts.isAsExpression(initializer) ? initializer.expression : initializer;
    if (table && ts.isObjectLiteralExpression(table))
      for (const { name } of table.properties) if (name) TABLES[node.name.getText()]?.add(plain(name));
  }
  const isReason = ts.isTypeAliasDeclaration(node) && node.name.text === 'Reason';
  const isGuess = ts.isPropertySignature(node) && ['reason', 'guess'].includes(node.name.getText());
  if ((isReason || isGuess) && node.type && ts.isUnionTypeNode(node.type))
    for (const one of node.type.types)
      if (ts.isLiteralTypeNode(one) && ts.isStringLiteral(one.literal)) said.reasons.add(plain(one));
  if (ts.isCallExpression(node)) {
    const name = /(?:^|[.#])(leftOut|guessed|noted)$/.exec(node.expression.getText())?.[1];
    const [one, other] = node.arguments;
    const [field, reason] = name === 'noted' ? [other] : [one, other];
    if (name && field && ts.isStringLiteral(field)) said.fields.add(field.text);
    if (name && reason && ts.isStringLiteral(reason)) said.reasons.add(reason.text);
  }
  node.forEachChild(visit);
}

function plain(node: ts.Node): string {
  return node.getText().replaceAll("'", '');
}

describe('what the app says of a file', () => {
  for (const [name, least] of [
    ['refusals', 20],
    ['lineFaults', 10],
    ['reasons', 15],
  ] as const)
    test(`has words for all ${name} of the reader, and for nothing else but those of its own`, () => {
      const own = ['empty'];
      assert.deepEqual(
        [...said[name]].filter((word) => !Object.keys(words[name]).includes(word)),
        [],
      );
      assert.deepEqual(
        Object.keys(words[name]).filter((word) => !said[name].has(word) && !own.includes(word)),
        [],
      );
      assert.ok(said[name].size >= least);
    });

  test('has words for all fields of notes, and for what a file may be', () => {
    assert.deepEqual(
      [...said.fields].filter((field) => fieldWord(field) === field),
      [],
    );
    assert.ok(said.fields.size > 40);
    const { document, resolve } = readDescription();
    const result = resolve(resolve(resolve(document['components'])['schemas'])['ImportResult']);
    const { enum: kinds } = resolve(resolve(result['properties'])['read_as']);
    assert.deepEqual(new Set(Object.keys(words.kinds)), new Set(Array.isArray(kinds) ? kinds : []));
  });

  for (const tag of LANGUAGES)
    test(`is all there in ${tag}`, () => {
      assert.deepEqual(
        compare(tag).missing.filter((way) => way.startsWith('import.')),
        [],
      );
    });
});
