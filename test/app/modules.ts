import { readFileSync, readdirSync } from 'node:fs';
import ts from 'typescript';

/** The folder of the app. */
export const FOLDER = new URL('../../static/app/', import.meta.url);

/** The modules of the app by their paths in its folder. */
export const MODULES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts') && !/^(?:vendor|texts)\//.test(path))
  .sort();

const PARSED = new Map(
  MODULES.map((path) => {
    const text = readFileSync(new URL(path, FOLDER), 'utf8');
    return [path, ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS)];
  }),
);
const NODES = new Map([...PARSED].map(([path, file]) => [path, allNodes(file)]));

export function parsed(path: string): ts.SourceFile {
  const found = PARSED.get(path);
  if (!found) throw new Error(`no module ${path}`);
  return found;
}

/** All nodes of a module. */
export const nodesOf = (path: string): readonly ts.Node[] => NODES.get(path) ?? [];

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

/** The modules that one imports, at once or later, by their paths in the folder of the app. */
export function importsOf(path: string): string[] {
  return nodesOf(path)
    .map((node) => {
      if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
      const isImport = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
      return isImport ? node.arguments[0] : undefined;
    })
    .filter((name) => name !== undefined)
    .filter(ts.isStringLiteral)
    .map(({ text }) =>
      new URL(text, new URL(path, FOLDER)).href.slice(FOLDER.href.length).replace(/js$/, 'ts'),
    );
}
