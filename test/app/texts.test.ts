import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import ts from 'typescript';
import { texts } from '../../static/app/texts/texts.js';
import { LANGUAGES, compare } from '../support/languages.ts';
import { MODULES, importsOf, nodesOf } from './modules.ts';

type Tree = string | readonly Tree[] | { readonly [name: string]: Tree };

const ALL: Tree = texts;
const PLURAL_FORMS = new Intl.PluralRules('en').resolvedOptions().pluralCategories;
const ANY_FORM = ['zero', 'one', 'two', 'few', 'many', 'other'];

const isPlural = (tree: Tree): boolean =>
  typeof tree === 'object' && Object.keys(tree).every((name) => ANY_FORM.includes(name));

/** A way to a text; undefined stands for any name. */
type Way = readonly (string | undefined)[];

interface Leaf {
  readonly way: readonly string[];
  readonly forms: Readonly<Record<string, string>>;
}

/** The texts of a tree, each with its forms for different numbers. */
function leavesOf(tree: Tree, way: readonly string[] = []): Leaf[] {
  if (typeof tree === 'string') return [{ way, forms: { other: tree } }];
  if (isPlural(tree)) {
    const isForm = (entry: [string, Tree]): entry is [string, string] => typeof entry[1] === 'string';
    const forms = Object.entries<Tree>(tree).filter(isForm);
    return [{ way, forms: Object.fromEntries(forms) }];
  }
  return Object.entries(tree).flatMap(([name, part]) => leavesOf(part, [...way, name]));
}

const LEAVES = leavesOf(ALL);

/** Whether texts stand there. */
const isWay = (way: Way): boolean =>
  way.reduce<readonly Tree[]>(
    (trees, name) =>
      trees.flatMap((tree) =>
        Object.entries(tree)
          .filter(([key]) => typeof tree !== 'string' && (name === undefined || key === name))
          .map(([, part]) => part),
      ),
    [ALL],
  ).length > 0;

/** Whether what a module reads is this text, or holds it. */
const covers = (read: Way, { way }: Leaf): boolean =>
  read.every((name, at) => name === undefined || name === way[at]);

const placeholdersOf = ({ forms }: Leaf): Set<string> =>
  new Set(
    Object.values(forms).flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)),
  );

/** Follows the texts of one module: which it reads, and what it fills them with. */
class Reader {
  readonly #names = new Map<string, Way>();
  readonly reads: Way[] = [];
  readonly fills: { ways: Way[]; given: Set<string>; isOpen: boolean; at: string }[] = [];

  constructor(path: string) {
    const nodes = nodesOf(path);
    if (importsOf(path).includes('base/texts.ts')) this.#names.set('texts', []);
    for (const node of nodes) if (ts.isVariableDeclaration(node)) this.#bind(node);
    for (const node of nodes) {
      const way = ts.isExpression(node) && !isPartOfChain(node) ? this.#wayOf(node) : undefined;
      if (way && way.length > 0 && !isBinding(node)) this.reads.push(way);
      if (ts.isCallExpression(node) && node.expression.getText() === 'fill') this.#fill(node, path);
    }
  }

  /** `const words = texts.lists` and `const { about } = words` name parts of the texts. */
  #bind({ name, initializer }: ts.VariableDeclaration): void {
    const way = initializer && this.#wayOf(initializer);
    if (!way) return;
    if (ts.isIdentifier(name)) this.#names.set(name.text, way);
    if (!ts.isObjectBindingPattern(name)) return;
    for (const { name: local, propertyName } of name.elements) {
      const key = (propertyName ?? local).getText();
      this.#names.set(local.getText(), [...way, key]);
    }
  }

  #wayOf(node: ts.Expression): Way | undefined {
    if (ts.isIdentifier(node)) return isName(node) ? undefined : this.#names.get(node.text);
    if (!ts.isPropertyAccessExpression(node) && !ts.isElementAccessExpression(node)) return undefined;
    const way = this.#wayOf(node.expression);
    if (!way) return undefined;
    if (ts.isPropertyAccessExpression(node)) {
      const longer = [...way, node.name.text];
      // Or a method of what was found, such as `map`.
      return isWay(longer) ? longer : way;
    }
    const { argumentExpression: key } = node;
    return [...way, ts.isStringLiteral(key) ? key.text : undefined];
  }

  /** The texts that an expression may be; undefined where that is not known here. */
  #choices(node: ts.Expression): Way[] | undefined {
    if (!ts.isConditionalExpression(node)) {
      const way = this.#wayOf(node);
      return way && [way];
    }
    const [one, other] = [this.#choices(node.whenTrue), this.#choices(node.whenFalse)];
    return one && other && [...one, ...other];
  }

  #fill(node: ts.CallExpression, path: string): void {
    const [text, values] = node.arguments;
    const ways = text && this.#choices(text);
    if (!ways || !values || !ts.isObjectLiteralExpression(values)) return;
    const named = values.properties.filter((one) => !ts.isSpreadAssignment(one));
    this.fills.push({
      ways,
      given: new Set(named.map((one) => one.name.getText())),
      isOpen: named.length < values.properties.length,
      at: `${path}: ${text.getText()}`,
    });
  }
}

/** `words` in `words.added`: the whole chain counts. */
const isPartOfChain = ({ parent, pos }: ts.Node): boolean =>
  (ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent)) &&
  parent.expression.pos === pos;

/** A name that stands for no value: of a property, a parameter or an import. */
const isName = (node: ts.Identifier): boolean =>
  (ts.isPropertyAccessExpression(node.parent) && node.parent.name === node) ||
  ('name' in node.parent && node.parent.name === node && !ts.isShorthandPropertyAssignment(node.parent)) ||
  ('propertyName' in node.parent && node.parent.propertyName === node);

const isBinding = ({ parent }: ts.Node): boolean => ts.isVariableDeclaration(parent);

const READERS = MODULES.map((path) => new Reader(path));

const nameOf = ({ way }: Leaf): string => way.join('.');
const wordingOf = ({ forms }: Leaf): string => JSON.stringify(forms);
const isCommon = ({ way }: Leaf): boolean => way[0] === 'common';

describe('The texts of the app', () => {
  test('are all used', () => {
    const reads = READERS.flatMap((reader) => reader.reads);
    const unused = LEAVES.filter((leaf) => !reads.some((way) => covers(way, leaf)));
    assert.deepEqual(unused.map(nameOf), []);
  });

  test('get a value for each placeholder, and no others', () => {
    const fills = READERS.flatMap((reader) => reader.fills);
    const wrong = fills.flatMap(({ ways, given, isOpen, at }) => {
      const wanted = LEAVES.filter((leaf) => ways.some((way) => covers(way, leaf)));
      const names = new Set(wanted.flatMap((leaf) => [...placeholdersOf(leaf)]));
      if (wanted.some(({ forms }) => 'one' in forms)) names.add('count');
      const missing = isOpen ? [] : [...names].filter((name) => !given.has(name));
      const surplus = [...given].filter((name) => !names.has(name));
      return [
        ...missing.map((name) => `${at} lacks ${name}`),
        ...surplus.map((name) => `${at} has no ${name}`),
      ];
    });
    assert.deepEqual(wrong, []);
    assert.ok(fills.length > 100);
  });

  test('have the forms for numbers that English has', () => {
    const plural = LEAVES.filter(({ forms }) => Object.keys(forms).join() !== 'other');
    const wrong = plural.filter(({ forms }) => Object.keys(forms).sort().join() !== PLURAL_FORMS.join());
    assert.deepEqual(wrong.map(nameOf), []);
    assert.ok(plural.length > 10);
  });

  test('do not repeat those that all screens share, but in tables of their own', () => {
    const read = new Set(READERS.flatMap((reader) => reader.reads.map((way) => way.join('.'))));
    const common = new Map(LEAVES.filter(isCommon).map((leaf) => [wordingOf(leaf), nameOf(leaf)]));
    // Other languages need different words for some of these.
    const repeated = LEAVES.filter(
      (leaf) => !isCommon(leaf) && read.has(nameOf(leaf)) && common.has(wordingOf(leaf)),
    )
      .map((leaf) => [nameOf(leaf), common.get(wordingOf(leaf))])
      .filter(([name, shared]) => name !== shared);
    assert.deepEqual(repeated, []);
  });

  // What is missing is shown in English.
  for (const tag of LANGUAGES)
    test(`have the placeholders and the forms for numbers that they need in ${tag}`, () => {
      assert.deepEqual(compare(tag).faults, []);
    });
});
